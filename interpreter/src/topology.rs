//! Topology values of a unit.
use crate::findings::UnitCoordinates;
use cube_dialect::{TopologyKind, topology::PartialInputs};

/// A unit's position in a launch.
pub(crate) struct TopologyPosition {
    /// The positions of the unit and of its cube.
    pub at: UnitCoordinates,
    /// Units of a cube.
    pub dim: [u32; 3],
    /// Cubes of the launch.
    pub count: [u32; 3],
    /// Cubes of a cluster.
    pub cluster: [u32; 3],
    /// Units of a plane.
    pub plane_dim: u32,
}

/// The value of a topology operation.
pub(crate) fn topology(kind: TopologyKind, position: &TopologyPosition) -> u32 {
    let TopologyPosition { at, dim, count, cluster, plane_dim } = position;
    let known = PartialInputs {
        unit: Some(at.unit),
        cube: Some(at.cube),
        dim: Some(*dim),
        count: Some(*count),
        cluster: Some(*cluster),
        plane_dim: Some((*plane_dim).max(1)),
    };
    known.value(kind).unwrap_or(0)
}
