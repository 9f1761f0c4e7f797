use cubecl::prelude::*;

#[cube]
fn k<F: Float, I: Int>(x: F, i: I) -> F {
    x * i //~
}

fn main() {}
