#![allow(unused)]
mod supertrait_missing {
    use cubecl::prelude::*;
    #[cube]
    trait B: Send + Sync + 'static { fn g(a: f32) -> f32; }
    #[cube]
    trait T: B { fn f(a: f32) -> f32; }
    struct S;
    #[cube]
    impl T for S { fn f(a: f32) -> f32 { a } } //~~
}

fn main() {}
