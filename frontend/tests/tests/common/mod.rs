//! Helpers of the tests.
#![allow(dead_code)]
use cubecl::prelude::*;
use cubecl::server::Handle;

/// The runtime under test.
#[cfg(not(any(feature = "on-cuda", feature = "on-hip", feature = "on-wgpu")))]
pub type R = cubecl::cpu::CpuRuntime;
/// The runtime under test.
#[cfg(feature = "on-cuda")]
pub type R = cubecl::cuda::CudaRuntime;
/// The runtime under test.
#[cfg(feature = "on-hip")]
pub type R = cubecl::hip::HipRuntime;
/// The runtime under test.
#[cfg(feature = "on-wgpu")]
pub type R = cubecl::wgpu::WgpuRuntime;
/// The client of the runtime under test.
pub type Client = ComputeClient<<R as Runtime>::Server>;

pub fn client() -> Client {
    R::client(&Default::default())
}

/// An array as an argument.
pub fn array<E: CubePrimitive>(handle: &Handle, len: usize) -> ArrayArg<'_, R> {
    // SAFETY: the handle has that many elements.
    unsafe { ArrayArg::from_raw_parts::<E>(handle, len, 1) }
}

/// Runs a kernel that writes `n` elements, in one cube of `units`.
pub fn outputs<E: CubeElement>(n: usize, launch: impl FnOnce(&Client, ArrayArg<'_, R>)) -> Vec<E> {
    let client = client();
    let out = client.empty(n * E::size().unwrap());
    launch(&client, array::<E>(&out, n));
    E::from_bytes(&client.read_one(out)).to_vec()
}

pub fn one() -> CubeCount {
    CubeCount::Static(1, 1, 1)
}

#[cube(launch)]
fn write_plane_dim(out: &mut Array<u32>) {
    out[0] = PLANE_DIM;
}

/// The plane width of a kernel that does not choose a width. The width is one of the widths of the device.
pub fn plane_dim() -> u32 {
    outputs::<u32>(1, |client, out| write_plane_dim::launch::<R>(client, one(), CubeDim::new_1d(1), out))[0]
}
