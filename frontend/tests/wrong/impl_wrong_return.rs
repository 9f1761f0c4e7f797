use cubecl::prelude::*;

#[derive(CubeType)]
struct P {
    x: f32,
}

#[cube]
impl P {
    fn area(&self) -> u32 {
        self.x * 2.0 //~
    }
}

fn main() {}
