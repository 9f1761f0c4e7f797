use cubecl::prelude::*;

#[derive(CubeType)]
union U { //~
    a: u32,
    b: f32,
}

fn main() {}
