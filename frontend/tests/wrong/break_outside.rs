use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<u32>) {
    out[0] = 1;
    break; //~
}

fn main() {}
