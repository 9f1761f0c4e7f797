#![allow(unused, dead_code)]
mod library {
    use cubecl::prelude::*;

    #[cube]
    pub trait Scaled<'a>: CubePrimitive {
        fn scaled(&self) -> Self;
    }

    #[cube]
    impl<'a> Scaled<'a> for f32 {
        fn scaled(&self) -> Self {
            *self * 2.0
        }
    }
}

use cubecl::prelude::*;
use library::Scaled;

#[cube(launch)]
fn kernel(out: &mut Array<f32>) {
    out[0] = out[1].scaled(); //~
}

fn main() {}
