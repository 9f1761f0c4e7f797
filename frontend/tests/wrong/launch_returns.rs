use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<f32>) -> f32 { //~
    out[0] = 1.0;
    2.0
}

fn main() {}
