use cubecl::prelude::*;

#[derive(CubeType)]
struct P {
    x: f32,
}

#[cube]
fn k(p: P) -> f32 {
    p.y //~
}

fn main() {}
