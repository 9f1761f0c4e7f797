//! First steps: a kernel, scalar arguments, functions, shared memory, atomics, prefix sums over
//! planes and cubes, votes.
//!
//! `cargo build -p cube-tools && cargo run -p cube-mlir --example recipes`
use cube::cpu::CpuRuntime;
use cube::prelude::*;
use cube::server::Handle;
use cube::std::scan;

/// Index of the element that this unit processes.
#[cube]
fn own() -> u32 {
    CUBE_POS * CUBE_DIM + UNIT_POS
}

#[cube(launch)]
fn double(input: &Array<u32>, output: &mut Array<u32>) {
    output[own()] = input[own()] * 2;
}

#[cube]
fn scaled(input: &Array<u32>, scale: u32) -> u32 {
    input[own()] * scale
}

#[cube(launch)]
fn scale(input: &Array<u32>, scale: u32, output: &mut Array<u32>) {
    // Unused variables are allowed.
    let mut _unused = 0;
    output[own()] = scaled(input, scale);
}

/// Counts the occurrences of each value. Each cube counts values in shared memory, and then adds its counts to
/// global memory.
#[cube(launch)]
fn histogram(input: &Array<u32>, counts: &mut Array<Atomic<u32>>, #[comptime] bins: u32) {
    let cube_counts = SharedMemory::<Atomic<u32>>::new(bins);
    if UNIT_POS < bins {
        Atomic::store(&cube_counts[UNIT_POS], 0);
    }
    sync_cube();
    if own() < input.len() {
        Atomic::add(&cube_counts[input[own()] % bins], 1);
    }
    sync_cube();
    if UNIT_POS < bins {
        Atomic::add(&counts[UNIT_POS], Atomic::load(&cube_counts[UNIT_POS]));
    }
}

/// Computes the exclusive prefix sum over each plane.
#[cube(launch)]
fn plane_sums(input: &Array<u32>, output: &mut Array<u32>) {
    output[own()] = plane_exclusive_sum(input[own()]);
}

/// Computes the exclusive prefix sum over each cube. Planes exchange their totals through shared memory.
#[cube(launch)]
fn cube_sums(input: &Array<u32>, output: &mut Array<u32>, #[comptime] units: u32) {
    // The number of planes is at most the number of units.
    let mut totals = SharedMemory::<u32>::new(units);
    let plane = UNIT_POS / PLANE_DIM;
    let value = input[own()];
    let before = plane_exclusive_sum(value);
    let total = plane_sum(value);
    if UNIT_POS_PLANE == 0 {
        totals[plane] = total;
    }
    sync_cube();
    let mut sum = before;
    for earlier in 0..plane {
        sum += totals[earlier];
    }
    output[own()] = sum;
}

/// Computes one bit per lane of the plane. The bit is set if the lane's number in `input` is odd.
#[cube(launch)]
fn votes(input: &Array<u32>, output: &mut Array<u32>) {
    let odd = plane_ballot(input[own()] % 2 == 1);
    output[own()] = odd[0];
}

fn array<R: Runtime>(handle: &Handle, len: usize) -> ArrayArg<'_, R> {
    // SAFETY: each handle has `len` elements.
    unsafe { ArrayArg::from_raw_parts::<u32>(handle, len, 1) }
}

/// Computes the exclusive prefix sums on the host. The sum restarts at 0 after every `restart` elements.
fn sums(data: &[u32], restart: usize) -> Vec<u32> {
    let before = |part: &[u32]| {
        let mut sum = 0;
        let next = |x: &u32| {
            sum += x;
            sum - x
        };
        part.iter().map(next).collect::<Vec<_>>()
    };
    data.chunks(restart).flat_map(before).collect()
}

/// Runs the example on a device of any runtime.
pub fn run<R: Runtime>(device: &R::Device) {
    let client = R::client(device);
    let ten: Vec<u32> = (1..11).collect();
    let (input, output) = (client.create(u32::as_bytes(&ten)), client.empty(40));
    let (one, dim) = (CubeCount::new_single(), CubeDim::new_1d(10));
    let read = |handle: &Handle| u32::from_bytes(&client.read_one(handle.clone())).to_vec();
    double::launch::<R>(&client, one.clone(), dim, array::<R>(&input, 10), array::<R>(&output, 10));
    assert_eq!(read(&output), ten.iter().map(|x| x * 2).collect::<Vec<_>>());
    println!("hello on {}: {:?}", R::name(&client), read(&output));
    let three = ScalarArg::new(3);
    scale::launch::<R>(&client, one, dim, array::<R>(&input, 10), three, array::<R>(&output, 10));
    assert_eq!(read(&output), ten.iter().map(|x| x * 3).collect::<Vec<_>>());
    println!("scaled: {:?}", read(&output));

    const UNITS: u32 = 64;
    let data: Vec<u32> = (0..256u32).map(|i| i.wrapping_mul(2_654_435_761) >> 24).collect();
    let (input, output) = (client.create(u32::as_bytes(&data)), client.empty(1024));
    let (cubes, dim) = (CubeCount::new_1d(4), CubeDim::new_1d(UNITS));
    let arguments = || (array::<R>(&input, 256), array::<R>(&output, 256));
    let counts = client.create(u32::as_bytes(&[0; 10]));
    histogram::launch::<R>(&client, cubes.clone(), dim, array::<R>(&input, 256), array::<R>(&counts, 10), 10);
    let host = (0..10).map(|bin| data.iter().filter(|x| *x % 10 == bin).count() as u32);
    assert_eq!(read(&counts), host.collect::<Vec<_>>());
    println!("occurrences of each last digit: {:?}", read(&counts));

    // With small cubes, each cube is one plane.
    let (from, to) = arguments();
    plane_sums::launch::<R>(&client, CubeCount::new_1d(64), CubeDim::new_1d(4), from, to);
    assert_eq!(read(&output), sums(&data, 4));
    let (from, to) = arguments();
    cube_sums::launch::<R>(&client, cubes, dim, from, to, UNITS);
    assert_eq!(read(&output), sums(&data, UNITS as usize));
    scan::launch::<R, u32>(&client, &input, &output, 256, false).expect("the launch succeeds");
    assert_eq!(read(&output), sums(&data, 256));
    println!("prefix sums over planes, cubes and the whole array: equal to the host's");

    let (from, to) = arguments();
    votes::launch::<R>(&client, CubeCount::new_1d(64), CubeDim::new_1d(4), from, to);
    let bits = |four: &[u32]| [(0..4).map(|i| (four[i] % 2) << i).sum::<u32>(); 4];
    assert_eq!(read(&output), data.chunks(4).flat_map(bits).collect::<Vec<_>>());
    println!("votes for odd numbers: equal to the host's");
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
