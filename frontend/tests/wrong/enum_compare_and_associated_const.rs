#![allow(unused)]
mod enum_compare {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    enum E { A, C }
    #[cube]
    fn h(e: E) -> bool { e == E::A } //~
}

mod assoc_const_unknown {
    use cubecl::prelude::*;
    #[cube]
    trait Act: Send + Sync + 'static { const N: u32; fn f(a: f32) -> f32; }
    #[cube]
    fn g<A: Act>(a: f32) -> u32 { A::M } //~
}

fn main() {}
