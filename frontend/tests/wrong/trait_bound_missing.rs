use cubecl::prelude::*;

#[cube]
trait Op: Send + Sync + 'static {
    fn apply(x: f32) -> f32;
}

struct A;

#[cube(launch)]
fn k<O: Op>(out: &mut Array<f32>) {
    out[0] = O::apply(1.0);
}

#[allow(dead_code)]
fn run(client: &ComputeClient<<cubecl::cpu::CpuRuntime as Runtime>::Server>, out: ArrayArg<'_, cubecl::cpu::CpuRuntime>) {
    k::launch::<A, cubecl::cpu::CpuRuntime>(client, CubeCount::new_single(), CubeDim::new_single(), out); //~
}

fn main() {}
