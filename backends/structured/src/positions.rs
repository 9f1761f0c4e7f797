//! Positions as expressions of the built-in values of shading languages.
//!
//! Kernels that use planes number their units along x, because no shading language defines the planes of a cube with
//! several dimensions.
use cube_dialect::topology::{Group, Measures, Topology, evaluate};
use cube_dialect::{TopologyKind, ops, properties::is_plane_op};
use cube_ir::Op;
use cube_target::Planes;

/// Built-in values of a shading language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// The position of the cube in the launch, along an axis.
    CubePos(usize),
    /// The linear index of the cube in the launch.
    CubeIndex,
    CubeCount(usize),
    /// The number of cubes in the launch.
    CubeTotal,
    /// The number of the unit in its cube.
    UnitIndex,
    UnitPos(usize),
    PlaneDim,
    UnitPosPlane,
    /// The position of the workgroup in its dispatch, along an axis.
    Workgroup(usize),
    /// A word of the grid in the uniform block, as `CodeFormat::WGSL` of `runtime/artifact` lists them.
    Grid(u32),
}

/// The words of the grid ([`Input::Grid`]), as members of the uniform block in a text.
pub const GRID: [&str; 12] = [
    "first_cube.x",
    "first_cube.y",
    "first_cube.z",
    "step_x",
    "cube_count.x",
    "cube_count.y",
    "cube_count.z",
    "step_y",
    "first_index",
    "step_row",
    "step_layer",
    "cube_total",
];

/// The positions of the cube that have a name in a text.
pub const CUBE: [(&str, Input); 4] = [
    ("cube_index", Input::CubeIndex),
    ("cube_pos_x", Input::CubePos(0)),
    ("cube_pos_y", Input::CubePos(1)),
    ("cube_pos_z", Input::CubePos(2)),
];

impl Input {
    /// The formula of a value that depends on the grid, over [`Input::Workgroup`] and [`Input::Grid`].
    pub fn in_dispatch(self) -> Position {
        let (workgroup, word) = (|axis| Position::Input(Input::Workgroup(axis)), |at| Position::Input(Input::Grid(at)));
        let (add, mul) = (|x, y| joined(Operator::Add, x, y), |x, y| joined(Operator::Mul, x, y));
        match self {
            Input::CubePos(0) => add(add(workgroup(0), mul(workgroup(1), word(3))), word(0)),
            Input::CubePos(1) => add(mul(workgroup(1), word(7)), word(1)),
            Input::CubePos(axis) => add(workgroup(axis), word(axis as u32)),
            Input::CubeCount(axis) => word(4 + axis as u32),
            Input::CubeIndex => {
                let rows = add(mul(workgroup(1), word(9)), mul(workgroup(2), word(10)));
                add(add(workgroup(0), word(8)), rows)
            }
            Input::CubeTotal => word(11),
            _ => Position::Input(self),
        }
    }
}

/// An integer expression whose operands are 32-bit numbers and built-in values of a shading language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Position {
    Number(u32),
    Input(Input),
    Of(Operator, Box<Position>, Box<Position>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Add,
    Mul,
    Div,
    Rem,
}

/// The shape of a kernel's cubes and planes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Units {
    /// Units of a cube along x, y, z.
    pub cube_dim: [u32; 3],
    /// Whether the units of a cube are numbered along x in the code.
    pub is_linear: bool,
    /// The plane width, if the kernel requires one. A launch on a device whose plane width differs from the
    /// required plane width is refused.
    pub plane_dim: Option<u32>,
    /// Maximum number of units of a plane, from the target description. Lanes are numbered from 0, so this number
    /// exceeds all lane numbers.
    pub widest_plane: u32,
}

fn group_of(op: Op<'_>) -> Option<Group> {
    ops::Topology::of(op).and_then(|it| it.value()).map(|kind| kind.topology().group)
}

/// Whether an operation depends on the grid of cubes; a launch can split its grid into several dispatches.
pub fn uses_grid(op: Op<'_>) -> bool {
    ops::Topology::of(op).and_then(|it| it.value()).is_some_and(reads_grid)
}

// Whether the expression of the value has an input that the grid determines. The cube dims are relevant only if they
// are 1.
fn reads_grid(kind: TopologyKind) -> bool {
    let any = Units { cube_dim: [2; 3], ..Units::default() };
    let is_of_grid =
        |input| matches!(input, Input::CubePos(_) | Input::CubeIndex | Input::CubeCount(_) | Input::CubeTotal);
    any.position_of(kind).has(is_of_grid)
}

fn uses_planes(op: Op<'_>) -> bool {
    let reads = |it: ops::Topology<'_>| it.value().is_some_and(|kind| kind.inputs().plane_dim);
    is_plane_op(op) || ops::Topology::of(op).is_some_and(reads)
}

impl Position {
    /// Whether an input of the expression satisfies `is`.
    fn has(&self, is: fn(Input) -> bool) -> bool {
        match self {
            Position::Number(_) => false,
            Position::Input(input) => is(*input),
            Position::Of(_, x, y) => x.has(is) || y.has(is),
        }
    }
}

impl Units {
    /// The shape of a kernel's cubes and planes. `has_planes` is true for chips whose planes have several units, and `planes`
    /// is the chip's description of planes.
    pub fn of(kernel: ops::Kernel<'_>, has_planes: bool, planes: &Planes) -> Units {
        Units {
            cube_dim: kernel.facts().cube_dim,
            is_linear: has_planes && kernel.op().walk().into_iter().any(uses_planes),
            plane_dim: kernel.plane_dim(),
            widest_plane: planes.widths.iter().copied().max().unwrap_or(1),
        }
    }

    /// The plane width that the launch must have.
    pub fn needed_plane_dim(&self) -> Option<u32> {
        self.plane_dim.filter(|_| self.is_linear)
    }

    /// The units of a cube along x, y, z, as the code numbers the units.
    pub fn in_code(&self) -> [u32; 3] {
        match self.cube_dim {
            [x, y, z] if self.is_linear => [x * y * z, 1, 1],
            dim => dim,
        }
    }

    /// The value of a position; `None` if the target does not define this position.
    pub fn position(&self, op: Op<'_>) -> Option<Position> {
        Some(self.position_of(ops::Topology::of(op)?.value()?))
    }

    fn position_of(&self, kind: TopologyKind) -> Position {
        let Topology { group, axis } = kind.topology();
        match (group, axis) {
            (Group::UnitPosPlane, _) => Position::Input(Input::UnitPosPlane),
            (Group::CubePos, None) => Position::Input(Input::CubeIndex),
            (Group::CubeCount, None) => Position::Input(Input::CubeTotal),
            // In cubes of one dimension, the units of a cube follow each other, and the cubes too.
            (Group::AbsolutePos, None) if self.cube_dim[1..] == [1, 1] => {
                self.add(self.mul(Position::Input(Input::CubeIndex), self.dim(0)), self.unit(0))
            }
            _ => evaluate(kind, self),
        }
    }

    /// The value of a position on a chip whose planes have one unit.
    pub fn position_without_planes(&self, op: Op<'_>) -> Option<Position> {
        match group_of(op)? {
            Group::PlaneDim => Some(Position::Number(1)),
            Group::PlanePos => Some(self.index()),
            Group::UnitPosPlane => Some(Position::Number(0)),
            _ => self.position(op),
        }
    }

    fn index(&self) -> Position {
        if self.cube_dim == [1; 3] { Position::Number(0) } else { Position::Input(Input::UnitIndex) }
    }
}

fn joined(operator: Operator, x: Position, y: Position) -> Position {
    Position::Of(operator, x.into(), y.into())
}

/// Expressions, with constants folded.
impl Measures for Units {
    type Value = Position;

    fn unit(&self, axis: usize) -> Position {
        let [x, y, _] = self.cube_dim;
        let by = Position::Number;
        match axis {
            _ if self.cube_dim[axis] == 1 => by(0),
            _ if !self.is_linear => Position::Input(Input::UnitPos(axis)),
            0 if self.cube_dim[1..] == [1, 1] => self.index(),
            0 => self.rem(self.index(), by(x)),
            1 if self.cube_dim[2] == 1 => self.div(self.index(), by(x)),
            1 => self.rem(self.div(self.index(), by(x)), by(y)),
            _ => self.div(self.index(), by(x.saturating_mul(y))),
        }
    }

    fn units(&self) -> Position {
        self.index()
    }

    fn cube(&self, axis: usize) -> Position {
        Position::Input(Input::CubePos(axis))
    }

    fn dim(&self, axis: usize) -> Position {
        Position::Number(self.cube_dim[axis])
    }

    fn count(&self, axis: usize) -> Position {
        Position::Input(Input::CubeCount(axis))
    }

    fn cluster(&self, _: usize) -> Position {
        Position::Number(1)
    }

    fn plane_dim(&self) -> Position {
        self.plane_dim.map_or(Position::Input(Input::PlaneDim), Position::Number)
    }

    fn add(&self, x: Position, y: Position) -> Position {
        match (x, y) {
            (Position::Number(x), Position::Number(y)) => Position::Number(x.wrapping_add(y)),
            (Position::Number(0), other) | (other, Position::Number(0)) => other,
            (x, y) => joined(Operator::Add, x, y),
        }
    }

    fn mul(&self, x: Position, y: Position) -> Position {
        match (x, y) {
            (Position::Number(x), Position::Number(y)) => Position::Number(x.wrapping_mul(y)),
            (Position::Number(0), _) | (_, Position::Number(0)) => Position::Number(0),
            (Position::Number(1), other) | (other, Position::Number(1)) => other,
            (x, y) => joined(Operator::Mul, x, y),
        }
    }

    fn div(&self, x: Position, y: Position) -> Position {
        if y == Position::Number(1) { x } else { joined(Operator::Div, x, y) }
    }

    fn rem(&self, x: Position, y: Position) -> Position {
        if y == Position::Number(1) { Position::Number(0) } else { joined(Operator::Rem, x, y) }
    }

    fn along(&self, axis: usize) -> Position {
        self.add(self.mul(self.cube(axis), self.dim(axis)), self.unit(axis))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_formula_decides_grid_dependence() {
        let of_grid: Vec<&str> =
            TopologyKind::ALL.iter().copied().filter(|kind| reads_grid(*kind)).map(TopologyKind::word).collect();
        let groups = ["absolute_pos", "cube_pos", "cube_count"];
        let words = groups.map(|group| ["", "_x", "_y", "_z"].map(|axis| format!("{group}{axis}")));
        assert_eq!(of_grid, words.concat());
    }
}
