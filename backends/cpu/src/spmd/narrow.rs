//! Splits vectors of one unit into scalars, because the vectoriser itself adds the lane dimension.
use cube_ir::access::{Access, access_of};
use cube_ir::ops::{memref, vector};
use cube_ir::{AttrExt, Builder, MemRef, Op, OpKind, Run, TypeExt, Val};

/// Operations that only split and combine lines.
const PARTS: [OpKind; 2] = [vector::INSERT_STRIDED_SLICE, vector::EXTRACT_STRIDED_SLICE];

/// The access of `op`, if it accesses several neighbouring lines at one index; `None` otherwise.
fn neighbours_of(op: Op<'_>) -> Option<Access<'_>> {
    let access = access_of(op).filter(|a| !a.kind.is_atomic() && a.mask.is_none() && a.offsets.is_none())?;
    let memref = MemRef::of(access.buffer.ty())?;
    (access.index().is_some() && access.ty() != Some(memref.line)).then_some(access)
}

/// Whether an operation must be split into scalars before vectorisation.
pub(crate) fn is_wide(op: Op<'_>) -> bool {
    PARTS.contains(&op.kind()) || neighbours_of(op).is_some()
}

/// Rewrites every operation of the kernel for which [`is_wide`] holds. Accesses of single lines or operations on single
/// lanes replace the operation.
pub(crate) fn narrow<'p>(run: &mut Run<'p>, kernel: Op<'p>) {
    for op in kernel.walk().into_iter().filter(|op| is_wide(*op)) {
        let b = run.before(op);
        let first = || {
            let offsets = op.attr("offsets").and_then(|a| a.as_array()).unwrap_or_default();
            offsets.first().and_then(|a| a.as_int()).unwrap_or(0)
        };
        let made = match op.kind() {
            vector::EXTRACT_STRIDED_SLICE => {
                let ty = op.result(0).ty();
                let all: Vec<Val<'p>> =
                    (0..ty.element_count()).map(|k| b.lane(op.operand(0), first() as u64 + k)).collect();
                vec![b.of_lanes(ty, &all)]
            }
            vector::INSERT_STRIDED_SLICE => {
                let mut all = op.operand(1);
                for (k, value) in b.lanes(op.operand(0)).into_iter().enumerate() {
                    let position = b.cx().i64_array(&[first() + k as i64]);
                    let insert = b.op(vector::INSERT).operands(&[value, all]).attr("static_position", position);
                    all = insert.result(all.ty()).value();
                }
                vec![all]
            }
            _ => neighbours_of(op).map(|access| one_by_one(b, access)).unwrap_or_default(),
        };
        run.replace(op, &made);
    }
}

// The loaded lines as one vector; empty for a store.
fn one_by_one<'p>(b: Builder<'p>, access: Access<'p>) -> Vec<Val<'p>> {
    let Some(index) = access.index() else { return vec![] };
    let memory = access.buffer;
    if let Some(value) = access.value {
        for (k, lane) in b.lanes(value).into_iter().enumerate() {
            b.op(memref::STORE).operands(&[lane, memory, neighbour(b, index, k)]).build();
        }
        return vec![];
    }
    let ty = access.op.result(0).ty();
    let one = |k: u64| {
        let at = neighbour(b, index, k as usize);
        b.op(memref::LOAD).operands(&[memory, at]).result(ty.element()).value()
    };
    let all: Vec<Val<'p>> = (0..ty.element_count()).map(one).collect();
    vec![b.of_lanes(ty, &all)]
}

fn neighbour<'p>(b: Builder<'p>, index: Val<'p>, by: usize) -> Val<'p> {
    if by == 0 { index } else { b.addi(index, b.int(index.ty(), by as i64)) }
}
