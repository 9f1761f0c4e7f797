use cubecl::prelude::*;

#[cube(launch, fast_math)] //~
fn k(out: &mut Array<f32>) {
    out[0] = 1.0;
}

fn main() {}
