use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<u32>) {
    for i in 0u32.. { //~
        out[i] = i;
    }
}

fn main() {}
