//! Operations that only move lanes. The results of such an operation are existing lanes, or literals for
//! `vector.step`, so the walk emits no code.
use crate::{Emit, Written, lanes_of};
use cube_ir::ops::vector;
use cube_ir::{AttrExt, Dialect, Op};

/// For an operation that only moves lanes: the source lane of each lane of each result. `None` for other operations,
/// and if a lane number is computed at run time.
pub fn moved_lanes<'p, E: Emit<'p>>(w: &mut E, op: Op<'p>) -> Written<Option<Vec<Vec<E::Value>>>> {
    if op.kind().dialect() != Some(Dialect::Vector) || op.results().len() == 0 {
        return Ok(None);
    }
    match op.kind() {
        vector::TO_ELEMENTS => Ok(Some(w.lanes(op, op.operand(0))?.into_iter().map(|lane| vec![lane]).collect())),
        vector::DEINTERLEAVE => {
            let lanes = w.lanes(op, op.operand(0))?;
            Ok(Some((0..2).map(|first| lanes.iter().skip(first).step_by(2).cloned().collect()).collect()))
        }
        _ if op.results().len() == 1 => Ok(moved_lanes_of_one(w, op)?.map(|lanes| vec![lanes])),
        _ => Ok(None),
    }
}

fn moved_lanes_of_one<'p, E: Emit<'p>>(w: &mut E, op: Op<'p>) -> Written<Option<Vec<E::Value>>> {
    if op.kind() == vector::STEP {
        let number = |lane: usize| op.cx().int_attr(op.cx().index(), lane as i64);
        return Ok((0..lanes_of(op.result(0))).map(|lane| w.literal(op.result(0).ty(), number(lane))).collect());
    }
    let part = |lanes: Vec<E::Value>, from: Option<usize>| {
        from.and_then(|from| lanes.get(from..from.checked_add(lanes_of(op.result(0)))?).map(<[_]>::to_vec))
    };
    let names = |number: usize| w.lanes(op, op.operand(number));
    Ok(match op.kind() {
        vector::FROM_ELEMENTS => Some(op.operands().map(|lane| w.scalar(op, lane)).collect::<Written<_>>()?),
        vector::BROADCAST => Some(names(0)?.into_iter().cycle().take(lanes_of(op.result(0))).collect()),
        vector::SHAPE_CAST => Some(names(0)?),
        vector::INTERLEAVE => Some(names(0)?.into_iter().zip(names(1)?).flat_map(<[E::Value; 2]>::from).collect()),
        vector::EXTRACT => part(names(0)?, first_lane(op, "static_position")),
        vector::EXTRACT_STRIDED_SLICE => part(names(0)?, first_lane(op, "offsets")),
        vector::INSERT => with_lanes_replaced(names(1)?, &names(0)?, first_lane(op, "static_position")),
        vector::INSERT_STRIDED_SLICE => with_lanes_replaced(names(1)?, &names(0)?, first_lane(op, "offsets")),
        vector::SHUFFLE => {
            let both = [names(0)?, names(1)?].concat();
            let mask = op.attr("mask").and_then(|mask| mask.as_i64_array()).unwrap_or_default();
            mask.into_iter().map(|lane| both.get(usize::try_from(lane).ok()?).cloned()).collect()
        }
        _ => None,
    })
}

/// Whether an operation extracts or inserts a lane whose number is computed at run time.
pub fn has_computed_lane(op: Op<'_>) -> bool {
    match op.kind() {
        vector::EXTRACT => op.operands().len() == 2,
        vector::INSERT => op.operands().len() == 3,
        _ => false,
    }
}

/// Emits an extraction or insertion with a computed lane number as one comparison per lane. `expand-lanes` has
/// ensured that the lane exists.
pub fn emit_computed_lane<'p, E: Emit<'p>>(w: &mut E, op: Op<'p>) -> Written {
    let taken = op.kind() == vector::EXTRACT;
    let lanes = w.lanes(op, op.operand(if taken { 0 } else { 1 }))?;
    let index = w.scalar(op, op.operand(if taken { 1 } else { 2 }))?;
    w.declare(op, &[op.result(0)])?;
    let results = w.lanes(op, op.result(0))?;
    for (number, lane) in lanes.iter().enumerate() {
        let result = if taken { &results[0] } else { &results[number] };
        if !taken {
            w.set(result, lane);
        }
        let value = if taken { lane.clone() } else { w.scalar(op, op.operand(0))? };
        w.choose(&index, number, result, &value);
    }
    Ok(())
}

// The first lane of an operation; `None` if the lane is computed at run time, which MLIR marks by a negative number.
fn first_lane(op: Op<'_>, name: &str) -> Option<usize> {
    let attribute = op.attr(name)?;
    let listed = || attribute.as_array()?.into_iter().map(|number| number.as_int()).collect();
    let [lane] = attribute.as_i64_array().or_else(listed)?[..] else { return None };
    usize::try_from(lane).ok()
}

fn with_lanes_replaced<V: Clone>(mut lanes: Vec<V>, part: &[V], from: Option<usize>) -> Option<Vec<V>> {
    let from = from?;
    lanes.get_mut(from..from.checked_add(part.len())?)?.clone_from_slice(part);
    Some(lanes)
}
