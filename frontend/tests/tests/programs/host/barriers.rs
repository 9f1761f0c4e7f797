//! Barriers under conditions that depend on the unit: values known at the launch decide whether all units reach the
//! barriers.
use crate::common::*;
use cubecl::prelude::*;

const UNITS: u32 = 32;

/// Units without work return before the barrier.
#[cube(launch)]
fn reversed(x: &Array<f32>, y: &mut Array<f32>) {
    if ABSOLUTE_POS >= x.len() {
        terminate!();
    }
    let mut tile = SharedMemory::<f32>::new(32u32);
    tile[UNIT_POS] = x[ABSOLUTE_POS];
    sync_cube();
    y[ABSOLUTE_POS] = tile[CUBE_DIM - 1 - UNIT_POS];
}

/// The barriers are inside the bounds check, in a loop whose counter is a variable of each unit.
#[cube(launch)]
fn barriers_in_a_loop(x: &Array<f32>, y: &mut Array<f32>) {
    let mut tile = SharedMemory::<f32>::new(32u32);
    let mut sum = 0.0f32;
    if ABSOLUTE_POS < y.len() {
        let mut at = UNIT_POS;
        while at < x.len() {
            tile[UNIT_POS] = x[at];
            sync_cube();
            sum = sum * 2.0 + tile[CUBE_DIM - 1 - UNIT_POS];
            sync_cube();
            at += CUBE_DIM;
        }
        for _ in range_stepped(UNIT_POS, x.len(), CUBE_DIM) {
            sync_cube();
            sum += 1.0;
        }
        y[ABSOLUTE_POS] = sum;
    }
}

#[cube(launch)]
fn varying_condition(x: &Array<f32>, y: &mut Array<f32>) {
    if UNIT_POS < 16 {
        sync_cube();
        y[UNIT_POS] = x[UNIT_POS];
    }
}

type LaunchFn = dyn Fn(&Client, CubeCount, CubeDim, ArrayArg<'_, R>, ArrayArg<'_, R>) -> Result<(), LaunchError>;

/// Runs a kernel on the numbers 0 to `n - 1`. All cubes of the launch together have `covers` units.
fn run(kernel: &LaunchFn, n: usize, covers: usize) -> (Result<(), LaunchError>, Result<Vec<f32>, String>) {
    let client = client();
    let x = client.create(f32::as_bytes(&(0..n).map(|i| i as f32).collect::<Vec<_>>()));
    let y = client.empty(4 * n);
    let count = CubeCount::Static(covers.div_ceil(UNITS as usize) as u32, 1, 1);
    let outcome = kernel(&client, count, CubeDim::new_1d(UNITS), array::<f32>(&x, n), array::<f32>(&y, n));
    let read = client.try_read_one(y).map(|bytes| f32::from_bytes(&bytes).to_vec());
    (outcome, read.map_err(|error| error.to_string()))
}

#[test]
fn barrier_reached_by_all_units_of_the_launch_is_accepted() {
    let (outcome, y) = run(&|c, n, d, x, y| reversed::try_launch::<R>(c, n, d, x, y), 96, 96);
    assert_eq!(outcome, Ok(()));
    let expected: Vec<f32> = (0..96).map(|i| (i / 32 * 32 + 31 - i % 32) as f32).collect();
    assert_eq!(y.unwrap(), expected);
    let (outcome, y) = run(&|c, n, d, x, y| barriers_in_a_loop::try_launch::<R>(c, n, d, x, y), 96, 96);
    assert_eq!(outcome, Ok(()));
    let sum = |unit: i32| [0, 32, 64].iter().fold(0, |sum, from| sum * 2 + from + 31 - unit) + 3;
    assert_eq!(y.unwrap(), (0..96).map(|i| sum(i % 32) as f32).collect::<Vec<_>>());
}

#[test]
fn barrier_skipped_by_some_units_is_reported_with_its_location() {
    let file = file!().rsplit('/').next().unwrap();
    let line = |code: &str| {
        let text = include_str!("barriers.rs");
        text.lines().position(|line| line.trim() == code).map_or(0, |at| at + 1)
    };
    let kernels: [(&LaunchFn, &str, usize); 2] = [
        (&|c, n, d, x, y| reversed::try_launch::<R>(c, n, d, x, y), "reversed", line("sync_cube();")),
        (
            &|c, n, d, x, y| barriers_in_a_loop::try_launch::<R>(c, n, d, x, y),
            "barriers_in_a_loop",
            line("tile[UNIT_POS] = x[at];") + 1,
        ),
    ];
    for (kernel, name, line) in kernels {
        let (outcome, y) = run(kernel, 70, 70);
        let error = outcome.unwrap_err().to_string();
        for part in [name, "not all units of cube ", " of 32 units decide otherwise", "CUBE0943", "guard the accesses"]
        {
            assert!(error.contains(part), "{part} in {error}");
        }
        assert!(error.contains(&format!("{file}:{line}:")), "{line} in {error}");
        assert!(y.unwrap_err().contains(name), "a read of the output reports it too");
        // The device is usable after the error.
        assert_eq!(run(kernel, 64, 64).0, Ok(()));
    }
}

#[test]
fn barrier_under_a_varying_condition_is_rejected() {
    let (outcome, _) = run(&|c, n, d, x, y| varying_condition::try_launch::<R>(c, n, d, x, y), 32, 32);
    let error = outcome.unwrap_err().to_string();
    assert!(error.contains("CUBE0315") && error.contains("this condition differs between units"), "{error}");
}

/// Units without work return early. The remaining units with an odd index exchange numbers within their
/// plane.
#[cube(launch)]
fn in_planes(x: &Array<f32>, y: &mut Array<f32>) {
    if ABSOLUTE_POS >= x.len() {
        terminate!();
    }
    let mut tile = SharedMemory::<f32>::new(32u32);
    tile[UNIT_POS] = x[ABSOLUTE_POS];
    sync_plane();
    let mut sum = tile[UNIT_POS / 4 * 4];
    if UNIT_POS % 2 == 1 {
        let mut step = UNIT_POS % 4;
        while step < 4 {
            tile[UNIT_POS] = sum;
            sync_plane();
            sum += tile[UNIT_POS];
            step += 2;
        }
    }
    y[ABSOLUTE_POS] = sum;
}

#[test]
fn a_plane_barrier_synchronises_the_active_lanes() {
    for n in [64, 70] {
        let (outcome, y) = run(&|c, n, d, x, y| in_planes::try_launch::<R>(c, n, d, x, y), n, n);
        assert_eq!(outcome, Ok(()));
        let first = |i: usize| (i / 4 * 4) as f32;
        let times = [1.0, 4.0, 1.0, 2.0];
        assert_eq!(y.unwrap(), (0..n).map(|i| first(i) * times[i % 4]).collect::<Vec<_>>(), "{n} units");
    }
}
