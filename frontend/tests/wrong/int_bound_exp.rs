use cubecl::prelude::*;

#[cube]
fn k<I: Int>(x: I) -> I {
    I::exp(x) //~
}

fn main() {}
