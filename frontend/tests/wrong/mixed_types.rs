use cubecl::prelude::*;

#[cube(launch)]
fn k(input: &Array<f32>, out: &mut Array<f32>) {
    out[ABSOLUTE_POS] = input[ABSOLUTE_POS] * ABSOLUTE_POS; //~
}

fn main() {}
