//! What libraries of kernels do: traits over traits, options and lists of the host that meet values of the kernel.
mod common;
use common::*;
use cubecl::prelude::*;
use cubecl::std::{CubeOption, CubeOptionExpand};

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
fn a_trait_says_what_its_supertrait_has() {
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
fn a_trait_of_an_enum_says_its_variants() {
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
fn comptime_asks_an_option_of_the_library() {
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
fn anything_that_is_a_list() {
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
fn registries_are_asked_for_numbers_and_names() {
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
fn told(x: u32) -> (u32, bool) {
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
    let (x, plain) = told(input[ABSOLUTE_POS]);
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
fn pairs_of_literals_and_places_that_ask_themselves() {
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
    // The kernel changes this one.
    let mut left = comptime!(n / 2);
    while left > 0 {
        sum += 1000 * left;
        left /= 2;
    }
    out[ABSOLUTE_POS] = sum + total * 10_000;
}

#[test]
fn variables_that_comptime_changes() {
    let got = run(|c, input, out| counted::launch::<R>(c, one(), units(), input, out, 4));
    let (mut sum, mut k) = (0, 1);
    for i in 0..4 {
        sum = sum * 10 + DATA[3 - i];
        k *= 2;
        sum += if k > 4 { k } else { 0 };
    }
    assert_eq!(got, [sum + 3000 + 14 * 10_000; 8]);
}

/// Tensors seen through layouts.
mod views {
    use super::common::*;
    use cubecl::prelude::*;
    use cubecl::std::tensor::launch::{TypedView, TypedViewLaunch, ViewArg};
    use cubecl::std::tensor::layout::linear::{LinearView, linear_view};
    use cubecl::std::tensor::layout::{Coordinates, Coords1d, Coords2d, Layout, LayoutExpand};
    use cubecl::std::tensor::{AsView, AsViewExpand, AsViewMut, AsViewMutExpand, View};

    const DATA: [f32; 8] = [0.5, -1.5, 2.25, 3.0, -4.0, 0.0, 7.5, 1.0];

    fn run(n: usize, launch: impl FnOnce(&Client, ArrayArg<'_, R>, ArrayArg<'_, R>)) -> Vec<f32> {
        outputs::<f32>(n, |c, out| {
            let input = c.create(f32::as_bytes(&DATA));
            launch(c, array::<f32>(&input, 8), out)
        })
    }

    #[derive(CubeType, CubeLaunch, Clone)]
    struct Matrix {
        rows: u32,
        columns: u32,
        #[cube(comptime)]
        by_column: bool,
    }

    #[cube]
    impl Matrix {
        fn new(rows: u32, columns: u32, #[comptime] by_column: bool) -> Self {
            Matrix { rows, columns, by_column }
        }
    }

    #[cube]
    impl Layout for Matrix {
        type Coordinates = Coords2d;
        type SourceCoordinates = Coords1d;

        fn to_source_pos(&self, pos: Self::Coordinates) -> Self::SourceCoordinates {
            let (row, column) = pos;
            if comptime!(self.by_column) { column * self.rows + row } else { row * self.columns + column }
        }
        fn to_source_pos_checked(&self, pos: Self::Coordinates) -> (Self::SourceCoordinates, bool) {
            (self.to_source_pos(pos), self.is_in_bounds(pos))
        }
        fn shape(&self) -> Self::Coordinates {
            (self.rows, self.columns)
        }
        fn is_in_bounds(&self, pos: Self::Coordinates) -> bool {
            let (row, column) = pos;
            row < self.rows && column < self.columns
        }
    }

    #[cube(launch)]
    fn local(input: &Array<f32>, out: &mut Array<f32>) {
        let rows = input.view(Matrix::new(2, 4, false));
        let columns = input.view(Matrix::new(2, 4, true));
        let mut written = out.view_mut(Matrix::new(4, 2, false));
        let (r, c) = (ABSOLUTE_POS / 2, ABSOLUTE_POS % 2);
        let extent = rows.shape();
        let mut x = rows[(c, r)] + columns.read((c, r)) * 10.0 + rows.read_checked((r, c)) * 100.0;
        x += rows.read_masked((r, c), 3.0) * 1000.0 + f32::cast_from(extent.0 * extent.1);
        written[(r, c)] = x;
        written.write_checked((r, c + 2), 1.0);
    }

    #[test]
    fn memory_through_a_layout() {
        let got = run(8, |c, input, out| local::launch::<R>(c, one(), CubeDim::new_1d(8), input, out));
        let host: Vec<f32> = (0..8)
            .map(|i| {
                let (r, c) = (i / 2, i % 2);
                let at = (r < 2).then(|| DATA[r * 4 + c]);
                DATA[c * 4 + r] + DATA[r * 2 + c] * 10.0 + at.unwrap_or(0.0) * 100.0 + at.unwrap_or(3.0) * 1000.0 + 8.0
            })
            .collect();
        assert_eq!(got, host);
    }

    #[derive(CubeType, Clone)]
    struct Rows {
        columns: u32,
        len: u32,
    }

    #[cube]
    impl Layout for Rows {
        type Coordinates = Coords1d;
        type SourceCoordinates = Coords2d;

        fn to_source_pos(&self, pos: Self::Coordinates) -> Self::SourceCoordinates {
            (pos / self.columns, pos % self.columns)
        }
        fn to_source_pos_checked(&self, pos: Self::Coordinates) -> (Self::SourceCoordinates, bool) {
            (self.to_source_pos(pos), self.is_in_bounds(pos))
        }
        fn shape(&self) -> Self::Coordinates {
            self.len
        }
        fn is_in_bounds(&self, pos: Self::Coordinates) -> bool {
            pos < self.len
        }
    }

    #[cube]
    fn there<C: Coordinates>(view: &View<f32, C>, pos: C) -> f32 {
        view.read_checked(pos)
    }

    #[cube(launch)]
    fn nested(input: &Array<f32>, out: &mut Array<f32>) {
        let matrix = input.view(Matrix::new(2, 4, true));
        let flat = matrix.view(Rows { columns: 4u32, len: 7u32 });
        let part = matrix.slice((0, 1), (2, 9));
        out[ABSOLUTE_POS] = there::<Coords1d>(&flat, ABSOLUTE_POS) + there::<Coords2d>(&part, (1, ABSOLUTE_POS)) * 10.0;
    }

    #[test]
    fn views_of_views() {
        let got = run(8, |c, input, out| nested::launch::<R>(c, one(), CubeDim::new_1d(8), input, out));
        let at = |r: usize, c: usize| if c < 4 { DATA[c * 2 + r] } else { 0.0 };
        let host: Vec<f32> = (0..8).map(|i| if i < 7 { at(i / 4, i % 4) } else { 0.0 } + at(1, i + 1) * 10.0).collect();
        assert_eq!(got, host);
    }

    #[cube(launch)]
    fn linear<F: Float>(input: &LinearView<Line<F>>, out: &mut LinearView<Line<F>, ReadWrite>, k: F) {
        if out.is_in_bounds(ABSOLUTE_POS) {
            let size = comptime!(input.line_size());
            out[ABSOLUTE_POS] = input[ABSOLUTE_POS] * Line::new(k) + Line::empty(size).fill(F::cast_from(size));
        }
    }

    #[test]
    fn tensors_by_the_number_of_their_lines() {
        let cases: [([usize; 2], [usize; 2], u8); 6] = [
            ([2, 4], [4, 1], 1),
            ([2, 4], [4, 1], 2),
            ([4, 2], [1, 4], 1),
            ([2, 2], [4, 1], 2),
            ([2, 2], [5, 1], 1),
            ([2, 4], [0, 1], 4),
        ];
        for (shape, strides, line) in cases {
            let n = shape[0] * shape[1];
            let client = client();
            let (input, out) = (client.create(f32::as_bytes(&DATA)), client.empty(n * 4));
            let compact = [shape[1], 1];
            // SAFETY: the launch is checked.
            let (source, target) = unsafe {
                (
                    TensorHandleRef::<R>::from_raw_parts(&input, &strides, &shape, 4),
                    TensorHandleRef::<R>::from_raw_parts(&out, &compact, &shape, 4),
                )
            };
            let (source, target) = (linear_view(&client, &source, line), linear_view(&client, &target, line));
            linear::launch::<f32, R>(&client, one(), CubeDim::new_1d(8), source, target, ScalarArg::new(2.0));
            let at = |i: usize| DATA[i / shape[1] * strides[0] + i % shape[1] * strides[1]];
            let host: Vec<f32> = (0..n).map(|i| at(i) * 2.0 + f32::from(line)).collect();
            assert_eq!(f32::from_bytes(&client.read_one(out)), host, "{shape:?} {strides:?} {line}");
        }
    }

    #[cube(launch)]
    fn given(input: &View<f32, Coords2d>, middle: &TypedView<f32, Matrix>, out: &mut View<f32, Coords2d, ReadWrite>) {
        let pos = (ABSOLUTE_POS / 4, ABSOLUTE_POS % 4);
        out[pos] = input[pos] + middle.read(pos) * 10.0;
    }

    #[test]
    fn layouts_are_arguments() {
        let client = client();
        for by_column in [false, true] {
            let (data, out) = (client.create(f32::as_bytes(&DATA)), client.empty(32));
            let matrix = |by_column| MatrixLaunch::new(ScalarArg::new(2), ScalarArg::new(4), by_column);
            let input = ViewArg::new::<Matrix>(array::<f32>(&data, 8), matrix(by_column));
            let middle = TypedViewLaunch::new(array::<f32>(&data, 8), matrix(false));
            let written = ViewArg::new::<Matrix>(array::<f32>(&out, 8), matrix(true));
            given::launch::<R>(&client, one(), CubeDim::new_1d(8), input, middle, written);
            let got = f32::from_bytes(&client.read_one(out.clone())).to_vec();
            for (r, c) in (0..2).flat_map(|r| (0..4).map(move |c| (r, c))) {
                let input = if by_column { DATA[c * 2 + r] } else { DATA[r * 4 + c] };
                assert_eq!(got[c * 2 + r], input + DATA[r * 4 + c] * 10.0);
            }
        }
    }
}
