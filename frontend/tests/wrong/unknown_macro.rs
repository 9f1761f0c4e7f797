use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<f32>) {
    write!(out, "x"); //~~
    out[0] = 1.0;
}

fn main() {}
