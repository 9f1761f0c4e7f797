//! Mistakes in the use of a library's kernels.
mod kernels;

use cubecl::cpu::CpuRuntime as R;
use cubecl::prelude::*;
use library::operations::{Linear, map};
use library::shapes::{ScaleLaunch, Tile};

fn launches(client: &ComputeClient<<R as Runtime>::Server>, array: ArrayArg<'_, R>, scale: ScaleLaunch<'_, f32, R>) {
    let (count, dim, tile) = (CubeCount::Static(1, 1, 1), CubeDim::new_1d(1), Tile { rows: 1, columns: 1 });
    map::launch::<f32, Linear, R>(client, count, dim, array, scale, tile); //~
}

fn settings(client: &ComputeClient<<R as Runtime>::Server>, array: ArrayArg<'_, R>, scale: ScaleLaunch<'_, f32, R>) {
    let (count, dim) = (CubeCount::Static(1, 1, 1), CubeDim::new_1d(1));
    map::launch::<f32, Linear, R>(client, count, dim, array, scale, array, 1u32); //~
}

fn operations(client: &ComputeClient<<R as Runtime>::Server>, array: ArrayArg<'_, R>, scale: ScaleLaunch<'_, f32, R>) {
    let (count, dim, tile) = (CubeCount::Static(1, 1, 1), CubeDim::new_1d(1), Tile { rows: 1, columns: 1 });
    map::launch::<f32, kernels::NoOperation, R>(client, count, dim, array, scale, array, tile); //~
}

fn main() {}
