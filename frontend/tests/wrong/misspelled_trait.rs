#![allow(unused)]
mod unknown_generic_bound {
    use cubecl::prelude::*;
    #[cube]
    fn h<F: Flaot>(x: F) -> F { x } //~
}

fn main() {}
