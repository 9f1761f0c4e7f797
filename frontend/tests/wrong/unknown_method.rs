use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<f32>) {
    out[ABSOLUTE_POS] = out.first(); //~
}

fn main() {}
