use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<f32>) {
    let f = |x: f32| x * 2.0;
    out[0] = f(UNIT_POS); //~
}

fn main() {}
