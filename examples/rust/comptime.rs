//! Compile-time values in kernels: parameters, branches, fields, unrolled loops and line sizes. The last kernel of the
//! example does not compile.
//!
//! `cargo build -p cube-tools && cargo run -p cube-mlir --example comptime`
use cube::cpu::CpuRuntime;
use cube::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum WindowFunction {
    Sum,
    Largest,
}

#[derive(CubeType, CubeLaunch)]
struct Window<F: Float> {
    scale: F,
    #[cube(comptime)]
    kind: WindowFunction,
    #[cube(comptime)]
    width: u32,
}

/// Applies a window function to an array. The function and the width are compile-time values without run-time
/// cost.
#[cube(launch)]
fn windows<F: Float>(input: &Array<F>, out: &mut Array<F>, window: Window<F>) {
    let i = ABSOLUTE_POS;
    if i < out.len() {
        let mut all = input[i];
        #[unroll(window.width <= 8)]
        for k in 1..window.width {
            let x = input[i + k];
            match comptime!(window.kind) {
                WindowFunction::Sum => all += x,
                WindowFunction::Largest => all = F::max(all, x),
            }
        }
        out[i] = all * window.scale;
    }
}

/// The line size is a compile-time value. A scalar operand applies to every element of a line.
#[cube(launch)]
fn scaled<F: Float>(input: &Array<Line<F>>, bias: &Array<F>, out: &mut Array<Line<F>>) {
    if ABSOLUTE_POS < out.len() {
        let factor = comptime!(input.line_size() as f32);
        let line = input[ABSOLUTE_POS] * Line::new(F::new(factor));
        out[ABSOLUTE_POS] = line + Line::new(bias[0]);
    }
}

/// An unrolled loop needs a compile-time bound, so this kernel has an error.
#[cube(launch)]
fn wrong(out: &mut Array<u32>, n: u32) {
    #[unroll]
    for i in 0..n {
        out[i] = i;
    }
}

fn array<'a, R: Runtime>(handle: &'a cube::server::Handle, len: usize, line: u8) -> ArrayArg<'a, R> {
    // SAFETY: each handle has `len` elements.
    unsafe { ArrayArg::from_raw_parts::<f32>(handle, len, line) }
}

/// Runs the example on a device of any runtime.
pub fn run<R: Runtime>(device: &R::Device) {
    let client = R::client(device);
    let data: Vec<f32> = (0..40).map(|i| ((i * 7) % 11) as f32).collect();
    let input = client.create(f32::as_bytes(&data));
    for (kind, width) in [(WindowFunction::Sum, 3), (WindowFunction::Largest, 5), (WindowFunction::Sum, 9)] {
        let (n, handle) = (40 - width, client.empty((40 - width) * 4));
        let window = WindowLaunch::new(ScalarArg::new(0.5), kind, width as u32);
        let (source, out) = (array::<R>(&input, 40, 1), array::<R>(&handle, n, 1));
        windows::launch::<f32, R>(&client, CubeCount::new_single(), CubeDim::new_1d(40), source, out, window);
        let fold = |w: &[f32]| match kind {
            WindowFunction::Sum => w.iter().sum::<f32>(),
            WindowFunction::Largest => w.iter().copied().fold(f32::MIN, f32::max),
        };
        let host: Vec<f32> = data.windows(width).take(n).map(|w| fold(w) * 0.5).collect();
        assert_eq!(f32::from_bytes(&client.read_one(handle)), host, "{kind:?} {width}");
        println!("{kind:?} of {width} elements: equal to the host's result");
    }
    let bias = client.create(f32::as_bytes(&[100.0]));
    for line in [1u8, 2, 4, 8] {
        let out = client.empty(160);
        let (source, target) = (array::<R>(&input, 40, line), array::<R>(&out, 40, line));
        let dim = CubeDim::new_1d(40 / u32::from(line));
        scaled::launch::<f32, R>(&client, CubeCount::new_single(), dim, source, array::<R>(&bias, 1, 1), target);
        let host: Vec<f32> = data.iter().map(|x| x * f32::from(line) + 100.0).collect();
        assert_eq!(f32::from_bytes(&client.read_one(out)), host);
        println!("lines of {line}: equal to the host's result");
    }
    let out = client.empty(16);
    let outcome = wrong::try_launch::<R>(
        &client,
        CubeCount::new_single(),
        CubeDim::new_single(),
        array::<R>(&out, 4, 1),
        ScalarArg::new(4),
    );
    let error = outcome.expect_err("the bound is a run-time value").to_string();
    assert!(error.contains("comptime.rs") && error.contains("#[unroll]"), "{error}");
    println!("{error}");
}

fn main() {
    run::<CpuRuntime>(&Default::default());
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_equal_those_of_the_host() {
        super::main();
    }
}
