#![allow(unused, dead_code)]
mod parameter_without_cube_type {
    use cubecl::prelude::*;
    #[derive(Clone, Copy)]
    struct P { x: f32 }
    #[cube]
    fn h(p: P) -> f32 { //~
        p.x
    }
}

mod text_field {
    use cubecl::prelude::*;
    #[derive(CubeType)]
    struct P { x: String } //~
}

mod vec_field {
    use cubecl::prelude::*;
    #[derive(CubeType, CubeLaunch)]
    struct P { x: f32, v: Vec<f32> } //~
}

mod launch_field_without_cube_launch {
    use cubecl::prelude::*;
    #[derive(CubeType)]
    struct Inner { x: f32 }
    #[derive(CubeType, CubeLaunch)]
    struct P { x: Inner } //~
}

mod comptime_struct_without_traits {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>, #[comptime] c: Cfg) { //~
        out[0] = c.n as f32;
    }
    struct Cfg { n: u32 } 
}

mod cube_attribute_on_struct {
    use cubecl::prelude::*;
    #[cube]
    struct P { x: f32 } //~
}

mod misspelled_derive {
    use cubecl::prelude::*;
    #[derive(CubeType, CubeLaunh)] //~
    struct K {
        x: f32,
    }
}

fn main() {}
