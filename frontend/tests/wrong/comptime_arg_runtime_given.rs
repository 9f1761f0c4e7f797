use cubecl::prelude::*;

#[cube]
fn helper(x: f32, #[comptime] n: u32) -> f32 {
    x * comptime!(n as f32)
}

#[cube(launch)]
fn k(out: &mut Array<f32>, n: u32) {
    out[0] = helper(1.0, n); //~
}

fn main() {}
