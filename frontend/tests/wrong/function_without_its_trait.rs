#![allow(unused)]
mod one_letter_without_trait {
    use cubecl::prelude::*;
    #[cube]
    trait T: Send + Sync + 'static { fn f(a: f32) -> f32; }
    struct S;
    #[cube]
    fn h(a: f32) -> f32 { S::f(a) } //~
}

fn main() {}
