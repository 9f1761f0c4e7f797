use cubecl::prelude::*;

#[cube]
fn total(values: &Array<f32>) -> f32 {
    values[0]
}

#[cube(launch)]
fn k(input: &Array<f32>, out: &mut Array<f32>) {
    out[0] = total(*input, 1u32); //~
}

fn main() {}
