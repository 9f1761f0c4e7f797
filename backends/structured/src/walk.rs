//! Statements: control flow, constants, and operations that work lane by lane.
use crate::{Writer, Written, lanes, lanes_of};
use cube_ir::access::access_of;
use cube_ir::ops::{arith, memref, scf, vector};
use cube_ir::{AttrExt, MemRef, Op, TypeExt, Val};

/// Writes the only block of a region of `op`, and gives the operands of its terminator, which `op` knows what to do with.
///
/// # Errors
/// The refusal of the first operation that neither the walk nor the language knows.
pub fn region<'p>(w: &mut Writer<'p, '_>, op: Op<'p>, number: usize) -> Written<Vec<Val<'p>>> {
    let Some(block) = op.regions().nth(number).and_then(|region| region.first_block()) else { return Ok(Vec::new()) };
    let end = block.terminator();
    for op in block.ops().into_iter().filter(|op| Some(*op) != end) {
        statement(w, op)?;
    }
    Ok(end.into_iter().flat_map(|end| end.operands()).collect())
}

fn statement<'p>(w: &mut Writer<'p, '_>, op: Op<'p>) -> Written {
    w.locate(op);
    if w.language.statement(w, op)? {
        return Ok(());
    }
    match op.kind() {
        scf::IF => branch(w, op),
        scf::INDEX_SWITCH => switched(w, op),
        scf::FOR => counted(w, op),
        scf::WHILE => repeated(w, op),
        arith::CONSTANT => constant(w, op),
        memref::LOAD | vector::LOAD | memref::STORE | vector::STORE => accessed(w, op),
        memref::DIM => {
            let [_, length] = &w.names(op, op.operand(0))?[..] else { return Err(w.refuse(op, "it has no length")) };
            w.name(op.result(0), vec![length.clone()]);
            Ok(())
        }
        vector::REDUCTION => reduced(w, op),
        _ if lanes::is_chosen(op) => lanes::chosen(w, op),
        _ => match lanes::moved(w, op)? {
            Some(names) => {
                op.results().zip(names).for_each(|(result, names)| w.name(result, names));
                Ok(())
            }
            None => computed(w, op),
        },
    }
}

fn accessed<'p>(w: &mut Writer<'p, '_>, op: Op<'p>) -> Written {
    let access = access_of(op).and_then(|access| Some((access.buffer, access.index()?, access.value)));
    let Some((buffer, index, value)) = access else { return Err(w.refuse(op, "its memory has several dimensions")) };
    match value {
        None => {
            let places = places(w, op, [buffer, index, op.result(0)])?;
            w.define(op, op.result(0), places)
        }
        Some(value) => {
            let places = places(w, op, [buffer, index, value])?;
            let values = w.names(op, value)?;
            places.iter().zip(values).for_each(|(place, value)| w.line(format_args!("{place} = {value};")));
            Ok(())
        }
    }
}

fn branch<'p>(w: &mut Writer<'p, '_>, op: Op<'p>) -> Written {
    let results: Vec<Val<'p>> = op.results().collect();
    w.declare(op, &results)?;
    let condition = w.scalar(op, op.operand(0))?;
    let condition = w.language.decides(w, op, op.operand(0), condition)?;
    let heads = [format!("if ({condition})"), "else".into()];
    let filled = |number: &usize| {
        let block = op.regions().nth(*number).and_then(|region| region.first_block());
        block.is_some_and(|block| *number == 0 || !results.is_empty() || block.ops().len() > 1)
    };
    for number in (0..heads.len()).filter(filled) {
        w.open(&heads[number]);
        let values = region(w, op, number)?;
        w.assign(op, &results, &values)?;
        w.close();
    }
    Ok(())
}

// The first region is of no case, as in the operation.
fn switched<'p>(w: &mut Writer<'p, '_>, op: Op<'p>) -> Written {
    let results: Vec<Val<'p>> = op.results().collect();
    w.declare(op, &results)?;
    let selector = w.scalar(op, op.operand(0))?;
    let selector = w.language.decides(w, op, op.operand(0), selector)?;
    let cases = op.attr("cases").and_then(|cases| cases.as_i64_array()).unwrap_or_default();
    for (number, case) in cases.iter().enumerate() {
        let case = w.language.literal(op.operand(0).ty(), op.cx().int_attr(op.cx().index(), *case));
        let case = case.ok_or_else(|| w.refuse(op, "the language has no such case"))?;
        let word = if number == 0 { "if" } else { "else if" };
        w.open(format_args!("{word} ({selector} == {case})"));
        let values = region(w, op, number + 1)?;
        w.assign(op, &results, &values)?;
        w.close();
    }
    w.open(if cases.is_empty() { "if (true)" } else { "else" });
    let values = region(w, op, 0)?;
    w.assign(op, &results, &values)?;
    w.close();
    Ok(())
}

// Turns are counted before the first one, because the counter can wrap in the last.
fn counted<'p>(w: &mut Writer<'p, '_>, op: Op<'p>) -> Written {
    let operands: Vec<Val<'p>> = op.operands().collect();
    let arguments: Vec<Val<'p>> = arguments(op, 0);
    let ([from, to, step, first @ ..], [counter, carried @ ..]) = (&operands[..], &arguments[..]) else {
        return Err(w.refuse(op, "it has no counter"));
    };
    w.declare(op, &arguments)?;
    w.assign(op, carried, first)?;
    let mut decided = |value: &Val<'p>| {
        let name = w.scalar(op, *value)?;
        w.language.decides(w, op, *value, name)
    };
    let (from, to, by) = (decided(from)?, decided(to)?, decided(step)?);
    let at = w.scalar(op, *counter)?;
    w.line(format_args!("{at} = {from};"));
    let is_one = step.def_of(arith::CONSTANT).and_then(|one| one.attr("value")).and_then(|one| one.as_int()) == Some(1);
    match w.language.continues(op, &at, &to).filter(|_| is_one) {
        Some(more) => {
            w.open(format_args!("for (; {more}; {at} = {at} + {by})"));
            let values = region(w, op, 0)?;
            w.assign(op, carried, &values)?;
        }
        None => {
            let turns = w.language.turns(op, &from, &to, &by);
            let turns = turns.ok_or_else(|| w.refuse(op, "the language has no such counter"))?;
            let (left, ty) = (w.fresh('r'), w.type_of(op, *counter)?);
            w.line(w.language.variable(&ty, &left));
            w.line(format_args!("{left} = {turns};"));
            w.open(format_args!("for (; {left} != 0; {left} = {left} - 1)"));
            let values = region(w, op, 0)?;
            w.assign(op, carried, &values)?;
            w.line(format_args!("{at} = {at} + {by};"));
        }
    }
    w.close();
    for (result, carried) in op.results().zip(carried) {
        let names = w.names(op, *carried)?;
        w.name(result, names);
    }
    Ok(())
}

fn repeated<'p>(w: &mut Writer<'p, '_>, op: Op<'p>) -> Written {
    let (operands, results): (Vec<Val<'p>>, Vec<Val<'p>>) = (op.operands().collect(), op.results().collect());
    let before = arguments(op, 0);
    w.declare(op, &before)?;
    w.declare(op, &results)?;
    w.assign(op, &before, &operands)?;
    for (argument, result) in arguments(op, 1).into_iter().zip(&results) {
        let names = w.names(op, *result)?;
        w.name(argument, names);
    }
    w.open(w.language.endless());
    let values = region(w, op, 0)?;
    let Some((condition, values)) = values.split_first() else { return Err(w.refuse(op, "it has no condition")) };
    w.assign(op, &results, values)?;
    let name = w.scalar(op, *condition)?;
    let name = w.language.decides(w, op, *condition, name)?;
    w.open(format_args!("if (!{name})"));
    w.line("break;");
    w.close();
    let values = region(w, op, 1)?;
    w.assign(op, &before, &values)?;
    w.close();
    Ok(())
}

// The lanes of a value in memory, from the line of a buffer that an index counts.
fn places<'p>(w: &Writer<'p, '_>, op: Op<'p>, [buffer, index, value]: [Val<'p>; 3]) -> Written<Vec<String>> {
    let line = MemRef::of(buffer.ty()).map_or(1, |memref| memref.line.element_count());
    let (names, index) = (w.names(op, buffer)?, w.scalar(op, index)?);
    let array = names.first().ok_or_else(|| w.refuse(op, "its buffer has no name"))?;
    Ok((0..lanes_of(value)).map(|lane| format!("{array}[{index} * {line} + {lane}]")).collect())
}

fn arguments<'p>(op: Op<'p>, number: usize) -> Vec<Val<'p>> {
    let block = op.regions().nth(number).and_then(|region| region.first_block());
    block.into_iter().flat_map(|block| block.args()).collect()
}

fn constant<'p>(w: &mut Writer<'p, '_>, op: Op<'p>) -> Written {
    let (result, value) = (op.result(0), op.attr("value"));
    let numbers = value.and_then(|value| value.as_elements()).unwrap_or_else(|| value.into_iter().collect());
    let literals = numbers.into_iter().map(|number| w.language.literal(result.ty(), number));
    let Some(mut lanes) = literals.collect::<Option<Vec<String>>>() else {
        return Err(w.refuse(op, format!("the language has no constant of type {}", result.ty())));
    };
    // Equal elements are one.
    if let [one] = &lanes[..] {
        lanes = vec![one.clone(); lanes_of(result)];
    }
    if w.language.inlines_constants() {
        w.name(result, lanes);
        return Ok(());
    }
    w.define(op, result, lanes)
}

// From the first lane to the last, which is the order in which the interpreter rounds.
fn reduced<'p>(w: &mut Writer<'p, '_>, op: Op<'p>) -> Written {
    let (lanes, ty) = (w.names(op, op.operand(0))?, w.type_of(op, op.result(0))?);
    let first = op.operands().nth(1).map(|first| w.scalar(op, first)).transpose()?;
    let mut lanes = first.into_iter().chain(lanes);
    let Some(mut sum) = lanes.next() else { return Err(w.refuse(op, "its vector has no lanes")) };
    for lane in lanes {
        let both = w.language.combined(op, &sum, &lane);
        let both = both.ok_or_else(|| w.refuse(op, "the language does not combine lanes so"))?;
        sum = w.fresh('v');
        w.line(w.language.constant(&ty, &sum, &both));
    }
    w.name(op.result(0), vec![sum]);
    Ok(())
}

fn computed<'p>(w: &mut Writer<'p, '_>, op: Op<'p>) -> Written {
    let language = w.language;
    let unknown = || w.refuse(op, "the backend does not support it");
    let [result] = op.results().collect::<Vec<_>>()[..] else { return Err(unknown()) };
    let operands = op.operands().map(|value| w.names(op, value)).collect::<Written<Vec<_>>>()?;
    let lane = |number: usize| {
        // One condition can choose between vectors.
        let at = |names: &Vec<String>| names.get(number).or(names.first()).cloned().unwrap_or_default();
        language.lane(op, &operands.iter().map(at).collect::<Vec<_>>())
    };
    let lanes = (0..lanes_of(result)).map(lane).collect::<Option<Vec<_>>>().ok_or_else(unknown)?;
    w.define(op, result, lanes)
}
