use cubecl::prelude::*;

#[cube]
trait Op: Send + Sync + 'static {
    fn apply(x: f32) -> f32 {
        let y: u32 = x; //~
        x
    }
}

fn main() {}
