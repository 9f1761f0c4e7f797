use cubecl::prelude::*;

#[cube]
struct Config { //~
    n: u32,
}

fn main() {}
