#![allow(unused)]
mod unroll_arg_type {
    use cubecl::prelude::*;
    #[cube]
    fn h(n: u32) -> u32 { let mut s = 0u32; #[unroll(4)] for i in 0..4 { s += i; } s } //~
}

mod unroll_unknown_name {
    use cubecl::prelude::*;
    #[cube]
    fn h(n: u32) -> u32 { let mut s = 0u32; #[unroll(yes)] for i in 0..4 { s += i; } s } //~
}

mod unroll_runtime_cond {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(n: u32, out: &mut Array<u32>) { #[unroll(n > 2)] for i in 0..4 { out[i] = i; } } //~
}

mod unroll_on_statement {
    use cubecl::prelude::*;
    #[cube]
    fn h(n: u32) -> u32 { #[unroll] let s = n; s } //~
}

mod unroll_on_fn {
    use cubecl::prelude::*;
    #[unroll] //~
    #[cube]
    fn h(n: u32) -> u32 { n }
}

mod comptime_on_fn {
    use cubecl::prelude::*;
    #[cube]
    #[comptime] //~
    fn h(n: u32) -> u32 { n }
}

mod comptime_on_struct_field {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { #[comptime] x: u32 } //~
}

mod cube_comptim_on_field {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { #[cube(comptim)] x: u32 } //~
}

mod cube_on_struct {
    use cubecl::prelude::*;
    #[cube]
    struct P { x: u32 } //~
}

mod cube_on_mod {
    use cubecl::prelude::*;
    #[cube]
    mod m { pub fn f() {} } //~
}

mod cube_launch_on_trait {
    use cubecl::prelude::*;
    #[cube(launch)] //~
    trait T { fn f(a: f32) -> f32; }
}

mod cube_launch_on_impl {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: u32 }
    #[cube(launch)] //~
    impl P { fn f(a: f32) -> f32 { a } }
}

mod cube_launch_fn_in_impl {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: u32 }
    #[cube]
    impl P {
        #[cube(launch)] //~
        fn f(a: f32) -> f32 { a }
    }
}

mod launch_generic_unbounded {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k<T>(out: &mut Array<T>) { } //~
}

mod derive_with_host_field {
    use cubecl::prelude::*;
    #[derive(CubeType)]
    struct P { x: String } //~
}

mod derive_with_vec_field {
    use cubecl::prelude::*;
    #[derive(CubeType)]
    struct P { x: Vec<f32> } //~
}

fn main() {}
