use cubecl::prelude::*;

#[cube]
fn k(x: Option<u32>) -> u32 {
    let y = x?; //~~
    y
}

fn main() {}
