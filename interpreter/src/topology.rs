//! Where a unit is.
use crate::findings::At;
use cube_dialect::TopologyKind;

/// A unit's place in a launch.
pub(crate) struct Place {
    /// The unit and its cube.
    pub at: At,
    /// Units of a cube.
    pub dim: [u32; 3],
    /// Cubes.
    pub count: [u32; 3],
    /// Cubes of a cluster.
    pub cluster: [u32; 3],
    /// Units of a plane.
    pub plane_dim: u32,
}

/// The value of a topology operation; formulas are those of its description, and wrap like a `u32`.
pub(crate) fn topology(kind: TopologyKind, place: &Place) -> u32 {
    let Place { at, dim, count, cluster, plane_dim } = place;
    let (group, axis) = (kind as usize / 4, kind as usize % 4);
    let size = |i: usize| dim[i].wrapping_mul(count[i]);
    let along = |i: usize| at.cube[i].wrapping_mul(dim[i]).wrapping_add(at.unit[i]);
    let linear =
        |[x, y, z]: [u32; 3], sx: u32, sy: u32| x.wrapping_add(sx.wrapping_mul(y.wrapping_add(sy.wrapping_mul(z))));
    let product = |[x, y, z]: [u32; 3]| x.wrapping_mul(y).wrapping_mul(z);
    let in_cluster = [0, 1, 2].map(|i: usize| at.cube[i] % cluster[i].max(1));
    let unit = linear(at.unit, dim[0], dim[1]);
    match (group, axis) {
        (0, 0) => linear([along(0), along(1), along(2)], size(0), size(1)),
        (0, axis) => along(axis - 1),
        (1, 0) => unit,
        (1, axis) => at.unit[axis - 1],
        (2, 0) => linear(at.cube, count[0], count[1]),
        (2, axis) => at.cube[axis - 1],
        (3, 0) => product(*dim),
        (3, axis) => dim[axis - 1],
        (4, 0) => product(*count),
        (4, axis) => count[axis - 1],
        (5, 0) => product(*cluster),
        (5, axis) => cluster[axis - 1],
        (6, 0) => linear(in_cluster, cluster[0], cluster[1]),
        (6, axis) => in_cluster[axis - 1],
        (_, 0) => *plane_dim,
        (_, 1) => unit / plane_dim,
        _ => unit % plane_dim,
    }
}
