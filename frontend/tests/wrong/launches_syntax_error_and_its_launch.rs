#![allow(unused)]
mod syntax_error_and_its_launch {
    use cubecl::prelude::*;
    use cubecl::cpu::CpuRuntime;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { out[0] = 1.0 +; } //~
    fn main() {
        let client = CpuRuntime::client(&Default::default());
        let h = client.empty(4);
        // SAFETY: nothing of this runs.
        unsafe { k::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(1, 1, 1), ArrayArg::from_raw_parts::<f32>(&h, 1, 1)); } //~-
    }
}

fn main() {}
