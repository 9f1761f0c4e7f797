use cubecl::prelude::*;

#[cube]
fn k<N: Numeric>(x: N) -> N {
    x >> x //~
}

fn main() {}
