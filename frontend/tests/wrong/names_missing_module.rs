#![allow(unused)]
mod missing_module {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 { mm::helper(a) } //~
}

fn main() {}
