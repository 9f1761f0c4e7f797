use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<f32>) {
    let x = 1u32.runtime();
    let y: f32 = x; //~
    out[0] = y;
}

fn main() {}
