use cubecl::prelude::*;

#[cube]
fn k<F: Float, G: Float>(x: F, y: G) -> F {
    x + y //~
}

fn main() {}
