//! Launches a kernel of the library with operations of both crates, and a kernel of this crate. The results are compared with
//! plain Rust.
mod kernels;

use cubecl::cpu::CpuRuntime as R;
use cubecl::prelude::*;
use kernels::Squared;
use library::operations::{Linear, map};
use library::shapes::{ScaleLaunch, Tile};

const UNITS: usize = 16;
const FACTOR: f32 = 0.5;
const OFFSET: f32 = 3.0;

/// The result of `count` applications of `x * factor + OFFSET`.
fn applied(x: f32, factor: f32, count: u32) -> f32 {
    (0..count).fold(x, |x, _| x * factor + OFFSET)
}

fn scale<'a>() -> ScaleLaunch<'a, f32, R> {
    ScaleLaunch::new(ScalarArg::new(FACTOR), ScalarArg::new(OFFSET))
}

fn main() {
    let client = R::client(&Default::default());
    let data: Vec<f32> = (0..UNITS).map(|i| i as f32).collect();
    let tile = Tile { rows: 2, columns: 1 };
    let input = client.create(f32::as_bytes(&data));
    let (count, dim) = (CubeCount::Static(1, 1, 1), CubeDim::new_1d(UNITS as u32));
    let run = |launch: &dyn Fn(ArrayArg<'_, R>)| {
        let out = client.empty(4 * UNITS);
        // SAFETY: the buffer has this many elements.
        launch(unsafe { ArrayArg::from_raw_parts::<f32>(&out, UNITS, 1) });
        f32::from_bytes(&client.read_one(out)).to_vec()
    };
    // SAFETY: the buffer has this many elements.
    let given = || unsafe { ArrayArg::from_raw_parts::<f32>(&input, UNITS, 1) };
    let linear = run(&|out| map::launch::<f32, Linear, R>(&client, count.clone(), dim, given(), scale(), out, tile));
    let squared = run(&|out| map::launch::<f32, Squared, R>(&client, count.clone(), dim, given(), scale(), out, tile));
    let stepped = run(&|out| kernels::steps::launch::<Squared, R>(&client, count.clone(), dim, scale(), out, tile));
    for (i, x) in data.into_iter().enumerate() {
        assert_eq!(linear[i], applied(x, FACTOR, 4));
        assert_eq!(squared[i], applied(x, FACTOR * FACTOR, 8));
        let first = if i % 2 == 0 { x + OFFSET } else { x * FACTOR };
        assert_eq!(stepped[i], applied(first, FACTOR * FACTOR, 8));
    }
    println!("{UNITS} units of 3 kernels are equal");
}
