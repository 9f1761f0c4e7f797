//! `cubecl::random` and `cubecl::reduce` with the signatures of CubeCL 0.8.1.
use crate::common::*;
use cubecl::prelude::*;
use cubecl::reduce::instructions::*;
use cubecl::reduce::{ReduceError, ReduceFamily, ReducePrecision, ReduceStrategy, reduce};
use cubecl::server::Handle;
use cubecl::std::tensor::layout::{Coords1d, Coords2d, IntoDynLayout, Layout, LayoutExpand};
use cubecl::{random, std::tensor::TensorHandle};

fn tensor<E: CubePrimitive + CubeElement>(data: &[E], shape: &[usize], strides: &[usize]) -> TensorHandle<R, E> {
    TensorHandle::new(client().create(E::as_bytes(data)), shape.to_vec(), strides.to_vec())
}

fn reduced<P: ReducePrecision, Out: Numeric + CubeElement, K: ReduceFamily>(
    input: &TensorHandle<R, P::EI>,
    axis: usize,
    strategy: Option<ReduceStrategy>,
    config: K::Config,
) -> Vec<Out> {
    let mut shape = input.shape.clone();
    shape[axis] = 1;
    let out = TensorHandle::<R, Out>::empty(&client(), shape);
    reduce::<R, P, Out, K>(&client(), input.as_ref(), out.as_ref(), axis, strategy, config).unwrap();
    Out::from_bytes(&client().read_one(out.handle)).to_vec()
}

#[test]
fn reductions_along_each_axis() {
    let data: Vec<i32> = (0..6i32).map(|i| i * 7 % 11 - 5).collect();
    // A matrix of 2 rows, and its transpose, whose memory is not contiguous.
    let (matrix, transposed) = (tensor(&data, &[2, 3], &[3, 1]), tensor(&data, &[3, 2], &[1, 3]));
    let strategies = [(false, false), (true, false), (false, true)];
    for (use_planes, shared) in strategies {
        let strategy = Some(ReduceStrategy { use_planes, shared });
        let rows = data.chunks(3).map(|row| row.iter().sum::<i32>()).collect::<Vec<_>>();
        assert_eq!(reduced::<i32, i32, Sum>(&matrix, 1, strategy, ()), rows);
        assert_eq!(reduced::<i32, i32, Sum>(&transposed, 0, strategy, ()), rows);
        let largest = data.chunks(3).map(|row| row.iter().map(|n| n.abs()).max().unwrap()).collect::<Vec<_>>();
        assert_eq!(reduced::<i32, i32, MaxAbs>(&matrix, 1, strategy, ()), largest);
        let smaller = (0..3).map(|i| u32::from(data[3 + i] < data[i])).collect::<Vec<_>>();
        assert_eq!(reduced::<i32, u32, ReduceFn>(&matrix, 0, strategy, ReduceFnConfig::ArgMin), smaller);
    }
    // The accumulation has more bits than the input and the output.
    let ones = tensor(&[100i8; 5], &[5], &[1]);
    assert_eq!(reduced::<i8, i64, Sum>(&ones, 0, None, ()), [500]);
    assert_eq!(reduced::<i8, i8, Mean>(&ones, 0, None, ()), [100]);
}

#[test]
fn invalid_reductions_are_errors() {
    let (input, out) = (tensor(&[1.0f32; 6], &[2, 3], &[3, 1]), tensor(&[0.0f32; 3], &[3], &[1]));
    let tried = |axis| reduce::<R, f32, f32, Prod>(&client(), input.as_ref(), out.as_ref(), axis, None, ());
    assert!(matches!(tried(2), Err(ReduceError::InvalidAxis { axis: 2, rank: 2 })));
    let Err(ReduceError::MismatchShape { expected_shape, output_shape }) = tried(0) else { panic!("it was launched") };
    assert_eq!((expected_shape, output_shape), (vec![1, 3], vec![3]));
}

fn filled<E: CubePrimitive + CubeElement>(n: usize, fill: impl Fn(&TensorHandle<R, E>)) -> Vec<E> {
    let out = TensorHandle::<R, E>::empty(&client(), vec![n]);
    fill(&out);
    let handle: Handle = out.handle;
    E::from_bytes(&client().read_one(handle)).to_vec()
}

#[test]
fn random_tensors() {
    let n = 4000;
    let uniform = || filled::<i32>(n, |out| random::random_uniform::<R, i32>(&client(), -3, 2, out.as_ref()));
    random::seed(7);
    let (first, second) = (uniform(), uniform());
    random::seed(7);
    assert!(first == uniform() && first != second, "the numbers follow from the seed");
    for value in -3..2 {
        let count = first.iter().filter(|n| **n == value).count();
        assert!((650..950).contains(&count), "{count} of {n} are {value}");
    }
    assert!(first.iter().all(|n| (-3..2).contains(n)));
    let flat = filled::<f64>(n, |out| random::random_uniform::<R, f64>(&client(), 1.0, 3.0, out.as_ref()));
    assert!(flat.iter().all(|x| (1.0..3.0).contains(x)));
    let bell = filled::<f32>(n, |out| random::random_normal::<R, f32>(&client(), 5.0, 0.5, out.as_ref()));
    let mean = bell.iter().sum::<f32>() / n as f32;
    assert!((mean - 5.0).abs() < 0.05, "{mean}");
    let coin = filled::<u8>(n, |out| random::random_bernoulli::<R, u8>(&client(), 0.25, out.as_ref()));
    let ones = coin.iter().map(|one| u32::from(*one)).sum::<u32>();
    assert!((850..1150).contains(&ones), "{ones}");
}

/// Rows of four elements.
#[derive(CubeType, Clone, Copy)]
struct Rows {
    count: u32,
}

#[cube]
impl Layout for Rows {
    type Coordinates = Coords1d;
    type SourceCoordinates = Coords2d;
    fn to_source_pos(&self, pos: Self::Coordinates) -> Self::SourceCoordinates {
        (pos / 4, pos % 4)
    }
    fn shape(&self) -> Self::Coordinates {
        self.count * 4
    }
}

#[cube(launch)]
fn positions(out: &mut Array<i32>, count: u32) {
    let layout = IntoDynLayout::<Rows>::new(Rows { count });
    let (pos, inside) = layout.to_source_pos_checked(ABSOLUTE_POS);
    out[ABSOLUTE_POS * 3] = *pos.index(0);
    out[ABSOLUTE_POS * 3 + 1] = *pos.index(1);
    out[ABSOLUTE_POS * 3 + 2] = if inside { i32::cast_from(pos.len()) } else { -1i32 };
}

#[test]
fn source_coordinates_as_a_sequence() {
    let got = outputs::<i32>(36, |c, out| {
        positions::launch::<R>(c, one(), CubeDim::new_1d(12), out, ScalarArg::new(2));
    });
    let host = (0..12).flat_map(|i| [i / 4, i % 4, if i < 8 { 2 } else { -1 }]).collect::<Vec<i32>>();
    assert_eq!(got, host);
}

/// The product of matrices in the last two dimensions, as plain Rust. `lhs` and `rhs` return an element by batch, row
/// and column.
fn products(
    [batches, rows, columns, depth]: [usize; 4],
    lhs: impl Fn(usize, usize, usize) -> i64,
    rhs: impl Fn(usize, usize, usize) -> i64,
) -> Vec<i64> {
    let mut out = Vec::new();
    for batch in 0..batches {
        for row in 0..rows {
            for column in 0..columns {
                out.push((0..depth).map(|k| lhs(batch, row, k) * rhs(batch, k, column)).sum());
            }
        }
    }
    out
}

#[test]
fn products_of_batches_of_matrices() {
    use cubecl::matmul::{self, MatmulInputHandle, Strategy};
    let [rows, columns, depth] = [19, 18, 33];
    let number = |i: usize| (i * 7 % 13) as i64 - 6;
    let left: Vec<i32> = (0..3 * rows * depth).map(|i| number(i) as i32).collect();
    // The right operand is stored by columns, and one matrix serves all batches.
    let right: Vec<i32> = (0..depth * columns).map(|i| number(i + 5) as i32).collect();
    let expected = products(
        [3, rows, columns, depth],
        |batch, row, k| number((batch * rows + row) * depth + k),
        |_, k, column| number(column * depth + k + 5),
    );
    for strategy in [Strategy::Naive, Strategy::Auto] {
        let lhs = tensor(&left, &[3, rows, depth], &[rows * depth, depth, 1]);
        let rhs = tensor(&right, &[1, depth, columns], &[depth * columns, 1, depth]);
        let out = TensorHandle::<R, i32>::empty(&client(), vec![3, rows, columns]);
        let (lhs, rhs) = (MatmulInputHandle::Normal(lhs), MatmulInputHandle::Normal(rhs));
        matmul::launch::<R, i32>(&strategy, &client(), lhs, rhs, out.clone()).unwrap();
        let found = client().read_one(out.handle);
        let found: Vec<i64> = i32::from_bytes(&found).iter().map(|n| (*n).into()).collect();
        assert_eq!(found, expected, "{strategy:?}");
    }
}

#[test]
fn products_of_wrong_shapes_are_errors() {
    use cubecl::matmul::{MatmulInputHandleRef, Strategy, launch_ref};
    let a = tensor(&[1.0f32; 6], &[2, 3], &[3, 1]);
    let operand = MatmulInputHandleRef::new(a.as_ref());
    let error = launch_ref::<R, f32>(&Strategy::default(), &client(), &operand, &operand, &a.as_ref()).unwrap_err();
    assert!(error.to_string().contains("[.., m, k]"), "{error}");
}
