#![allow(unused)]
mod impl_extra_const {
    use cubecl::prelude::*;
    #[cube]
    trait T: Send + Sync + 'static { fn f(a: f32) -> f32; }
    struct S;
    #[cube]
    impl T for S {
        const N: u32 = 1; //~
        fn f(a: f32) -> f32 { a }
    }
}

fn main() {}
