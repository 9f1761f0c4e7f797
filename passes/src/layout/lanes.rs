//! The value of an index in each unit of the first plane of the first cube, if the launch bounds determine it.
use cube_dialect::{
    TopologyKind, ops, target_of,
    topology::{Group, PartialInputs},
};
use cube_ir::ops::{arith, scf};
use cube_ir::{AttrExt, Op, TypeExt, Val};
use cube_semantics::Meaning;

/// The plane size that the cost estimates assume, which is the default plane size of the chip.
pub(super) fn width(kernel: Op<'_>) -> u64 {
    target_of(kernel).planes.width.into()
}

/// Maximum number of operations that one query visits.
const FUEL: u32 = 256;

/// The values of a u32 in the units of the first plane, or `None` if the value does not depend only on the unit's
/// position. The function replaces loop counters by their first values.
pub(super) fn of_units(value: Val<'_>, kernel: Op<'_>) -> Option<Vec<u64>> {
    let dim = ops::Kernel::of(kernel)?.facts().cube_dim;
    let units = dim.iter().map(|d| u64::from(*d)).product::<u64>().min(width(kernel));
    (0..units).map(|unit| at(value, unit, dim, &mut FUEL.clone())).collect()
}

fn at(value: Val<'_>, unit: u64, dim: [u32; 3], fuel: &mut u32) -> Option<u64> {
    *fuel = fuel.checked_sub(1)?;
    if let Some((block, 0)) = value.block_arg() {
        let loop_op = block.parent().filter(|op| op.is(scf::FOR))?;
        return at(loop_op.operand(0), unit, dim, fuel);
    }
    let op = value.def()?;
    if let Some(topology) = ops::Topology::of(op) {
        return position(topology.kind(), unit, dim);
    }
    if op.is(arith::CONSTANT) {
        return op.attr("value")?.as_int().map(|n| u64::from(n as u32));
    }
    if value.ty().bits() != Some(32) || op.operands().len() != 2 {
        return None;
    }
    let Some(Meaning::Int(int)) = cube_dialect::meaning_of(op.kind()) else { return None };
    let operands = [at(op.operand(0), unit, dim, fuel)?, at(op.operand(1), unit, dim, fuel)?];
    int.evaluate(32, &operands).value()
}

// The topology value in the first cube. `None` for values that depend on the cube count or on the device's plane size.
fn position(kind: TopologyKind, unit: u64, dim: [u32; 3]) -> Option<u64> {
    let known = PartialInputs { cube: Some([0; 3]), ..PartialInputs::unit_of(unit as u32, dim) };
    // All these units are in the first plane.
    let value = match kind.topology().group {
        Group::PlanePos => Some(0),
        Group::UnitPosPlane => known.value(TopologyKind::UnitPos),
        _ => known.value(kind),
    };
    value.map(u64::from)
}
