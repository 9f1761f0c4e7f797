#![allow(unused)]
mod variant_constructed_struct {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    enum Op { Add(u32), Mul { x: f32 } }
    #[cube]
    fn h(a: f32) -> Op {
        Op::Div { x: a } //~
    }
}

mod impl_missing_const {
    use cubecl::prelude::*;
    #[cube]
    trait T: Send + Sync + 'static { const N: u32; fn f(a: f32) -> f32; }
    struct S;
    #[cube]
    impl T for S { //~
        fn f(a: f32) -> f32 { a }
    }
}

fn main() {}
