use cubecl::prelude::*;

#[cube]
fn k(x: u32) -> u32 {
    x.await //~
}

fn main() {}
