#![allow(unused)]
mod impl_twice {
    use cubecl::prelude::*;
    #[cube]
    trait T: Send + Sync + 'static { fn f(a: f32) -> f32; }
    struct S;
    #[cube]
    impl T for S { fn f(a: f32) -> f32 { a } }
    #[cube]
    impl T for S { fn f(a: f32) -> f32 { a + a } } //~
}

fn main() {}
