#![allow(unused)]
mod impl_mut_self_mismatch {
    use cubecl::prelude::*;
    #[cube]
    trait T: Send + Sync + 'static { fn f(&self, a: f32) -> f32; }
    #[derive(CubeType, Clone, Copy)]
    struct S { x: f32 }
    #[cube]
    impl T for S {
        fn f(&mut self, a: f32) -> f32 { a } //~~
    }
}

fn main() {}
