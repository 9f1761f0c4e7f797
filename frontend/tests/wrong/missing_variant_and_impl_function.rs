#![allow(unused)]
mod variant_constructed {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    enum Op { Add(u32), Mul { x: f32 } }
    #[cube]
    fn h(a: f32) -> Op {
        Op::Div(1) //~
    }
}

mod impl_missing_fn {
    use cubecl::prelude::*;
    #[cube]
    trait T: Send + Sync + 'static { fn f(a: f32) -> f32; fn g(a: f32) -> f32; }
    struct S;
    #[cube]
    impl T for S { //~
        fn f(a: f32) -> f32 { a }
    }
}

fn main() {}
