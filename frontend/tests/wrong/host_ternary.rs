#![allow(unused)]
mod ternary {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 { a > 1 ? 2 : 3 } //~
}

fn main() {}
