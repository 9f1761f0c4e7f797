use cubecl::prelude::*;

const N: u32 = 4;

#[cube(launch)]
fn k(out: &mut Array<u32>) {
    N = 3; //~
    out[0] = 1;
}

fn main() {}
