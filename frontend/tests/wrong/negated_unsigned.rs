use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<u32>) {
    out[0] = -out[1]; //~
}

fn main() {}
