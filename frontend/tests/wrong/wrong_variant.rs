use cubecl::prelude::*;

#[derive(CubeType)]
enum E {
    A(u32),
    B,
}

#[cube]
fn k(e: E) -> u32 {
    match e {
        E::A(x) => x,
        E::C => 2u32, //~
    }
}

fn main() {}
