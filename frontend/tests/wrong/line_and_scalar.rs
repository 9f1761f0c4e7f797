use cubecl::prelude::*;

#[cube(launch)]
fn k(input: &Array<Line<f32>>, out: &mut Array<Line<f32>>) {
    out[0] = input[0] * 2.0; //~
}

fn main() {}
