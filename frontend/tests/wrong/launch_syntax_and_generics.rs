#![allow(unused, dead_code)]
mod number_for_scalar_argument {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k(out: &mut Array<f32>, n: u32) {
        out[0] = n as f32;
    }
    fn go() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: the handle has one element.
        k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), unsafe { ArrayArg::from_raw_parts::<f32>(&h, 1, 1) }, 5u32); //~
    }
}

mod scalar_argument_for_comptime {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k(out: &mut Array<f32>, #[comptime] n: u32) {
        out[0] = n as f32;
    }
    fn go() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: the handle has one element.
        k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), unsafe { ArrayArg::from_raw_parts::<f32>(&h, 1, 1) }, ScalarArg::new(5u32)); //~
    }
}

mod element_type_for_runtime {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k<F: Float>(out: &mut Array<F>) {
        out[0] = F::new(1.0);
    }
    fn go() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: the handle has one element.
        k::launch::<f32>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), unsafe { ArrayArg::from_raw_parts::<f32>(&h, 1, 1) }); //~
    }
}

mod cube_count_with_one_size {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        out[0] = 1.0;
    }
    fn go() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: the handle has one element.
        k::launch::<CpuRuntime>(&client, CubeCount::Static(1), CubeDim::new(1, 1, 1), unsafe { ArrayArg::from_raw_parts::<f32>(&h, 1, 1) }); //~
    }
}

mod launch_of_function_without_launch {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube]
    fn k(out: &mut Array<f32>) {
        out[0] = 1.0;
    }
    fn go() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: the handle has one element.
        k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), unsafe { ArrayArg::from_raw_parts::<f32>(&h, 1, 1) }); //~
    }
}

mod struct_for_launch_struct {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[derive(CubeType, CubeLaunch)]
    struct P { x: f32, y: u32 }
    #[cube(launch)]
    fn k(p: P, out: &mut Array<f32>) {
        out[0] = p.x;
    }
    fn go() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: the handle has one element.
        unsafe { k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), P { x: 1.0, y: 2 }, ArrayArg::from_raw_parts::<f32>(&h, 1, 1)); } //~
    }
}

mod number_for_launch_field {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[derive(CubeType, CubeLaunch)]
    struct P { x: f32, y: u32 }
    #[cube(launch)]
    fn k(p: P, out: &mut Array<f32>) {
        out[0] = p.x;
    }
    fn go() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: the handle has one element.
        unsafe { k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), PLaunch::new(1.0, ScalarArg::new(2)), ArrayArg::from_raw_parts::<f32>(&h, 1, 1)); } //~
    }
}

mod floats_for_bytes {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        out[0] = 1.0;
    }
    fn go() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.create(&[1.0f32, 2.0]); //~
        let back = f32::from_bytes(&client.read_one(h.binding()));
    }
}

mod launch_in_kernel {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn inner(out: &mut Array<f32>) {
        out[0] = 1.0;
    }
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        inner::launch::<CpuRuntime>(out); //~
    }
}

mod slice_parameters {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &[f32], out: &mut [f32]) { //~ //~
        out[0] = x[0];
    }
}

mod pointer_parameters {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: *const f32, out: *mut f32) { //~ //~
    }
}

fn main() {}
