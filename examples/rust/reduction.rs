//! Sums of rows in four ways, from the plain one to cubes of lines, each checked and measured.
//!
//! `cargo build -p cube-tools && cargo run --release -p cube-mlir --example reduction`
use cube::benchmark::{Benchmark, BenchmarkComputations, TimingMethod};
use cube::cpu::CpuRuntime;
use cube::prelude::*;
use cube::std::tensor::TensorHandle;
use std::marker::PhantomData;

/// One unit adds all rows.
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

/// A unit adds a row.
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

/// A unit adds a row, a line at a time; how many elements a line has is chosen at the launch.
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

/// A cube adds a row, and its units share the work.
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
enum Way {
    Plain,
    Units,
    Lines,
    Cubes,
}

struct Sums<R: Runtime> {
    client: ComputeClient<R::Server>,
    way: Way,
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
        match self.way {
            Way::Plain => plain::try_launch::<f32, R>(
                client,
                CubeCount::new_single(),
                CubeDim::new_single(),
                input.as_arg(1),
                out,
            ),
            Way::Units => by_units::try_launch::<f32, R>(client, cubes, units, input.as_arg(1), out),
            Way::Lines => by_lines::try_launch::<f32, R>(client, cubes, units, input.as_arg(4), out),
            Way::Cubes => by_cubes::try_launch::<f32, R>(client, all, units, input.as_arg(1), out, 64),
        }
        .map_err(|error| error.to_string())?;
        Ok(output)
    }

    fn name(&self) -> String {
        format!("sums of {:?} by {:?}", self.shape, self.way)
    }

    fn sync(&self) {
        let _done = self.client.sync();
    }
}

fn run<R: Runtime>(device: &R::Device) {
    let client = R::client(device);
    println!("on {}", R::name(&client));
    for way in [Way::Plain, Way::Units, Way::Lines, Way::Cubes] {
        let sums = Sums::<R> { client: client.clone(), way, shape: [512, 1024], of: PhantomData };
        let (input, output) = sums.prepare();
        let host: Vec<f32> =
            f32::from_bytes(&client.read_one(input.handle.clone())).chunks(1024).map(|row| row.iter().sum()).collect();
        let output = sums.execute((input, output)).expect("the launch fits the device");
        assert_eq!(f32::from_bytes(&client.read_one(output.handle)), host, "{way:?}");
        let durations = sums.run(TimingMethod::System).expect("it has run before");
        println!("{}: {:.1?} in the median", sums.name(), BenchmarkComputations::new(&durations).median);
    }
    // What does not fit a device is refused with its limit.
    let most = client.properties().hardware.max_units_per_cube;
    let sums = Sums::<R> { client: client.clone(), way: Way::Units, shape: [1, 4], of: PhantomData };
    let (input, output) = sums.prepare();
    let dim = CubeDim::new_1d(most + 1);
    let refused =
        by_units::try_launch::<f32, R>(&client, CubeCount::new_single(), dim, input.as_arg(1), output.as_arg(1));
    println!("{}", refused.expect_err("that many units are too many"));
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
