use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<f32>, n: u32) {
    out[0] = if n > 1 { 1.0 } else { n }; //~
}

fn main() {}
