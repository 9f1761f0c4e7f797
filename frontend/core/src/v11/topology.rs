//! Positions of type `usize`. In a kernel, the expansion converts the position of the topology to `usize`.

use crate::lang::indices::size_of_u32;
use crate::lang::ops;
use crate::lang::sizes::cubes_are_rows;
use crate::lang::topology::topology;
use crate::lang::value::Val;

/// The position of the unit in the launch. The units of a cube have consecutive positions.
pub static ABSOLUTE_POS: usize = 0;
/// The position of the cube in the launch.
pub static CUBE_POS: usize = 0;
/// The number of cubes of the launch.
pub static CUBE_COUNT: usize = 1;

/// The position of the unit, `ABSOLUTE_POS`.
pub fn absolute_pos() -> usize {
    ABSOLUTE_POS
}

/// The expansion of `ABSOLUTE_POS`.
#[doc(hidden)]
pub mod absolute_pos {
    use super::*;
    /// `CUBE_POS * CUBE_DIM + UNIT_POS`. In CubeCL 0.8, a row of units along x passes through all cubes. The orders of
    /// CubeCL 0.8 and 0.11 are equal if a cube has one unit along y and z.
    pub fn absolute_pos() -> Val<usize> {
        let position = crate::ir::position();
        let word = |name| size_of_u32(topology(name, position));
        if cubes_are_rows() {
            return word("absolute_pos");
        }
        let first = ops::mul(word("cube_pos"), word("cube_dim"), position);
        ops::add(first, word("unit_pos"), position)
    }
}
