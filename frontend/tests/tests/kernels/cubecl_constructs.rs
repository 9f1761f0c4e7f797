//! Constructs that existing CubeCL kernels use, one by one.
use crate::common::*;
use cubecl::prelude::*;

#[cube(launch)]
fn widened(input: &Array<Line<f32>>, out: &mut Array<Line<f32>>, #[comptime] n: u32) {
    let mut sum = Line::new(0.0);
    let mut best = Line::new(f32::MIN);
    for i in 0..n {
        let x = input[i];
        sum += x;
        best = Max::max(best, x);
    }
    let mut chosen = Line::new(1.0);
    if UNIT_POS == 0 {
        chosen = sum;
    }
    out[0] = sum;
    out[1] = best;
    out[2] = chosen;
}

#[test]
fn line_inherits_the_size_of_the_other_operand() {
    let client = client();
    let data: Vec<f32> = (0..12).map(|i| ((i * 7) % 5) as f32 - 2.0).collect();
    let (input, out) = (client.create(f32::as_bytes(&data)), client.empty(48));
    // SAFETY: both handles have that many elements.
    let line = |handle| unsafe { ArrayArg::from_raw_parts::<f32>(handle, 12, 4) };
    widened::launch::<R>(&client, one(), CubeDim::new_1d(1), line(&input), line(&out), 3);
    let sum: Vec<f32> = (0..4).map(|i| data[i] + data[i + 4] + data[i + 8]).collect();
    let best: Vec<f32> = (0..4).map(|i| data[i].max(data[i + 4]).max(data[i + 8])).collect();
    assert_eq!(f32::from_bytes(&client.read_one(out)), [sum.clone(), best, sum].concat());
}

#[cube(launch)]
fn local_arrays(out: &mut Array<u32>) {
    let mut counts = [0u32; 4];
    let weights = [1, 10, 100, 1000];
    for i in 0..10 {
        counts[i % 3] += i;
    }
    let mut sum = 0;
    for i in 0..counts.len() {
        sum += counts[i] * weights[i];
    }
    out[ABSOLUTE_POS] = sum + TABLE[ABSOLUTE_POS % 3];
}

const TABLE: [u32; 3] = [5, 6, 7];

#[test]
fn array_literals() {
    let got = outputs::<u32>(4, |c, out| local_arrays::launch::<R>(c, one(), CubeDim::new_1d(4), out));
    let (mut counts, weights) = ([0; 4], [1, 10, 100, 1000]);
    (0..10).for_each(|i| counts[i % 3] += i as u32);
    let sum: u32 = counts.iter().zip(weights).map(|(c, w)| c * w).sum();
    assert_eq!(got, (0..4).map(|i| sum + TABLE[i % 3]).collect::<Vec<_>>());
}

#[cube]
fn apply<G: Fn(u32) -> u32>(x: u32, f: G) -> u32 {
    f(x) + f(x + 1)
}

#[cube]
fn fold(n: u32, f: impl Fn(u32, u32) -> u32) -> u32 {
    let mut acc = 1;
    for i in 0..n {
        acc = f(acc, i);
    }
    acc
}

#[cube(launch)]
fn closures(out: &mut Array<u32>) {
    let i = ABSOLUTE_POS;
    let scale = i + 2;
    let times = |x: u32| x * scale;
    let a = apply(i, times);
    let b = fold(4, |acc, k| acc * 2 + k);
    let c = apply(3, |x| if x > 3 { x * 100 } else { x });
    out[i] = a + b * 1000 + c * 100_000;
}

#[test]
fn closures_are_inlined_at_their_calls() {
    let got = outputs::<u32>(3, |c, out| closures::launch::<R>(c, one(), CubeDim::new_1d(3), out));
    let host = (0..3u32).map(|i| {
        let times = |x: u32| x * (i + 2);
        let b = (0..4).fold(1, |acc, k| acc * 2 + k);
        times(i) + times(i + 1) + b * 1000 + (3 + 400) * 100_000
    });
    assert_eq!(got, host.collect::<Vec<_>>());
}

#[cube]
trait Accumulate<F: Float>: CubeType + Copy + Send + Sync + 'static {
    fn init() -> Self;
    fn push(&mut self, x: F);
    fn result(&self) -> F;
}

#[derive(CubeType, Clone, Copy)]
struct Mean<F: Float> {
    sum: F,
    count: u32,
}

#[derive(CubeType, Clone, Copy)]
struct Largest<F: Float> {
    best: F,
}

#[cube]
impl<F: Float> Accumulate<F> for Mean<F> {
    fn init() -> Self {
        Mean::<F> { sum: F::new(0.0), count: 0 }
    }
    fn push(&mut self, x: F) {
        self.sum += x;
        self.count += 1;
    }
    fn result(&self) -> F {
        self.sum / F::cast_from(self.count)
    }
}

#[cube]
impl<F: Float> Accumulate<F> for Largest<F> {
    fn init() -> Self {
        Largest::<F> { best: F::min_value() }
    }
    fn push(&mut self, x: F) {
        self.best = F::max(self.best, x);
    }
    fn result(&self) -> F {
        self.best
    }
}

trait Family: Send + Sync + 'static {
    type Acc<F: Float>: Accumulate<F>;
}

struct MeanFamily;
struct LargestFamily;

impl Family for MeanFamily {
    type Acc<F: Float> = Mean<F>;
}

impl Family for LargestFamily {
    type Acc<F: Float> = Largest<F>;
}

#[cube(launch)]
fn reduced<F: Float, Fam: Family>(input: &Array<F>, out: &mut Array<F>) {
    let mut acc = Fam::Acc::<F>::init();
    for i in 0..input.len() {
        acc.push(input[i]);
    }
    out[0] = acc.result();
}

#[test]
fn families_of_types() {
    let client = client();
    let input = client.create(f32::as_bytes(&[1.0, 5.0, 3.0]));
    let mean = outputs::<f32>(1, |c, out| {
        reduced::launch::<f32, MeanFamily, R>(c, one(), CubeDim::new_1d(1), array::<f32>(&input, 3), out)
    });
    let largest = outputs::<f32>(1, |c, out| {
        reduced::launch::<f32, LargestFamily, R>(c, one(), CubeDim::new_1d(1), array::<f32>(&input, 3), out)
    });
    assert_eq!((mean[0], largest[0]), (3.0, 5.0));
}

#[cube(launch)]
fn in_place(input: &Array<f32>, out: &mut Array<f32>) {
    if ABSOLUTE_POS < input.len() {
        out[ABSOLUTE_POS] = input[ABSOLUTE_POS] * 2.0 + 1.0;
    }
}

#[test]
fn an_output_can_be_an_input() {
    let client = client();
    let data = client.create(f32::as_bytes(&[1.0, 2.0, 3.0]));
    let alias = ArrayArg::Alias { input_pos: 0 };
    in_place::launch::<R>(&client, one(), CubeDim::new_1d(4), array::<f32>(&data, 3), alias);
    assert_eq!(f32::from_bytes(&client.read_one(data)), [3.0, 5.0, 7.0]);
}

#[cube(launch)]
fn lengths(input: &Array<u32>, out: &mut Array<u32>) {
    out[0] = input.len();
    out[1] = input.buffer_len();
    out[2] = input[5];
    out[3] = input[9];
}

#[test]
fn argument_length_and_memory_length_are_separate() {
    let client = client();
    let input = client.create(u32::as_bytes(&[1, 2, 3, 4, 5, 6, 7, 8]));
    let run = |len| {
        outputs::<u32>(4, |c, out| lengths::launch::<R>(c, one(), CubeDim::new_1d(1), array::<u32>(&input, len), out))
    };
    assert_eq!(run(3), [3, 8, 6, 0], "accesses are checked against the memory");
    assert_eq!(run(8), [8, 8, 6, 0]);
}

#[cube(launch)]
fn offsets(input: &Array<u32>, out: &mut Array<u32>) {
    if ABSOLUTE_POS < input.len() {
        out[ABSOLUTE_POS] = input[ABSOLUTE_POS] * 10;
    }
}

#[test]
fn handles_with_offsets() {
    let client = client();
    let input = client.create(u32::as_bytes(&[1, 2, 3, 4, 5, 6])).offset_start(8).offset_end(4);
    assert_eq!(input.size(), 12);
    let got =
        outputs::<u32>(3, |c, out| offsets::launch::<R>(c, one(), CubeDim::new_1d(4), array::<u32>(&input, 3), out));
    assert_eq!(got, [30, 40, 50]);
}

#[test]
fn cube_count_is_read_from_a_device_buffer() {
    let client = client();
    let input = client.create(u32::as_bytes(&[1, 2, 3, 4, 5, 6]));
    let count = client.create(u32::as_bytes(&[2, 1, 1]));
    let got = outputs::<u32>(6, |c, out| {
        let count = CubeCount::Dynamic(count.clone().binding());
        offsets::launch::<R>(c, count, CubeDim::new_1d(2), array::<u32>(&input, 6), out)
    });
    assert_eq!(got, [10, 20, 30, 40, 0, 0]);
}

#[cube(launch)]
fn cells(out: &mut Array<u32>) {
    let total = RuntimeCell::<u32>::new(ABSOLUTE_POS);
    for i in 0..3 {
        total.store(total.read() * 2 + i);
    }
    let mut line = RuntimeCell::<Line<u32>>::new(Line::empty(4).fill(7));
    line.store_at(2, total.read());
    let held = line.consume();
    out[ABSOLUTE_POS] = held[1] * 1000 + held[2];
}

#[test]
fn cells_are_variables() {
    let got = outputs::<u32>(3, |c, out| cells::launch::<R>(c, one(), CubeDim::new_1d(3), out));
    let host = (0..3u32).map(|i| 7000 + (0..3).fold(i, |t, k| t * 2 + k));
    assert_eq!(got, host.collect::<Vec<_>>());
}

#[cube(launch)]
fn unrolled(out: &mut Array<u32>, #[comptime] unroll: bool, #[comptime] n: u32) {
    let mut sum = ABSOLUTE_POS;
    #[unroll(unroll)]
    for i in 0..n {
        if i == 2 {
            continue;
        }
        sum = sum * 2 + i;
        if sum > 40 {
            break;
        }
    }
    #[unroll(n <= 4)]
    for i in 0..n {
        sum += i * comptime!(if unroll { n } else { 2 });
    }
    out[ABSOLUTE_POS] = sum;
}

#[test]
fn loops_are_unrolled_on_condition() {
    for (unroll, n) in [(true, 4), (false, 4), (true, 9), (false, 9)] {
        let got = outputs::<u32>(3, |c, out| unrolled::launch::<R>(c, one(), CubeDim::new_1d(3), out, unroll, n));
        let host = (0..3u32).map(|start| {
            let mut sum = start;
            for i in 0..n {
                if i == 2 {
                    continue;
                }
                sum = sum * 2 + i;
                if sum > 40 {
                    break;
                }
            }
            sum + (0..n).map(|i| i * if unroll { n } else { 2 }).sum::<u32>()
        });
        assert_eq!(got, host.collect::<Vec<_>>());
    }
}

#[cube]
fn deep(x: u32) -> u32 {
    if x == 3 {
        terminate!();
    }
    x + 1
}

#[cube(launch)]
fn ended(out: &mut Array<u32>) {
    let i = ABSOLUTE_POS;
    out[i] = 1;
    if i == 1 {
        terminate!();
    }
    let mut found = 0;
    let first = loop {
        found += deep(i);
        if found > 7 {
            break found * 10;
        }
    };
    let label = 'outer: {
        if i == 2 {
            break 'outer 5;
        }
        for k in 0..4 {
            if k * i > 5 {
                break 'outer k + 100;
            }
        }
        9
    };
    out[i] = first + label;
}

#[test]
fn return_ends_a_unit_and_break_leaves_a_block() {
    let got = outputs::<u32>(5, |c, out| ended::launch::<R>(c, one(), CubeDim::new_1d(5), out));
    let host = (0..5u32).map(|i| {
        if i == 1 || i == 3 {
            return 1;
        }
        let mut found = 0;
        let first = loop {
            found += i + 1;
            if found > 7 {
                break found * 10;
            }
        };
        let label = 'outer: {
            if i == 2 {
                break 'outer 5;
            }
            for k in 0..4 {
                if k * i > 5 {
                    break 'outer k + 100;
                }
            }
            9
        };
        first + label
    });
    assert_eq!(got, host.collect::<Vec<_>>());
}

#[derive(CubeType, Clone, Copy)]
struct Vector(f32, f32);

#[derive(CubeType, Clone, Copy)]
struct Body {
    position: Vector,
    mass: f32,
}

#[cube(launch)]
fn structs(out: &mut Array<f32>) {
    let i = ABSOLUTE_POS;
    let x = f32::cast_from(i);
    let mut body = if i % 2 == 0 {
        Body { position: Vector(x, 1.0), mass: 2.0 }
    } else {
        let far = Vector(10.0, x);
        Body { position: far, mass: 3.0 }
    };
    let before = body;
    body.position.0 += 100.0;
    body.position = Vector(body.position.0, body.position.1 * 2.0);
    let Body { position: Vector(a, b), mass } = body;
    out[i] = a + b * 1000.0 + mass * 100_000.0 + before.position.0 * 0.25;
}

#[test]
fn structs_out_of_branches() {
    let got = outputs::<f32>(4, |c, out| structs::launch::<R>(c, one(), CubeDim::new_1d(4), out));
    let host = (0..4).map(|i| {
        let x = i as f32;
        let (a, b, mass) = if i % 2 == 0 { (x, 1.0, 2.0) } else { (10.0, x, 3.0) };
        a + 100.0 + b * 2.0 * 1000.0 + mass * 100_000.0 + a * 0.25
    });
    assert_eq!(got, host.collect::<Vec<_>>());
}

#[cube(launch)]
fn shared(input: &Array<u32>, out: &mut Array<u32>) {
    let counts = SharedMemory::<Atomic<u32>>::new(4u32);
    let mut seen = SharedMemory::<bool>::new(4u32);
    if UNIT_POS < 4 {
        Atomic::store(&counts[UNIT_POS], 0);
        seen[UNIT_POS] = false;
    }
    sync_cube();
    let bin = input[UNIT_POS] % 4;
    Atomic::add(&counts[bin], 1);
    seen[bin] = true;
    sync_cube();
    if UNIT_POS < 4 {
        let flag = if seen[UNIT_POS] { 100u32 } else { 0u32 };
        out[UNIT_POS] = Atomic::load(&counts[UNIT_POS]) + flag;
    }
}

#[test]
fn shared_atomics_and_flags() {
    let client = client();
    let data: Vec<u32> = (0..16).map(|i| (i * i) % 7).collect();
    let input = client.create(u32::as_bytes(&data));
    let got =
        outputs::<u32>(4, |c, out| shared::launch::<R>(c, one(), CubeDim::new_1d(16), array::<u32>(&input, 16), out));
    let host: Vec<u32> = (0..4)
        .map(|bin| data.iter().filter(|x| **x % 4 == bin).count() as u32)
        .map(|n| if n > 0 { n + 100 } else { n })
        .collect();
    assert_eq!(got, host);
}

#[cube(launch)]
fn sequence_args(inputs: &Sequence<Array<f32>>, scales: Sequence<f32>, out: &mut Array<f32>) {
    let i = ABSOLUTE_POS;
    let mut sum = 0.0;
    #[unroll]
    for k in 0..inputs.len() {
        sum += inputs.index(k)[i] * *scales.index(k);
    }
    out[i] = sum;
}

#[test]
fn sequences_of_arguments() {
    let client = client();
    let (a, b) = (client.create(f32::as_bytes(&[1.0, 2.0])), client.create(f32::as_bytes(&[10.0, 20.0])));
    let got = outputs::<f32>(2, |c, out| {
        let mut inputs = SequenceArg::new();
        inputs.push(array::<f32>(&a, 2));
        inputs.push(array::<f32>(&b, 2));
        let mut scales = SequenceArg::new();
        scales.push(ScalarArg::new(0.5));
        scales.push(ScalarArg::new(3.0));
        sequence_args::launch::<R>(c, one(), CubeDim::new_1d(2), inputs, scales, out)
    });
    assert_eq!(got, [30.5, 61.0]);
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Plan {
    steps: Vec<u32>,
    name: String,
}

#[cube(launch)]
fn planned(out: &mut Array<u32>, #[comptime] plan: Plan, #[comptime] more: Vec<u32>) {
    let mut sum = ABSOLUTE_POS;
    for step in plan.steps {
        sum = sum * 10 + step;
    }
    if plan.name == "twice" {
        sum *= 2;
    }
    let n = comptime!(more.iter().sum::<u32>());
    out[ABSOLUTE_POS] = sum + n;
}

#[test]
fn anything_of_the_host_is_a_parameter() {
    let run = |name: &str| {
        let plan = Plan { steps: vec![1, 2, 3], name: name.into() };
        outputs::<u32>(2, |c, out| planned::launch::<R>(c, one(), CubeDim::new_1d(2), out, plan, vec![1000, 2000]))
    };
    assert_eq!(run("once"), [3123, 4123]);
    assert_eq!(run("twice"), [3246, 5246]);
}

#[cube(launch)]
fn generic_scalars<F: Float, I: Int>(out: &mut Array<F>, scale: F, shift: I, flip: bool) {
    let i = ABSOLUTE_POS;
    let x = F::cast_from(i) * scale + F::cast_from(shift);
    out[i] = if flip { -x } else { x.exp() };
}

#[test]
fn scalars_of_generic_types() {
    let run = |flip| {
        outputs::<f32>(3, |c, out| {
            let (scale, shift) = (ScalarArg::new(0.5), ScalarArg::new(-1));
            generic_scalars::launch::<f32, i32, R>(
                c,
                one(),
                CubeDim::new_1d(3),
                out,
                scale,
                shift,
                ScalarArg::new(flip),
            )
        })
    };
    assert_eq!(run(true), [1.0, 0.5, 0.0]);
    let host: Vec<f32> = (0..3).map(|i| (i as f32 * 0.5 - 1.0).exp()).collect();
    assert!(run(false).iter().zip(&host).all(|(a, b)| (a - b).abs() < 1e-6));
    let small = host.len() as i32;
    assert_eq!(small.min(2), 2, "the host's own methods stand beside the prelude's");
}

#[cube(launch)]
fn functions(input: &Array<i32>, out: &mut Array<i32>) {
    let x = input[ABSOLUTE_POS];
    let f = f32::cast_from(x) * 0.75;
    let u = x as u32;
    let i = ABSOLUTE_POS * 16;
    out[i] = x.max(2) + Min::min(x, 3);
    out[i + 1] = f32::rem(f, 2.5) as i32;
    out[i + 2] = (f % 2.5) as i32;
    out[i + 3] = u32::find_first_set(u) as i32;
    out[i + 4] = u32::count_ones(u) as i32;
    out[i + 5] = u32::leading_zeros(u) as i32;
    out[i + 6] = u32::reverse_bits(u) as i32;
    out[i + 7] = i32::bitwise_not(x);
    out[i + 8] = !x;
    out[i + 9] = f32::round(f) as i32 + f32::trunc(f) as i32 + f32::ceil(f) as i32 + f32::floor(f) as i32;
    out[i + 10] = (f32::powi(f, 3) * 8.0) as i32;
    out[i + 11] = f32::powi(2.0, x % 5) as i32;
    out[i + 12] = i32::saturating_add(x, 2_147_483_600);
    out[i + 13] = select(x > 0, x, 0 - x) + i32::abs(x);
    out[i + 14] = i32::mul_hi(x, 1_000_000_000);
    out[i + 15] = fma(f, 2.0, 1.0) as i32 + (x >> 1) + (x << 2) + clamped(x);
}

#[cube]
fn clamped(x: i32) -> i32 {
    x.clamp(-3, 4) + i32::clamp(x, 0, 1)
}

#[test]
fn functions_of_numbers() {
    let client = client();
    let data = [-7, -1, 0, 1, 5, 100, 12345];
    let input = client.create(i32::as_bytes(&data));
    let got = outputs::<i32>(16 * 7, |c, out| {
        functions::launch::<R>(c, one(), CubeDim::new_1d(7), array::<i32>(&input, 7), out)
    });
    let host = data.iter().flat_map(|x| {
        let (x, u, f) = (*x, *x as u32, *x as f32 * 0.75);
        let whole = |v: f32| v as i32;
        [
            x.max(2) + x.min(3),
            whole(f - 2.5 * (f / 2.5).floor()),
            whole(f % 2.5),
            if u == 0 { 0 } else { u.trailing_zeros() as i32 + 1 },
            u.count_ones() as i32,
            u.leading_zeros() as i32,
            u.reverse_bits() as i32,
            !x,
            !x,
            whole(f.round_ties_even()) + whole(f.trunc()) + whole(f.ceil()) + whole(f.floor()),
            whole(f * f * f * 8.0),
            whole(2f32.powi(x % 5)),
            x.saturating_add(2_147_483_600),
            x.abs() + x.abs(),
            ((i64::from(x) * 1_000_000_000) >> 32) as i32,
            whole(f.mul_add(2.0, 1.0)) + (x >> 1) + (x << 2) + x.clamp(-3, 4) + x.clamp(0, 1),
        ]
    });
    for (i, (a, b)) in got.iter().zip(host).enumerate() {
        assert_eq!(*a, b, "function {} of {}", i % 16, data[i / 16]);
    }
}

mod helpers {
    use cubecl::prelude::*;

    #[cube]
    pub fn twice(x: u32) -> u32 {
        x * 2
    }

    pub mod inner {
        use cubecl::prelude::*;

        #[cube]
        pub fn more(x: u32) -> u32 {
            super::twice(x) + 1
        }
    }
}

#[cube(launch)]
fn paths(out: &mut Array<u32>) {
    let pos = [2u32, 0, 1];
    out[pos[ABSOLUTE_POS]] = helpers::inner::more(CUBE_DIM - 1 - UNIT_POS) + self::helpers::twice(1);
}

#[test]
fn paths_to_other_modules() {
    let got = outputs::<u32>(3, |c, out| paths::launch::<R>(c, one(), CubeDim::new_1d(3), out));
    let mut host = [0; 3];
    [2usize, 0, 1].iter().enumerate().for_each(|(i, at)| host[*at] = (2 - i as u32) * 2 + 1 + 2);
    assert_eq!(got, host);
}
