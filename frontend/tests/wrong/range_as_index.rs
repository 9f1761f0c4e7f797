use cubecl::prelude::*;

#[cube(launch)]
fn k(input: &Array<u32>, out: &mut Array<u32>) {
    let part = &input[0..4]; //~
    out[0] = part[0];  //~-
}

fn main() {}
