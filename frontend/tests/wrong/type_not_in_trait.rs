#![allow(unused)]
mod impl_extra_type {
    use cubecl::prelude::*;
    #[cube]
    trait T: Send + Sync + 'static { fn f(a: f32) -> f32; }
    struct S;
    #[cube]
    impl T for S {
        type A = f32; //~
        fn f(a: f32) -> f32 { a }
    }
}

fn main() {}
