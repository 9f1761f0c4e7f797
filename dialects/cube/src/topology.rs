//! The definition of each topology value: one table, and one formula per value. Each evaluator supplies the known
//! inputs.
//!
//! The interpreter evaluates the formulas over numbers, the range analyses over intervals ([`bounds()`]), and the
//! uniformity analysis over levels of uniformity. The lowerings emit operations for the formulas. The tests evaluate
//! the formulas over text. A new topology value requires a case of `Cube_Topology` in `td/CubeDialect.td`, a row and a
//! formula in this file, and a name in the kernel language. If the formula needs an input that [`Measures`] lacks, the
//! trait `Measures` also requires a new method, which each evaluator implements.
use crate::TopologyKind;

mod bounds;

pub use bounds::bounds;
pub(crate) use bounds::of_result;

/// The quantity that a topology value counts, or the object whose position the topology value states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Position of the unit among all units of the launch.
    AbsolutePos,
    /// Position of the unit in its cube.
    UnitPos,
    /// Position of the cube in the launch.
    CubePos,
    /// Number of units in a cube.
    CubeDim,
    /// Number of cubes in the launch.
    CubeCount,
    /// Number of cubes in a cluster.
    CubeClusterDim,
    /// Position of the cube in its cluster.
    CubePosCluster,
    /// Units of a plane.
    PlaneDim,
    /// Index of the plane in its cube.
    PlanePos,
    /// Position of the unit in its plane.
    UnitPosPlane,
}

/// The parts of a topology value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topology {
    /// The quantity or position.
    pub group: Group,
    /// The axis, 0 to 2; `None` for the linear value over all three axes.
    pub axis: Option<usize>,
}

macro_rules! rows {
    ($($linear:ident $([$x:ident $y:ident $z:ident])?;)*) => {
        impl TopologyKind {
            /// The quantity or position, and its axis.
            pub fn topology(self) -> Topology {
                match self {
                    $(TopologyKind::$linear => Topology { group: Group::$linear, axis: None },)*
                    $($(TopologyKind::$x => Topology { group: Group::$linear, axis: Some(0) },
                    TopologyKind::$y => Topology { group: Group::$linear, axis: Some(1) },
                    TopologyKind::$z => Topology { group: Group::$linear, axis: Some(2) },)?)*
                }
            }
        }
    };
}

rows! {
    AbsolutePos [AbsolutePosX AbsolutePosY AbsolutePosZ];
    UnitPos [UnitPosX UnitPosY UnitPosZ];
    CubePos [CubePosX CubePosY CubePosZ];
    CubeDim [CubeDimX CubeDimY CubeDimZ];
    CubeCount [CubeCountX CubeCountY CubeCountZ];
    CubeClusterDim [CubeClusterDimX CubeClusterDimY CubeClusterDimZ];
    CubePosCluster [CubePosClusterX CubePosClusterY CubePosClusterZ];
    PlaneDim;
    PlanePos;
    UnitPosPlane;
}

/// The inputs of the formulas. Arithmetic is the wrapping arithmetic of `u32`.
pub trait Measures {
    /// The result of an evaluation.
    type Value;
    /// Position of the unit in its cube along an axis.
    fn unit(&self, axis: usize) -> Self::Value;
    /// Position of the cube along an axis.
    fn cube(&self, axis: usize) -> Self::Value;
    /// Units of a cube along an axis.
    fn dim(&self, axis: usize) -> Self::Value;
    /// Cubes along an axis.
    fn count(&self, axis: usize) -> Self::Value;
    /// Number of cubes of a cluster along an axis, at least 1.
    fn cluster(&self, axis: usize) -> Self::Value;
    /// Units of a plane, at least 1.
    fn plane_dim(&self) -> Self::Value;
    /// The sum.
    fn add(&self, x: Self::Value, y: Self::Value) -> Self::Value;
    /// The product.
    fn mul(&self, x: Self::Value, y: Self::Value) -> Self::Value;
    /// The unsigned quotient.
    fn div(&self, x: Self::Value, y: Self::Value) -> Self::Value;
    /// The unsigned remainder.
    fn rem(&self, x: Self::Value, y: Self::Value) -> Self::Value;
    /// Absolute position along an axis.
    fn along(&self, axis: usize) -> Self::Value {
        self.add(self.mul(self.cube(axis), self.dim(axis)), self.unit(axis))
    }
    /// The number of the unit in its cube. A lowering that numbers the units overrides this formula, and derives the
    /// positions along the axes from the number.
    fn units(&self) -> Self::Value
    where
        Self: Sized,
    {
        linear(self, |i| self.unit(i), |i| self.dim(i))
    }
}

/// The value of `kind`, by its formula.
pub fn evaluate<M: Measures>(kind: TopologyKind, of: &M) -> M::Value {
    let Topology { group, axis } = kind.topology();
    let (along, unit, cube) = (|i| of.along(i), |i| of.unit(i), |i| of.cube(i));
    let (dim, count, cluster) = (|i| of.dim(i), |i| of.count(i), |i| of.cluster(i));
    let in_cluster = |i| of.rem(of.cube(i), of.cluster(i));
    match (group, axis) {
        (Group::AbsolutePos, Some(axis)) => along(axis),
        (Group::AbsolutePos, None) => linear(of, along, |i| of.mul(of.dim(i), of.count(i))),
        (Group::UnitPos, Some(axis)) => unit(axis),
        (Group::UnitPos, None) => of.units(),
        (Group::CubePos, Some(axis)) => cube(axis),
        (Group::CubePos, None) => linear(of, cube, count),
        (Group::CubeDim, Some(axis)) => dim(axis),
        (Group::CubeDim, None) => product(of, dim),
        (Group::CubeCount, Some(axis)) => count(axis),
        (Group::CubeCount, None) => product(of, count),
        (Group::CubeClusterDim, Some(axis)) => cluster(axis),
        (Group::CubeClusterDim, None) => product(of, cluster),
        (Group::CubePosCluster, Some(axis)) => in_cluster(axis),
        (Group::CubePosCluster, None) => linear(of, in_cluster, cluster),
        (Group::PlaneDim, _) => of.plane_dim(),
        (Group::PlanePos, _) => of.div(of.units(), of.plane_dim()),
        (Group::UnitPosPlane, _) => of.rem(of.units(), of.plane_dim()),
    }
}

/// `x + size_x * (y + size_y * z)`. Lowerings emit the operations in the order of these calls.
fn linear<M: Measures>(of: &M, at: impl Fn(usize) -> M::Value, size: impl Fn(usize) -> M::Value) -> M::Value {
    let (x, y, z) = (at(0), at(1), at(2));
    let (size_x, size_y) = (size(0), size(1));
    of.add(x, of.mul(size_x, of.add(y, of.mul(size_y, z))))
}

fn product<M: Measures>(of: &M, size: impl Fn(usize) -> M::Value) -> M::Value {
    of.mul(of.mul(size(0), size(1)), size(2))
}

/// The inputs that the formula of a topology value reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UsedInputs {
    /// The position of the unit in its cube.
    pub unit: bool,
    /// The position of the cube.
    pub cube: bool,
    /// Units of a cube.
    pub dim: bool,
    /// Cubes of the launch.
    pub count: bool,
    /// Cubes of a cluster.
    pub cluster: bool,
    /// Units of a plane.
    pub plane_dim: bool,
}

impl TopologyKind {
    /// The inputs that the formula of the value reads.
    pub fn inputs(self) -> UsedInputs {
        evaluate(self, &Reads)
    }

    /// The axes along which the formula of the value reads the position of the unit in its cube.
    pub fn unit_axes(self) -> [bool; 3] {
        evaluate(self, &PositionAxes::OfUnit)
    }

    /// The axes along which the formula of the value reads the position of the cube in the launch.
    pub fn cube_axes(self) -> [bool; 3] {
        evaluate(self, &PositionAxes::OfCube)
    }

    /// Whether the value counts units of several cubes. A value that counts units of several cubes exceeds a `u32` in a
    /// launch of more than 2^32 units.
    pub fn counts_units_of_launch(self) -> bool {
        let inputs = self.inputs();
        (inputs.unit || inputs.dim) && (inputs.cube || inputs.count)
    }
}

struct Reads;

impl Reads {
    fn both(x: UsedInputs, y: UsedInputs) -> UsedInputs {
        UsedInputs {
            unit: x.unit || y.unit,
            cube: x.cube || y.cube,
            dim: x.dim || y.dim,
            count: x.count || y.count,
            cluster: x.cluster || y.cluster,
            plane_dim: x.plane_dim || y.plane_dim,
        }
    }
}

impl Measures for Reads {
    type Value = UsedInputs;
    fn unit(&self, _: usize) -> UsedInputs {
        UsedInputs { unit: true, ..UsedInputs::default() }
    }
    fn cube(&self, _: usize) -> UsedInputs {
        UsedInputs { cube: true, ..UsedInputs::default() }
    }
    fn dim(&self, _: usize) -> UsedInputs {
        UsedInputs { dim: true, ..UsedInputs::default() }
    }
    fn count(&self, _: usize) -> UsedInputs {
        UsedInputs { count: true, ..UsedInputs::default() }
    }
    fn cluster(&self, _: usize) -> UsedInputs {
        UsedInputs { cluster: true, ..UsedInputs::default() }
    }
    fn plane_dim(&self) -> UsedInputs {
        UsedInputs { plane_dim: true, ..UsedInputs::default() }
    }
    fn add(&self, x: UsedInputs, y: UsedInputs) -> UsedInputs {
        Reads::both(x, y)
    }
    fn mul(&self, x: UsedInputs, y: UsedInputs) -> UsedInputs {
        Reads::both(x, y)
    }
    fn div(&self, x: UsedInputs, y: UsedInputs) -> UsedInputs {
        Reads::both(x, y)
    }
    fn rem(&self, x: UsedInputs, y: UsedInputs) -> UsedInputs {
        Reads::both(x, y)
    }
}

/// The axes of one of the two positions.
#[derive(PartialEq)]
enum PositionAxes {
    OfUnit,
    OfCube,
}

impl PositionAxes {
    fn either(x: [bool; 3], y: [bool; 3]) -> [bool; 3] {
        [0, 1, 2].map(|axis| x[axis] || y[axis])
    }
}

impl Measures for PositionAxes {
    type Value = [bool; 3];
    fn unit(&self, axis: usize) -> [bool; 3] {
        [0, 1, 2].map(|own| own == axis && *self == PositionAxes::OfUnit)
    }
    fn cube(&self, axis: usize) -> [bool; 3] {
        [0, 1, 2].map(|own| own == axis && *self == PositionAxes::OfCube)
    }
    fn dim(&self, _: usize) -> [bool; 3] {
        [false; 3]
    }
    fn count(&self, _: usize) -> [bool; 3] {
        [false; 3]
    }
    fn cluster(&self, _: usize) -> [bool; 3] {
        [false; 3]
    }
    fn plane_dim(&self) -> [bool; 3] {
        [false; 3]
    }
    fn add(&self, x: [bool; 3], y: [bool; 3]) -> [bool; 3] {
        PositionAxes::either(x, y)
    }
    fn mul(&self, x: [bool; 3], y: [bool; 3]) -> [bool; 3] {
        PositionAxes::either(x, y)
    }
    fn div(&self, x: [bool; 3], y: [bool; 3]) -> [bool; 3] {
        PositionAxes::either(x, y)
    }
    fn rem(&self, x: [bool; 3], y: [bool; 3]) -> [bool; 3] {
        PositionAxes::either(x, y)
    }
}

/// Inputs with unknown parts: for example the position of one unit, or only the sizes.
#[derive(Clone, Copy, Debug, Default)]
pub struct PartialInputs {
    /// The position of the unit along the three axes.
    pub unit: Option<[u32; 3]>,
    /// The position of the cube along the three axes.
    pub cube: Option<[u32; 3]>,
    /// Units of a cube.
    pub dim: Option<[u32; 3]>,
    /// Cubes of the launch.
    pub count: Option<[u32; 3]>,
    /// Cubes of a cluster.
    pub cluster: Option<[u32; 3]>,
    /// Units of a plane.
    pub plane_dim: Option<u32>,
}

impl PartialInputs {
    /// Inputs in which two facts are known: the cube's size `dim`, and the position of the unit with the
    /// linear number `unit` in the cube.
    pub fn unit_of(unit: u32, dim: [u32; 3]) -> PartialInputs {
        let [x, y, _] = dim.map(|n| n.max(1));
        PartialInputs { unit: Some([unit % x, unit / x % y, unit / x / y]), dim: Some(dim), ..PartialInputs::default() }
    }

    /// The topology value `kind`; `None` if the known inputs do not determine the value.
    pub fn value(&self, kind: TopologyKind) -> Option<u32> {
        evaluate(kind, self)
    }
}

impl Measures for PartialInputs {
    type Value = Option<u32>;
    fn unit(&self, axis: usize) -> Option<u32> {
        self.unit.map(|all| all[axis])
    }
    fn cube(&self, axis: usize) -> Option<u32> {
        self.cube.map(|all| all[axis])
    }
    fn dim(&self, axis: usize) -> Option<u32> {
        self.dim.map(|all| all[axis])
    }
    fn count(&self, axis: usize) -> Option<u32> {
        self.count.map(|all| all[axis])
    }
    fn cluster(&self, axis: usize) -> Option<u32> {
        self.cluster.map(|all| all[axis].max(1))
    }
    fn plane_dim(&self) -> Option<u32> {
        self.plane_dim
    }
    fn add(&self, x: Option<u32>, y: Option<u32>) -> Option<u32> {
        Some(x?.wrapping_add(y?))
    }
    fn mul(&self, x: Option<u32>, y: Option<u32>) -> Option<u32> {
        match (x, y) {
            // The product is 0 even if the other factor is unknown.
            (Some(0), _) | (_, Some(0)) => Some(0),
            (x, y) => Some(x?.wrapping_mul(y?)),
        }
    }
    fn div(&self, x: Option<u32>, y: Option<u32>) -> Option<u32> {
        x?.checked_div(y?)
    }
    fn rem(&self, x: Option<u32>, y: Option<u32>) -> Option<u32> {
        x?.checked_rem(y?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops;

    /// Formulas in the notation of the description of `cube.topology`.
    struct Text;

    impl Text {
        fn factor(text: String) -> String {
            if text.contains(" + ") { format!("({text})") } else { text }
        }
    }

    impl Measures for Text {
        type Value = String;
        fn unit(&self, axis: usize) -> String {
            ["x", "y", "z"][axis].into()
        }
        fn cube(&self, axis: usize) -> String {
            ["x", "y", "z"][axis].into()
        }
        fn dim(&self, axis: usize) -> String {
            format!("dim_{}", ["x", "y", "z"][axis])
        }
        fn count(&self, axis: usize) -> String {
            format!("count_{}", ["x", "y", "z"][axis])
        }
        fn cluster(&self, axis: usize) -> String {
            format!("cluster_{}", ["x", "y", "z"][axis])
        }
        fn plane_dim(&self) -> String {
            "plane_dim".into()
        }
        fn add(&self, x: String, y: String) -> String {
            format!("{x} + {y}")
        }
        fn mul(&self, x: String, y: String) -> String {
            format!("{} * {}", Text::factor(x), Text::factor(y))
        }
        fn div(&self, x: String, y: String) -> String {
            format!("{} / {y}", if x == "x + dim_x * (y + dim_y * z)" { "unit_pos".into() } else { x })
        }
        fn rem(&self, x: String, y: String) -> String {
            format!("{} % {y}", if x == "x + dim_x * (y + dim_y * z)" { "unit_pos".into() } else { x })
        }
        fn along(&self, axis: usize) -> String {
            self.unit(axis)
        }
    }

    #[test]
    fn axes_of_positions() {
        let axes = |kind: TopologyKind| (kind.unit_axes(), kind.cube_axes());
        let (none, all) = ([false; 3], [true; 3]);
        assert_eq!(axes(TopologyKind::AbsolutePosY), ([false, true, false], [false, true, false]));
        assert_eq!(axes(TopologyKind::UnitPosX), ([true, false, false], none));
        assert_eq!(axes(TopologyKind::CubePos), (none, all));
        assert_eq!(axes(TopologyKind::AbsolutePos), (all, all));
        assert_eq!(axes(TopologyKind::CubeCountX), (none, none));
    }

    #[test]
    fn the_description_of_the_operation_has_these_formulas() {
        let decl = ops::OPS.iter().find(|op| op.name == ops::Topology::NAME).expect("an operation of the dialect");
        let description = decl.description.split_whitespace().collect::<Vec<_>>().join(" ");
        use TopologyKind::{AbsolutePos, CubeClusterDim, CubeCount, CubeDim, CubePos, PlanePos, UnitPos, UnitPosPlane};
        for kind in [AbsolutePos, UnitPos, CubePos, CubeDim, CubeCount, CubeClusterDim, PlanePos, UnitPosPlane] {
            let formula = format!("`{} = {}`", kind.word(), evaluate(kind, &Text));
            assert!(description.contains(&formula), "{formula} is not in: {description}");
        }
    }

    #[test]
    fn topology_word_contains_group_and_axis() {
        for kind in TopologyKind::ALL {
            let Topology { group, axis } = kind.topology();
            let linear = TopologyKind::ALL.iter().find(|k| k.topology() == Topology { group, axis: None });
            let word = linear.expect("every group has a linear value").word();
            let axis = axis.map_or(String::new(), |axis| format!("_{}", ["x", "y", "z"][axis]));
            assert_eq!(kind.word(), format!("{word}{axis}"));
        }
    }

    #[test]
    fn positions_count_every_unit_once() {
        let (dim, count, plane) = ([4, 3, 2], [2, 3, 2], 8);
        let mut seen = [Vec::new(), Vec::new()];
        for cube in 0..12u32 {
            for unit in 0..24 {
                let cube = PartialInputs::unit_of(cube, count).unit;
                let at = PartialInputs {
                    cube,
                    count: Some(count),
                    plane_dim: Some(plane),
                    ..PartialInputs::unit_of(unit, dim)
                };
                let value = |kind| at.value(kind).expect("all is known");
                assert_eq!(value(TopologyKind::UnitPos), unit);
                assert_eq!(value(TopologyKind::PlanePos) * plane + value(TopologyKind::UnitPosPlane), unit);
                seen[0].push(value(TopologyKind::AbsolutePos));
                seen[1].push(value(TopologyKind::CubePos) * value(TopologyKind::CubeDim) + unit);
            }
        }
        for mut all in seen {
            all.sort_unstable();
            assert!(all.into_iter().eq(0..24 * 12));
        }
    }

    #[test]
    fn formula_determines_the_inputs_of_a_topology_value() {
        let counts_units = |kind: &TopologyKind| kind.counts_units_of_launch();
        let counting: Vec<&str> =
            TopologyKind::ALL.iter().copied().filter(|kind| counts_units(kind)).map(TopologyKind::word).collect();
        assert_eq!(counting, ["absolute_pos", "absolute_pos_x", "absolute_pos_y", "absolute_pos_z"]);
        let of_planes: Vec<&str> =
            TopologyKind::ALL.iter().copied().filter(|kind| kind.inputs().plane_dim).map(TopologyKind::word).collect();
        assert_eq!(of_planes, ["plane_dim", "plane_pos", "unit_pos_plane"]);
        // A product of a cube size and a cube count is a number of units too.
        let units = Reads.mul(Reads.dim(0), Reads.count(0));
        assert_eq!(units, UsedInputs { dim: true, count: true, ..UsedInputs::default() });
    }

    #[test]
    fn unknown_inputs_yield_unknown_values() {
        let sizes = PartialInputs { dim: Some([8, 4, 1]), ..PartialInputs::default() };
        assert_eq!(sizes.value(TopologyKind::CubeDim), Some(32));
        assert_eq!(sizes.value(TopologyKind::UnitPos), None);
        let first = PartialInputs { cube: Some([0; 3]), ..PartialInputs::unit_of(9, [8, 4, 1]) };
        assert_eq!(first.value(TopologyKind::AbsolutePosY), Some(1));
        // In the linear order, the second row of units begins after the first rows of all cubes.
        assert_eq!(first.value(TopologyKind::AbsolutePos), None);
        assert_eq!(
            PartialInputs { cube: Some([0; 3]), ..PartialInputs::unit_of(9, [32, 1, 1]) }
                .value(TopologyKind::AbsolutePos),
            Some(9)
        );
    }
}
