//! Traits, structs, enums and options in kernels, as arguments and as values.
//!
//! `cargo build -p cube-tools && cargo run -p cube-mlir --example types`
use cube::cpu::CpuRuntime;
use cube::prelude::*;

/// An activation function of one number. The associated type `Params` is the type of the activation
/// function's parameters.
#[cube]
trait Activation<F: Float>: Send + Sync + 'static {
    type Params: CubeType + LaunchArg;
    fn apply(x: F, params: &Self::Params) -> F;
}

struct Relu;
struct Leaky;

#[derive(CubeType, CubeLaunch)]
struct Slope<F: Float> {
    below: F,
}

#[cube]
impl<F: Float> Activation<F> for Relu {
    type Params = ();
    fn apply(x: F, _params: &()) -> F {
        F::max(x, F::new(0.0))
    }
}

#[cube]
impl<F: Float> Activation<F> for Leaky {
    type Params = Slope<F>;
    fn apply(x: F, params: &Slope<F>) -> F {
        select(x < F::new(0.0), x * params.below, x)
    }
}

#[cube(launch)]
fn activate<F: Float, A: Activation<F>>(data: &mut Array<F>, params: A::Params) {
    if ABSOLUTE_POS < data.len() {
        data[ABSOLUTE_POS] = A::apply(data[ABSOLUTE_POS], &params);
    }
}

/// One step of a random walk. The variant of a step is known only at run time.
#[derive(CubeType, Clone, Copy)]
enum Step {
    Stay,
    Walk(i32),
    Jump { up: i32, back: i32 },
}

#[cube]
impl Step {
    fn next(word: u32) -> Step {
        match word % 5 {
            0 => Step::Stay,
            1 | 2 => Step::Walk(1),
            3 => Step::Walk(-2),
            _ => Step::Jump { up: (word % 7) as i32, back: 3 },
        }
    }

    fn length(&self) -> i32 {
        match self {
            Step::Stay => 0i32.runtime(),
            Step::Walk(n) => *n,
            Step::Jump { up, back } => *up - *back,
        }
    }
}

#[cube(launch)]
fn walk(out: &mut Array<i32>, limit: Option<i32>) {
    let mut word = ABSOLUTE_POS + 1;
    let mut at = 0;
    for _ in 0..20 {
        word = word * 1_664_525 + 1_013_904_223;
        at += Step::next(word >> 16).length();
    }
    out[ABSOLUTE_POS] = match limit {
        Some(limit) => at.min(limit),
        None => at,
    };
}

fn host_walk(unit: u32, limit: Option<i32>) -> i32 {
    let (mut word, mut at) = (unit + 1, 0);
    for _ in 0..20 {
        word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let w = word >> 16;
        at += match w % 5 {
            0 => 0,
            1 | 2 => 1,
            3 => -2,
            _ => (w % 7) as i32 - 3,
        };
    }
    limit.map_or(at, |limit| at.min(limit))
}

fn arg<R: Runtime>(handle: &cube::server::Handle) -> ArrayArg<'_, R> {
    // SAFETY: all handles have eight elements of 32 bits.
    unsafe { ArrayArg::from_raw_parts::<f32>(handle, 8, 1) }
}

/// Runs the example on a device of any runtime.
pub fn run<R: Runtime>(device: &R::Device) {
    let client = R::client(device);
    let (count, dim) = (CubeCount::new_single(), CubeDim::new_1d(8));
    let data: Vec<f32> = (0..8).map(|i| i as f32 - 4.0).collect();
    let (a, b) = (client.create(f32::as_bytes(&data)), client.create(f32::as_bytes(&data)));
    activate::launch::<f32, Relu, R>(&client, count.clone(), dim, arg::<R>(&a), ());
    let slope = SlopeLaunch::new(ScalarArg::new(0.1));
    activate::launch::<f32, Leaky, R>(&client, count.clone(), dim, arg::<R>(&b), slope);
    assert_eq!(f32::from_bytes(&client.read_one(a)), data.iter().map(|x| x.max(0.0)).collect::<Vec<_>>());
    let leaky: Vec<f32> = data.iter().map(|x| if *x < 0.0 { x * 0.1 } else { *x }).collect();
    assert_eq!(f32::from_bytes(&client.read_one(b)), leaky);
    println!("activations of two types: equal to the host's results");
    for limit in [None, Some(-1)] {
        let out = client.empty(32);
        walk::launch::<R>(&client, count.clone(), dim, arg::<R>(&out), limit.map(ScalarArg::new));
        let host: Vec<i32> = (0..8).map(|unit| host_walk(unit, limit)).collect();
        assert_eq!(i32::from_bytes(&client.read_one(out)), host);
        println!("walks up to {limit:?}: {host:?}");
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
