use cubecl::prelude::*;

#[cube]
fn k(x: f32) -> f32 {
    tools::twice(x) //~
}

fn main() {}
