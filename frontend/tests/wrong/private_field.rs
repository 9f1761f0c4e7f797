#![allow(unused)]
mod private_field_built {
    use cubecl::prelude::*;
    mod m { use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)] pub struct P { x: f32 } }
    #[cube]
    fn h(a: f32) -> m::P { m::P { x: a } } //~
}

fn main() {}
