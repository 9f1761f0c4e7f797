//! Measures kernels as people write them: one element for each unit, one row for each unit, a naive product. The device's
//! events enclose up to 20 launches. The result is the median of up to 9 such measurements, as time and as GB/s or TFLOP/s.
//!
//! `cargo bench -p cube-frontend-tests --features on-cuda --bench as_written [-- FILTER] [SMALLER]`. The program measures the
//! rows whose name contains `FILTER`. `SMALLER` divides all sizes by a power of two: 0 on a GPU and 6 on the CPU if
//! omitted. A peer's program that runs before and after this one in the same session makes the ratios comparable.
#[path = "../tests/common/mod.rs"]
mod common;

use common::{Client, R, array, client};
use cubecl::future::block_on;
use cubecl::prelude::*;
use std::time::Duration;

/// Measurements, and the time after which no further measurement starts.
const MEASUREMENTS: usize = 9;
const LIMIT: Duration = Duration::from_millis(400);

/// Launches between the two events of a measurement.
const LAUNCHES: u32 = 20;

/// Rounds of two kernels that are measured in turns.
const ROUNDS: usize = 15;

/// The time of a launch, as the mean of several launches between two events of the device. An event before each launch would
/// add the time in which the host submits the launch, because the device is then idle.
fn profile(client: &Client, launches: u32, launch: impl Fn()) -> Duration {
    let profile = client.profile(|| (0..launches).for_each(|_| launch()), "launches").expect("a profile of launches");
    block_on(profile.resolve()).duration() / launches
}

/// Launches of a measurement, and the number of measurements.
fn repetitions(client: &Client, launch: impl Fn()) -> (u32, usize) {
    (0..3).for_each(|_| launch());
    let one = profile(client, 1, &launch).max(Duration::from_nanos(1)).as_nanos();
    // A slow launch hides the time of its submission.
    let launches = (LIMIT.as_nanos() / 4 / one).clamp(1, u128::from(LAUNCHES));
    (launches as u32, (LIMIT.as_nanos() / (one * launches)).clamp(3, MEASUREMENTS as u128) as usize)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Prints rows whose name contains a text.
struct Table<'c> {
    client: &'c Client,
    filter: String,
    smaller: u32,
}

impl Table<'_> {
    fn size(&self, bits: u32) -> usize {
        1 << bits.saturating_sub(self.smaller)
    }
    fn requests(&self, name: &str) -> bool {
        name.contains(&self.filter)
    }
    /// One row. `work` is the number of bytes or of operations, and `unit` names 10^9 bytes or 10^12 operations a second.
    fn row(&self, name: &str, work: f64, unit: &str, launch: impl Fn()) {
        if self.requests(name) {
            let (launches, count) = repetitions(self.client, &launch);
            let times = (0..count).map(|_| profile(self.client, launches, &launch).as_secs_f64());
            Self::print(name, work, unit, median(times.collect()));
        }
    }
    fn print(name: &str, work: f64, unit: &str, time: f64) {
        let scale = if unit == "GB/s" { 1e9 } else { 1e12 };
        println!("{name:44} {:11.1} us {:9.2} {unit}", time * 1e6, work / time / scale);
    }
    /// Two kernels in turns, because the clock of the device changes between two rows by more than the difference of the
    /// kernels. The last line has the median of the ratios of the rounds.
    fn in_turns(&self, names: [&str; 2], work: f64, unit: &str, launch: [&dyn Fn(); 2]) {
        if !names.iter().any(|name| self.requests(name)) {
            return;
        }
        let (launches, _) = repetitions(self.client, launch[0]);
        repetitions(self.client, launch[1]);
        let seconds = |which: usize| profile(self.client, launches, launch[which]).as_secs_f64();
        let round = |number: usize| {
            // Each kernel is the first one in every other round.
            let (first, second) = (seconds(number % 2), seconds(1 - number % 2));
            if number.is_multiple_of(2) { [first, second] } else { [second, first] }
        };
        let rounds: Vec<[f64; 2]> = (0..ROUNDS).map(round).collect();
        for (which, name) in names.into_iter().enumerate() {
            Self::print(name, work, unit, median(rounds.iter().map(|times| times[which]).collect()));
        }
        let ratio = median(rounds.iter().map(|times| times[0] / times[1]).collect());
        println!("  {} over {}: {:.4}, median of {ROUNDS} rounds", names[0], names[1], ratio);
    }
}

#[cube(launch)]
fn fill<E: Numeric>(out: &mut Array<E>) {
    if ABSOLUTE_POS < out.len() {
        let mixed = (ABSOLUTE_POS ^ (ABSOLUTE_POS >> 15)) * 0x9E37_79B1;
        out[ABSOLUTE_POS] = E::cast_from(f32::cast_from(mixed >> 8) * 1.192_092_9e-7 - 1.0);
    }
}

#[cube(launch)]
fn add<E: Numeric>(a: &Array<E>, b: &Array<E>, c: &mut Array<E>) {
    if ABSOLUTE_POS < c.len() {
        c[ABSOLUTE_POS] = a[ABSOLUTE_POS] + b[ABSOLUTE_POS];
    }
}

#[cube(launch_unchecked)]
fn add_unchecked<E: Numeric>(a: &Array<E>, b: &Array<E>, c: &mut Array<E>) {
    if ABSOLUTE_POS < c.len() {
        c[ABSOLUTE_POS] = a[ABSOLUTE_POS] + b[ABSOLUTE_POS];
    }
}

#[cube(launch)]
fn add_rows<E: Numeric>(a: &Array<E>, b: &Array<E>, c: &mut Array<E>, rows: u32, columns: u32) {
    let row = ABSOLUTE_POS / columns;
    let column = ABSOLUTE_POS % columns;
    if row < rows {
        let index = row * columns + column;
        c[index] = a[index] + b[index];
    }
}

#[cube(launch)]
fn gelu_erf<F: Float>(x: &Array<F>, y: &mut Array<F>) {
    if ABSOLUTE_POS < y.len() {
        let v = x[ABSOLUTE_POS];
        y[ABSOLUTE_POS] = v * (F::erf(v * F::new(0.70710677)) + F::new(1.0)) * F::new(0.5);
    }
}

#[cube(launch)]
fn gelu_tanh<F: Float>(x: &Array<F>, y: &mut Array<F>) {
    if ABSOLUTE_POS < y.len() {
        let v = x[ABSOLUTE_POS];
        let inner = F::new(0.7978846) * (v + F::new(0.044715) * v * v * v);
        y[ABSOLUTE_POS] = F::new(0.5) * v * (F::new(1.0) + F::tanh(inner));
    }
}

#[cube(launch)]
fn row_sums<F: Float>(matrix: &Array<F>, sums: &mut Array<F>, columns: u32) {
    if ABSOLUTE_POS < sums.len() {
        let mut sum = F::new(0.0);
        for column in 0..columns {
            sum += matrix[ABSOLUTE_POS * columns + column];
        }
        sums[ABSOLUTE_POS] = sum;
    }
}

#[cube(launch)]
fn split<I: Int>(out: &mut Array<u32>, width: I) {
    if ABSOLUTE_POS < out.len() {
        let index = I::cast_from(ABSOLUTE_POS);
        out[ABSOLUTE_POS] = u32::cast_from((index / width) ^ (index % width));
    }
}

#[cube(launch)]
fn store(out: &mut Array<u32>, width: u32) {
    if ABSOLUTE_POS < out.len() {
        out[ABSOLUTE_POS] = ABSOLUTE_POS ^ width;
    }
}

#[cube]
fn element_of_product(a: &Array<f32>, b: &Array<f32>, c: &mut Array<f32>, n: u32) {
    let row = ABSOLUTE_POS_Y;
    let column = ABSOLUTE_POS_X;
    if row < n && column < n {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[row * n + k] * b[k * n + column];
        }
        c[row * n + column] = sum;
    }
}

#[cube(launch)]
fn product(a: &Array<f32>, b: &Array<f32>, c: &mut Array<f32>, n: u32) {
    element_of_product(a, b, c, n);
}

#[cube(launch_unchecked)]
fn product_unchecked(a: &Array<f32>, b: &Array<f32>, c: &mut Array<f32>, n: u32) {
    element_of_product(a, b, c, n);
}

fn units(count: usize) -> (CubeCount, CubeDim) {
    let dim = CubeDim::new_1d(256);
    (cubecl::calculate_cube_count_elemwise(count, dim), dim)
}

/// A buffer of `count` values in [-1, 1).
fn random<E: Numeric + CubeElement>(client: &Client, count: usize) -> cubecl::server::Handle {
    let handle = client.empty(count * E::size().unwrap_or(4));
    let (cubes, dim) = units(count);
    fill::launch::<E, R>(client, cubes, dim, array::<E>(&handle, count));
    handle
}

fn sums_of_two<E: Numeric + CubeElement>(table: &Table<'_>, name: &str) {
    if !["linear", "unchecked", "/ and %"].iter().any(|form| table.requests(&format!("add {name}, {form}"))) {
        return;
    }
    let (client, count) = (table.client, table.size(30));
    let columns = table.size(15) as u32;
    let [a, b, c] = [0; 3].map(|_| random::<E>(client, count));
    let bytes = 3.0 * (count * E::size().unwrap_or(4)) as f64;
    let [a, b, c] = [&a, &b, &c].map(|handle| move || array::<E>(handle, count));
    let (cubes, dim) = units(count);
    let names = ["linear", "unchecked"].map(|form| format!("add {name}, {form}"));
    let checked = || add::launch::<E, R>(client, cubes.clone(), dim, a(), b(), c());
    // SAFETY: the three buffers have `count` elements, and the kernel compares its position with this number.
    let unchecked = || unsafe { add_unchecked::launch_unchecked::<E, R>(client, cubes.clone(), dim, a(), b(), c()) };
    table.in_turns([&names[0], &names[1]], bytes, "GB/s", [&checked, &unchecked]);
    let rows = (count / columns as usize) as u32;
    table.row(&format!("add {name}, / and %"), bytes, "GB/s", || {
        let (rows, columns) = (ScalarArg::new(rows), ScalarArg::new(columns));
        add_rows::launch::<E, R>(client, cubes.clone(), dim, a(), b(), c(), rows, columns);
    });
}

fn gelu<F: Float + CubeElement>(table: &Table<'_>, name: &str) {
    if !["erf", "tanh"].iter().any(|form| table.requests(&format!("GELU {form} {name}"))) {
        return;
    }
    let (client, count) = (table.client, table.size(28));
    let (x, y) = (random::<F>(client, count), random::<F>(client, count));
    let [x, y] = [&x, &y].map(|handle| move || array::<F>(handle, count));
    let bytes = 2.0 * (count * F::size().unwrap_or(4)) as f64;
    let (cubes, dim) = units(count);
    table.row(&format!("GELU erf {name}"), bytes, "GB/s", || {
        gelu_erf::launch::<F, R>(client, cubes.clone(), dim, x(), y());
    });
    table.row(&format!("GELU tanh {name}"), bytes, "GB/s", || {
        gelu_tanh::launch::<F, R>(client, cubes.clone(), dim, x(), y());
    });
}

fn sums_of_rows<F: Float + CubeElement>(table: &Table<'_>, name: &str) {
    let (rows, columns) = (table.size(16), 8192);
    let title = format!("row sums {name}, a unit a row, {rows} x {columns}");
    if !table.requests(&title) {
        return;
    }
    let client = table.client;
    let (matrix, sums) = (random::<F>(client, rows * columns), random::<F>(client, rows));
    let bytes = (rows * columns * F::size().unwrap_or(4)) as f64;
    let dim = CubeDim::new_1d(128);
    let cubes = cubecl::calculate_cube_count_elemwise(rows, dim);
    table.row(&title, bytes, "GB/s", || {
        let (matrix, sums) = (array::<F>(&matrix, rows * columns), array::<F>(&sums, rows));
        row_sums::launch::<F, R>(client, cubes.clone(), dim, matrix, sums, ScalarArg::new(columns as u32));
    });
}

fn splits(table: &Table<'_>) {
    if !table.requests("split") && !["u32", "i32", "u64"].iter().any(|ty| table.requests(&format!("split {ty}"))) {
        return;
    }
    let (client, count) = (table.client, table.size(30));
    let out = client.empty(4 * count);
    let out = || array::<u32>(&out, count);
    let (cubes, dim) = units(count);
    let bytes = 4.0 * count as f64;
    table.row("split: stores alone", bytes, "GB/s", || {
        store::launch::<R>(client, cubes.clone(), dim, out(), ScalarArg::new(1000));
    });
    table.row("split u32", bytes, "GB/s", || {
        split::launch::<u32, R>(client, cubes.clone(), dim, out(), ScalarArg::new(1000));
    });
    table.row("split i32", bytes, "GB/s", || {
        split::launch::<i32, R>(client, cubes.clone(), dim, out(), ScalarArg::new(1000));
    });
    table.row("split u64", bytes, "GB/s", || {
        split::launch::<u64, R>(client, cubes.clone(), dim, out(), ScalarArg::new(1000));
    });
}

fn products(table: &Table<'_>) {
    let n = table.size(12);
    if !table.requests("product f32") && !table.requests("product f32, unchecked") {
        return;
    }
    let client = table.client;
    let [a, b, c] = [0; 3].map(|_| random::<f32>(client, n * n));
    let [a, b, c] = [&a, &b, &c].map(|handle| move || array::<f32>(handle, n * n));
    let dim = CubeDim::new_2d(16, 16);
    let cubes = CubeCount::Static(n.div_ceil(16) as u32, n.div_ceil(16) as u32, 1);
    let work = 2.0 * (n as f64).powi(3);
    let checked = || product::launch::<R>(client, cubes.clone(), dim, a(), b(), c(), ScalarArg::new(n as u32));
    // SAFETY: the three buffers have `n` x `n` elements, and the kernel compares its positions with `n`.
    let unchecked = || unsafe {
        product_unchecked::launch_unchecked::<R>(client, cubes.clone(), dim, a(), b(), c(), ScalarArg::new(n as u32));
    };
    table.in_turns(["product f32", "product f32, unchecked"], work, "TFLOP/s", [&checked, &unchecked]);
}

fn main() {
    // `cargo bench` adds the argument `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let smaller = arguments.iter().find_map(|argument| argument.parse().ok());
    let filter = arguments.into_iter().find(|argument| argument.parse::<u32>().is_err()).unwrap_or_default();
    let client = client();
    let smaller = smaller.unwrap_or(if cfg!(any(feature = "on-cuda", feature = "on-hip")) { 0 } else { 6 });
    let table = Table { client: &client, filter, smaller };
    println!("median of up to {LAUNCHES} launches; sizes divided by 2^{smaller}");
    sums_of_two::<f32>(&table, "f32");
    sums_of_two::<f16>(&table, "f16");
    gelu::<f32>(&table, "f32");
    gelu::<f16>(&table, "f16");
    sums_of_rows::<f32>(&table, "f32");
    sums_of_rows::<f16>(&table, "f16");
    splits(&table);
    products(&table);
}
