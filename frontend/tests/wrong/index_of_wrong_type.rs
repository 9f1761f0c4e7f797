use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<f32>, i: i32) {
    out[i] = 1.0; //~
}

fn main() {}
