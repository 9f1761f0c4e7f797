use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<f32>) {
    out[0] = plane_sum(); //~
}

fn main() {}
