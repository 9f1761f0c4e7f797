use cubecl::prelude::*;

#[derive(CubeType)]
enum E {
    A(u32),
    B,
}

#[cube]
fn k(x: f32) -> E {
    E::A(x) //~
}

fn main() {}
