use cubecl::prelude::*;

#[derive(CubeType, Clone, Copy)]
struct P {
    x: f32,
}

#[cube]
fn k(p: P) -> f32 {
    p as f32 //~
}

fn main() {}
