//! Time per operation of a program that runs one kernel for each operation, as a framework without fusion does.
//!
//! `cargo bench -p cube-frontend-tests --bench op_by_op`, and with `--features on-cuda` on a GPU. The operations are those of
//! GELU (tanh) after a product and a sum, 10 kernels: each has a new output buffer, and an input buffer is dropped after its
//! last use. A second loop writes to buffers that exist before, so that it has launches only. A row has the median time of an
//! operation over 15 rounds of 100 repetitions, for one number of elements: until the last call returns, and until the device has
//! finished. On CUDA, the program makes the same launches by calls of the driver in the same process, with buffers that exist
//! before, and with `cuMemAllocAsync` and `cuMemFreeAsync` for each operation. The results of all loops are compared.
//! `op_by_op.py` measures the same operations in PyTorch.
#[path = "../tests/common/mod.rs"]
mod common;
#[cfg(feature = "on-cuda")]
#[path = "op_by_op/raw.rs"]
mod raw;

use common::{Client, R};
use cubecl::prelude::*;
use cubecl::server::Handle;
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Units of a cube.
const UNITS: u32 = 256;

/// Operations of a repetition.
const OPERATIONS: u32 = 10;

const REPETITIONS: u32 = 100;
const ROUNDS: usize = 15;

#[cube(launch)]
fn mul(x: &Array<f32>, y: &Array<f32>, out: &mut Array<f32>) {
    if ABSOLUTE_POS < out.len() {
        out[ABSOLUTE_POS] = x[ABSOLUTE_POS] * y[ABSOLUTE_POS];
    }
}

#[cube(launch)]
fn add(x: &Array<f32>, y: &Array<f32>, out: &mut Array<f32>) {
    if ABSOLUTE_POS < out.len() {
        out[ABSOLUTE_POS] = x[ABSOLUTE_POS] + y[ABSOLUTE_POS];
    }
}

#[cube(launch)]
fn scale(x: &Array<f32>, by: f32, out: &mut Array<f32>) {
    if ABSOLUTE_POS < out.len() {
        out[ABSOLUTE_POS] = x[ABSOLUTE_POS] * by;
    }
}

#[cube(launch)]
fn shift(x: &Array<f32>, by: f32, out: &mut Array<f32>) {
    if ABSOLUTE_POS < out.len() {
        out[ABSOLUTE_POS] = x[ABSOLUTE_POS] + by;
    }
}

#[cube(launch)]
fn tanh(x: &Array<f32>, out: &mut Array<f32>) {
    if ABSOLUTE_POS < out.len() {
        out[ABSOLUTE_POS] = f32::tanh(x[ABSOLUTE_POS]);
    }
}

/// The operations of a framework on tensors of `n` elements.
struct Framework<'a> {
    client: &'a Client,
    n: usize,
    /// The outputs of the operations of a repetition; `None` if each operation has a new buffer.
    existing: Option<Vec<Handle>>,
    /// The number of the next operation.
    next: Cell<usize>,
}

impl Framework<'_> {
    fn output(&self) -> Handle {
        let Some(existing) = &self.existing else { return self.client.empty(4 * self.n) };
        existing[self.next.replace((self.next.get() + 1) % existing.len())].clone()
    }

    fn cubes(&self) -> (CubeCount, CubeDim) {
        (CubeCount::new_1d((self.n as u32).div_ceil(UNITS)), CubeDim::new_1d(UNITS))
    }

    fn array<'h>(&self, handle: &'h Handle) -> ArrayArg<'h, R> {
        common::array::<f32>(handle, self.n)
    }

    fn mul(&self, x: &Handle, y: &Handle) -> Handle {
        let (out, (count, dim)) = (self.output(), self.cubes());
        mul::launch::<R>(self.client, count, dim, self.array(x), self.array(y), self.array(&out));
        out
    }

    fn add(&self, x: &Handle, y: &Handle) -> Handle {
        let (out, (count, dim)) = (self.output(), self.cubes());
        add::launch::<R>(self.client, count, dim, self.array(x), self.array(y), self.array(&out));
        out
    }

    fn scale(&self, x: &Handle, by: f32) -> Handle {
        let (out, (count, dim)) = (self.output(), self.cubes());
        scale::launch::<R>(self.client, count, dim, self.array(x), ScalarArg::new(by), self.array(&out));
        out
    }

    fn shift(&self, x: &Handle, by: f32) -> Handle {
        let (out, (count, dim)) = (self.output(), self.cubes());
        shift::launch::<R>(self.client, count, dim, self.array(x), ScalarArg::new(by), self.array(&out));
        out
    }

    fn tanh(&self, x: &Handle) -> Handle {
        let (out, (count, dim)) = (self.output(), self.cubes());
        tanh::launch::<R>(self.client, count, dim, self.array(x), self.array(&out));
        out
    }

    /// One repetition: 10 operations.
    fn gelu_of_sum(&self, x: &Handle, w: &Handle, b: &Handle) -> Handle {
        let v = self.add(&self.mul(x, w), b);
        let cubic = self.scale(&self.mul(&self.mul(&v, &v), &v), 0.044715);
        let t = self.shift(&self.tanh(&self.scale(&self.add(&v, &cubic), 0.797_884_6)), 1.0);
        self.mul(&v, &t)
    }
}

/// The median times of an operation: until the last call returns, and until `sync` returns.
fn medians(mut repetition: impl FnMut(), sync: impl Fn()) -> [Duration; 2] {
    (0..REPETITIONS).for_each(|_| repetition());
    sync();
    let round = |_| {
        let start = Instant::now();
        (0..REPETITIONS).for_each(|_| repetition());
        let submitted = start.elapsed();
        sync();
        [submitted, start.elapsed()]
    };
    let rounds: Vec<[Duration; 2]> = (0..ROUNDS).map(round).collect();
    [0, 1].map(|which| {
        let mut times: Vec<Duration> = rounds.iter().map(|times| times[which]).collect();
        times.sort();
        times[ROUNDS / 2] / (REPETITIONS * OPERATIONS)
    })
}

fn row(name: &str, n: usize, [submitted, complete]: [Duration; 2]) {
    let us = |time: Duration| time.as_secs_f64() * 1e6;
    println!("{name:44} {n:>9} elements {:8.3} us submitted {:8.3} us complete", us(submitted), us(complete));
}

fn inputs(n: usize) -> [Vec<f32>; 3] {
    [(7, 0.1), (11, 0.2), (5, -0.3)].map(|(step, by)| (0..n).map(|i| ((i * step) % 13) as f32 * by - 0.6).collect())
}

fn gelu(x: f32, w: f32, b: f32) -> f32 {
    let v = x * w + b;
    v * ((v + v * v * v * 0.044715) * 0.797_884_6).tanh() + v
}

fn check(name: &str, values: &[f32], inputs: &[Vec<f32>; 3]) {
    let [x, w, b] = inputs;
    for (i, value) in values.iter().enumerate() {
        let expected = gelu(x[i], w[i], b[i]);
        assert!(
            (value - expected).abs() <= 1e-5 * (1.0 + expected.abs()),
            "{name}, element {i}: {value}, not {expected}"
        );
    }
}

fn main() {
    let client = R::client(&Default::default());
    println!("{} us per operation, {OPERATIONS} operations of {REPETITIONS} repetitions", client.target());
    let numbers: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    for n in if numbers.is_empty() { vec![256, 65_536, 1 << 22] } else { numbers } {
        let values = inputs(n);
        let [x, w, b] = values.each_ref().map(|values| client.create(f32::as_bytes(values)));
        let framework = Framework { client: &client, n, existing: None, next: Cell::new(0) };
        let sync = || cubecl::future::block_on(client.sync()).expect("no launch fails");
        row("cube, a new buffer for each operation", n, medians(|| drop(framework.gelu_of_sum(&x, &w, &b)), sync));
        let out = client.read_one(framework.gelu_of_sum(&x, &w, &b));
        check("cube", f32::from_bytes(&out), &values);
        let existing = Some((0..OPERATIONS).map(|_| client.empty(4 * n)).collect());
        let framework = Framework { existing, ..framework };
        row("cube, buffers that exist before", n, medians(|| drop(framework.gelu_of_sum(&x, &w, &b)), sync));
        let out = client.read_one(framework.gelu_of_sum(&x, &w, &b));
        check("cube", f32::from_bytes(&out), &values);
        #[cfg(feature = "on-cuda")]
        {
            let raw = raw::Raw::new(n, &values).expect("the driver works");
            let sync = || raw.sync().expect("no launch fails");
            let existing = || raw.gelu_of_sum(false).expect("a launch");
            row("driver, buffers that exist before", n, medians(existing, sync));
            check("driver", &raw.result().expect("a copy"), &values);
            let new = || raw.gelu_of_sum(true).expect("a launch");
            row("driver, cuMemAllocAsync for each operation", n, medians(new, sync));
            check("driver", &raw.result().expect("a copy"), &values);
        }
    }
}
