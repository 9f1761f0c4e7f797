//! Idioms of kernel libraries: traits with supertraits, and host options and lists that contain kernel
//! values.
mod views;
mod virtual_tensors;
use crate::common::*;
use cubecl::prelude::*;
use cubecl::std::CubeOption;

const DATA: [u32; 8] = [3, 1, 4, 1, 5, 9, 2, 6];

/// Runs a kernel of eight units over [`DATA`].
fn run(launch: impl FnOnce(&Client, ArrayArg<'_, R>, ArrayArg<'_, R>)) -> Vec<u32> {
    outputs::<u32>(8, |c, out| {
        let input = c.create(u32::as_bytes(&DATA));
        launch(c, array::<u32>(&input, 8), out)
    })
}

fn units() -> CubeDim {
    CubeDim::new_1d(8)
}

#[cube]
trait Base: Send + Sync + 'static {
    const STEP: u32;
    fn base(x: u32) -> u32;
}

#[cube]
trait Derived: Base {
    fn derived(x: u32) -> u32;
    fn given(x: u32) -> u32 {
        Self::base(x) * Self::STEP
    }
}

#[cube]
trait Twice {
    fn twice(x: u32) -> u32;
}

struct One;

#[cube]
impl Base for One {
    const STEP: u32 = 10;
    fn base(x: u32) -> u32 {
        x + 1
    }
}

#[cube]
impl Derived for One {
    fn derived(x: u32) -> u32 {
        Self::base(x) * 2 + Self::STEP
    }
}

#[cube]
impl<D: Derived> Twice for D {
    fn twice(x: u32) -> u32 {
        D::derived(D::derived(x))
    }
}

#[cube(launch)]
fn inherited<D: Derived>(input: &Array<u32>, out: &mut Array<u32>) {
    let x = input[ABSOLUTE_POS];
    out[ABSOLUTE_POS] = D::derived(x) + D::given(x) * 100 + <D as Twice>::twice(x) * 10_000;
}

#[test]
fn trait_calls_methods_of_its_supertrait() {
    let got = run(|c, input, out| inherited::launch::<One, R>(c, one(), units(), input, out));
    let derived = |x: u32| (x + 1) * 2 + 10;
    assert_eq!(got, DATA.map(|x| derived(x) + (x + 1) * 1000 + derived(derived(x)) * 10_000));
}

#[derive(CubeType, Clone, Copy)]
enum Sign {
    Plus(u32),
    Minus,
}

#[cube]
trait Signed: CubeType {
    fn value(self, x: u32) -> u32;
    fn other(x: u32) -> Self;
}

#[cube]
impl Signed for Sign {
    fn value(self, x: u32) -> u32 {
        match self {
            Self::Plus(n) => x + n,
            Self::Minus => 100 - x,
        }
    }
    fn other(x: u32) -> Self {
        if x > 3 { Self::Plus(x) } else { Self::Minus }
    }
}

#[cube(launch)]
fn signs(input: &Array<u32>, out: &mut Array<u32>) {
    let x = input[ABSOLUTE_POS];
    out[ABSOLUTE_POS] = Sign::other(x).value(x);
}

#[test]
fn trait_on_an_enum_matches_its_variants() {
    let got = run(|c, input, out| signs::launch::<R>(c, one(), units(), input, out));
    assert_eq!(got, DATA.map(|x| if x > 3 { 2 * x } else { 100 - x }));
}

#[cube(launch)]
fn options(input: &Array<u32>, out: &mut Array<u32>, #[comptime] end: Option<u32>) {
    let n = end.unwrap_or_else(|| input.len());
    let first = end.unwrap_or(input[0]);
    let shifted = end.map(|end| end + input[ABSOLUTE_POS]);
    let mut sum = first * 100;
    for i in 0..n {
        sum += input[i];
    }
    if shifted.is_some() {
        sum += shifted.unwrap() * 1000;
    }
    out[ABSOLUTE_POS] = sum;
}

#[test]
fn options_of_the_host_with_values_of_the_kernel() {
    let run = |end| run(|c, input, out| options::launch::<R>(c, one(), units(), input, out, end));
    assert_eq!(run(None), [331; 8]);
    assert_eq!(run(Some(2)), DATA.map(|x| 204 + (2 + x) * 1000));
}

#[cube]
fn maybe(x: u32, #[comptime] on: bool) -> CubeOption<u32> {
    if comptime!(on) { CubeOption::new_Some(x * 2) } else { CubeOption::new_None() }
}

#[cube(launch)]
fn asked(input: &Array<u32>, out: &mut Array<u32>, #[comptime] on: bool) {
    let option = maybe(input[ABSOLUTE_POS], on);
    let value = match option {
        CubeOption::Some(value) => value,
        CubeOption::None => 7,
    };
    out[ABSOLUTE_POS] = value;
    if comptime!(option.is_some() && !option.is_none()) {
        out[ABSOLUTE_POS] += 1000;
    }
}

#[test]
fn comptime_reads_an_option_of_the_library() {
    let run = |on| run(|c, input, out| asked::launch::<R>(c, one(), units(), input, out, on));
    assert_eq!(run(true), DATA.map(|x| 2 * x + 1000));
    assert_eq!(run(false), [7; 8]);
}

#[cube]
fn total<N: Numeric, L: List<N>>(list: &L) -> N {
    let mut sum = N::from_int(0);
    for i in 0..list.len() {
        sum += list.read(i);
    }
    sum
}

#[cube]
fn put<N: Numeric, L: ListMut<N>>(list: &mut L, at: u32, value: N) {
    list.write(at, value);
}

#[cube(launch)]
fn lists(input: &Array<u32>, out: &mut Array<u32>) {
    let part = input.slice(2, 5);
    let sum = total::<u32, Array<u32>>(input) * 100 + total::<u32, Slice<u32>>(&part);
    put::<u32, Array<u32>>(out, ABSOLUTE_POS, sum);
}

#[test]
fn list_trait_accepts_every_list_type() {
    assert_eq!(run(|c, input, out| lists::launch::<R>(c, one(), units(), input, out)), [3110; 8]);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Left,
    Right,
}

#[cube(launch)]
fn registries(input: &Array<u32>, out: &mut Array<u32>, #[comptime] n: u32) {
    let mut numbers = Registry::<u32, u32>::new();
    numbers.insert(3u32, input[ABSOLUTE_POS]);
    #[unroll]
    for i in 10..10 + n {
        numbers.insert(i, input[0] * i);
    }
    let mut names = Registry::<Name, u32>::new();
    names.insert(Name::Left, input[1]);
    names.insert(Name::Right, input[2]);
    out[ABSOLUTE_POS] =
        numbers.find(3) + numbers.find(11u32) * 10 + names.find(Name::Left) * 1000 + names.find(Name::Right) * 10_000;
}

#[test]
fn registries_return_numbers_and_names() {
    let got = run(|c, input, out| registries::launch::<R>(c, one(), units(), input, out, 2));
    assert_eq!(got, DATA.map(|x| x + 330 + 1000 + 40_000));
}

#[derive(CubeType, Clone, Copy, Debug, Hash, PartialEq, Eq)]
enum Op {
    Add,
    Mul,
}

#[cube(launch)]
fn program(input: &Array<u32>, out: &mut Array<u32>, #[comptime] ops: Sequence<Op>) {
    let mut x = input[ABSOLUTE_POS];
    #[unroll]
    for i in 0..ops.len() {
        match comptime!(ops.index(i)) {
            Op::Add => x += 3,
            Op::Mul => x *= 5,
        }
    }
    out[ABSOLUTE_POS] = x;
}

#[test]
fn a_sequence_is_a_parameter_of_the_host() {
    let run = |ops: &[Op]| {
        let mut all = Sequence::new();
        ops.iter().for_each(|op| all.push(*op));
        run(|c, input, out| program::launch::<R>(c, one(), units(), input, out, all))
    };
    assert_eq!(run(&[Op::Add, Op::Mul]), DATA.map(|x| (x + 3) * 5));
    assert_eq!(run(&[Op::Mul, Op::Add]), DATA.map(|x| x * 5 + 3));
}

#[cube]
fn sum_or_plain(x: u32) -> (u32, bool) {
    if x == 4 {
        return (40, false);
    }
    (x, true)
}

#[cube]
fn sum_of(pair: (u32, u32), third: u32) -> u32 {
    pair.0 * 10 + pair.1 + third
}

#[cube(launch)]
fn pairs(input: &Array<u32>, out: &mut Array<u32>) {
    let (x, plain) = sum_or_plain(input[ABSOLUTE_POS]);
    out[ABSOLUTE_POS] = sum_of((1, 2), x);
    if UNIT_POS == 0 {
        out[out[0] - 14] += 100;
        out[out.len() - 1] *= 2;
    }
    if !plain {
        out[ABSOLUTE_POS] += 1;
    }
}

#[test]
fn literal_pairs_and_indices_read_from_the_written_array_are_evaluated() {
    let mut host = DATA.map(|x| 12 + if x == 4 { 41 } else { x });
    host[1] += 100;
    host[7] *= 2;
    assert_eq!(run(|c, input, out| pairs::launch::<R>(c, one(), units(), input, out)), host);
}

#[cube(launch)]
fn counted(input: &Array<u32>, out: &mut Array<u32>, #[comptime] n: u32) {
    let mut at = comptime!(n - 1);
    let mut k = n / 4;
    let mut squares = comptime!(Vec::<u32>::new());
    let mut sum = 0;
    #[unroll]
    for i in 0..n {
        sum = sum * 10 + input[at];
        comptime!(at = at.saturating_sub(1));
        comptime! {
            squares.push(i * i);
            k <<= 1;
        }
        if comptime!(k > 4) {
            sum += k;
        }
    }
    let total = comptime!(squares.iter().sum::<u32>());
    // The kernel changes this variable at run time.
    let mut left = comptime!(n / 2);
    while left > 0 {
        sum += 1000 * left;
        left /= 2;
    }
    out[ABSOLUTE_POS] = sum + total * 10_000;
}

#[test]
fn comptime_blocks_update_variables() {
    let got = run(|c, input, out| counted::launch::<R>(c, one(), units(), input, out, 4));
    let (mut sum, mut k) = (0, 1);
    for i in 0..4 {
        sum = sum * 10 + DATA[3 - i];
        k *= 2;
        sum += if k > 4 { k } else { 0 };
    }
    assert_eq!(got, [sum + 3000 + 14 * 10_000; 8]);
}

/// A trait whose methods have the names of built-in methods of arrays.
#[cube]
trait Measured<N: Numeric>: CubeType {
    fn len(&self) -> u32;
    fn line_size(&self) -> N;
}

#[cube]
impl<N: Numeric> Measured<N> for Array<N> {
    fn len(&self) -> u32 {
        self.len() * 10
    }
    fn line_size(&self) -> N {
        N::from_int(6) + self[self.line_size()]
    }
}

#[cube]
impl<N: Numeric> Measured<N> for SharedMemory<Line<N>> {
    fn len(&self) -> u32 {
        self.len() * 100
    }
    fn line_size(&self) -> N {
        N::cast_from(self.line_size())
    }
}

#[derive(CubeType, Clone)]
struct Single<N: Numeric> {
    value: N,
}

#[cube]
impl<N: Numeric> Measured<N> for Single<N> {
    fn len(&self) -> u32 {
        1u32.runtime()
    }
    fn line_size(&self) -> N {
        self.value
    }
}

#[cube]
fn measured<N: Numeric, M: Measured<N>>(of: &M) -> u32 {
    of.len() + u32::cast_from(of.line_size())
}

#[cube(launch)]
fn measures(input: &Array<u32>, out: &mut Array<u32>) {
    let shared = SharedMemory::<u32>::new_lined(3u32, 2u32);
    let single = Single::<u32> { value: 4u32.runtime() };
    let of_types = measured::<u32, SharedMemory<Line<u32>>>(&shared) + measured::<u32, Single<u32>>(&single);
    out[ABSOLUTE_POS] = (measured::<u32, Array<u32>>(input) * 1000 + of_types) * 100 + input.len();
}

#[test]
fn inherent_method_precedes_trait_method() {
    // 80 + 6 + the element at 1; 300 + 2 and 1 + 4.
    assert_eq!(run(|c, a, b| measures::launch::<R>(c, one(), units(), a, b)), [8_730_708; 8]);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Order {
    Rows(u32),
    Columns { tiles: u32 },
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Plan {
    order: Order,
    across: u32,
}

impl Plan {
    fn order(&self) -> Order {
        self.order
    }
}

#[derive(CubeType, Clone, Copy)]
struct Work {
    #[cube(comptime)]
    tasks: u32,
    #[cube(comptime)]
    plan: Plan,
    first: u32,
}

#[cube]
fn work_of(#[comptime] plan: Plan) -> Work {
    // All arms are host values, so the match is a host value without `comptime!`.
    let tasks = match plan.order() {
        Order::Rows(n) => n * plan.across,
        Order::Columns { tiles } if tiles > 4 => tiles,
        Order::Columns { tiles } => tiles + 1,
        Order::Unknown => panic!("an unknown order"),
    };
    let (step, first) = match plan.order {
        Order::Rows(_) => (1, plan.across),
        _ => (plan.across, 0),
    };
    let more = if let Order::Columns { tiles } = plan.order { tiles } else { 0 };
    let tasks = comptime!(tasks * step + more);
    Work { tasks, plan, first: UNIT_POS + first }
}

#[cube(launch)]
fn planned(input: &Array<u32>, out: &mut Array<u32>, #[comptime] plan: Plan) {
    let work = work_of(plan);
    let mut sum = 0u32;
    #[unroll]
    for i in 0..work.tasks {
        sum += input[(work.first + i) % 8]
            * match work.plan.across {
                2 => 10,
                _ => 1,
            };
    }
    let mut scale = match comptime!(plan.across) {
        2 => 1,
        _ => 3,
    };
    scale += UNIT_POS;
    let half = match comptime!(plan.across) {
        2 => 0.5,
        _ => 1.5,
    };
    out[ABSOLUTE_POS] = sum * scale + u32::cast_from(f32::cast_from(UNIT_POS) * half);
}

#[test]
fn a_match_whose_arms_are_of_the_host_is_of_the_host() {
    for (order, tasks, first) in [
        (Order::Rows(2), |across| 2 * across, |across| across),
        (Order::Columns { tiles: 5 }, |across| 5 * across + 5, |_| 0),
        (Order::Columns { tiles: 1 }, |across| 2 * across + 1, |_| 0u32),
    ] as [(Order, fn(u32) -> u32, fn(u32) -> u32); 3]
    {
        for across in [2, 3] {
            let plan = Plan { order, across };
            let got = run(|c, a, b| planned::launch::<R>(c, one(), units(), a, b, plan));
            let (times, scale, half) = if across == 2 { (10, 1, 0.5) } else { (1, 3, 1.5) };
            let unit = |u: u32| {
                let sum: u32 = (0..tasks(across)).map(|i| DATA[((u + first(across) + i) % 8) as usize] * times).sum();
                sum * (scale + u) + (u as f32 * half) as u32
            };
            assert_eq!(got, (0..8).map(unit).collect::<Vec<_>>(), "{plan:?}");
        }
    }
    let c = client();
    let (input, out) = (c.create(u32::as_bytes(&DATA)), c.empty(32));
    let unknown = Plan { order: Order::Unknown, across: 1 };
    let error = planned::try_launch::<R>(&c, one(), units(), array::<u32>(&input, 8), array::<u32>(&out, 8), unknown);
    let error = error.expect_err("the order does not exist").to_string();
    assert!(error.contains("an unknown order"), "{error}");
}
