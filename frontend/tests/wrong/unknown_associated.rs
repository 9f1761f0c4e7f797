use cubecl::prelude::*;

#[derive(CubeType)]
struct P {
    x: f32,
}

#[cube]
fn k(x: f32) -> P {
    P::make(x) //~
}

fn main() {}
