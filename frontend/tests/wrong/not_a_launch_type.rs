use cubecl::prelude::*;

#[derive(CubeType)]
struct P {
    x: f32,
}

#[cube(launch)]
fn k(p: P, out: &mut Array<f32>) { //~
    out[0] = p.x;
}

fn main() {}
