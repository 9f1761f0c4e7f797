//! Views of tensors through layouts.
use crate::common::*;
use cubecl::prelude::*;
use cubecl::std::tensor::launch::{TypedView, TypedViewLaunch, ViewArg};
use cubecl::std::tensor::layout::linear::{LinearView, linear_view};
use cubecl::std::tensor::layout::strided::{StridedLayout, StridedLayoutLaunch};
use cubecl::std::tensor::layout::{Coordinates, Coords1d, Coords2d, Coords3d, Layout};
use cubecl::std::tensor::{AsTensorView, AsTensorViewExpand, AsTensorViewMut, AsView, AsViewMut, View};

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
    fn shape(&self) -> Self::Coordinates {
        self.len
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

#[cube(launch)]
fn lines(input: &View<Line<f32>, Coords1d>, out: &mut Array<Line<f32>>) {
    out[ABSOLUTE_POS] = input.read_checked(ABSOLUTE_POS) + Line::cast_from(input.shape());
}

#[test]
fn rows_with_gaps_and_one_row_alone() {
    let cases: [(&[usize], &[usize], u8); 6] = [
        (&[8], &[1], 1),
        (&[6], &[1], 2),
        (&[], &[], 1),
        (&[2, 3], &[4, 1], 1),
        (&[2, 2], &[4, 1], 2),
        (&[2, 2, 1], &[4, 2, 1], 1),
    ];
    for (shape, strides, line) in cases {
        let client = client();
        let (input, out) = (client.create(f32::as_bytes(&DATA)), client.empty(8 * usize::from(line) * 4));
        // SAFETY: the handles have that many elements.
        let arg = |handle, n| unsafe { ArrayArg::from_raw_parts::<f32>(handle, n, line) };
        let layout = StridedLayoutLaunch::from_shape_strides(&client, shape, strides, line);
        let view = ViewArg::new::<StridedLayout>(arg(&input, 8), layout);
        lines::launch::<R>(&client, one(), CubeDim::new_1d(8), view, arg(&out, 8 * usize::from(line)));
        let (columns, line) = (shape.last().copied().unwrap_or(1), usize::from(line));
        let pitch = if shape.len() > 1 { strides[shape.len() - 2] } else { columns };
        let count = shape.iter().product::<usize>();
        let at = |i: usize| if i < count { DATA[i / columns * pitch + i % columns] } else { 0.0 };
        let host: Vec<f32> = (0..8 * line).map(|i| at(i) + (count / line) as f32).collect();
        assert_eq!(f32::from_bytes(&client.read_one(out)), host, "{shape:?} {strides:?} {line}");
    }
}

/// Swaps two axes, and selects one entry of the first axis.
#[derive(CubeType, Clone)]
struct Transposed {
    entry: u32,
    rows: u32,
    columns: u32,
}

#[cube]
impl Layout for Transposed {
    type Coordinates = Coords2d;
    type SourceCoordinates = Coords3d;

    fn to_source_pos(&self, pos: Self::Coordinates) -> Self::SourceCoordinates {
        (self.entry, pos.1, pos.0)
    }
    fn shape(&self) -> Self::Coordinates {
        (self.columns, self.rows)
    }
}

#[cube]
fn entry_of<T: AsTensorView<f32>>(tensor: &T, entry: u32, rows: u32, columns: u32) -> View<f32, Coords2d> {
    tensor.view_3(Transposed { entry, rows, columns })
}

#[cube(launch)]
fn transpose_entries(input: &Tensor<f32>, out: &mut Tensor<f32>) {
    let (column, row, entry) = (UNIT_POS_X, UNIT_POS_Y, UNIT_POS_Z);
    let (rows, columns) = (input.shape(1), input.shape(2));
    let from = entry_of::<Tensor<f32>>(input, entry, rows, columns);
    let to = out.view_mut_3(Transposed { entry, rows: columns, columns: rows });
    // The third column is outside of the tensor.
    to.write_checked((row, column), from.read_masked((column, row), 7.0) + 1.0);
}

#[test]
fn a_view_has_the_axes_of_a_tensor() {
    // Two entries of 3 rows and 2 columns, with gaps of 1 between rows and of 3 between entries.
    let (shape, strides) = ([2, 3, 2], [12, 3, 1]);
    let (shape_out, strides_out) = ([2, 2, 3], [6, 3, 1]);
    let host: Vec<f32> = (0..24).map(|i| i as f32).collect();
    let client = R::client(&Default::default());
    let (input, out) = (client.create(f32::as_bytes(&host)), client.empty(12 * 4));
    // SAFETY: shapes and strides are inside of the buffers.
    unsafe {
        let input = TensorArg::from_raw_parts::<f32>(&input, &strides, &shape, 1);
        let out = TensorArg::from_raw_parts::<f32>(&out, &strides_out, &shape_out, 1);
        transpose_entries::launch::<R>(&client, one(), CubeDim::new_3d(3, 3, 2), input, out);
    }
    let got = f32::from_bytes(&client.read_one(out)).to_vec();
    let at = |entry: usize, row: usize, column: usize| host[entry * 12 + row * 3 + column] + 1.0;
    let expected: Vec<f32> = (0..12).map(|i| at(i / 6, i % 3, i / 3 % 2)).collect();
    assert_eq!(got, expected);
}

#[cube(launch)]
fn lines_by_axes(input: &Tensor<Line<f32>>, out: &mut Tensor<Line<f32>>) {
    let (row, column) = (UNIT_POS_Y, UNIT_POS_X * input.line_size());
    let from = input.view_2(Swapped {});
    let to = out.view_mut_1(Shifted {});
    to.write(row * 8 + column, from.read((column, row)));
}

#[derive(CubeType, Clone)]
struct Swapped {}

#[cube]
impl Layout for Swapped {
    type Coordinates = Coords2d;
    type SourceCoordinates = Coords2d;

    fn to_source_pos(&self, pos: Self::Coordinates) -> Self::SourceCoordinates {
        (pos.1, pos.0)
    }
    fn shape(&self) -> Self::Coordinates {
        (8u32, 2u32)
    }
}

#[derive(CubeType, Clone)]
struct Shifted {}

#[cube]
impl Layout for Shifted {
    type Coordinates = Coords1d;
    type SourceCoordinates = Coords1d;

    fn to_source_pos(&self, pos: Self::Coordinates) -> Self::SourceCoordinates {
        (pos + 8) % 16
    }
    fn shape(&self) -> Self::Coordinates {
        16u32
    }
}

#[test]
fn axes_of_lines_count_elements() {
    let host: Vec<f32> = (0..24).map(|i| i as f32).collect();
    let client = R::client(&Default::default());
    let (input, out) = (client.create(f32::as_bytes(&host)), client.empty(16 * 4));
    // SAFETY: shapes and strides are inside of the buffers.
    unsafe {
        let input = TensorArg::from_raw_parts::<f32>(&input, &[12, 1], &[2, 8], 4);
        let out = TensorArg::from_raw_parts::<f32>(&out, &[1], &[16], 4);
        lines_by_axes::launch::<R>(&client, one(), CubeDim::new_2d(2, 2), input, out);
    }
    let got = f32::from_bytes(&client.read_one(out)).to_vec();
    let expected: Vec<f32> = (0..16).map(|i| (i + 8) % 16).map(|i| host[i / 8 * 12 + i % 8]).collect();
    assert_eq!(got, expected);
}
