use cubecl::prelude::*;

#[cube(launch)]
fn k(input: &Array<u32>, out: &mut Array<u32>) {
    out[0] = u32::exp(input[0]); //~
}

fn main() {}
