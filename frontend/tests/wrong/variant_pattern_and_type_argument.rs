#![allow(unused)]
mod enum_unit_pattern_w_data {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    enum E { A(u32), C }
    #[cube]
    fn h(e: E) -> u32 { match e { E::A => 1u32, E::C => 2u32 } } //~
}

mod trait_missing_type_arg {
    use cubecl::prelude::*;
    #[cube]
    trait Act: Send + Sync + 'static { fn f(a: f32) -> f32; }
    #[cube]
    fn g<A: Act>(a: f32) -> f32 { A::f(a) }
    #[cube]
    fn h(a: f32) -> f32 { g(a) } //~
}

fn main() {}
