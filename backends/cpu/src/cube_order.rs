//! The order in which a thread runs the cubes of its range.
//!
//! By default, consecutive cubes have consecutive positions along x. In a matrix product, each cube reads a strip of
//! rows of one operand, which its position along y selects, and a strip of columns of the other operand, which its
//! position along x selects. In the default order, a thread reads the whole second operand before it reads a strip
//! again. A large operand then no longer fits the cache of the thread. Such kernels therefore run in bands of
//! [`BAND`] rows of cubes: within a band, the position along y changes first, so that [`BAND`] consecutive cubes read
//! the same strip of columns.
//!
//! ```text
//! in rows:   0  1  2  3        in bands of 2 rows:   0  2  4  6
//!            4  5  6  7                              1  3  5  7
//!            8  9 10 11                              8  9 10 11
//! ```
//!
//! Cubes of a launch are not ordered, so each order is correct.
use cube_dialect::ops;
use cube_ir::access::{AccessKind, accesses_of};
use cube_ir::ops::scf;
use cube_ir::properties::is_terminator;
use cube_ir::{Builder, Op, Val};
use std::collections::HashMap;

/// Rows of cubes in a band. The strips of rows of a band stay in the cache while a thread runs the band: for cubes of
/// 64 rows and matrices of 1,024 columns, 4 strips have 1 MiB of f32 numbers.
const BAND: i64 = 4;

/// The axes x and y along which the position of a cube changes a value.
type Axes = [bool; 2];

/// Whether the loops of a kernel read global memory at indices that change only with the position of the cube along x, and
/// at other indices that change only with the position along y. Cost: linear, times the
/// depth of the loops.
pub(super) fn reuses_rows_and_columns(kernel: Op<'_>) -> bool {
    let axes = axes(kernel);
    let (mut rows, mut columns) = (false, false);
    for op in kernel.walk() {
        for access in accesses_of(op) {
            // Only arguments of the kernel have no defining operation.
            if access.kind != AccessKind::Load || access.buffer.def().is_some() || !is_in_loop(op, kernel) {
                continue;
            }
            let indices = access.indices().chain(access.offsets);
            match indices.filter_map(|index| axes.get(&index)).fold([false; 2], either) {
                [true, false] => columns = true,
                [false, true] => rows = true,
                _ => {}
            }
        }
    }
    rows && columns
}

fn is_in_loop(op: Op<'_>, kernel: Op<'_>) -> bool {
    op.ancestors().take_while(|around| *around != kernel).any(|around| around.is(scf::FOR) || around.is(scf::WHILE))
}

fn either(x: Axes, y: &Axes) -> Axes {
    [x[0] || y[0], x[1] || y[1]]
}

// The axes of each value that depends on the position of the cube. Values that the kernel stores and loads again are
// not followed.
fn axes(kernel: Op<'_>) -> HashMap<Val<'_>, Axes> {
    let mut axes: HashMap<Val<'_>, Axes> = HashMap::new();
    let mut open = vec![];
    for topology in kernel.walk().into_iter().filter_map(ops::Topology::of) {
        let [x, y, _] = topology.kind().cube_axes();
        open.push((topology.op().result(0), [x, y]));
    }
    while let Some((value, new)) = open.pop() {
        let known = axes.get(&value).copied().unwrap_or_default();
        let all = either(known, &new);
        if all == known {
            continue;
        }
        axes.insert(value, all);
        let changed = value.uses().into_iter().flat_map(|(user, number)| dependents(user, number));
        open.extend(changed.map(|value| (value, all)));
    }
    axes
}

// The values that depend on one operand of an operation. The counter of a loop does not depend on carried values.
fn dependents(user: Op<'_>, operand: usize) -> Vec<Val<'_>> {
    let around = if is_terminator(user) { user.parent() } else { None };
    let carried = match around {
        Some(around) if around.is(scf::FOR) => Some((around, operand)),
        None if user.is(scf::FOR) && operand >= BOUNDS => Some((user, operand - BOUNDS)),
        _ => None,
    };
    if let Some((counted, number)) = carried {
        return counted.body().map(|body| body.arg(number + 1)).into_iter().chain([counted.result(number)]).collect();
    }
    let target = around.unwrap_or(user);
    let arguments =
        target.regions().flat_map(|region| region.blocks()).flat_map(|block| block.args().collect::<Vec<_>>());
    target.results().chain(arguments).collect()
}

/// The number of operands of a counted loop before the initial values: lower bound, upper bound and step.
const BOUNDS: usize = 3;

/// The position of the cube with the number `linear`, if x changes first. `counts` are the cubes along the axes. All
/// values have 64 bits.
pub(super) fn in_rows<'p>(b: Builder<'p>, linear: Val<'p>, counts: [Val<'p>; 3]) -> [Val<'p>; 3] {
    let rest = b.divui(linear, counts[0]);
    [b.remui(linear, counts[0]), b.remui(rest, counts[1]), b.divui(rest, counts[1])]
}

/// The position of the cube with the number `linear` in bands of rows. `counts` are the cubes along the axes. All values
/// have 64 bits, and no product exceeds 64 bits, because each count is below 2^32.
pub(super) fn in_bands<'p>(b: Builder<'p>, linear: Val<'p>, counts: [Val<'p>; 3]) -> [Val<'p>; 3] {
    let height = b.int(linear.ty(), BAND);
    let layer = b.muli(counts[0], counts[1]);
    let (z, in_layer) = (b.divui(linear, layer), b.remui(linear, layer));
    let band = b.muli(counts[0], height);
    let (number, in_band) = (b.divui(in_layer, band), b.remui(in_layer, band));
    let first = b.muli(number, height);
    // The last band can have fewer rows.
    let rows = b.minui(height, b.subi(counts[1], first));
    [b.divui(in_band, rows), b.addi(first, b.remui(in_band, rows)), z]
}
