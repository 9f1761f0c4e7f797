//! Unusual combinations of features of the dialect, compared with plain Rust.
#![allow(missing_docs)]
use crate::common::{R, array, client, one, outputs};
use cubecl::prelude::*;

fn run<E: CubeElement>(n: usize, launch: impl FnOnce(&crate::common::Client, ArrayArg<'_, R>)) -> Vec<E> {
    outputs::<E>(n, launch)
}

const UNITS: CubeDim = CubeDim { x: 8, y: 1, z: 1 };

// A comptime enum inside a staged struct, matched without `comptime!`.
#[derive(CubeType, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    Add,
    Scale(u32),
    Clip { low: u32, high: u32 },
}

#[derive(CubeType, CubeLaunch)]
pub struct Plan {
    value: u32,
    #[cube(comptime)]
    mode: Mode,
}

#[cube]
fn by_plan(plan: &Plan, x: u32) -> u32 {
    match plan.mode {
        Mode::Add => plan.value + x,
        Mode::Scale(k) => plan.value * k + x,
        Mode::Clip { low, high } => plan.value.max(low).min(high) + x,
    }
}

#[cube(launch)]
fn planned(plan: Plan, out: &mut Array<u32>) {
    out[UNIT_POS] = by_plan(&plan, UNIT_POS);
}

#[test]
fn a_comptime_enum_in_a_struct() {
    for (mode, base) in [(Mode::Add, 5), (Mode::Scale(3), 15), (Mode::Clip { low: 7, high: 9 }, 7)] {
        let got = run::<u32>(8, |c, out| {
            planned::launch::<R>(c, one(), UNITS, PlanLaunch::new(ScalarArg::new(5), mode), out)
        });
        assert_eq!(got, (0..8).map(|i| base + i).collect::<Vec<u32>>());
    }
}

#[cube(launch)]
fn planned_option(out: &mut Array<u32>, #[comptime] limit: Option<u32>) {
    let pair = (limit, UNIT_POS);
    let top = match pair.0 {
        Some(n) => n.runtime(),
        None => 100u32.runtime(),
    };
    out[UNIT_POS] = pair.1.min(top);
}

#[test]
fn a_comptime_option_in_a_tuple() {
    for limit in [None, Some(3)] {
        let got = run::<u32>(8, |c, out| planned_option::launch::<R>(c, one(), UNITS, out, limit));
        assert_eq!(got, (0..8).map(|i| i.min(limit.unwrap_or(100))).collect::<Vec<u32>>());
    }
}

// Closures that capture, in structs' methods and loops.
#[derive(CubeType, Clone, Copy)]
pub struct Poly {
    a: f32,
    b: f32,
}

#[cube]
impl Poly {
    pub fn new(a: f32, b: f32) -> Self {
        Poly { a, b }
    }
    pub fn at(&self, x: f32) -> f32 {
        let line = |t: f32| self.a * t + self.b;
        line(line(x))
    }
    pub fn fold(self, n: u32) -> f32 {
        let mut sum = 0.0;
        for i in 0..n {
            sum += self.at(f32::cast_from(i));
        }
        sum
    }
}

#[cube(launch)]
fn folded(out: &mut Array<f32>) {
    let poly = Poly::new(2.0, f32::cast_from(UNIT_POS));
    out[UNIT_POS] = poly.fold(UNIT_POS + 1);
}

#[test]
fn closures_in_methods() {
    let got = run::<f32>(8, |c, out| folded::launch::<R>(c, one(), UNITS, out));
    let host =
        (0..8).map(|u| (0..=u).map(|i| 2.0 * (2.0 * i as f32 + u as f32) + u as f32).sum()).collect::<Vec<f32>>();
    assert_eq!(got, host);
}

// A loop inside a closure inside a match arm, with breaks with values.
#[cube(launch)]
fn searched(input: &Array<u32>, out: &mut Array<u32>) {
    let find = |key: u32| {
        let mut at = 0u32;
        while at < input.len() {
            if input[at] == key {
                break;
            }
            at += 1;
        }
        at
    };
    out[UNIT_POS] = match UNIT_POS {
        0 => find(7),
        1 | 2 => find(3) + 100,
        n if n % 2 == 1 => find(n),
        _ => 55,
    };
}

#[test]
fn loops_in_closures_in_arms() {
    let data = [9u32, 7, 5, 3, 1];
    let client = client();
    let input = client.create(u32::as_bytes(&data));
    let got = run::<u32>(8, |c, out| searched::launch::<R>(c, one(), UNITS, array::<u32>(&input, 5), out));
    assert_eq!(got, [1, 103, 103, 3, 55, 2, 55, 1]);
}

#[cube(launch)]
fn nested_breaks(out: &mut Array<u32>) {
    let u = UNIT_POS;
    let mut iterations = 0u32;
    let found = 'outer: loop {
        for i in 0..10u32 {
            iterations += 1;
            if i * i > u * 3 {
                break 'outer i;
            }
            if i == 4 {
                continue 'outer;
            }
        }
        if iterations > 20 {
            break 99;
        }
    };
    out[u] = found * 1000 + iterations;
}

#[test]
fn breaks_with_values_out_of_nested_loops() {
    let host = |u: u32| {
        let mut iterations = 0;
        let found = 'outer: loop {
            if iterations > 200 {
                break 0;
            }
            for i in 0..10u32 {
                iterations += 1;
                if i * i > u * 3 {
                    break 'outer i;
                }
                if i == 4 {
                    continue 'outer;
                }
            }
            if iterations > 20 {
                break 99;
            }
        };
        found * 1000 + iterations
    };
    // Units above 5 would loop without end: 4 * 4 is not above 3 * 6.
    let got = run::<u32>(5, |c, out| nested_breaks::launch::<R>(c, one(), CubeDim::new_1d(5), out));
    assert_eq!(got, (0..5).map(host).collect::<Vec<u32>>());
}

// Enums with data whose variant is known at run time, in loops and as struct fields.
#[derive(CubeType, Clone, Copy)]
pub enum State {
    Idle,
    Run(u32),
    Wait { left: u32, then: u32 },
}

#[derive(CubeType, Clone, Copy)]
pub struct Machine {
    state: State,
    steps: u32,
}

#[cube]
fn step(m: Machine) -> Machine {
    let state = match m.state {
        State::Idle => State::Wait { left: 2, then: m.steps },
        State::Run(n) if n > 2 => State::Idle,
        State::Run(n) => State::Run(n + 1),
        State::Wait { left: 0, then } => State::Run(then),
        State::Wait { left, then } => State::Wait { left: left - 1, then },
    };
    Machine { state, steps: m.steps + 1 }
}

#[cube(launch)]
fn machines(out: &mut Array<u32>) {
    let mut m = Machine { state: State::Idle, steps: 0u32 };
    for _ in 0..UNIT_POS {
        m = step(m);
    }
    out[UNIT_POS] = m.steps
        + match m.state {
            State::Idle => 100,
            State::Run(n) => 200 + n * 10,
            State::Wait { left, then } => 300 + left * 10 + then,
        };
}

#[test]
fn a_state_machine_of_enums() {
    #[derive(Clone, Copy)]
    enum S {
        Idle,
        Run(u32),
        Wait(u32, u32),
    }
    let host = |iterations: u32| {
        let (mut s, mut steps) = (S::Idle, 0);
        for _ in 0..iterations {
            s = match s {
                S::Idle => S::Wait(2, steps),
                S::Run(n) if n > 2 => S::Idle,
                S::Run(n) => S::Run(n + 1),
                S::Wait(0, then) => S::Run(then),
                S::Wait(left, then) => S::Wait(left - 1, then),
            };
            steps += 1;
        }
        steps
            + match s {
                S::Idle => 100,
                S::Run(n) => 200 + n * 10,
                S::Wait(left, then) => 300 + left * 10 + then,
            }
    };
    let dim = CubeDim::new_1d(20);
    let got = run::<u32>(20, |c, out| machines::launch::<R>(c, one(), dim, out));
    assert_eq!(got, (0..20).map(host).collect::<Vec<u32>>());
}

// Variables of enums that hold memory or values of the host: assigned by the kernel.
#[derive(CubeType, Clone, Copy)]
pub enum Source {
    Number(u32),
    Window(Slice<u32>),
}

#[cube]
fn read_source(source: &Source, i: u32) -> u32 {
    match source {
        Source::Number(n) => *n,
        Source::Window(s) => s[i],
    }
}

#[cube(launch)]
fn sources(input: &Array<u32>, out: &mut Array<u32>) {
    let mut source = Source::Number(UNIT_POS * 100);
    let window = input.slice(UNIT_POS, UNIT_POS + 1);
    if UNIT_POS % 2 == 1 {
        source = Source::Window(window);
    }
    out[UNIT_POS] = read_source(&source, 0);
}

#[test]
fn a_variable_of_an_enum_with_memory_changes_its_variant() {
    let data: Vec<u32> = (0..8).map(|i| i * 3 + 1).collect();
    let client = client();
    let input = client.create(u32::as_bytes(&data));
    let got = run::<u32>(8, |c, out| sources::launch::<R>(c, one(), UNITS, array::<u32>(&input, 8), out));
    assert_eq!(got, [0, 4, 200, 10, 400, 16, 600, 22]);
}

#[cube(launch)]
fn escaping(input: &Array<u32>, out: &mut Array<u32>) {
    let mut source = Source::Number(UNIT_POS * 100);
    if UNIT_POS % 2 == 1 {
        source = Source::Window(input.slice(UNIT_POS, UNIT_POS + 1));
    }
    out[UNIT_POS] = read_source(&source, 0);
}

#[test]
fn a_slice_does_not_leave_its_block() {
    let client = client();
    let (input, out) = (client.create(u32::as_bytes(&[1; 8])), client.empty(32));
    let (a, b) = (array::<u32>(&input, 8), array::<u32>(&out, 8));
    let error = escaping::try_launch::<R>(&client, one(), UNITS, a, b).unwrap_err().to_string();
    assert!(error.contains("a slice cannot leave the block that creates it"), "{error}");
    assert!(error.contains("feature_combinations.rs:"), "{error}");
}

// Generic traits with associated types and constants, two levels deep.
#[cube]
pub trait Monoid<N: Numeric>: Send + Sync + 'static {
    const STEPS: u32;
    fn empty() -> N;
    fn join(a: N, b: N) -> N;
    fn power(x: N) -> N {
        let mut out = Self::empty();
        #[unroll]
        for _ in 0..Self::STEPS {
            out = Self::join(out, x);
        }
        out
    }
}

pub struct Sum;
pub struct Product;

#[cube]
impl<N: Numeric> Monoid<N> for Sum {
    const STEPS: u32 = 3;
    fn empty() -> N {
        N::from_int(0)
    }
    fn join(a: N, b: N) -> N {
        a + b
    }
}

#[cube]
impl<N: Numeric> Monoid<N> for Product {
    const STEPS: u32 = 2;
    fn empty() -> N {
        N::from_int(1)
    }
    fn join(a: N, b: N) -> N {
        a * b
    }
}

#[cube]
pub trait Family: Send + Sync + 'static {
    type Of<N: Numeric>: Monoid<N>;
}
pub struct Sums;
pub struct Products;
#[cube]
impl Family for Sums {
    type Of<N: Numeric> = Sum;
}
#[cube]
impl Family for Products {
    type Of<N: Numeric> = Product;
}

#[cube(launch)]
fn powers<N: Numeric, F: Family>(input: &Array<N>, out: &mut Array<N>) {
    out[UNIT_POS] = F::Of::<N>::power(input[UNIT_POS]);
}

#[test]
fn families_of_monoids() {
    let client = client();
    let ints: Vec<i32> = (0..8).map(|i| i - 3).collect();
    let input = client.create(i32::as_bytes(&ints));
    let got = run::<i32>(8, |c, out| powers::launch::<i32, Sums, R>(c, one(), UNITS, array::<i32>(&input, 8), out));
    assert_eq!(got, ints.iter().map(|x| 3 * x).collect::<Vec<_>>());
    let got = run::<i32>(8, |c, out| powers::launch::<i32, Products, R>(c, one(), UNITS, array::<i32>(&input, 8), out));
    assert_eq!(got, ints.iter().map(|x| x * x).collect::<Vec<_>>());
}

// Sequences of structs, unrolled, with comptime indices, and a nested sequence.
#[derive(CubeType, Clone)]
pub struct Tap {
    weight: f32,
    #[cube(comptime)]
    offset: u32,
}

#[cube(launch)]
fn taps(input: &Array<f32>, out: &mut Array<f32>, #[comptime] n: u32) {
    let mut list = Sequence::<Tap>::new();
    #[unroll]
    for k in 0..n {
        list.push(Tap { weight: 1.0 / f32::cast_from(k + 1), offset: comptime!(k) });
    }
    let mut sum = 0.0;
    #[unroll]
    for k in 0..list.len() {
        let tap = list.index(k);
        sum += tap.weight * input[UNIT_POS + tap.offset];
    }
    out[UNIT_POS] = sum;
}

#[test]
fn a_sequence_of_structs() {
    let data: Vec<f32> = (0..16).map(|i| i as f32).collect();
    let client = client();
    let input = client.create(f32::as_bytes(&data));
    let got = run::<f32>(8, |c, out| taps::launch::<R>(c, one(), UNITS, array::<f32>(&input, 16), out, 4));
    let host = (0..8).map(|u| (0..4).fold(0.0, |s, k| s + 1.0 / (k + 1) as f32 * data[u + k])).collect::<Vec<f32>>();
    assert_eq!(got, host);
}

// Lines: sizes from comptime, lanes in loops, comparison masks, reinterpretation.
#[cube(launch)]
fn lanes<F: Float>(input: &Array<Line<F>>, out: &mut Array<Line<F>>, #[comptime] size: u32) {
    let line = input[UNIT_POS];
    let mut reversed = Line::<F>::empty(size);
    #[unroll]
    for i in 0..size {
        reversed[i] = line[size - 1 - i];
    }
    let mask = line.greater_than(reversed);
    out[UNIT_POS] = select_many(mask, line, Line::<F>::empty(size).fill(F::new(-1.0)));
}

#[test]
fn lanes_in_loops() {
    let data: Vec<f32> = (0..16).map(|i| ((i * 7) % 16) as f32).collect();
    let client = client();
    for size in [2u8, 4] {
        let input = client.create(f32::as_bytes(&data));
        let out = client.empty(64);
        let units = CubeDim::new_1d(16 / u32::from(size));
        // SAFETY: both hold 16 elements.
        let arg = |h| unsafe { ArrayArg::from_raw_parts::<f32>(h, 16, size) };
        lanes::launch::<f32, R>(&client, one(), units, arg(&input), arg(&out), u32::from(size));
        let got = f32::from_bytes(&client.read_one(out.clone())).to_vec();
        let n = usize::from(size);
        let host: Vec<f32> = (0..16)
            .map(|i| {
                let (at, lane) = (i / n * n, i % n);
                let other = data[at + n - 1 - lane];
                if data[i] > other { data[i] } else { -1.0 }
            })
            .collect();
        assert_eq!(got, host, "{size}");
    }
}

// Shared memory of lines, slices of it as `&mut`, and a barrier in a helper.
#[cube]
fn rotate(tile: &mut SliceMut<f32>, by: u32) {
    let n = tile.len();
    let value = tile[(UNIT_POS + by) % n];
    sync_cube();
    tile[UNIT_POS] = value;
    sync_cube();
}

#[cube(launch)]
fn rotated(input: &Array<f32>, out: &mut Array<f32>, #[comptime] rounds: u32) {
    let mut memory = SharedMemory::<f32>::new(16u32);
    let mut tile = memory.slice_mut(4, 12);
    tile[UNIT_POS] = input[UNIT_POS];
    sync_cube();
    #[unroll(rounds < 3)]
    for i in 0..rounds {
        rotate(&mut tile, i + 1);
    }
    out[UNIT_POS] = memory[UNIT_POS + 4];
}

#[test]
fn slices_of_shared_memory_through_helpers() {
    let data: Vec<f32> = (0..8).map(|i| i as f32).collect();
    let client = client();
    let input = client.create(f32::as_bytes(&data));
    for rounds in [2u32, 3] {
        let got = run::<f32>(8, |c, out| rotated::launch::<R>(c, one(), UNITS, array::<f32>(&input, 8), out, rounds));
        let by = (rounds * (rounds + 1) / 2) as usize;
        assert_eq!(got, (0..8).map(|i| data[(i + by) % 8]).collect::<Vec<_>>());
    }
}
