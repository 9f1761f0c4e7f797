use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<u32>, n: u32) {
    let x = if n > 1 { //~
        2u32
    };
    out[0] = x;
}

fn main() {}
