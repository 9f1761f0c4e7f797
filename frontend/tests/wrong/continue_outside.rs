use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<u32>) {
    continue; //~
    out[0] = 1;
}

fn main() {}
