use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<Atomic<u32>>) {
    out[0] += 1; //~
}

fn main() {}
