//! The loop of `frontend/tests/benches/op_by_op.rs` in CubeCL 0.10 on CUDA: time per operation of a program that runs one kernel for each
//! operation. The file is the `src/main.rs` of a crate outside of the workspace, with the dependency
//! `cubecl = { version = "=0.10.0", default-features = false, features = ["std", "cuda"] }`:
//!
//! `cargo run --release -- 256 4096 65536 4194304`
//!
//! CubeCL 0.11 needs an LLVM that the build script of `tracel-llvm-bundler` downloads.
use cubecl::cuda::{CudaDevice, CudaRuntime};
use cubecl::prelude::*;
use cubecl::server::Handle;
use std::time::{Duration, Instant};

type R = CudaRuntime;
type Client = ComputeClient<R>;

const UNITS: u32 = 256;
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
fn tanh<F: Float>(x: &Array<F>, out: &mut Array<F>) {
    if ABSOLUTE_POS < out.len() {
        out[ABSOLUTE_POS] = F::tanh(x[ABSOLUTE_POS]);
    }
}

struct Framework<'a> {
    client: &'a Client,
    n: usize,
}

impl Framework<'_> {
    fn output(&self) -> Handle {
        self.client.empty(4 * self.n)
    }
    fn cubes(&self) -> (CubeCount, CubeDim) {
        (CubeCount::new_1d((self.n as u32).div_ceil(UNITS)), CubeDim::new_1d(UNITS))
    }
    fn array(&self, handle: &Handle) -> ArrayArg<R> {
        // SAFETY: the handle has `n` elements.
        unsafe { ArrayArg::from_raw_parts(handle.clone(), self.n) }
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
        scale::launch::<R>(self.client, count, dim, self.array(x), by, self.array(&out));
        out
    }
    fn shift(&self, x: &Handle, by: f32) -> Handle {
        let (out, (count, dim)) = (self.output(), self.cubes());
        shift::launch::<R>(self.client, count, dim, self.array(x), by, self.array(&out));
        out
    }
    fn tanh(&self, x: &Handle) -> Handle {
        let (out, (count, dim)) = (self.output(), self.cubes());
        tanh::launch::<f32, R>(self.client, count, dim, self.array(x), self.array(&out));
        out
    }
    fn gelu_of_sum(&self, x: &Handle, w: &Handle, b: &Handle) -> Handle {
        let v = self.add(&self.mul(x, w), b);
        let cubic = self.scale(&self.mul(&self.mul(&v, &v), &v), 0.044715);
        let t = self.shift(&self.tanh(&self.scale(&self.add(&v, &cubic), 0.797_884_6)), 1.0);
        self.mul(&v, &t)
    }
}

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

fn inputs(n: usize) -> [Vec<f32>; 3] {
    [(7, 0.1), (11, 0.2), (5, -0.3)].map(|(step, by)| (0..n).map(|i| ((i * step) % 13) as f32 * by - 0.6).collect())
}

fn main() {
    let client = R::client(&CudaDevice::default());
    let numbers: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    for n in if numbers.is_empty() { vec![256, 65_536, 1 << 22] } else { numbers } {
        let values = inputs(n);
        let [x, w, b] = values.each_ref().map(|values| client.create_from_slice(f32::as_bytes(values)));
        let framework = Framework { client: &client, n };
        let sync = || cubecl::future::block_on(client.sync()).expect("no launch fails");
        let [submitted, complete] = medians(|| drop(framework.gelu_of_sum(&x, &w, &b)), sync);
        let us = |time: Duration| time.as_secs_f64() * 1e6;
        println!("CubeCL 0.10.0 {n:>9} elements {:8.3} us submitted {:8.3} us complete", us(submitted), us(complete));
        let out = client.read_one(framework.gelu_of_sum(&x, &w, &b)).expect("the launches succeeded");
        for (i, value) in f32::from_bytes(&out).iter().enumerate() {
            let v = values[0][i] * values[1][i] + values[2][i];
            let expected = v * ((v + v * v * v * 0.044715) * 0.797_884_6).tanh() + v;
            assert!((value - expected).abs() <= 1e-5 * (1.0 + expected.abs()), "element {i}: {value}, not {expected}");
        }
    }
}
