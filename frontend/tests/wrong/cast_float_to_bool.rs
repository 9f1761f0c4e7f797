use cubecl::prelude::*;

#[cube]
fn k(x: f32) -> bool {
    x as bool //~
}

fn main() {}
