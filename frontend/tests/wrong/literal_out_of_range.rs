use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<u8>) {
    out[0] = 300; //~
}

fn main() {}
