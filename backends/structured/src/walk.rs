//! Statements: control flow, constants, and operations that work lane by lane.
use crate::{Emit, Written, lanes, lanes_of};
use cube_ir::ops::{arith, memref, scf, vector};
use cube_ir::{AttrExt, Op, Val};

/// Emits the only block of a region of `op`, and returns the operands of its terminator.
///
/// # Errors
/// Neither the walk nor the backend supports an operation; the error locates the first such operation.
pub fn region<'p, E: Emit<'p>>(e: &mut E, op: Op<'p>, number: usize) -> Written<Vec<Val<'p>>> {
    let Some(block) = op.regions().nth(number).and_then(|region| region.first_block()) else { return Ok(Vec::new()) };
    let end = block.terminator();
    for op in block.ops().into_iter().filter(|op| Some(*op) != end) {
        statement(e, op)?;
    }
    Ok(end.into_iter().flat_map(|end| end.operands()).collect())
}

fn statement<'p, E: Emit<'p>>(e: &mut E, op: Op<'p>) -> Written {
    e.locate(op);
    if let Some((split, is_first)) = e.split() {
        if let Some(number) = split.region_of(op, is_first) {
            let values = region(e, op, number)?;
            for (result, value) in op.results().zip(values) {
                let lanes = e.lanes(op, value)?;
                e.bind(result, lanes);
            }
            return Ok(());
        }
        if split.is_condition(op) {
            return Ok(());
        }
    }
    if e.special(op)? {
        return Ok(());
    }
    match op.kind() {
        scf::IF => branch(e, op),
        scf::INDEX_SWITCH => switched(e, op),
        scf::FOR => counted(e, op),
        scf::WHILE => repeated(e, op),
        arith::CONSTANT => constant(e, op),
        memref::DIM => {
            let [_, length] = &e.lanes(op, op.operand(0))?[..] else { return Err(e.refuse(op, "it has no length")) };
            let length = length.clone();
            e.bind(op.result(0), vec![length]);
            Ok(())
        }
        vector::REDUCTION => reduced(e, op),
        _ if lanes::has_computed_lane(op) => lanes::emit_computed_lane(e, op),
        _ => match lanes::moved_lanes(e, op)? {
            Some(moved) => {
                op.results().zip(moved).for_each(|(result, lanes)| e.bind(result, lanes));
                Ok(())
            }
            None => computed(e, op),
        },
    }
}

fn branch<'p, E: Emit<'p>>(e: &mut E, op: Op<'p>) -> Written {
    let results: Vec<Val<'p>> = op.results().collect();
    e.declare(op, &results)?;
    let condition = e.decide(op, op.operand(0))?;
    let otherwise = op.regions().nth(1).and_then(|region| region.first_block());
    let has_otherwise = otherwise.is_some_and(|block| block.ops().len() > 1);
    if let Some(end) = otherwise.filter(|_| !has_otherwise).and_then(|block| block.terminator()) {
        e.assign(op, &results, &end.operands().collect::<Vec<_>>())?;
    }
    e.begin_branch(&condition, has_otherwise);
    let values = region(e, op, 0)?;
    e.assign(op, &results, &values)?;
    if has_otherwise {
        e.begin_otherwise();
        let values = region(e, op, 1)?;
        e.assign(op, &results, &values)?;
    }
    e.end_branch();
    Ok(())
}

// As in `scf.index_switch`, the first region is the default.
fn switched<'p, E: Emit<'p>>(e: &mut E, op: Op<'p>) -> Written {
    let results: Vec<Val<'p>> = op.results().collect();
    e.declare(op, &results)?;
    let selector = e.decide(op, op.operand(0))?;
    let cases = op.attr("cases").and_then(|cases| cases.as_i64_array()).unwrap_or_default();
    e.begin_switch(&selector, &cases);
    for (position, case) in cases.iter().enumerate() {
        e.begin_case(op, &selector, position, *case)?;
        let values = region(e, op, position + 1)?;
        e.assign(op, &results, &values)?;
        e.end_case();
    }
    e.begin_default(cases.len());
    let values = region(e, op, 0)?;
    e.assign(op, &results, &values)?;
    e.end_case();
    e.end_switch();
    Ok(())
}

fn counted<'p, E: Emit<'p>>(e: &mut E, op: Op<'p>) -> Written {
    let operands: Vec<Val<'p>> = op.operands().collect();
    let arguments: Vec<Val<'p>> = arguments(op, 0);
    let ([from, to, step, first @ ..], [counter, carried @ ..]) = (&operands[..], &arguments[..]) else {
        return Err(e.refuse(op, "it has no counter"));
    };
    e.declare(op, &arguments)?;
    e.assign(op, carried, first)?;
    let begun = e.begin_for(op, *counter, [*from, *to, *step])?;
    let values = region(e, op, 0)?;
    e.assign(op, carried, &values)?;
    e.end_for(begun);
    for (result, carried) in op.results().zip(carried) {
        let lanes = e.lanes(op, *carried)?;
        e.bind(result, lanes);
    }
    Ok(())
}

fn repeated<'p, E: Emit<'p>>(e: &mut E, op: Op<'p>) -> Written {
    let (operands, results): (Vec<Val<'p>>, Vec<Val<'p>>) = (op.operands().collect(), op.results().collect());
    let before = arguments(op, 0);
    e.declare(op, &before)?;
    e.declare(op, &results)?;
    e.assign(op, &before, &operands)?;
    let begun = e.begin_while();
    let values = region(e, op, 0)?;
    let Some((condition, values)) = values.split_first() else { return Err(e.refuse(op, "it has no condition")) };
    e.assign(op, &results, values)?;
    for (argument, result) in arguments(op, 1).into_iter().zip(&results) {
        let lanes = e.lanes(op, *result)?;
        e.bind(argument, lanes);
    }
    let condition = e.decide(op, *condition)?;
    e.leave_unless(&begun, &condition);
    let values = region(e, op, 1)?;
    e.assign(op, &before, &values)?;
    e.end_while(begun);
    Ok(())
}

fn arguments<'p>(op: Op<'p>, number: usize) -> Vec<Val<'p>> {
    let block = op.regions().nth(number).and_then(|region| region.first_block());
    block.into_iter().flat_map(|block| block.args()).collect()
}

fn constant<'p, E: Emit<'p>>(e: &mut E, op: Op<'p>) -> Written {
    let (result, value) = (op.result(0), op.attr("value"));
    let numbers = value.and_then(|value| value.as_elements()).unwrap_or_else(|| value.into_iter().collect());
    let literals = numbers.into_iter().map(|number| e.literal(result.ty(), number));
    let Some(mut lanes) = literals.collect::<Option<Vec<E::Value>>>() else {
        return Err(e.refuse(op, format!("the language has no constant of type {}", result.ty())));
    };
    // A constant with equal elements has one lane here.
    if let [one] = &lanes[..] {
        lanes = vec![one.clone(); lanes_of(result)];
    }
    e.constant(op, lanes)
}

// Combines the lanes from first to last. The interpreter uses the same order, so both round equally.
fn reduced<'p, E: Emit<'p>>(e: &mut E, op: Op<'p>) -> Written {
    let lanes = e.lanes(op, op.operand(0))?;
    let first = op.operands().nth(1).map(|first| e.scalar(op, first)).transpose()?;
    let mut lanes = first.into_iter().chain(lanes);
    let Some(mut sum) = lanes.next() else { return Err(e.refuse(op, "its vector has no lanes")) };
    for lane in lanes {
        sum = e.combine(op, &sum, &lane)?;
    }
    e.bind(op.result(0), vec![sum]);
    Ok(())
}

fn computed<'p, E: Emit<'p>>(e: &mut E, op: Op<'p>) -> Written {
    const UNKNOWN: &str = "the backend does not support it";
    let [result] = op.results().collect::<Vec<_>>()[..] else { return Err(e.refuse(op, UNKNOWN)) };
    let operands = op.operands().map(|value| e.lanes(op, value)).collect::<Written<Vec<_>>>()?;
    let mut lanes = Vec::with_capacity(lanes_of(result));
    for number in 0..lanes_of(result) {
        // A scalar condition can select between vectors.
        let at = |lanes: &Vec<E::Value>| lanes.get(number).or(lanes.first()).cloned();
        let lane = operands.iter().map(at).collect::<Option<Vec<_>>>().and_then(|operands| e.lane(op, &operands));
        lanes.push(lane.ok_or_else(|| e.refuse(op, UNKNOWN))?);
    }
    e.define(op, result, lanes)
}
