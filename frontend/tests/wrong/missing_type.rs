#![allow(unused)]
mod impl_unknown_type {
    use cubecl::prelude::*;
    #[cube]
    trait T: Send + Sync + 'static { fn f(a: f32) -> f32; }
    #[cube]
    impl T for Missing { //~
        fn f(a: f32) -> f32 { a }
    }
}

fn main() {}
