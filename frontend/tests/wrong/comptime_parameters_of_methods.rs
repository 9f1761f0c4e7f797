#![allow(unused, dead_code)]
mod c01 {
    use cubecl::prelude::*;
    #[cube]
    fn unrolled(x: &Array<f32>, #[comptime] n: u32) -> f32 {
        let mut s = 0.0f32;
        #[unroll]
        for i in 0..n { s += x[i]; }
        s
    }
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>, n: u32) {
        out[0] = unrolled(x, n); //~
    }
}

mod c02 {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct T { v: f32 }
    #[cube]
    impl T {
        fn rep(&self, #[comptime] n: u32) -> f32 {
            let mut s = 0.0f32;
            #[unroll]
            for _i in 0..n { s += self.v; }
            s
        }
    }
    #[cube(launch)]
    fn k(out: &mut Array<f32>, n: u32) {
        let t = T { v: 1.0 };
        out[0] = t.rep(n); //~
    }
}

mod c03 {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct T { v: f32 }
    #[cube]
    impl T {
        fn make(#[comptime] n: u32) -> T { T { v: n as f32 } }
    }
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        let t = T::make(UNIT_POS); //~
        out[0] = t.v;
    }
}

mod c04 {
    use cubecl::prelude::*;
    #[cube]
    trait Rep {
        fn rep(x: f32, #[comptime] n: u32) -> f32;
    }
    #[cube(launch)]
    fn k<R: Rep>(out: &mut Array<f32>, n: u32) {
        out[0] = R::rep(1.0, n); //~
    }
}

mod c05 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) {
        let n = comptime!(x[0]); //~
        out[0] = n;
    }
}

mod c08 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>, n: u32) {
        let tile = SharedMemory::<f32>::new(n); //~
        out[0] = tile[0];
    }
}

mod c09 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        let tile = SharedMemory::<f32>::new(CUBE_DIM); //~
        out[0] = tile[0];
    }
}

mod c10 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>, #[comptime] cfg: &str) {
        if cfg == "fast" {
            out[0] = 1.0;
        }
        let n: u32 = cfg; //~
    }
}

mod c13 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>, n: u32) {
        let a = [0.0f32; n]; //~
        out[0] = a[0];
    }
}

mod z06 {
    use cubecl::prelude::*;
    #[cube]
    fn unrolled(#[comptime] n: u32) -> u32 { n }
    #[cube(launch)]
    fn k(out: &mut Array<u32>, n: u32) {
        let a: u32 = 1.0; //~
        out[0] = unrolled(n);
    }
}

mod k11 {
    use cubecl::prelude::*;
    #[cube]
    fn g(#[comptime] n: u32) -> u32 { n }
    #[cube(launch)]
    fn k(out: &mut Array<u32>, n: u32) {
        out[0] = g(n);
        let b: f32 = 1u32; //~
    }
}

mod k12 {
    use cubecl::prelude::*;
    #[cube]
    fn g(#[comptime] n: u32) -> u32 { n }
    #[cube(launch)]
    fn k(out: &mut Array<u32>, n: u32) {
        out[1] = missing; //~
        out[0] = g(UNIT_POS);
    }
}

fn main() {}
