//! GPU kernels in Rust, compiled through MLIR: the crate that programs depend on.
//!
//! A function with the attribute `#[cube(launch)]` is a kernel. rustc checks the kernel's code, and a device executes
//! the code once per *unit*. The examples on this page run on the CPU of this machine. A program that is generic
//! over [`Runtime`] runs on any device. Programs from CubeCL name the dependency `cubecl` and write
//! `use cubecl::prelude::*`. The examples on this page name the dependency `cube`.
//!
//! The [`glossary`] maps terms such as unit, plane, cube and line to the terms of CUDA, Vulkan, WGSL and CubeCL. A unit
//! is a CUDA thread, a plane is a warp or subgroup, a cube is a thread block or workgroup, and a line is a short
//! vector.
//!
//! # A first kernel
//!
//! Each unit reads its position and computes one element. Units beyond the end of the array do nothing.
//!
//! ```
//! use cube::cpu::CpuRuntime;
//! use cube::prelude::*;
//!
//! #[cube(launch)]
//! fn scale(x: &Array<f32>, y: &mut Array<f32>, factor: f32) {
//!     if ABSOLUTE_POS < y.len() {
//!         y[ABSOLUTE_POS] = x[ABSOLUTE_POS] * factor;
//!     }
//! }
//!
//! fn main() {
//!     let client = CpuRuntime::client(&Default::default());
//!     let n = 1000;
//!     let numbers: Vec<f32> = (0..n).map(|i| i as f32).collect();
//!     let x = client.create(f32::as_bytes(&numbers)); // memory of the device, with these bytes
//!     let y = client.empty(n * size_of::<f32>()); // all zero; sizes are bytes
//!     let units = CubeDim::new_1d(256); // units of a cube
//!     let cubes = CubeCount::Static((n as u32).div_ceil(256), 1, 1);
//!     // SAFETY: both handles hold n elements.
//!     let [x, out] = [&x, &y].map(|handle| unsafe { ArrayArg::from_raw_parts::<f32>(handle, n, 1) });
//!     scale::launch::<CpuRuntime>(&client, cubes, units, x, out, ScalarArg::new(2.5));
//!     assert_eq!(f32::from_bytes(&client.read_one(y))[999], 2497.5);
//! }
//! ```
//!
//! A read outside a buffer gives 0, and a write outside a buffer is dropped. A wrong index therefore gives a wrong
//! result, but never a memory fault. `launch_unchecked` omits the bounds checks. The caller of `launch_unchecked`
//! must guarantee that every index is inside its buffer.
//!
//! # Arguments
//!
//! | in the kernel | at the launch | |
//! |---|---|---|
//! | `x: &Array<T>`, `y: &mut Array<T>` | [`ArrayArg`](prelude::ArrayArg) | a handle with its number of elements |
//! | `t: &Tensor<T>` | [`TensorArg`](prelude::TensorArg) | a handle with shape and strides, in elements |
//! | `a: f32`, `n: u32`, `flag: bool` | [`ScalarArg`](prelude::ScalarArg) | a number |
//! | `#[comptime] n: u32` | the value | known when the kernel is compiled; each value makes a separate kernel |
//! | `v: Foo`, with `#[derive(CubeType, CubeLaunch)]` | `FooLaunch::new(…)` | a struct of arguments |
//!
//! Kernels can be generic: `fn scale<F: Float>(x: &Array<F>, …)` is launched as `scale::launch::<f32, R>`.
//!
//! # Where a unit is
//!
//! A launch is a grid of cubes, and a cube is a grid of units. Each grid has up to three dimensions. `ABSOLUTE_POS` is
//! the position of the unit in the launch. `CUBE_POS` is the position of the cube in the launch. `UNIT_POS` is the
//! position of the unit in its cube. The suffixes `_X`, `_Y` and `_Z` of a constant select one dimension, as in
//! `UNIT_POS_X`. `CUBE_DIM` is the number of units of a cube, and `CUBE_COUNT` is the number of cubes. Positions,
//! indices and lengths have the type `u32`.
//!
//! ```
//! use cube::prelude::*;
//! # use cube::cpu::CpuRuntime;
//!
//! /// Transposes a matrix. Each unit moves one element.
//! #[cube(launch)]
//! fn transpose(x: &Array<u32>, y: &mut Array<u32>, rows: u32, columns: u32) {
//!     let (row, column) = (ABSOLUTE_POS_Y, ABSOLUTE_POS_X);
//!     if row < rows && column < columns {
//!         y[column * rows + row] = x[row * columns + column];
//!     }
//! }
//! # fn main() {
//! #     let client = CpuRuntime::client(&Default::default());
//! #     let (x, y) = (client.create(u32::as_bytes(&[1, 2, 3, 4, 5, 6])), client.empty(24));
//! let cubes = CubeCount::Static(1, 1, 1);
//! let units = CubeDim::new_2d(4, 4);
//! #     // SAFETY: both handles hold 6 elements.
//! #     let [from, to] = [&x, &y].map(|handle| unsafe { ArrayArg::from_raw_parts::<u32>(handle, 6, 1) });
//! transpose::launch::<CpuRuntime>(&client, cubes, units, from, to, ScalarArg::new(2), ScalarArg::new(3));
//! assert_eq!(u32::from_bytes(&client.read_one(y)), [1, 4, 2, 5, 3, 6]);
//! # }
//! ```
//!
//! # What is known when the kernel is compiled
//!
//! Literals, constants and `#[comptime]` parameters are host values. An expression is a host value if all its operands
//! are host values. A branch on a host value disappears from the kernel. `comptime!(…)` computes a host value in plain
//! Rust, and `#[unroll]` unrolls a loop.
//!
//! ```
//! use cube::prelude::*;
//! # use cube::cpu::CpuRuntime;
//!
//! #[cube(launch)]
//! fn power(x: &mut Array<f32>, #[comptime] exponent: u32, #[comptime] negate: bool) {
//!     let mut product = 1.0;
//!     #[unroll]
//!     for _ in 0..exponent {
//!         product *= x[ABSOLUTE_POS];
//!     }
//!     if negate {
//!         product = -product;
//!     }
//!     x[ABSOLUTE_POS] = product;
//! }
//! # fn main() {
//! #     let client = CpuRuntime::client(&Default::default());
//! #     let x = client.create(f32::as_bytes(&[2.0, 3.0]));
//! #     // SAFETY: the handle holds 2 elements.
//! #     let arg = unsafe { ArrayArg::from_raw_parts::<f32>(&x, 2, 1) };
//! power::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new_1d(2), arg, 3, true);
//! assert_eq!(f32::from_bytes(&client.read_one(x)), [-8.0, -27.0]);
//! # }
//! ```
//!
//! # Lines
//!
//! A [`Line`](prelude::Line) is a vector of 1, 2, 4, 8 or 16 elements. One operation moves or computes all elements of
//! a line. At the launch, the last parameter of `ArrayArg::from_raw_parts` sets the line size. In a kernel with
//! lines, lengths and indices count lines.
//!
//! ```
//! use cube::prelude::*;
//! # use cube::cpu::CpuRuntime;
//!
//! #[cube(launch)]
//! fn halve(x: &mut Array<Line<f32>>) {
//!     if ABSOLUTE_POS < x.len() {
//!         x[ABSOLUTE_POS] = x[ABSOLUTE_POS] * Line::new(0.5);
//!     }
//! }
//! # fn main() {
//! #     let client = CpuRuntime::client(&Default::default());
//! #     let x = client.create(f32::as_bytes(&[2.0; 8]));
//! // SAFETY: the handle holds 8 elements, which are two lines of 4.
//! let lines = unsafe { ArrayArg::from_raw_parts::<f32>(&x, 8, 4) };
//! halve::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new_1d(2), lines);
//! assert_eq!(f32::from_bytes(&client.read_one(x)), [1.0; 8]);
//! # }
//! ```
//!
//! # Shared memory
//!
//! The units of a cube share [`SharedMemory`](prelude::SharedMemory). At the barrier
//! [`sync_cube`](prelude::sync_cube) each unit waits until all units of the cube have arrived. After the barrier,
//! the earlier writes of all units of the cube are visible. All units of the cube must reach the barrier. A
//! condition can therefore guard the memory accesses before and after a barrier, but not the barrier. `Array::new`
//! allocates zeroed memory of one unit. Shared memory has undefined content until a unit writes it. The sizes of
//! shared memory and of `Array::new` must be known when the kernel is compiled.
//!
//! ```
//! use cube::prelude::*;
//! # use cube::cpu::CpuRuntime;
//!
//! #[cube(launch)]
//! fn reverse(x: &mut Array<u32>, #[comptime] n: u32) {
//!     let mut tile = SharedMemory::<u32>::new(n);
//!     tile[UNIT_POS] = x[UNIT_POS];
//!     sync_cube();
//!     x[UNIT_POS] = tile[n - 1 - UNIT_POS];
//! }
//! # fn main() {
//! #     let client = CpuRuntime::client(&Default::default());
//! #     let x = client.create(u32::as_bytes(&[1, 2, 3, 4]));
//! #     // SAFETY: the handle holds 4 elements.
//! #     let arg = unsafe { ArrayArg::from_raw_parts::<u32>(&x, 4, 1) };
//! reverse::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new_1d(4), arg, 4);
//! assert_eq!(u32::from_bytes(&client.read_one(x)), [4, 3, 2, 1]);
//! # }
//! ```
//!
//! # Planes
//!
//! The units of a cube run in planes of `PLANE_DIM` units. The units of a plane exchange values without memory, for
//! example with [`plane_sum`](prelude::plane_sum), [`plane_max`](prelude::plane_max) or
//! [`plane_broadcast`](prelude::plane_broadcast). The device determines the value of `PLANE_DIM`.
//!
//! ```
//! use cube::prelude::*;
//! # use cube::cpu::CpuRuntime;
//!
//! #[cube(launch)]
//! fn share(x: &mut Array<f32>) {
//!     let sum = plane_sum(x[UNIT_POS]);
//!     x[UNIT_POS] /= sum;
//! }
//! # fn main() {
//! #     let client = CpuRuntime::client(&Default::default());
//! #     let x = client.create(f32::as_bytes(&[1.0, 3.0]));
//! #     // SAFETY: the handle holds 2 elements.
//! #     let arg = unsafe { ArrayArg::from_raw_parts::<f32>(&x, 2, 1) };
//! share::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new_1d(2), arg);
//! assert_eq!(f32::from_bytes(&client.read_one(x)), [0.25, 0.75]);
//! # }
//! ```
//!
//! # Functions, structs, traits
//!
//! A kernel can use functions, traits and `impl` blocks that have the attribute `#[cube]`. A kernel can also
//! use structs and enums that have `#[derive(CubeType)]`.
//!
//! ```
//! use cube::prelude::*;
//! # use cube::cpu::CpuRuntime;
//!
//! #[derive(CubeType, Clone, Copy)]
//! struct Circle {
//!     x: f32,
//!     radius: f32,
//! }
//!
//! #[cube]
//! impl Circle {
//!     fn holds(&self, x: f32) -> bool {
//!         (x - self.x).abs() < self.radius
//!     }
//! }
//!
//! #[cube(launch)]
//! fn inside(x: &Array<f32>, out: &mut Array<u32>) {
//!     let circle = Circle { x: 1.0, radius: 0.5 };
//!     out[ABSOLUTE_POS] = if circle.holds(x[ABSOLUTE_POS]) { 1 } else { 0 };
//! }
//! # fn main() {
//! #     let client = CpuRuntime::client(&Default::default());
//! #     let (x, out) = (client.create(f32::as_bytes(&[1.2, 2.0])), client.empty(8));
//! #     // SAFETY: the handles hold 2 elements.
//! #     let (from, to) = unsafe { (ArrayArg::from_raw_parts::<f32>(&x, 2, 1), ArrayArg::from_raw_parts::<u32>(&out, 2, 1)) };
//! #     inside::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new_1d(2), from, to);
//! #     assert_eq!(u32::from_bytes(&client.read_one(out)), [1, 0]);
//! # }
//! ```
//!
//! # The host
//!
//! A client ([`ComputeClient`](prelude::ComputeClient)) manages the memory of a device and launches kernels on the
//! device. `create` and `empty` allocate memory and return handles. `read_one` waits for all earlier launches, and
//! returns the bytes of a handle. A failed launch is reported on standard error. A read of a buffer that a failed
//! launch should have written reports the error again. `try_launch`, `try_create` and `try_read_one` return the error
//! as a value.
//!
//! ```
//! use cube::prelude::*;
//! # use cube::cpu::CpuRuntime;
//!
//! #[cube(launch)]
//! fn too_much(out: &mut Array<f32>) {
//!     let mut tile = SharedMemory::<f32>::new(100_000_000u32);
//!     tile[UNIT_POS] = 1.0;
//!     sync_cube();
//!     out[UNIT_POS] = tile[0];
//! }
//! # fn main() {
//! #     let client = CpuRuntime::client(&Default::default());
//! #     let out = client.empty(4);
//! #     // SAFETY: the handle holds 1 element.
//! #     let arg = unsafe { ArrayArg::from_raw_parts::<f32>(&out, 1, 1) };
//! let outcome = too_much::try_launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new_1d(1), arg);
//! let error = outcome.unwrap_err().to_string();
//! assert!(error.contains("error[CUBE0138]: this memory requires 400000000 bytes"), "{error}");
//! # }
//! ```
//!
//! # Debugging a kernel
//!
//! `debug_print!("{} {}", UNIT_POS, x)` prints text for each unit that executes the statement. Four environment
//! variables make a program report information about its kernels. `CUBE_EXPLAIN=1` reports access widths and remaining
//! checks. `CUBE_DUMP=folder` writes the kernels as text for `cube-run --backend interp --check races,bounds,uninit`.
//! `CUBE_TRACE=folder` writes the module after every compiler pass. `CUBE_DEBUG=1` lets gdb stop in a kernel. The
//! folder `docs` of the repository describes each variable, and `examples/rust` has complete kernels.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub use cube_frontend::*;
#[cfg(feature = "stdlib")]
pub use cube_std as std;

#[cfg(feature = "stdlib")]
pub use cube_std::cubecl::{matmul, random, reduce};

/// The terms of Cube, with the corresponding terms of CUDA, LLVM, Vulkan, WGSL and CubeCL.
///
#[cfg_attr(doc, doc = include_str!("../../docs/glossary.md"))]
pub mod glossary {}

/// The kernel language and the host API with the names of CubeCL 0.11.
#[cfg(feature = "stdlib")]
pub mod v11 {
    pub use cube_frontend::v11::*;

    /// All items that kernels and launches of CubeCL 0.11 use.
    pub mod prelude {
        pub use cube_frontend::v11::prelude::*;
        pub use cube_std::{
            CubeOption as ComptimeOption, CubeOptionArgs as ComptimeOptionArgs,
            CubeOptionExpand as ComptimeOptionExpand,
        };
    }
}

/// The name of CubeCL's module for convolutions. The module is empty. A program that uses this module gets a warning
/// that describes a replacement for the convolution.
#[cfg(feature = "convolution")]
#[deprecated(note = "the convolutions of CubeCL are not supported; write the convolution as a kernel")]
pub mod convolution {}

#[cfg(feature = "cpu")]
pub mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
#[cfg(any(feature = "cuda", feature = "hip"))]
mod gpu;
#[cfg(feature = "hip")]
pub mod hip;
#[cfg(any(feature = "cpu", feature = "cuda", feature = "hip", feature = "wgpu"))]
mod settings;
#[cfg(feature = "wgpu")]
pub mod wgpu;
