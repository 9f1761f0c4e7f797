use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<u32>) {
    assert!(ABSOLUTE_POS < 10); //~
    out[0] = 1;
}

fn main() {}
