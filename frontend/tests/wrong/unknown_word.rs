use cubecl::prelude::*;

#[cube(lunch)] //~
fn k(out: &mut Array<f32>) {
    out[0] = 1.0;
}

fn main() {}
