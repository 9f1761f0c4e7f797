use cubecl::prelude::*;

#[cube]
fn k(n: u32) -> u32 {
    match n {
        1.5 => 1u32, //~
        _ => 2u32,
    }
}

fn main() {}
