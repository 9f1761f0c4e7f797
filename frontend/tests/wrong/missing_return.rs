use cubecl::prelude::*;

#[cube]
fn helper(x: f32) -> f32 { //~
    x * 2.0;
}

fn main() {}
