#![allow(unused)]
mod variant_unit_comptime {
    use cubecl::prelude::*;
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Op { Add, Mul }
    #[cube]
    fn h(a: f32, #[comptime] op: Op) -> f32 {
        match op {
            Op::Add => a,
            Op::Sub => a, //~
            Op::Mul => a,
        }
    }
}

mod impl_missing_assoc_type {
    use cubecl::prelude::*;
    #[cube]
    trait T: Send + Sync + 'static { type A: Float; fn f(a: f32) -> f32; }
    struct S;
    #[cube]
    impl T for S { //~
        fn f(a: f32) -> f32 { a }
    }
}

fn main() {}
