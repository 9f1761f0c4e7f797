use cubecl::prelude::*;

#[cube]
trait Op {
    fn apply(x: f32) -> f32;
    fn other(x: f32) -> f32;
}

struct A;

#[cube]
impl Op for A { //~
    fn apply(x: f32) -> f32 {
        x
    }
}

fn main() {}
