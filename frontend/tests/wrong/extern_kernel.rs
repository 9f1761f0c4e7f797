use cubecl::prelude::*;

#[cube(launch)]
extern "C" fn k(out: &mut Array<u32>) { //~
    out[0] = 1;
}

fn main() {}
