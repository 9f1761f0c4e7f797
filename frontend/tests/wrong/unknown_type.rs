use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Arrays<f32>) { //~
    out[0] = 1.0;
}

fn main() {}
