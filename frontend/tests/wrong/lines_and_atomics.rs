#![allow(unused)]
mod line_lane_index_type {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<Line<f32>>, i: i32, out: &mut Array<f32>) { out[0] = x[0][i]; } //~
}

mod line_empty_runtime_size {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(n: u32, out: &mut Array<Line<f32>>) { out[0] = Line::empty(n); } //~
}

mod line_of_unknown_method {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<Line<f32>>, out: &mut Array<f32>) { out[0] = x[0].sum(); } //~
}

mod line_to_scalar_out {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<Line<f32>>, out: &mut Array<f32>) { out[0] = x[0]; } //~
}

mod line_elem {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<Line<bool>>, out: &mut Array<Line<f32>>) { out[0] = x[0]; } //~
}

mod atomic_plain_read {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<Atomic<u32>>, out: &mut Array<u32>) { out[0] = x[0]; } //~
}

mod atomic_add_value {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &mut Array<Atomic<u32>>, out: &mut Array<u32>) { out[0] = Atomic::add(x[0], 1); } //~
}

mod atomic_add_type {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &mut Array<Atomic<u32>>, out: &mut Array<u32>) { out[0] = Atomic::add(&x[0], 1.0); } //~
}

mod atomic_on_plain {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &mut Array<u32>, out: &mut Array<u32>) { out[0] = Atomic::add(&x[0], 1); } //~
}

mod atomic_plus {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &mut Array<Atomic<u32>>) { x[0] += 1; } //~
}

mod atomic_args {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &mut Array<Atomic<u32>>) { Atomic::compare_and_swap(&x[0], 1); } //~
}

mod atomic_of_struct {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    #[cube(launch)]
    fn k(x: &mut Array<Atomic<P>>) { } //~
}

mod plane_sum_args {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) { out[0] = plane_sum(x[0], 1); } //~
}

mod plane_sum_of_bool {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) { out[0] = plane_sum(x[0] > 0.0); } //~
}

mod plane_broadcast_type {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) { out[0] = plane_broadcast(x[0], 1.0); } //~
}

mod plane_ballot_of_number {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<u32>) { out[0] = plane_ballot(x[0])[0]; } //~
}

fn main() {}
