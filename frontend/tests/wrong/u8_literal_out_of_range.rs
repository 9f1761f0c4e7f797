#![allow(unused)]
mod literal_overflow {
    use cubecl::prelude::*;
    #[cube]
    fn h() -> u8 { 300u8 } //~
}

fn main() {}
