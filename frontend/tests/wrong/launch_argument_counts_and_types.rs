#![allow(unused)]
mod few_args {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k(a: &Array<f32>, out: &mut Array<f32>) { out[0] = a[0]; }
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: nothing of this runs.
        unsafe { k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), ArrayArg::from_raw_parts::<f32>(&h, 1, 1)); } //~
    }
}

mod many_args {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { out[0] = 1.0; }
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: nothing of this runs.
        unsafe { k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), ArrayArg::from_raw_parts::<f32>(&h, 1, 1), ScalarArg::new(1u32)); } //~
    }
}

mod scalar_for_array {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { out[0] = 1.0; }
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), ScalarArg::new(1.0f32)); //~
    }
}

mod plain_number_for_scalar {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k(n: u32, out: &mut Array<f32>) { out[n] = 1.0; }
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: nothing of this runs.
        unsafe { k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), 3, ArrayArg::from_raw_parts::<f32>(&h, 1, 1)); } //~
    }
}

mod scalar_of_other_type {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k(n: u32, out: &mut Array<f32>) { out[n] = 1.0; }
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: nothing of this runs.
        unsafe { k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), ScalarArg::new(3.0f32), ArrayArg::from_raw_parts::<f32>(&h, 1, 1)); } //~
    }
}

mod handle_for_array {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { out[0] = 1.0; }
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), h); //~
    }
}

mod missing_runtime_generic {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { out[0] = 1.0; }
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: nothing of this runs.
        unsafe { k::launch(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), ArrayArg::from_raw_parts::<f32>(&h, 1, 1)); } //~
    }
}

mod missing_element_generic {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k<F: Float>(out: &mut Array<F>) { out[0] = F::new(1.0); }
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: nothing of this runs.
        unsafe { k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), ArrayArg::from_raw_parts::<f32>(&h, 1, 1)); } //~
    }
}

mod wrong_element_generic {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k<F: Float>(out: &mut Array<F>) { out[0] = F::new(1.0); }
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: nothing of this runs.
        unsafe { k::launch::<u32, CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), ArrayArg::from_raw_parts::<u32>(&h, 1, 1)); } //~
    }
}

// SAFETY: nothing of this runs.
mod no_unsafe {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { out[0] = 1.0; }
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), ArrayArg::from_raw_parts::<f32>(&h, 1, 1)); //~
    }
}

mod launch_of_no_kernel {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube]
    fn k(out: &mut Array<f32>) { out[0] = 1.0; }
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: nothing of this runs.
        unsafe { k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), ArrayArg::from_raw_parts::<f32>(&h, 1, 1)); } //~
    }
}

mod launch_unchecked_of_launch {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { out[0] = 1.0; }
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: nothing of this runs.
        unsafe { k::launch_unchecked::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), ArrayArg::from_raw_parts::<f32>(&h, 1, 1)); } //~
    }
}

mod cube_dim_as_count {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { out[0] = 1.0; }
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: nothing of this runs.
        unsafe { k::launch::<CpuRuntime>(&client, CubeDim::new(1, 1, 1), CubeCount::Static(1, 1, 1), ArrayArg::from_raw_parts::<f32>(&h, 1, 1)); } //~
    }
}

mod tuple_as_count {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { out[0] = 1.0; }
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: nothing of this runs.
        unsafe { k::launch::<CpuRuntime>(&client, (1, 1, 1), CubeDim::new(1, 1, 1), ArrayArg::from_raw_parts::<f32>(&h, 1, 1)); } //~
    }
}

mod client_by_value {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { out[0] = 1.0; }
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: nothing of this runs.
        unsafe { k::launch::<CpuRuntime>(client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), ArrayArg::from_raw_parts::<f32>(&h, 1, 1)); } //~
    }
}

mod array_for_tensor {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k(out: &mut Tensor<f32>) { out[0] = 1.0; }
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: nothing of this runs.
        unsafe { k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), ArrayArg::from_raw_parts::<f32>(&h, 1, 1)); } //~
    }
}

fn main() {}
