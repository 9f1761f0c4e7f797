use cubecl::prelude::*;

#[cube]
fn set(x: &mut u32) {
    *x = 1;
}

#[cube(launch)]
fn k(out: &mut Array<u32>) {
    let a = 1u32.runtime();
    set(&mut a); //~
    out[0] = a;
}

fn main() {}
