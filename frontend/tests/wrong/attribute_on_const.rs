use cubecl::prelude::*;

#[cube]
const N: u32 = 4; //~

fn main() {}
