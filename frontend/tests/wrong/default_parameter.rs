use cubecl::prelude::*;

#[cube]
fn k(x: f32, n = 4) -> f32 {
    x
}

fn main() {}
