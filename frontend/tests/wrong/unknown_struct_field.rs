use cubecl::prelude::*;

#[derive(CubeType)]
struct P {
    x: f32,
}

#[cube]
fn k(x: f32) -> f32 {
    let p = P { x, z: x }; //~
    p.x
}

fn main() {}
