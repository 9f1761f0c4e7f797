//! Sums the rows of a matrix in four versions, from one unit for all rows to one cube per row. The example
//! checks and measures each version.
//!
//! `cargo build -p cube-tools && cargo run --release -p cube-mlir --example reduction`
use cube::benchmark::{Benchmark, BenchmarkComputations, TimingMethod};
use cube::cpu::CpuRuntime;
use cube::prelude::*;
use cube::std::tensor::TensorHandle;
use std::marker::PhantomData;

/// One unit sums all rows.
#[cube(launch)]
fn plain<F: Float>(input: &Tensor<F>, output: &mut Tensor<F>) {
    for row in 0..input.shape(0) {
        let mut sum = F::new(0.0);
        for column in 0..input.shape(1) {
            sum += input[row * input.stride(0) + column * input.stride(1)];
        }
        output[row] = sum;
    }
}

/// Sums each row with one unit.
#[cube(launch)]
fn by_units<F: Float>(input: &Tensor<F>, output: &mut Tensor<F>) {
    let row = ABSOLUTE_POS;
    if row < input.shape(0) {
        let mut sum = F::new(0.0);
        for column in 0..input.shape(1) {
            sum += input[row * input.stride(0) + column];
        }
        output[row] = sum;
    }
}

/// Sums each row with one unit. The unit reads lines of elements, and the launch selects the line size.
#[cube(launch)]
fn by_lines<F: Float>(input: &Tensor<Line<F>>, output: &mut Tensor<F>) {
    let row = ABSOLUTE_POS;
    if row < input.shape(0) {
        let width = input.line_size();
        let mut sums = Line::empty(width).fill(F::new(0.0));
        for i in 0..input.shape(1) / width {
            sums += input[row * (input.stride(0) / width) + i];
        }
        let mut sum = F::new(0.0);
        #[unroll]
        for lane in 0..width {
            sum += sums[lane];
        }
        output[row] = sum;
    }
}

/// Sums each row with one cube. The units of the cube divide the row among themselves.
#[cube(launch)]
fn by_cubes<F: Float>(input: &Tensor<F>, output: &mut Tensor<F>, #[comptime] units: u32) {
    let row = CUBE_POS;
    let mut parts = SharedMemory::<F>::new(units);
    let mut sum = F::new(0.0);
    for column in range_stepped(UNIT_POS, input.shape(1), units) {
        sum += input[row * input.stride(0) + column];
    }
    parts[UNIT_POS] = sum;
    sync_cube();
    let mut half = units / 2;
    while half > 0 {
        if UNIT_POS < half {
            let far = parts[UNIT_POS + half];
            parts[UNIT_POS] += far;
        }
        sync_cube();
        half /= 2;
    }
    if UNIT_POS == 0 {
        output[row] = parts[0];
    }
}

#[derive(Clone, Copy, Debug)]
enum Version {
    Plain,
    Units,
    Lines,
    Cubes,
}

struct Sums<R: Runtime> {
    client: ComputeClient<R::Server>,
    version: Version,
    shape: [usize; 2],
    of: PhantomData<R>,
}

type Tensors<R> = (TensorHandle<R, f32>, TensorHandle<R, f32>);

impl<R: Runtime> Benchmark for Sums<R> {
    type Input = Tensors<R>;
    type Output = TensorHandle<R, f32>;

    fn prepare(&self) -> Tensors<R> {
        let data: Vec<f32> = (0..self.shape[0] * self.shape[1]).map(|i| (i % 19) as f32).collect();
        let input = TensorHandle::new_contiguous(self.shape.to_vec(), self.client.create(f32::as_bytes(&data)));
        (input, TensorHandle::empty(&self.client, vec![self.shape[0]]))
    }

    fn execute(&self, (input, output): Tensors<R>) -> Result<TensorHandle<R, f32>, String> {
        let (client, rows) = (&self.client, self.shape[0] as u32);
        let (units, out) = (CubeDim::new_1d(64), output.as_arg(1));
        let (cubes, all) = (CubeCount::new_1d(rows.div_ceil(64)), CubeCount::new_1d(rows));
        match self.version {
            Version::Plain => plain::try_launch::<f32, R>(
                client,
                CubeCount::new_single(),
                CubeDim::new_single(),
                input.as_arg(1),
                out,
            ),
            Version::Units => by_units::try_launch::<f32, R>(client, cubes, units, input.as_arg(1), out),
            Version::Lines => by_lines::try_launch::<f32, R>(client, cubes, units, input.as_arg(4), out),
            Version::Cubes => by_cubes::try_launch::<f32, R>(client, all, units, input.as_arg(1), out, 64),
        }
        .map_err(|error| error.to_string())?;
        Ok(output)
    }

    fn name(&self) -> String {
        format!("sums of {:?} by {:?}", self.shape, self.version)
    }

    fn sync(&self) {
        let _done = self.client.sync();
    }
}

/// Runs the example on a device of any runtime.
pub fn run<R: Runtime>(device: &R::Device) {
    let client = R::client(device);
    println!("on {}", R::name(&client));
    for version in [Version::Plain, Version::Units, Version::Lines, Version::Cubes] {
        let sums = Sums::<R> { client: client.clone(), version, shape: [512, 1024], of: PhantomData };
        let (input, output) = sums.prepare();
        let host: Vec<f32> =
            f32::from_bytes(&client.read_one(input.handle.clone())).chunks(1024).map(|row| row.iter().sum()).collect();
        let output = sums.execute((input, output)).expect("the launch succeeds");
        assert_eq!(f32::from_bytes(&client.read_one(output.handle)), host, "{version:?}");
        let durations = sums.run(TimingMethod::System).expect("the launches succeed");
        println!("{}: {:.1?} in the median", sums.name(), BenchmarkComputations::new(&durations).median);
    }
    // A cube size above the device's limit causes an error. The error names the limit.
    let most = client.properties().hardware.max_units_per_cube;
    let sums = Sums::<R> { client: client.clone(), version: Version::Units, shape: [1, 4], of: PhantomData };
    let (input, output) = sums.prepare();
    let dim = CubeDim::new_1d(most + 1);
    let outcome =
        by_units::try_launch::<f32, R>(&client, CubeCount::new_single(), dim, input.as_arg(1), output.as_arg(1));
    println!("{}", outcome.expect_err("the cube has more units than the limit"));
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
