#![allow(unused)]
mod variant_cmp_comptime {
    use cubecl::prelude::*;
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Op { Add, Mul }
    #[cube]
    fn h(a: f32, #[comptime] op: Op) -> f32 {
        if op == Op::Sub { a } else { a * a } //~
    }
}

mod impl_generics_count {
    use cubecl::prelude::*;
    #[cube]
    trait T: Send + Sync + 'static { fn f<F: Float>(a: F) -> F; }
    struct S;
    #[cube]
    impl T for S {
        fn f(a: f32) -> f32 { a } //~~
    }
}

fn main() {}
