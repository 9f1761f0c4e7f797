use cubecl::prelude::*;

#[cube]
fn helper(x: f32) -> f32 {
    x * 2.0
}

#[cube(launch)]
fn k(out: &mut Array<f32>) {
    out[0] = helper(ABSOLUTE_POS); //~
}

fn main() {}
