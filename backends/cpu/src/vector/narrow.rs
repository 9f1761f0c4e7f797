//! Accesses of neighbours one by one, and parts of lines lane by lane: a lane of a group is what is widened here, and a unit's
//! own vectors are in the way.
use cube_ir::ops::{memref, vector};
use cube_ir::{AttrExt, Builder, Op, OpKind, Run, TypeExt, Val};

/// Operations on neighbours and parts of lines.
const WIDE: [OpKind; 4] = [vector::LOAD, vector::STORE, vector::INSERT_STRIDED_SLICE, vector::EXTRACT_STRIDED_SLICE];

/// Whether a unit's own vectors are in the way.
pub(crate) fn is_wide(op: Op<'_>) -> bool {
    WIDE.contains(&op.kind())
}

/// Rewrites all of them.
pub(crate) fn narrow<'p>(run: &mut Run<'p>, kernel: Op<'p>) {
    for op in kernel.walk().into_iter().filter(|op| is_wide(*op)) {
        let b = run.before(op);
        let first = || {
            let offsets = op.attr("offsets").and_then(|a| a.as_array()).unwrap_or_default();
            offsets.first().and_then(|a| a.as_int()).unwrap_or(0)
        };
        let made = match op.kind() {
            vector::LOAD => vec![load(b, op)],
            vector::STORE => {
                let (value, memory, index) = (op.operand(0), op.operand(1), op.operand(2));
                for (k, lane) in lanes(b, value).into_iter().enumerate() {
                    b.op(memref::STORE).operands(&[lane, memory, neighbour(b, index, k)]).build();
                }
                vec![]
            }
            vector::EXTRACT_STRIDED_SLICE => {
                let ty = op.result(0).ty();
                let all: Vec<Val<'p>> =
                    (0..ty.element_count()).map(|k| lane(b, op.operand(0), first() + k as i64)).collect();
                vec![b.op(vector::FROM_ELEMENTS).operands(&all).result(ty).value()]
            }
            _ => {
                let mut all = op.operand(1);
                for (k, value) in lanes(b, op.operand(0)).into_iter().enumerate() {
                    let position = b.cx().i64_array(&[first() + k as i64]);
                    let insert = b.op(vector::INSERT).operands(&[value, all]).attr("static_position", position);
                    all = insert.result(all.ty()).value();
                }
                vec![all]
            }
        };
        run.replace(op, &made);
    }
}

fn load<'p>(b: Builder<'p>, op: Op<'p>) -> Val<'p> {
    let ty = op.result(0).ty();
    let one = |k: u64| {
        let at = neighbour(b, op.operand(1), k as usize);
        b.op(memref::LOAD).operands(&[op.operand(0), at]).result(ty.element()).value()
    };
    let all: Vec<Val<'p>> = (0..ty.element_count()).map(one).collect();
    b.op(vector::FROM_ELEMENTS).operands(&all).result(ty).value()
}

fn neighbour<'p>(b: Builder<'p>, index: Val<'p>, by: usize) -> Val<'p> {
    if by == 0 { index } else { b.addi(index, b.int(index.ty(), by as i64)) }
}

fn lane<'p>(b: Builder<'p>, line: Val<'p>, at: i64) -> Val<'p> {
    let position = b.cx().i64_array(&[at]);
    b.op(vector::EXTRACT).operands(&[line]).attr("static_position", position).result(line.ty().element()).value()
}

fn lanes<'p>(b: Builder<'p>, line: Val<'p>) -> Vec<Val<'p>> {
    (0..line.ty().element_count()).map(|k| lane(b, line, k as i64)).collect()
}
