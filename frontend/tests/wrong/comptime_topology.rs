use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<u32>) {
    let n = comptime!(UNIT_POS + 1); //~
    out[0] = n;
}

fn main() {}
