#![allow(unused)]
mod default_body_err {
    use cubecl::prelude::*;
    #[cube]
    trait Act: Send + Sync + 'static { fn f(a: f32) -> f32; fn twice(a: f32) -> f32 { Self::f(Self::ff(a)) } } //~
}

fn main() {}
