use cubecl::prelude::*;

#[derive(CubeType)]
struct P {
    x: f32,
}

#[cube]
impl P {
    fn area(&self) -> f32 {
        self.z //~
    }
}

fn main() {}
