#![allow(unused, dead_code)]
mod d01 {
    use cubecl::prelude::*;
    #[derive(Clone, Copy)]
    struct P { x: f32 }
    #[cube]
    fn h(p: P) -> f32 { //~
        p.x
    }
}

mod d03 {
    use cubecl::prelude::*;
    #[derive(CubeType)]
    struct P { x: String } //~
}

mod d04 {
    use cubecl::prelude::*;
    #[derive(CubeType, CubeLaunch)]
    struct P { x: f32, v: Vec<f32> } //~
}

mod d05 {
    use cubecl::prelude::*;
    #[derive(CubeType)]
    struct Inner { x: f32 }
    #[derive(CubeType, CubeLaunch)]
    struct P { x: Inner } //~
}

mod d06 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>, #[comptime] c: Cfg) { //~
        out[0] = c.n as f32;
    }
    struct Cfg { n: u32 } 
}

mod d07 {
    use cubecl::prelude::*;
    #[cube]
    struct P { x: f32 } //~
}

mod w09 {
    use cubecl::prelude::*;
    #[derive(CubeType, CubeLaunh)] //~
    struct K {
        x: f32,
    }
}

fn main() {}
