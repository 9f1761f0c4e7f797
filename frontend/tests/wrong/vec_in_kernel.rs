use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<u32>) {
    let mut v = Vec::new(); //~
    v.push(out[0]);
    out[0] = v[0];
}

fn main() {}
