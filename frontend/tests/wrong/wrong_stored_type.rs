use cubecl::prelude::*;

#[cube(launch)]
fn k(input: &Array<u32>, out: &mut Array<f32>) {
    out[ABSOLUTE_POS] = input[ABSOLUTE_POS]; //~
}

fn main() {}
