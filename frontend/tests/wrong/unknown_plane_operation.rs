#![allow(unused)]
mod plane_unknown {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) { out[0] = plane_add(x[0]); } //~
}

mod sync_as_value {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { out[0] = sync_cube(); } //~
}

fn main() {}
