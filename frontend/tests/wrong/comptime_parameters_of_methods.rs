#![allow(unused, dead_code)]
mod runtime_argument_for_unrolled_function {
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

mod runtime_argument_for_comptime_method {
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

mod topology_argument_for_associated_function {
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

mod runtime_argument_for_trait_function {
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

mod comptime_of_a_load {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) {
        let n = comptime!(x[0]); //~
        out[0] = n;
    }
}

mod runtime_shared_memory_size {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>, n: u32) {
        let tile = SharedMemory::<f32>::new(n); //~
        out[0] = tile[0];
    }
}

mod topology_shared_memory_size {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        let tile = SharedMemory::<f32>::new(CUBE_DIM); //~
        out[0] = tile[0];
    }
}

mod comptime_text_as_u32 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>, #[comptime] cfg: &str) {
        if cfg == "fast" {
            out[0] = 1.0;
        }
        let n: u32 = cfg; //~
    }
}

mod runtime_array_length {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>, n: u32) {
        let a = [0.0f32; n]; //~
        out[0] = a[0];
    }
}

mod float_for_u32_before_runtime_argument {
    use cubecl::prelude::*;
    #[cube]
    fn unrolled(#[comptime] n: u32) -> u32 { n }
    #[cube(launch)]
    fn k(out: &mut Array<u32>, n: u32) {
        let a: u32 = 1.0; //~
        out[0] = unrolled(n);
    }
}

mod u32_for_f32_after_runtime_argument {
    use cubecl::prelude::*;
    #[cube]
    fn g(#[comptime] n: u32) -> u32 { n }
    #[cube(launch)]
    fn k(out: &mut Array<u32>, n: u32) {
        out[0] = g(n);
        let b: f32 = 1u32; //~
    }
}

mod unknown_name_before_topology_argument {
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
