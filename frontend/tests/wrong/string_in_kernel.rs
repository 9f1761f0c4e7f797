use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<u32>) {
    let s = String::from("x");
    out[0] = s.len(); //~
}

fn main() {}
