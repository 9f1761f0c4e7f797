use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<u32>, x: f32) {
    if x == ABSOLUTE_POS { //~~
        out[0] = 1;
    }
}

fn main() {}
