#![allow(unused)]
mod impl_assoc_type_bound {
    use cubecl::prelude::*;
    #[cube]
    trait T: Send + Sync + 'static { type A: Float; fn f(a: f32) -> f32; }
    struct S;
    #[cube]
    impl T for S {
        type A = u32; //~
        fn f(a: f32) -> f32 { a }
    }
}

fn main() {}
