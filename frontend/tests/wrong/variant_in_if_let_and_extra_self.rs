#![allow(unused)]
mod pat_variant_iflet {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    enum Op { Add(u32), Mul { x: f32 } }
    #[cube]
    fn h(op: Op, a: f32) -> f32 {
        if let Op::Ad(n) = op { a } else { 1.0 } //~
    }
}

mod impl_extra_self {
    use cubecl::prelude::*;
    #[cube]
    trait T: Send + Sync + 'static { fn f(a: f32) -> f32; }
    #[derive(CubeType, Clone, Copy)]
    struct S { x: f32 }
    #[cube]
    impl T for S {
        fn f(&self, a: f32) -> f32 { a } //~~
    }
}

fn main() {}
