//! Expands accesses of lanes with a run-time index to operations of `vector`, which require an index inside
//! the line.
//!
//! ```mlir
//! // %safe is %i < lanes ? %i : 0
//! cube.extract %v[%i]      ->   %i < lanes ? vector.extract %v[%safe] : 0
//! cube.insert %x, %v[%i]   ->   %i < lanes ? vector.insert %x, %v[%safe] : %v
//! ```
//!
//! An access with a constant index becomes a plain `vector.extract` or `vector.insert`. Invariant: no lane access of
//! the cube dialect remains. Cost: linear.
use crate::analysis::constants::int_of;
use crate::analysis::ranges::largest;
use cube_ir::ops::{arith, cube, scf, vector};
use cube_ir::{
    Builder, DYNAMIC, Op, PassResult, Run, TypeExt, Val, pass,
    rules::{Rewrite, Rule, apply_once},
    upstream::IntCmp,
};

pass! {
    name: "expand-lanes",
    summary: "expands lane accesses with a dynamic index to operations of vector",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith", "vector"],
    statistics: ["lanes expanded"],
    run: run,
}

const RULES: &[Rule] = &[
    Rule { name: "extract", on: cube::EXTRACT, apply: extract },
    Rule { name: "insert", on: cube::INSERT, apply: insert },
];

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let count = apply_once(run, RULES);
    run.count("lanes expanded", count);
    Ok(())
}

/// The index of a lane: a constant, an index outside of the line, a run-time index inside the line, or a run-time index with a
/// boolean. The boolean is true if the run-time index is inside the line; otherwise the index is replaced by 0.
enum LaneIndex<'p> {
    Constant(i64),
    Outside,
    Inside(Val<'p>),
    Dynamic(Val<'p>, Val<'p>),
}

fn lane_index<'p>(b: Builder<'p>, line: Val<'p>, index: Val<'p>) -> LaneIndex<'p> {
    let lanes = line.ty().element_count();
    match int_of(index).map(|i| i as u32 as u64) {
        Some(i) if i < lanes => LaneIndex::Constant(i as i64),
        Some(_) => LaneIndex::Outside,
        None if is_counter_below(index, lanes) => LaneIndex::Inside(b.cast(arith::INDEX_CASTUI, index, b.cx().index())),
        None => {
            let inside = b.cmpi(IntCmp::Ult, index, b.int(index.ty(), lanes as i64));
            let safe = b.select(inside, index, b.int(index.ty(), 0));
            LaneIndex::Dynamic(b.cast(arith::INDEX_CASTUI, safe, b.cx().index()), inside)
        }
    }
}

/// Whether an index counts a loop between constants below the number of lanes, as the loops of the pass `coarsen` do. A bound that holds
/// for other values in the units that execute the access does not hold in units that a vectorised branch leaves out.
fn is_counter_below(index: Val<'_>, lanes: u64) -> bool {
    let counted = index.block_arg().filter(|(_, number)| *number == 0).and_then(|(block, _)| block.parent());
    let constant = |op: Op<'_>| op.is(scf::FOR) && (0..3).all(|n| int_of(op.operand(n)).is_some());
    counted.is_some_and(constant) && largest(index) < lanes
}

fn extract<'p>(op: Op<'p>, b: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    let (line, ty) = (op.operand(0), op.result(0).ty());
    let read = |operands: &[Val<'p>], at: i64| {
        b.op(vector::EXTRACT).operands(operands).attr("static_position", b.cx().i64_array(&[at])).result(ty).value()
    };
    Rewrite::Replace(vec![match lane_index(b, line, op.operand(1)) {
        LaneIndex::Constant(at) => read(&[line], at),
        LaneIndex::Outside => b.zero(ty),
        LaneIndex::Inside(at) => read(&[line, at], DYNAMIC),
        LaneIndex::Dynamic(at, inside) => b.select(inside, read(&[line, at], DYNAMIC), b.zero(ty)),
    }])
}

fn insert<'p>(op: Op<'p>, b: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    let (value, line) = (op.operand(0), op.operand(1));
    let write = |operands: &[Val<'p>], at: i64| {
        let position = b.cx().i64_array(&[at]);
        b.op(vector::INSERT).operands(operands).attr("static_position", position).result(line.ty()).value()
    };
    Rewrite::Replace(vec![match lane_index(b, line, op.operand(2)) {
        LaneIndex::Constant(at) => write(&[value, line], at),
        LaneIndex::Outside => line,
        LaneIndex::Inside(at) => write(&[value, line, at], DYNAMIC),
        LaneIndex::Dynamic(at, inside) => b.select(inside, write(&[value, line, at], DYNAMIC), line),
    }])
}
