//! Programs with several items: the tests check the names of parameters, methods and variants, and the values
//! that functions receive.
use crate::common::*;
use cubecl::prelude::*;
use cubecl::unexpanded;

#[cube]
fn element(input: &Array<u32>, #[comptime] at: u32) -> u32 {
    if comptime!(at.is_multiple_of(2)) { input[at] } else { input[at] * 10 }
}

#[derive(CubeType)]
struct Corner {
    #[cube(comptime)]
    at: u32,
    value: u32,
}

#[derive(CubeType)]
struct Bank {
    values: Sequence<u32>,
    bias: u32,
}

#[cube]
impl Bank {
    fn new() -> Bank {
        let mut values = Sequence::new();
        values.push(3u32);
        values.push(4u32);
        values.push(5u32);
        Bank { values, bias: 0u32 }
    }
    /// An ordinary method named `init`, the name of constructors in other languages.
    fn init(&mut self, bias: u32) {
        self.bias = bias;
    }
    fn at(&self, #[comptime] index: u32) -> u32 {
        *self.values.index(index) + self.bias
    }
    fn count(&self) -> comptime_type!(u32) {
        self.values.len()
    }
}

/// The counter of an unrolled loop can serve as a compile-time number and as a run-time value.
#[cube(launch)]
fn unrolled(input: &Array<u32>, out: &mut Array<u32>, #[comptime] n: u32) {
    let mut bank = Bank::new();
    bank.init(input[0]);
    let count = bank.count();
    #[unroll]
    for i in 0..n {
        let corner = Corner { at: i, value: i };
        out[i] = element(input, i) + comptime!(corner.at * 1000) + 100 * corner.value;
    }
    #[unroll]
    for i in range_stepped(0, count, 2) {
        let mut scaled = bank.at(i);
        // A number of that name in another scope is a separate variable.
        #[unroll(comptime!(n > 100))]
        for i in 0..input[i] {
            scaled += i;
        }
        out[n + i] = scaled + u32::cast_from(i) + Max::max(i, 1);
    }
}

#[test]
fn unrolled_loop_counter_is_a_host_number() {
    let client = client();
    let data = [7u32, 2, 9, 4];
    let input = client.create(u32::as_bytes(&data));
    let got = outputs::<u32>(7, |c, out| {
        unrolled::launch::<R>(c, one(), CubeDim::new_1d(1), array::<u32>(&input, 4), out, 4)
    });
    let element = |i: usize| if i.is_multiple_of(2) { data[i] } else { data[i] * 10 };
    let mut host: Vec<u32> = (0..4).map(|i| element(i) + 1100 * i as u32).collect();
    let sum = |i: usize| (0..data[i]).sum::<u32>();
    host.extend([3 + 7 + sum(0) + 1, 0, 5 + 7 + sum(2) + 2 + 2]);
    assert_eq!(got, host);
}

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
enum Side {
    Left,
    Right,
    Neither,
}

impl CubeDebug for Side {}

#[derive(CubeType, Clone, Copy)]
struct Tile<E: Numeric, IO: SliceVisibility = ReadOnly> {
    rows: Slice<E, IO>,
    stride: u32,
}

#[cube]
impl<E: Numeric, IO: SliceVisibility> Tile<E, IO> {
    fn parts(&self) -> (Slice<E, IO>, u32) {
        (self.rows, self.stride)
    }
}

#[cube]
trait Step: 'static + Send + Sync {
    fn size(#[comptime] side: Side, #[comptime] n: u32) -> (u32, u32);
    /// A trait method that implementations can omit.
    fn extra(_x: u32) -> u32 {
        unexpanded!()
    }
}

struct Unit;

#[cube]
impl Step for Unit {
    fn size(#[comptime] side: Side, #[comptime] n: u32) -> (u32, u32) {
        match side {
            Side::Left => (1u32, n).runtime(),
            Side::Right => (n, 1u32).runtime(),
            Side::Neither => comptime!(unreachable!("no side")),
        }
    }
}

#[cube(launch)]
fn parts<S: Step>(input: &Array<u32>, out: &mut Array<u32>, #[comptime] side: Side) {
    let (mut rows, columns) = S::size(side, 5u32);
    rows += input[0];
    let pair = match comptime!(side) {
        Side::Left => (rows, columns),
        Side::Right => (columns, rows),
        Side::Neither => comptime!(unreachable!()),
    };
    let tile = Tile::<u32> { rows: input.slice(1, 3), stride: 2u32 };
    let (slice, stride) = tile.parts();
    let shared = SharedMemory::<u32>::new(1u32);
    // SAFETY: it is unused.
    unsafe { shared.free() };
    out[0] = pair.0;
    out[1] = pair.1;
    out[2] = slice[1] * stride + tile.rows[0];
    let nested = ((1u32, 2u32), 3.5f32).runtime();
    out[3] = nested.0.1 + u32::cast_from(nested.1);
}

#[test]
fn tuples_slices_and_comptime_arms_form_values() {
    let client = client();
    let input = client.create(u32::as_bytes(&[10, 20, 30]));
    for (side, first, second) in [(Side::Left, 11, 5), (Side::Right, 1, 15)] {
        let got = outputs::<u32>(4, |c, out| {
            parts::launch::<Unit, R>(c, one(), CubeDim::new_1d(1), array::<u32>(&input, 3), out, side)
        });
        assert_eq!(got, [first, second, 80, 5]);
    }
    // Invalid values are reported by the launch, with their location.
    let out = client.empty(16);
    let error = parts::try_launch::<Unit, R>(
        &client,
        one(),
        CubeDim::new_1d(1),
        array::<u32>(&input, 3),
        array::<u32>(&out, 4),
        Side::Neither,
    );
    let error = error.unwrap_err().to_string();
    assert!(error.contains("no side") && error.contains("parts.rs"), "{error}");
}

#[derive(CubeType, Clone)]
struct Cell {
    total: u32,
    steps: u32,
}

#[derive(CubeType)]
struct Cells {
    all: Sequence<Cell>,
}

#[cube]
impl Cells {
    fn at_mut(&mut self, #[comptime] index: u32) -> &mut Cell {
        self.all.index_mut(index)
    }
}

#[cube]
fn step(cell: &mut Cell, by: u32) {
    cell.total += by;
    cell.steps += 1;
}

/// `index_mut` returns a reference to the value in the sequence. An untyped number in one branch gets its type
/// from the other branches.
#[cube(launch)]
fn changed_in_place(input: &Array<u32>, out: &mut Array<u32>, #[comptime] side: Side) {
    let (first, second) = match side {
        Side::Left => {
            let first = 0;
            (first, input[1])
        }
        Side::Right => {
            let second = 7;
            (input[1], second)
        }
        Side::Neither => (1u32, 2u32).runtime(),
    };
    let mut all = Sequence::<Cell>::new();
    all.push(Cell { total: first, steps: 0u32 });
    all.push(Cell { total: second, steps: 0u32 });
    let last = all.index_mut(1u32);
    last.steps = 100;
    // The first change of the other element is in a loop and a branch of the kernel.
    for k in 0..input[0] {
        if k > 1 {
            let early = all.index_mut(0u32);
            early.steps += 1000;
        }
    }
    let mut cells = Cells { all };
    #[unroll]
    for i in 0..2u32 {
        let cell = cells.at_mut(i);
        cell.steps += 10;
        for k in 0..input[0] {
            step(cell, k);
        }
    }
    #[unroll]
    for i in 0..2u32 {
        out[2 * i] = cells.all.index(i).total;
        out[2 * i + 1] = cells.all.index(i).steps;
    }
}

#[test]
fn sequence_elements_are_modified_in_place() {
    let client = client();
    let input = client.create(u32::as_bytes(&[4, 30]));
    for (side, first, second) in [(Side::Left, 0, 30), (Side::Right, 30, 7), (Side::Neither, 1, 2)] {
        let got = outputs::<u32>(4, |c, out| {
            changed_in_place::launch::<R>(c, one(), CubeDim::new_1d(1), array::<u32>(&input, 2), out, side)
        });
        assert_eq!(got, [first + 6, 2014, second + 6, 114], "{side:?}");
    }
}

#[test]
fn bytes_are_converted_to_whole_elements() {
    let client = client();
    let read = || client.read_one(client.create(u32::as_bytes(&[1, 2, 3])));
    assert_eq!(read().try_into_vec::<u32>().unwrap(), [1, 2, 3]);
    assert_eq!(read().try_into_vec::<u8>().unwrap().len(), 12);
    assert_eq!(read().try_into_vec::<u64>().unwrap_err().len(), 12, "12 is not a multiple of 8");
}
