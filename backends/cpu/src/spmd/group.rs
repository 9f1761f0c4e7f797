//! A group: the units that run as lanes of one vector.
use cube_passes::analysis::uniformity::CubeGeometry;

/// The size of a group, and the geometry of its cube.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    /// Units of a group: a power of two from 4 to 64.
    pub lanes: u32,
    /// Lanes of a plane.
    pub plane: u32,
    pub shape: CubeGeometry,
}
