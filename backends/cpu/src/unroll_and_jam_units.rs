//! CPU: unroll and jam. Several units with inner reduction loops run side by side, so that their chains of dependent
//! operations overlap.
//!
//! ```mlir
//! scf.for %u = %a to %b {                      scf.for %u = %a to %m step 4 {
//!   %s = scf.for ... iter_args(%x = %z) { f }    %s:4 = scf.for ... iter_args(%x0 = %z, ..., %x3 = %z) { f0 f1 f2 f3 }
//!   use %s                                       use %s#0 ... use %s#3
//! }                                            }
//!                                              scf.for %u = %m to %b { original body }    // the remaining units
//! ```
//!
//! In a strict sum of floats, each addition depends on the previous addition. Four concurrent sums hide the latency of
//! the additions. Units of a launch are not ordered, and each unit keeps the order of its operations, so results are
//! bit-identical. The pass applies to a loop over units whose body contains exactly one loop. The inner loop must carry
//! a float and have uniform bounds. Cost: linear.
use cube_ir::ops::{arith, scf};
use cube_ir::{AttrExt, Builder, Op, PassResult, Run, TypeExt, Val, pass};
use cube_passes::analysis::loops::is_outside;
use std::collections::HashMap;

pass! {
    name: "unroll-and-jam-units",
    summary: "unrolls and jams the loops over units that contain reduction loops (CPU)",
    on: any,
    level: Device => Device,
    dialects: ["arith", "scf"],
    options: { units: Int(4) = "number of units that run side by side" },
    statistics: ["loops interleaved"],
    run: run,
}

type Map<'p> = HashMap<Val<'p>, Val<'p>>;

/// Maximum number of operations in a loop that the pass copies.
const MAX_OPS: usize = 64;

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let units = run.int("units").clamp(1, 16);
    for op in run.root().walk() {
        if units > 1
            && op.is(scf::FOR)
            && let Some(inner) = reduction_of(op)
        {
            run.passed(
                inner,
                "jam",
                format_args!(
                    "{units} units run this reduction side by side, because the sums of one unit wait for each other"
                ),
            );
            interleave(op, inner, units);
            run.count("loops interleaved", 1);
        }
    }
    Ok(())
}

// The only inner loop in the body of a loop over units, if it is a reduction with the same trip count for all units.
fn reduction_of(outer: Op<'_>) -> Option<Op<'_>> {
    let step = outer.operand(2).def_of(arith::CONSTANT)?.attr("value")?.as_int()?;
    let plain = outer.attr("unsignedCmp").is_some() && outer.results().len() == 0 && step == 1;
    let mut loops = outer.body()?.ops().into_iter().filter(|op| op.is(scf::FOR));
    let (inner, other) = (loops.next()?, loops.next());
    let carries_float = inner.results().any(|r| r.ty().is_fp());
    let nested = outer.walk();
    let loops_inside = nested.iter().filter(|op| op.is(scf::FOR) || op.is(scf::WHILE)).count();
    let invariant = (0..3).all(|i| is_outside(inner.operand(i), outer));
    (plain && other.is_none() && loops_inside == 2 && carries_float && invariant && nested.len() <= MAX_OPS)
        .then_some(inner)
}

fn interleave<'p>(outer: Op<'p>, inner: Op<'p>, units: i64) {
    let b = Builder::before(outer);
    let (from, to, ty) = (outer.operand(0), outer.operand(1), outer.operand(0).ty());
    // A range is empty if its end is not above its start.
    let count = b.subi(b.maxui(from, to), from);
    let whole = b.subi(count, b.remui(count, b.int(ty, units)));
    let middle = b.addi(from, whole);
    b.for_range(from, middle, b.int(ty, units), |b, first| {
        let unit = |k: i64| if k == 0 { first } else { b.addi(first, b.int(ty, k)) };
        let ids: Vec<Val<'p>> = (0..units).map(unit).collect();
        emit_units(b, outer, inner, &ids);
    });
    outer.set_operand(0, middle);
}

// The body for several units: first the code before the inner loop for each unit, then one loop for all units, then the
// code after the loop for each unit.
fn emit_units<'p>(b: Builder<'p>, outer: Op<'p>, inner: Op<'p>, ids: &[Val<'p>]) {
    let block = outer.body().expect("loops have a body");
    let ops = block.ops();
    let at = ops.iter().position(|op| *op == inner).expect("the loop is in the body");
    let mut maps: Vec<Map<'p>> = ids.iter().map(|id| Map::from([(block.arg(0), *id)])).collect();
    for map in &mut maps {
        for op in &ops[..at] {
            copy(b, *op, map);
        }
    }
    jam(b, inner, &mut maps);
    for map in &mut maps {
        for op in &ops[at + 1..ops.len() - 1] {
            copy(b, *op, map);
        }
    }
}

fn jam<'p>(b: Builder<'p>, inner: Op<'p>, maps: &mut [Map<'p>]) {
    let mapped_value = |map: &Map<'p>, value: Val<'p>| map.get(&value).copied().unwrap_or(value);
    let carried: Vec<Val<'p>> = inner.operands().skip(3).collect();
    let starts: Vec<Val<'p>> = maps.iter().flat_map(|m| carried.iter().map(|v| mapped_value(m, *v))).collect();
    let bounds: Vec<Val<'p>> = (0..3).map(|i| inner.operand(i)).collect();
    let types: Vec<_> = starts.iter().map(|v| v.ty()).collect();
    let mut arguments = vec![bounds[0].ty()];
    arguments.extend(&types);
    let mut spec = b.op(scf::FOR).operands(&bounds).operands(&starts).results(&types);
    if let Some(unsigned) = inner.attr("unsignedCmp") {
        spec = spec.attr("unsignedCmp", unsigned);
    }
    let body = inner.body().expect("loops have a body");
    let inside: Vec<Map<'p>> = maps.to_vec();
    let fused = spec
        .body(&arguments, move |b, args| {
            let mut yields = Vec::new();
            for (unit, mut map) in inside.into_iter().enumerate() {
                map.insert(body.arg(0), args[0]);
                for (k, _) in carried.iter().enumerate() {
                    map.insert(body.arg(1 + k), args[1 + unit * carried.len() + k]);
                }
                for op in body.ops() {
                    if op.is(scf::YIELD) {
                        yields.extend(op.operands().map(|v| map.get(&v).copied().unwrap_or(v)));
                    } else {
                        copy(b, op, &mut map);
                    }
                }
            }
            b.op(scf::YIELD).operands(&yields).build();
        })
        .build();
    let width = inner.results().len();
    for (unit, map) in maps.iter_mut().enumerate() {
        for (k, result) in inner.results().enumerate() {
            map.insert(result, fused.result(unit * width + k));
        }
    }
}

// Copies `op` to the builder's position. The copy's operands, and those of nested operations, are looked up in `map`.
fn copy<'p>(b: Builder<'p>, op: Op<'p>, map: &mut Map<'p>) {
    let new = b.insert_copy(op);
    for inside in new.walk() {
        for (i, value) in inside.operands().enumerate() {
            if let Some(mapped) = map.get(&value) {
                inside.set_operand(i, *mapped);
            }
        }
    }
    map.extend(op.results().zip(new.results()));
}
