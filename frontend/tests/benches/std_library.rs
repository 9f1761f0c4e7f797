//! Measures the kernels of the standard library with the device's clock. Each measurement replays a graph of 64 launches. The
//! result is the median of 10 measurements, as time for one launch and as GB/s: each input is counted as one read, each output as one write.
//!
//! `cargo bench -p cube-frontend-tests --bench std_library [-- SIDE]`, and with `--features on-cuda` on a GPU. `SIDE` is
//! the number of rows and columns of the matrices; the default is 1024.
#[path = "../tests/common/mod.rs"]
mod common;

use common::{Client, R, client};
use cubecl::future::block_on;
use cubecl::prelude::*;
use cubecl::server::Handle;
use cubecl::std::movement::{self, Scatter};
use cubecl::std::rows::{self, Parameters};
use cubecl::std::{histogram, reduce, scan};

type Outcome = std::result::Result<(), LaunchError>;

/// Launches of the graph that each measurement replays.
const LAUNCHES: usize = 64;

/// Prints the median time of a launch. `launch` receives the client that records the graph, and the number of the launch.
fn measure(client: &Client, name: &str, bytes: usize, launch: impl Fn(&Client, usize) -> Outcome) {
    match median(client, launch) {
        Ok(time) => println!("{name:44} {:10.1} us {:8.0} GB/s", time * 1e6, bytes as f64 / time / 1e9),
        Err(error) => println!("{name:44} failed: {error}"),
    }
}

/// The median time of a launch in seconds.
fn median(client: &Client, launch: impl Fn(&Client, usize) -> Outcome) -> std::result::Result<f64, LaunchError> {
    let (graph, recorded) = client.graph(|client| (0..LAUNCHES).try_for_each(|i| launch(client, i)))?;
    recorded?;
    let mut times = Vec::new();
    for _ in 0..15 {
        let mut outcome = Ok(());
        let time = client.profile(|| outcome = graph.replay(), "bench")?;
        outcome?;
        times.push(block_on(time.resolve()).duration());
    }
    // The first replays warm the device.
    times.drain(..5);
    times.sort();
    Ok(times[times.len() / 2].as_secs_f64() / LAUNCHES as f64)
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
    measure(client, &format!("softmax {name}"), bytes, |client, _| {
        rows::softmax::<R, F>(client, &input, &out, &shape, 1)
    });
    measure(client, &format!("softmax {name}, axis 0"), bytes, |client, _| {
        rows::softmax::<R, F>(client, &input, &out, &shape, 0)
    });
    measure(client, &format!("layer_norm {name}"), bytes, |client, _| {
        rows::layer_norm::<R, F>(client, &input, &out, shape, parameters)
    });
    let parameters = Parameters { bias: None, ..parameters };
    measure(client, &format!("rms_norm {name}"), bytes, |client, _| {
        rows::rms_norm::<R, F>(client, &input, &out, shape, parameters)
    });
    measure(client, &format!("transpose {name}"), bytes, |client, _| {
        movement::transpose::<R, F>(client, &input, &out, 1, shape)
    });
}

fn main() {
    let argument = std::env::args().nth(1).and_then(|side| side.parse().ok());
    let side: usize = argument.unwrap_or(1024);
    let client = client();
    println!("{} x {} elements, median of 10 graphs of {LAUNCHES} launches", side, side);
    of_rows::<f32>(&client, "f32", side);
    of_rows::<f16>(&client, "f16", side);
    for shape in [[512, 8192], [16_384, 1024], [8 * side, side]] {
        let count = shape[0] * shape[1];
        // The launches read different inputs, so that the cache does not contain them.
        let inputs: Vec<_> =
            (0..(1usize << 29).div_ceil(4 * count).clamp(1, LAUNCHES)).map(|_| random::<f32>(&client, count)).collect();
        let out = client.empty(4 * shape[0]);
        for scope in [reduce::ReduceScope::Unit, reduce::ReduceScope::Plane, reduce::ReduceScope::Cube] {
            let name = format!("sums of rows, {} x {}, {scope:?}", shape[0], shape[1]);
            measure(&client, &name, 4 * count, |client, i| {
                reduce::launch::<R, f32, reduce::Sum>(scope, client, &inputs[i % inputs.len()], &shape, 1, &out)
            });
        }
        measure(&client, &format!("index of maximum, {} x {}, Cube", shape[0], shape[1]), 4 * count, |client, i| {
            let scope = reduce::ReduceScope::Cube;
            reduce::launch::<R, f32, reduce::ArgMax>(scope, client, &inputs[i % inputs.len()], &shape, 1, &out)
        });
    }
    let count = side * side;
    let (input, out) = (random::<f32>(&client, count), client.empty(4 * count));
    for scope in [reduce::ReduceScope::Unit, reduce::ReduceScope::Cube] {
        measure(&client, &format!("sums of columns, {side} x {side}, {scope:?}"), 4 * count, |client, _| {
            reduce::launch::<R, f32, reduce::Sum>(scope, client, &input, &[side, side], 0, &out)
        });
    }
    measure(&client, "inclusive scan f32", 8 * count, |client, _| {
        scan::launch::<R, f32>(client, &input, &out, count, true)
    });
    let indices = client.create(u32::as_bytes(&(0..side as u32).rev().collect::<Vec<_>>()));
    measure(&client, "gather rows f32", 8 * count, |client, _| {
        movement::gather::<R, f32>(client, &input, &[side, side], 0, (&indices, side), &out)
    });
    measure(&client, "scatter rows f32, Add", 12 * count, |client, _| {
        movement::scatter::<R, f32>(Scatter::Add, client, &input, (&indices, side), &out, &[side, side], 0)
    });
    let counts = client.empty(4 * 256);
    measure(&client, "histogram f32, 256 bins", 4 * count, |client, _| {
        histogram::histogram::<R, f32>(client, &input, count, [-1.0, 1.0], &counts, 256)
    });
}
