#![allow(unused)]
mod impl_extra_fn {
    use cubecl::prelude::*;
    #[cube]
    trait T: Send + Sync + 'static { fn f(a: f32) -> f32; }
    struct S;
    #[cube] //~-
    impl T for S {
        fn f(a: f32) -> f32 { a }
        fn g(a: f32) -> f32 { a } //~~
    }
}

mod impl_unknown_trait {
    use cubecl::prelude::*;
    struct S;
    #[cube]
    impl Missing for S { //~
        fn f(a: f32) -> f32 { a }
    }
}

fn main() {}
