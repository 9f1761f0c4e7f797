#![allow(unused)]
mod comptime_given_a_param {
    use cubecl::prelude::*;
    #[cube]
    fn g(#[comptime] n: u32) -> u32 { n }
    #[cube]
    fn h(a: u32) -> u32 { g(a) } //~
}

mod comptime_given_variable {
    use cubecl::prelude::*;
    #[cube]
    fn g(#[comptime] n: u32) -> u32 { n }
    #[cube]
    fn h() -> u32 { let mut a = 1u32; g(a) } //~
}

mod comptime_given_loop_var {
    use cubecl::prelude::*;
    #[cube]
    fn g(#[comptime] n: u32) -> u32 { n }
    #[cube]
    fn h() -> u32 { let mut s = 0u32; for i in 0..4 { s += g(i); } s } //~
}

mod shared_memory_runtime_size {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(n: u32, out: &mut Array<f32>) { let mut s = SharedMemory::<f32>::new(n); s[0] = 1.0; out[0] = s[0]; } //~
}

mod shared_memory_size_of_topology {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { let mut s = SharedMemory::<f32>::new(CUBE_DIM_X); s[0] = 1.0; out[0] = s[0]; } //~
}

mod shared_memory_size_of_len {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) { let mut s = SharedMemory::<f32>::new(x.len()); s[0] = 1.0; out[0] = s[0]; } //~
}

mod shared_memory_no_type {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { let s = SharedMemory::new(4u32); out[0] = 1.0; } //~
}

mod shared_memory_no_size {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { let s = SharedMemory::<f32>::new(); out[0] = 1.0; } //~
}

mod shared_float_size {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { let s = SharedMemory::<f32>::new(4.0); out[0] = 1.0; } //~
}

mod shared_wrong_elem_write {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { let mut s = SharedMemory::<f32>::new(4u32); s[0] = 1u32; out[0] = s[0]; } //~
}

mod local_array_runtime_size {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(n: u32, out: &mut Array<f32>) { let mut s = Array::<f32>::new(n); s[0] = 1.0; out[0] = s[0]; } //~
}

mod array_literal_mixed {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { let a = [1.0f32, 2u32]; out[0] = a[0]; } //~
}

mod array_repeat_runtime {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(n: u32, out: &mut Array<f32>) { let a = [0.0f32; n]; out[0] = a[0]; } //~
}

mod line_scalar_add {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<Line<f32>>, out: &mut Array<Line<f32>>) { out[0] = x[0] + 1.0; } //~
}

mod line_new_args {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<Line<f32>>) { out[0] = Line::new(1.0, 2.0); } //~
}

mod line_wrong_elem {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<Line<f32>>) { out[0] = Line::new(1u32); } //~
}

fn main() {}
