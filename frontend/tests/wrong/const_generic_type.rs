use cubecl::prelude::*;

#[cube]
fn k<const N: u32>(x: f32) -> f32 {
    x * N //~
}

fn main() {}
