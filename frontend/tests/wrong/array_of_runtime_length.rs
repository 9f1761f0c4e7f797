use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<u32>, n: u32) {
    let a = [0u32; n]; //~
    out[0] = a[0];
}

fn main() {}
