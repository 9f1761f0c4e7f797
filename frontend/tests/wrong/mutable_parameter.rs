use cubecl::prelude::*;

#[cube]
fn k(x: f32) -> f32 {
    x += 1.0; //~
    x
}

fn main() {}
