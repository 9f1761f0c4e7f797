#![allow(unused)]
mod tensor_arg_parts {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k(out: &mut Tensor<f32>) { out[0] = 1.0; }
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: nothing of this runs.
        unsafe { k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), TensorArg::from_raw_parts::<f32>(&h, 1, 1)); } //~
    }
}

mod comptime_as_scalararg {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k(out: &mut Array<f32>, #[comptime] n: u32) { out[n] = 1.0; }
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: nothing of this runs.
        unsafe { k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), ArrayArg::from_raw_parts::<f32>(&h, 1, 1), ScalarArg::new(1u32)); } //~
    }
}

mod struct_launch_arg_missing {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[derive(CubeType, CubeLaunch)]
    struct P { x: f32, y: f32 }
    #[cube(launch)]
    fn k(p: P, out: &mut Array<f32>) { out[0] = p.x; }
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: nothing of this runs.
        unsafe { k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), PLaunch::new(ScalarArg::new(1.0f32)), ArrayArg::from_raw_parts::<f32>(&h, 1, 1)); } //~
    }
}

mod struct_itself_given {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[derive(CubeType, CubeLaunch)]
    struct P { x: f32, y: f32 }
    #[cube(launch)]
    fn k(p: P, out: &mut Array<f32>) { out[0] = p.x; }
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: nothing of this runs.
        unsafe { k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), P { x: 1.0, y: 2.0 }, ArrayArg::from_raw_parts::<f32>(&h, 1, 1)); } //~
    }
}

mod call_kernel_as_fn {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { out[0] = 1.0; }
    fn main() { k(vec![1.0f32]); } //~
}

mod wrong_line_size_type {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { out[0] = 1.0; }
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: nothing of this runs.
        unsafe { k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), ArrayArg::from_raw_parts::<f32>(&h, 1, 4u32)); } //~
    }
}

mod as_bytes_wrong {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.create(&[1.0f32, 2.0]); //~
    }
}

mod read_twice_moved {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        let a = client.read_one(h);
        let b = client.read_one(h); //~
    }
}

mod runtime_unknown {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { out[0] = 1.0; }
    fn main() {
        let client = WgpuRuntime::client(&Default::default()); //~
    }
}

mod kernel_with_wrong_body_and_its_launch {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { out[0] = 1u32; } //~
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: nothing of this runs.
        unsafe { k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), ArrayArg::from_raw_parts::<f32>(&h, 1, 1)); }
    }
}

mod kernel_with_async_and_its_launch {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    async fn k(out: &mut Array<f32>) { out[0] = 1.0; } //~
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: nothing of this runs.
        unsafe { k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), ArrayArg::from_raw_parts::<f32>(&h, 1, 1)); }
    }
}

mod misspelt_launch_and_its_use {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(lunch)] //~
    fn k(out: &mut Array<f32>) { out[0] = 1.0; }
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: nothing of this runs.
        unsafe { k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), ArrayArg::from_raw_parts::<f32>(&h, 1, 1)); }
    }
}

mod wrong_type_of_param_and_its_launch {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k(x: &[f32], out: &mut Array<f32>) { out[0] = 1.0; } //~
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: nothing of this runs.
        unsafe { k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), ArrayArg::from_raw_parts::<f32>(&h, 1, 1), ArrayArg::from_raw_parts::<f32>(&h, 1, 1)); }
    }
}

fn main() {}
