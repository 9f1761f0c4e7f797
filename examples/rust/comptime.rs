//! What is decided when a kernel is compiled: parameters, branches, fields, unrolled loops, line sizes; and what fails then.
//!
//! `cargo build -p cube-tools && cargo run -p cube-mlir --example comptime`
use cube::cpu::CpuRuntime;
use cube::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Sum,
    Largest,
}

#[derive(CubeType, CubeLaunch)]
struct Window<F: Float> {
    scale: F,
    #[cube(comptime)]
    kind: Kind,
    #[cube(comptime)]
    width: u32,
}

/// A window over an array: which function, and over how many elements, costs nothing when the kernel runs.
#[cube(launch)]
fn windows<F: Float>(input: &Array<F>, out: &mut Array<F>, window: Window<F>) {
    let i = ABSOLUTE_POS;
    if i < out.len() {
        let mut all = input[i];
        #[unroll(window.width <= 8)]
        for k in 1..window.width {
            let x = input[i + k];
            match comptime!(window.kind) {
                Kind::Sum => all += x,
                Kind::Largest => all = F::max(all, x),
            }
        }
        out[i] = all * window.scale;
    }
}

/// The line size is known: a scalar meets every element of a line, and a line of one is a scalar.
#[cube(launch)]
fn scaled<F: Float>(input: &Array<Line<F>>, bias: &Array<F>, out: &mut Array<Line<F>>) {
    if ABSOLUTE_POS < out.len() {
        let factor = comptime!(input.line_size() as f32);
        let line = input[ABSOLUTE_POS] * Line::new(F::new(factor));
        out[ABSOLUTE_POS] = line + Line::new(bias[0]);
    }
}

/// The bound of an unrolled loop has to be known: this kernel is wrong.
#[cube(launch)]
fn wrong(out: &mut Array<u32>, n: u32) {
    #[unroll]
    for i in 0..n {
        out[i] = i;
    }
}

fn array<'a, R: Runtime>(handle: &'a cube::server::Handle, len: usize, line: u8) -> ArrayArg<'a, R> {
    // SAFETY: each handle has that many elements.
    unsafe { ArrayArg::from_raw_parts::<f32>(handle, len, line) }
}

fn run<R: Runtime>(device: &R::Device) {
    let client = R::client(device);
    let data: Vec<f32> = (0..40).map(|i| ((i * 7) % 11) as f32).collect();
    let input = client.create(f32::as_bytes(&data));
    for (kind, width) in [(Kind::Sum, 3), (Kind::Largest, 5), (Kind::Sum, 9)] {
        let (n, handle) = (40 - width, client.empty((40 - width) * 4));
        let window = WindowLaunch::new(ScalarArg::new(0.5), kind, width as u32);
        let (source, out) = (array::<R>(&input, 40, 1), array::<R>(&handle, n, 1));
        windows::launch::<f32, R>(&client, CubeCount::new_single(), CubeDim::new_1d(40), source, out, window);
        let fold = |w: &[f32]| match kind {
            Kind::Sum => w.iter().sum::<f32>(),
            Kind::Largest => w.iter().copied().fold(f32::MIN, f32::max),
        };
        let host: Vec<f32> = data.windows(width).take(n).map(|w| fold(w) * 0.5).collect();
        assert_eq!(f32::from_bytes(&client.read_one(handle)), host, "{kind:?} {width}");
        println!("{kind:?} of {width} elements: as on the host");
    }
    let bias = client.create(f32::as_bytes(&[100.0]));
    for line in [1u8, 2, 4, 8] {
        let out = client.empty(160);
        let (source, target) = (array::<R>(&input, 40, line), array::<R>(&out, 40, line));
        let dim = CubeDim::new_1d(40 / u32::from(line));
        scaled::launch::<f32, R>(&client, CubeCount::new_single(), dim, source, array::<R>(&bias, 1, 1), target);
        let host: Vec<f32> = data.iter().map(|x| x * f32::from(line) + 100.0).collect();
        assert_eq!(f32::from_bytes(&client.read_one(out)), host);
        println!("lines of {line}: as on the host");
    }
    let out = client.empty(16);
    let refused = wrong::try_launch::<R>(
        &client,
        CubeCount::new_single(),
        CubeDim::new_single(),
        array::<R>(&out, 4, 1),
        ScalarArg::new(4),
    );
    let error = refused.expect_err("the bound is not known").to_string();
    assert!(error.contains("comptime.rs") && error.contains("#[unroll]"), "{error}");
    println!("{error}");
}

fn main() {
    run::<CpuRuntime>(&Default::default());
}

#[cfg(test)]
mod tests {
    #[test]
    fn all_of_it_on_the_processor() {
        super::main();
    }
}
