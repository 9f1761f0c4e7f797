use cubecl::prelude::*;

#[cube(launch)]
fn k<F: Float>(out: &mut Array<F>) {
    out[0] = 1.0; //~
}

fn main() {}
