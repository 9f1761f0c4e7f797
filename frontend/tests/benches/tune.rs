//! Time of autotuning and the quality of its choice, for matrix products.
//!
//! `cargo bench -p cube-frontend-tests --bench tune [-- SIZE ..]`, and with `--features on-cuda` on a GPU, prints one line
//! per size. A size must be a multiple of 32. The candidates are the algorithms of the library and 12 variants of a kernel
//! with several outputs for each unit. The choice is compared with the best of 10 runs of each candidate. The program
//! `cube` of the same folder compiles the kernels, and nothing is cached.
#[path = "../tests/common/mod.rs"]
mod common;

use common::{Client, R};
use cubecl::prelude::*;
use cubecl::server::Handle;
use cubecl::std::matmul::{self, Strategy};
use cubecl::tune::{AutotuneOutput, LocalTuner, Tunable, TunableSet, TuneOutcome};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Each unit computes `rows` elements of a column.
#[cube(launch)]
fn columns(a: &Array<f32>, b: &Array<f32>, c: &mut Array<f32>, n: u32, #[comptime] rows: u32) {
    let (column, first) = (ABSOLUTE_POS % n, ABSOLUTE_POS / n * rows);
    if first < n {
        let mut sums = Array::<f32>::new(rows);
        #[unroll]
        for row in 0..rows {
            sums[row] = 0.0;
        }
        for k in 0..n {
            let right = b[k * n + column];
            #[unroll]
            for row in 0..rows {
                sums[row] += a[(first + row) * n + k] * right;
            }
        }
        #[unroll]
        for row in 0..rows {
            c[(first + row) * n + column] = sums[row];
        }
    }
}

struct Product;
impl AutotuneOutput for Product {}

/// The operands and the result.
#[derive(Clone)]
struct Matrices {
    n: usize,
    handles: [Handle; 3],
}

fn by_library(client: &Client, matrices: &Matrices, strategy: Strategy) -> Result<Product, LaunchError> {
    let (shape, strides) = ([matrices.n; 2], [matrices.n, 1]);
    // SAFETY: each handle has `n * n` elements.
    let [a, b, c] =
        [0, 1, 2].map(|at| unsafe { TensorHandleRef::<R>::from_raw_parts(&matrices.handles[at], &strides, &shape, 4) });
    matmul::launch::<R, f32>(strategy, client, &a, &b, &c).map(|()| Product)
}

fn by_columns(client: &Client, matrices: &Matrices, rows: u32, units: u32) -> Result<Product, LaunchError> {
    let n = matrices.n;
    let count = CubeCount::new_1d((n * n) as u32 / rows / units);
    // SAFETY: each handle has `n * n` elements.
    let [a, b, c] = [0, 1, 2].map(|at| unsafe { ArrayArg::from_raw_parts::<f32>(&matrices.handles[at], n * n, 1) });
    columns::try_launch::<R>(client, count, CubeDim::new_1d(units), a, b, c, ScalarArg::new(n as u32), rows)
        .map(|()| Product)
}

fn candidates(client: &Client) -> TunableSet<String, Matrices, Product> {
    let mut set = TunableSet::new(|m: &Matrices| m.n.to_string(), |_: &String, m: &Matrices| m.clone());
    for strategy in [Strategy::Naive, Strategy::Tiled] {
        let client = client.clone();
        set = set.with(Tunable::new(move |m: Matrices| by_library(&client, &m, strategy)));
    }
    for (rows, units) in [1, 2, 4, 8].into_iter().flat_map(|rows| [16, 64, 256].map(|units| (rows, units))) {
        let client = client.clone();
        set = set.with(Tunable::new(move |m: Matrices| by_columns(&client, &m, rows, units)));
    }
    set
}

fn main() {
    // SAFETY: no other thread exists.
    unsafe { std::env::set_var("CUBE_CACHE", "off") };
    static TUNER: LocalTuner<String, String> = LocalTuner::new("bench-matmul");
    let client = R::client(&Default::default());
    let set = Arc::new(candidates(&client));
    let id = format!("bench-{}-{:?}", std::process::id(), Instant::now());
    println!("{:>6} {:>12} {:>10} {:>10} {:>8}  choice", "n", "tuning", "chosen", "best", "ratio");
    let sizes: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    for n in if sizes.is_empty() { vec![32, 128, 256, 384] } else { sizes } {
        let values: Vec<f32> = (0..n * n).map(|i| (i % 7) as f32).collect();
        let bytes = f32::as_bytes(&values);
        let matrices = Matrices { n, handles: [0; 3].map(|_| client.create(bytes)) };
        let start = Instant::now();
        TUNER.execute(&id, &client, set.clone(), matrices.clone());
        let tuning = start.elapsed();
        let report = TUNER.report(&id, &n.to_string()).expect("a choice");
        // Rounds over all candidates, so that all have the same conditions.
        let mut best = vec![Duration::MAX; set.len()];
        for _ in 0..10 {
            for (index, candidate) in set.autotunables().iter().enumerate() {
                let start = Instant::now();
                let done = candidate.execute(matrices.clone());
                cubecl::future::block_on(client.sync()).expect("no launch fails");
                if done.is_ok() {
                    best[index] = best[index].min(start.elapsed());
                }
            }
        }
        let chosen = report.chosen.expect("a choice");
        let fastest = best.iter().min().expect("candidates");
        let ratio = best[chosen].as_secs_f64() / fastest.as_secs_f64();
        let measured = report.candidates.iter().filter(|c| matches!(c.outcome, TuneOutcome::Measured(_))).count();
        println!(
            "{n:>6} {tuning:>12.2?} {:>10.1?} {fastest:>10.1?} {ratio:>8.3}  candidate {chosen} of {measured} measured",
            best[chosen]
        );
        if std::env::var_os("TUNE_REPORT").is_some() {
            println!("{report}\n{best:.1?}");
        }
    }
}
