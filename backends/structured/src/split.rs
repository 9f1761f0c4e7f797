//! The branch of a kernel whose two regions become two entry points.
//!
//! ```mlir
//! %cube = cube.topology cube_pos_x
//! %is_first = arith.cmpi ult, %cube, %first_cubes : i32
//! scf.if %is_first { the code of the first cubes } else { the code of the other cubes }
//! ```
use crate::{Layout, accesses_to};
use cube_backend::FirstCubes;
use cube_dialect::{KernelArg, TopologyKind, ops};
use cube_ir::ops::{arith, scf};
use cube_ir::upstream::IntCmp;
use cube_ir::{Op, Val};

/// A branch at the top level of a kernel that compares the position of the cube along x with a derived scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split<'p> {
    branch: Op<'p>,
    /// The region that the first cubes run.
    first: usize,
    /// The index of the derived scalar, which is the number of the first cubes along x.
    derived: u32,
}

impl<'p> Split<'p> {
    /// The branch of a kernel that the launcher can decide; `None` if there is not exactly one.
    pub fn of(kernel: ops::Kernel<'p>) -> Option<Split<'p>> {
        let mut all = kernel.block()?.ops().into_iter().filter_map(|op| split_at(kernel, op));
        all.next().filter(|_| all.next().is_none())
    }

    /// The region of the branch that the cubes of an entry point run.
    fn region(&self, is_first: bool) -> usize {
        if is_first { self.first } else { 1 - self.first }
    }

    /// The region that replaces a branch of an entry point.
    pub fn region_of(&self, op: Op<'p>, is_first: bool) -> Option<usize> {
        (op.is(scf::IF) && op.operand(0) == self.condition()).then(|| self.region(is_first))
    }

    /// Whether an operation only computes the condition of replaced branches.
    pub fn is_condition(&self, op: Op<'p>) -> bool {
        let uses = || self.condition().uses().into_iter().all(|(user, _)| user.is(scf::IF));
        op.results().next() == Some(self.condition()) && uses()
    }

    fn condition(&self) -> Val<'p> {
        self.branch.operand(0)
    }

    /// Whether the first cubes can run the operation.
    pub fn can_be_first(&self, op: Op<'p>) -> bool {
        let other = self.branch.regions().nth(self.region(false)).and_then(|region| region.first_block());
        !std::iter::once(op).chain(op.ancestors()).any(|op| op.block() == other)
    }

    /// The lanes of the vectors as which the first cubes access a buffer, if all their accesses are aligned accesses to as
    /// many neighbouring lines of one lane.
    pub fn vector_lanes(&self, buffer: Val<'p>, layout: &Layout) -> Option<u64> {
        let all: Vec<_> = accesses_to(buffer).into_iter().filter(|access| self.can_be_first(access.op)).collect();
        let lanes = layout.vector_lanes(all.first()?)?;
        all.iter().all(|access| layout.vector_lanes(access) == Some(lanes)).then_some(lanes)
    }

    /// The property of the artifact, for the name of the second entry point.
    pub fn first_cubes(&self, entry: String) -> FirstCubes {
        FirstCubes { entry, derived: self.derived }
    }
}

fn split_at<'p>(kernel: ops::Kernel<'p>, branch: Op<'p>) -> Option<Split<'p>> {
    let compare = branch.is(scf::IF).then(|| branch.operand(0).def_of(arith::CMPI)).flatten()?;
    let [x, y] = [compare.operand(0), compare.operand(1)];
    let is_cube = |value: Val<'p>| {
        let topology = value.def().and_then(ops::Topology::of);
        topology.is_some_and(|topology| topology.kind() == TopologyKind::CubePosX)
    };
    // `Ult` and `Ugt` are true for the first cubes.
    let (limit, first) = match arith::Cmpi::of(compare)?.predicate()? {
        IntCmp::Ult if is_cube(x) => (y, 0),
        IntCmp::Uge if is_cube(x) => (y, 1),
        IntCmp::Ugt if is_cube(y) => (x, 0),
        IntCmp::Ule if is_cube(y) => (x, 1),
        _ => return None,
    };
    let derived = kernel.facts().args.into_iter().filter_map(|arg| match arg {
        KernelArg::Scalar(scalar) => scalar.derived.map(|_| scalar.value),
        KernelArg::Buffer(_) => None,
    });
    let derived = derived.enumerate().find(|(_, value)| *value == limit)?.0 as u32;
    Some(Split { branch, first, derived })
}
