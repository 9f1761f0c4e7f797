use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<u32>) {
    UNIT_POS = 3; //~
    out[0] = 1;
}

fn main() {}
