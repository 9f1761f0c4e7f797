use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<u32>) {
    let [a, b] = [1u32, 2]; //~
    out[a] = b;
}

fn main() {}
