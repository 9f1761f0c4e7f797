use cubecl::prelude::*;

#[cube]
fn k(x: f32) -> f32 {
    let pair = (x, x);
    pair.2 //~
}

fn main() {}
