#![allow(unused)]
mod impl_generic_bound {
    use cubecl::prelude::*;
    #[cube]
    trait T: Send + Sync + 'static { fn f<F: Numeric>(a: F) -> F; }
    struct S;
    #[cube]
    impl T for S {
        fn f<F: Float>(a: F) -> F { a } //~~
    }
}

fn main() {}
