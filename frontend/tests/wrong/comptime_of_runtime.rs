use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<u32>, n: u32) {
    let m = comptime!(n + 1); //~
    out[0] = m;
}

fn main() {}
