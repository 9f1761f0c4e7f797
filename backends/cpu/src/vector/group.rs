//! The units that run together.
use cube_passes::analysis::uniformity::Shape;

/// How many units run together.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    /// Units of a group: 4 to 64, a power of two.
    pub lanes: u32,
    /// Lanes of a plane.
    pub plane: u32,
    pub shape: Shape,
}
