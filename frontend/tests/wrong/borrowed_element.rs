use cubecl::prelude::*;

#[cube]
fn add_one(x: &mut u32) {
    *x += 1;
}

#[cube(launch)]
fn k(out: &mut Array<u32>) {
    add_one(&mut out[ABSOLUTE_POS]); //~
}

fn main() {}
