#![allow(unused)]
mod postfix_increment {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 { let mut b = a; b++; b } //~
}

fn main() {}
