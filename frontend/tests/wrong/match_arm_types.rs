use cubecl::prelude::*;

#[cube]
fn k(n: u32) -> u32 {
    match n {
        0 => 1u32,
        _ => 2.0f32, //~
    }
}

fn main() {}
