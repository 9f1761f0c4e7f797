#![allow(unused)]
mod rand {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) { out[0] = rand::random(); } //~
}

fn main() {}
