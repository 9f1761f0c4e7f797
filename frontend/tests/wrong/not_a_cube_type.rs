use cubecl::prelude::*;

struct P {
    x: f32,
}

#[cube]
fn k(p: P) -> f32 { //~
    p.x
}

fn main() {}
