use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<f32>) {
    sync_cube(1); //~
    out[0] = 1.0;
}

fn main() {}
