#![allow(unused)]
mod missing_brace_expr {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 { a + } //~
}

fn main() {}
