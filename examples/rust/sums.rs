//! Computes sums by one unit or by planes, as the host selects. Further kernels compute a series, normalise rows,
//! and fuse operations.
//!
//! `cargo build -p cube-tools && cargo run -p cube-mlir --example sums`
use cube::cpu::CpuRuntime;
use cube::prelude::*;
use cube::server::Handle;

/// One unit sums all elements. If `end` has a value, this value is the length, and the loop is unrolled.
#[cube]
fn plain<F: Float>(input: &Slice<F>, #[comptime] end: Option<u32>) -> F {
    let unroll = end.is_some();
    let end = end.unwrap_or_else(|| input.len());
    let mut sum = F::new(0.0);
    #[unroll(unroll)]
    for i in 0..end {
        sum += input[i];
    }
    sum
}

/// The units of a plane sum one element each.
#[cube]
fn by_plane<F: Float>(input: &Slice<F>, #[comptime] end: Option<u32>) -> F {
    let end = end.unwrap_or_else(|| input.len());
    plane_sum(if UNIT_POS < end { input[UNIT_POS] } else { F::new(0.0) })
}

/// An algorithm for sums.
#[cube]
trait Algorithm<F: Float>: Send + Sync + 'static {
    fn sum(input: &Slice<F>, #[comptime] end: Option<u32>) -> F;
}

struct Plain;
struct ByPlane;

#[cube]
impl<F: Float> Algorithm<F> for Plain {
    fn sum(input: &Slice<F>, #[comptime] end: Option<u32>) -> F {
        plain::<F>(input, end)
    }
}

#[cube]
impl<F: Float> Algorithm<F> for ByPlane {
    fn sum(input: &Slice<F>, #[comptime] end: Option<u32>) -> F {
        by_plane::<F>(input, end)
    }
}

/// The host selects the algorithm by a type parameter.
#[cube(launch)]
fn sum<F: Float, A: Algorithm<F>>(input: &Array<F>, out: &mut Array<F>, #[comptime] end: Option<u32>) {
    let sum = A::sum(&input.to_slice(), end);
    if UNIT_POS == 0 {
        out[0] = sum;
    }
}

/// A series, defined by its elements.
#[cube]
trait Series<F: Float>: Send + Sync + 'static {
    fn element(number: u32) -> F;
}

/// The series 1, 1/2, 1/4, ...
struct Halves;

#[cube]
impl<F: Float> Series<F> for Halves {
    fn element(number: u32) -> F {
        F::new(1.0) / F::cast_from(1u32 << number)
    }
}

/// Computes the partial sums of a series.
#[cube(launch)]
fn series<F: Float, S: Series<F>>(out: &mut Array<F>) {
    let own = S::element(UNIT_POS);
    out[UNIT_POS] = plane_inclusive_sum(own);
}

/// Normalises each row to unit length. Each row is stored as one line.
#[cube(launch)]
fn normalized<F: Float>(rows: &mut Array<Line<F>>) {
    if ABSOLUTE_POS < rows.len() {
        rows[ABSOLUTE_POS] = Line::normalize(rows[ABSOLUTE_POS]);
    }
}

/// An operation on one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Operation {
    Double,
    Square,
    Relu,
}

/// Applies a list of operations to every element in one pass over memory. The list is a compile-time value, so the
/// generated code does not branch on operations.
#[cube(launch)]
fn fused<F: Float>(data: &mut Array<F>, #[comptime] operations: Vec<Operation>) {
    if ABSOLUTE_POS < data.len() {
        let mut x = data[ABSOLUTE_POS];
        #[unroll]
        for i in 0..comptime!(operations.len() as u32) {
            match comptime!(operations[i as usize]) {
                Operation::Double => x += x,
                Operation::Square => x *= x,
                Operation::Relu => x = F::max(x, F::new(0.0)),
            }
        }
        data[ABSOLUTE_POS] = x;
    }
}

fn array<R: Runtime>(handle: &Handle, len: usize, line: u8) -> ArrayArg<'_, R> {
    // SAFETY: each handle has `len` elements.
    unsafe { ArrayArg::from_raw_parts::<f32>(handle, len, line) }
}

fn total<R: Runtime, A: Algorithm<f32>>(client: &ComputeClient<R::Server>, data: &[f32], end: Option<u32>) -> f32 {
    let (input, out) = (client.create(f32::as_bytes(data)), client.empty(4));
    // The number of units must not exceed the smallest plane.
    let (one, dim) = (CubeCount::new_single(), CubeDim::new_1d(data.len() as u32));
    sum::launch::<f32, A, R>(client, one, dim, array::<R>(&input, data.len(), 1), array::<R>(&out, 1, 1), end);
    f32::from_bytes(&client.read_one(out))[0]
}

/// Runs the example on a device of any runtime.
pub fn run<R: Runtime>(device: &R::Device) {
    let client = R::client(device);
    let data = [-1.0f32, 10.0, 1.0, 5.0, 2.0, 4.0, 7.0, 9.0];
    for end in [None, Some(8), Some(3)] {
        let host: f32 = data[..end.unwrap_or(8) as usize].iter().sum();
        assert_eq!(total::<R, Plain>(&client, &data, end), host);
        assert_eq!(total::<R, ByPlane>(&client, &data, end), host);
        println!("the sum up to {end:?}, by two algorithms: {host}");
    }
    let (one, dim) = (CubeCount::new_single(), CubeDim::new_1d(8));
    let out = client.empty(32);
    series::launch::<f32, Halves, R>(&client, one.clone(), dim, array::<R>(&out, 8, 1));
    let host: Vec<f32> = (0..8).map(|n| 2.0 - 1.0 / f32::from(1u8 << n)).collect();
    assert_eq!(f32::from_bytes(&client.read_one(out)), host);
    println!("partial sums of 1 + 1/2 + ...: {host:?}");

    let rows = client.create(f32::as_bytes(&[3.0, 4.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]));
    normalized::launch::<f32, R>(&client, one.clone(), CubeDim::new_1d(2), array::<R>(&rows, 8, 4));
    let got = client.read_one(rows);
    let expected = [0.6, 0.8, 0.0, 0.0, 0.5, 0.5, 0.5, 0.5];
    assert!(f32::from_bytes(&got).iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6));
    println!("normalised rows: {expected:?}");

    for operations in
        [vec![], vec![Operation::Double, Operation::Relu], vec![Operation::Relu, Operation::Square, Operation::Double]]
    {
        let handle = client.create(f32::as_bytes(&data));
        fused::launch::<f32, R>(&client, one.clone(), dim, array::<R>(&handle, 8, 1), operations.clone());
        let apply = |x: f32, operation: &Operation| match operation {
            Operation::Double => x + x,
            Operation::Square => x * x,
            Operation::Relu => x.max(0.0),
        };
        let host: Vec<f32> = data.iter().map(|x| operations.iter().fold(*x, apply)).collect();
        assert_eq!(f32::from_bytes(&client.read_one(handle)), host);
        println!("{operations:?} in one kernel: {host:?}");
    }
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
