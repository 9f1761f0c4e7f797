use cubecl::prelude::*;

#[cube]
trait Op: Send + Sync + 'static {
    fn apply(x: f32) -> f32;
}

struct A;

impl Op for A { //~
    fn apply(x: f32) -> f32 {
        x
    }
}

fn main() {}
