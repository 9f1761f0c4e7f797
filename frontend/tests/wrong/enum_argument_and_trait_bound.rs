#![allow(unused)]
mod enum_arg_type {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    enum E { A(u32), C }
    #[cube]
    fn h(x: f32) -> E { E::A(x) } //~
}

mod trait_bound_not_satisfied {
    use cubecl::prelude::*;
    #[cube]
    trait Act: Send + Sync + 'static { fn f(a: f32) -> f32; }
    struct Relu;
    #[cube]
    impl Act for Relu { fn f(a: f32) -> f32 { a } }
    struct Gelu;
    #[cube]
    fn g<A: Act>(a: f32) -> f32 { A::f(a) }
    #[cube]
    fn h(a: f32) -> f32 { g::<Gelu>(a) } //~
}

fn main() {}
