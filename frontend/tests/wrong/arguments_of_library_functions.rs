#![allow(unused, dead_code)]
mod f32_max_with_one_argument {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        out[0] = f32::max(1.0); //~
    }
}

mod clamp_with_one_argument {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) {
        out[0] = x[0].clamp(1.0); //~
    }
}

mod shape_as_field {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Tensor<f32>, out: &mut Array<u32>) {
        out[0] = x.shape[0]; //~
    }
}

mod number_for_function_parameter {
    use cubecl::prelude::*;
    #[cube]
    fn apply(x: f32, f: impl Fn(f32) -> f32) -> f32 {
        f(x)
    }
    #[cube]
    fn h(x: f32) -> f32 {
        apply(x, 2.0) //~
    }
}

mod f32_plane_sum_stored_as_u32 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<u32>) {
        out[0] = plane_sum(x[0]); //~
    }
}

mod plane_shuffle_without_distance {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) {
        out[0] = plane_shuffle_up(x[0]); //~
    }
}

mod atomic_add_on_plain_array {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) {
        Atomic::add(&out[0], 1u32); //~
    }
}

mod unknown_method_on_atomic {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<Atomic<u32>>) {
        out[0].multiply(1); //~
    }
}

fn main() {}
