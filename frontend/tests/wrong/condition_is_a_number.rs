use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<f32>, n: u32) {
    if n { //~
        out[0] = 1.0;
    }
}

fn main() {}
