//! The layout: a nested tuple of modes, each an extent and a stride.
//!
//! A layout is a function of an index `i` in `[0, size)`. The function splits `i` into one digit per leaf and
//! returns the sum of digit times stride. The digit of the leftmost leaf varies fastest (colexicographic order).
//! Source: the CuTe layout documentation of CUTLASS 3 (`media/docs/cpp/cute/01_layout.md`).

use crate::error::{Error, Result};
use crate::nest::{Nest, too_deep};
use std::fmt;

/// Maximum of sizes and cosizes, so that every offset is representable as a signed 64-bit number.
pub const LIMIT: u64 = i64::MAX as u64;

/// One leaf: `extent` indices, with the distance `stride` between adjacent offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mode {
    /// Number of indices; at least 1.
    pub extent: u64,
    /// The distance in elements between the offsets of two adjacent indices.
    pub stride: u64,
}

/// A layout whose size and cosize fit [`LIMIT`], whose extents are at least 1, and whose nesting is at most
/// [`crate::MAX_DEPTH`]. Only checked constructors create a layout, so its evaluation can neither overflow nor
/// fail.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    nest: Nest<Mode>,
}

impl Layout {
    /// The layout `extent:stride`.
    ///
    /// # Errors
    /// The extent is 0, or the size or cosize exceeds [`LIMIT`].
    pub fn leaf(extent: u64, stride: u64) -> Result<Layout> {
        Layout::from_nest(Nest::Leaf(Mode { extent, stride }))
    }

    /// The layout of one index: `1:0`.
    pub fn unit() -> Layout {
        Layout { nest: Nest::Leaf(Mode { extent: 1, stride: 0 }) }
    }

    /// The layout with the modes `modes`.
    ///
    /// # Errors
    /// `modes` is empty, or the size, the cosize or the depth exceeds its limit.
    pub fn tuple(modes: Vec<Layout>) -> Result<Layout> {
        Layout::from_nest(Nest::Tuple(modes.into_iter().map(|mode| mode.nest).collect()))
    }

    /// The layout with the given shape and strides.
    ///
    /// # Errors
    /// Shape and strides have different nesting, or the layout exceeds a limit.
    pub fn new(shape: &Nest<u64>, stride: &Nest<u64>) -> Result<Layout> {
        shape.depth()?;
        stride.depth()?;
        Layout::from_nest(zip(shape, stride)?)
    }

    /// The compact column-major layout of a shape: the leftmost leaf has stride 1, and each next leaf has the product
    /// of the previous extents.
    ///
    /// # Errors
    /// Fails like [`Layout::new`].
    pub fn column_major(shape: &Nest<u64>) -> Result<Layout> {
        shape.depth()?;
        let mut filled = 1u64;
        let nest = shape.map(&mut |&extent| {
            let mode = Mode { extent, stride: filled };
            filled = filled.saturating_mul(extent);
            mode
        });
        Layout::from_nest(nest)
    }

    /// Checks a nest and converts the nest to a layout. All constructors call this function.
    pub(crate) fn from_nest(nest: Nest<Mode>) -> Result<Layout> {
        nest.depth()?;
        check(&nest)?;
        Ok(Layout { nest })
    }

    /// Creates a layout without a check. The leaves must be leaves of checked layouts, and the nest must not
    /// exceed [`crate::MAX_DEPTH`].
    pub(crate) fn trusted(nest: Nest<Mode>) -> Layout {
        debug_assert!(nest.depth().is_ok() && check(&nest).is_ok());
        Layout { nest }
    }

    /// The layout of a flat list of modes: a bare leaf for one mode, and `1:0` for an empty list.
    pub(crate) fn from_modes(modes: &[Mode]) -> Layout {
        Layout::trusted(nest_of(modes))
    }

    /// The modes as a tree; each leaf is an extent with its stride.
    pub fn nest(&self) -> &Nest<Mode> {
        &self.nest
    }

    /// The nested modes, by value.
    pub(crate) fn into_nest(self) -> Nest<Mode> {
        self.nest
    }

    /// The number of indices: the product of all extents.
    pub fn size(&self) -> u64 {
        let mut size = 1;
        self.nest.each_leaf(&mut |mode| size *= mode.extent);
        size
    }

    /// One more than the largest offset.
    ///
    /// For non-negative strides the cosize equals `L(size - 1) + 1`, which is CuTe's definition.
    pub fn cosize(&self) -> u64 {
        let mut largest = 0;
        self.nest.each_leaf(&mut |mode| largest += (mode.extent - 1) * mode.stride);
        largest + 1
    }

    /// The number of top-level modes; 1 for a bare leaf.
    pub fn rank(&self) -> usize {
        self.nest.rank()
    }

    /// The nesting depth; 0 for a bare leaf.
    pub fn depth(&self) -> usize {
        self.nest.depth().unwrap_or(crate::MAX_DEPTH)
    }

    /// The top-level mode `k` as a separate layout. A bare leaf is its own mode 0.
    ///
    /// # Errors
    /// The layout has no mode with the number `k`.
    pub fn mode(&self, k: usize) -> Result<Layout> {
        match self.nest.children().get(k) {
            Some(nest) => Ok(Layout { nest: nest.clone() }),
            None => Err(Error::operand(format!("mode {k} of {self}, which has rank {}", self.rank()))),
        }
    }

    /// The top-level modes; a bare leaf counts as one.
    pub fn modes(&self) -> Vec<Layout> {
        self.nest.children().iter().map(|nest| Layout { nest: nest.clone() }).collect()
    }

    /// The leaves from left to right.
    pub fn leaves(&self) -> Vec<Mode> {
        let mut leaves = Vec::new();
        self.nest.each_leaf(&mut |&mode| leaves.push(mode));
        leaves
    }

    /// The extents, nested like the layout.
    pub fn shape(&self) -> Nest<u64> {
        self.nest.map(&mut |mode| mode.extent)
    }

    /// The strides, nested like the layout.
    pub fn stride(&self) -> Nest<u64> {
        self.nest.map(&mut |mode| mode.stride)
    }

    /// The offset of a one-dimensional index, or `None` outside `[0, size)`.
    pub fn offset(&self, index: u64) -> Option<u64> {
        let (mut rest, mut offset) = (index, 0);
        self.nest.each_leaf(&mut |mode| {
            offset += (rest % mode.extent) * mode.stride;
            rest /= mode.extent;
        });
        (rest == 0).then_some(offset)
    }

    /// The offsets of all indices in order.
    ///
    /// # Errors
    /// The layout has more than `limit` offsets. The caller limits the memory for the table.
    pub fn table(&self, limit: u64) -> Result<Vec<u64>> {
        let size = self.size();
        if size > limit {
            return Err(Error::operand(format!("a table of {size} entries, more than the {limit} allowed")));
        }
        // Each leaf repeats the previous table, shifted by each multiple of the leaf's stride. The order is
        // colexicographic.
        let mut table = Vec::with_capacity(size as usize);
        table.push(0);
        self.nest.each_leaf(&mut |mode| {
            let block = table.len();
            for digit in 1..mode.extent {
                table.extend_from_within(..block);
                let shifted = table.len() - block;
                table[shifted..].iter_mut().for_each(|offset| *offset += digit * mode.stride);
            }
        });
        Ok(table)
    }
}

fn zip(shape: &Nest<u64>, stride: &Nest<u64>) -> Result<Nest<Mode>> {
    match (shape, stride) {
        (Nest::Leaf(extent), Nest::Leaf(stride)) => Ok(Nest::Leaf(Mode { extent: *extent, stride: *stride })),
        (Nest::Tuple(shapes), Nest::Tuple(strides)) if shapes.len() == strides.len() => {
            Ok(Nest::Tuple(shapes.iter().zip(strides).map(|(a, b)| zip(a, b)).collect::<Result<_>>()?))
        }
        _ => Err(Error::operand(format!("shape {shape} and stride {stride} are not nested alike"))),
    }
}

/// Checks the rules of [`Layout`], except the rule about depth. All overflow checks are in this function, so other
/// functions do not check for overflow.
fn check(nest: &Nest<Mode>) -> Result<()> {
    let (mut size, mut largest) = (Some(1u64), Some(0u64));
    let mut zero = false;
    nest.each_leaf(&mut |mode| {
        zero |= mode.extent == 0;
        size = size.and_then(|s| s.checked_mul(mode.extent)).filter(|&s| s <= LIMIT);
        let reach = mode.extent.saturating_sub(1).checked_mul(mode.stride);
        largest = largest.zip(reach).and_then(|(a, b)| a.checked_add(b)).filter(|&l| l < LIMIT);
    });
    if has_empty_tuple(nest) {
        return Err(Error::operand("an empty tuple is not a layout; write 1:0"));
    }
    if zero {
        return Err(Error::operand("an extent of 0; extents start at 1"));
    }
    size.ok_or_else(|| Error::overflow("the size of the layout exceeds 2^63-1"))?;
    largest.ok_or_else(|| Error::overflow("an offset of the layout exceeds 2^63-2"))?;
    Ok(())
}

fn has_empty_tuple(nest: &Nest<Mode>) -> bool {
    match nest {
        Nest::Leaf(_) => false,
        Nest::Tuple(items) => items.is_empty() || items.iter().any(has_empty_tuple),
    }
}

pub(crate) fn nest_of(modes: &[Mode]) -> Nest<Mode> {
    match modes {
        [] => Nest::Leaf(Mode { extent: 1, stride: 0 }),
        [mode] => Nest::Leaf(*mode),
        _ => Nest::Tuple(modes.iter().map(|&mode| Nest::Leaf(mode)).collect()),
    }
}

/// Combines checked layouts into one tuple without another check of sizes. The caller guarantees that the leaves
/// together form a checked layout; only the depth can be invalid.
pub(crate) fn regroup(modes: Vec<Nest<Mode>>) -> Result<Layout> {
    let nest = Nest::Tuple(modes);
    nest.depth().map_err(|_| too_deep())?;
    Ok(Layout { nest })
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.nest.write(f, &|mode: &Mode, f: &mut fmt::Formatter<'_>| mode.extent.fmt(f))?;
        f.write_str(":")?;
        self.nest.write(f, &|mode: &Mode, f: &mut fmt::Formatter<'_>| mode.stride.fmt(f))
    }
}
