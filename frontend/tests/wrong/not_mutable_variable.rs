use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<f32>) {
    let x = 1.0f32.runtime();
    x += 1.0; //~
    out[0] = x;
}

fn main() {}
