use cubecl::prelude::*;

#[cube]
fn k(x: f32) -> f32 {
    let (a, b, c) = (x, x); //~
    a
}

fn main() {}
