use cubecl::prelude::*;

#[cube]
fn k(x: u32) -> u32 {
    match x { //~
        0 => 1u32,
        1 => 2u32,
    }
}

fn main() {}
