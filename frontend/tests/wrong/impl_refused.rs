use cubecl::prelude::*;

#[derive(CubeType)]
struct P {
    x: u32,
}

#[cube]
impl P {
    fn area(&self) -> u32 {
        let v = Vec::new();
        let y = self.x.await; //~
        y + v.len()
    }
}

fn main() {}
