//! Measures the kernels of the standard library with the device's clock. The result is the median of 20 measurements of 10
//! launches, as time for one launch and as GB/s: each input is counted as one read, each output as one write.
//!
//! `cargo bench -p cube-frontend-tests --bench std_library [-- SIDE]`, and with `--features on-cuda` on a GPU. `SIDE` is
//! the number of rows and columns of the matrices; the default is 1024.
#[path = "../tests/common/mod.rs"]
mod common;

use common::{Client, R, client};
use cubecl::prelude::*;
use cubecl::server::Handle;
use cubecl::std::movement::{self, Scatter};
use cubecl::std::rows::{self, Parameters};
use cubecl::std::{histogram, reduce, scan};

type Outcome = std::result::Result<(), LaunchError>;

/// Launches in each measurement. The time of the first launch contains its cost on the host.
const LAUNCHES: u32 = 10;

/// Launches until the device is warm, then prints the median time of `launch`.
fn measure(client: &Client, name: &str, bytes: usize, mut launch: impl FnMut() -> Outcome) {
    let mut times = Vec::new();
    for round in 0..25 {
        let mut outcome = Ok(());
        let time = client
            .profile(|| outcome = launch(), "bench")
            .map(|time| cubecl::future::block_on(time.resolve()).duration());
        if let Err(error) =
            outcome.and(time.as_ref().map(|_| ()).map_err(|error| LaunchError::of_user(error.to_string())))
        {
            println!("{name:44} failed: {error}");
            return;
        }
        if round >= 5 {
            times.extend(time);
        }
    }
    times.sort();
    let median = times[times.len() / 2].as_secs_f64() / f64::from(LAUNCHES);
    println!("{name:44} {:10.1} us {:8.0} GB/s", median * 1e6, bytes as f64 / median / 1e9);
}

/// A buffer of `count` values in [-1, 1).
fn random<E: Numeric + CubeElement>(client: &Client, count: usize) -> Handle {
    let handle = client.empty(count * E::size().unwrap_or(4));
    fill::launch::<E, R>(
        client,
        cubecl::calculate_cube_count_elemwise(count, CubeDim::new_1d(256)),
        CubeDim::new_1d(256),
        common::array::<E>(&handle, count),
    );
    handle
}

#[cube(launch)]
fn fill<E: Numeric>(out: &mut Array<E>) {
    if ABSOLUTE_POS < out.len() {
        let mixed = (ABSOLUTE_POS ^ (ABSOLUTE_POS >> 15)) * 0x9E37_79B1;
        out[ABSOLUTE_POS] = E::cast_from(f32::cast_from(mixed >> 8) * 1.192_092_9e-7 - 1.0);
    }
}

fn of_rows<F: Float + CubeElement>(client: &Client, name: &str, side: usize) {
    let (count, size) = (side * side, F::size().unwrap_or(4));
    let (input, out) = (random::<F>(client, count), client.empty(count * size));
    let (weight, bias) = (random::<F>(client, side), random::<F>(client, side));
    let shape = [side, side];
    let parameters = Parameters { weight: Some(&weight), bias: Some(&bias), epsilon: 1e-5 };
    let bytes = 2 * count * size;
    measure(client, &format!("softmax {name}"), bytes, || rows::softmax::<R, F>(client, &input, &out, &shape, 1));
    measure(client, &format!("softmax {name}, axis 0"), bytes, || {
        rows::softmax::<R, F>(client, &input, &out, &shape, 0)
    });
    measure(client, &format!("layer_norm {name}"), bytes, || {
        rows::layer_norm::<R, F>(client, &input, &out, shape, parameters)
    });
    let parameters = Parameters { bias: None, ..parameters };
    measure(client, &format!("rms_norm {name}"), bytes, || {
        rows::rms_norm::<R, F>(client, &input, &out, shape, parameters)
    });
    measure(client, &format!("transpose {name}"), bytes, || {
        movement::transpose::<R, F>(client, &input, &out, 1, shape)
    });
}

fn main() {
    let argument = std::env::args().nth(1).and_then(|side| side.parse().ok());
    let side: usize = argument.unwrap_or(1024);
    let client = client();
    println!("{} x {} elements, median of 20 measurements of {LAUNCHES} launches", side, side);
    of_rows::<f32>(&client, "f32", side);
    of_rows::<f16>(&client, "f16", side);
    for shape in [[512, 8192], [16_384, 1024], [8 * side, side]] {
        let count = shape[0] * shape[1];
        let (input, out) = (random::<f32>(&client, count), client.empty(4 * shape[0].max(shape[1])));
        for scope in [reduce::ReduceScope::Unit, reduce::ReduceScope::Plane, reduce::ReduceScope::Cube] {
            let name = format!("sums of rows, {} x {}, {scope:?}", shape[0], shape[1]);
            measure(&client, &name, 4 * count, || {
                reduce::launch::<R, f32, reduce::Sum>(scope, &client, &input, &shape, 1, &out)
            });
        }
        measure(&client, &format!("index of maximum, {} x {}, Cube", shape[0], shape[1]), 4 * count, || {
            let scope = reduce::ReduceScope::Cube;
            reduce::launch::<R, f32, reduce::ArgMax>(scope, &client, &input, &shape, 1, &out)
        });
    }
    let count = side * side;
    let (input, out) = (random::<f32>(&client, count), client.empty(4 * count));
    for scope in [reduce::ReduceScope::Unit, reduce::ReduceScope::Cube] {
        measure(&client, &format!("sums of columns, {side} x {side}, {scope:?}"), 4 * count, || {
            reduce::launch::<R, f32, reduce::Sum>(scope, &client, &input, &[side, side], 0, &out)
        });
    }
    measure(&client, "inclusive scan f32", 8 * count, || scan::launch::<R, f32>(&client, &input, &out, count, true));
    let indices = client.create(u32::as_bytes(&(0..side as u32).rev().collect::<Vec<_>>()));
    measure(&client, "gather rows f32", 8 * count, || {
        movement::gather::<R, f32>(&client, &input, &[side, side], 0, (&indices, side), &out)
    });
    measure(&client, "scatter rows f32, Add", 12 * count, || {
        movement::scatter::<R, f32>(Scatter::Add, &client, &input, (&indices, side), &out, &[side, side], 0)
    });
    let counts = client.empty(4 * 256);
    measure(&client, "histogram f32, 256 bins", 4 * count, || {
        histogram::histogram::<R, f32>(&client, &input, count, [-1.0, 1.0], &counts, 256)
    });
}
