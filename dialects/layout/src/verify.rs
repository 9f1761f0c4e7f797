//! Verifiers: what can be said of an operation without its operands' layouts.
use crate::{coord_of, evaluate::lanes_of, form_of, line_of_view, ops, text, text_of};
use cube_dialect::BufferType;
use cube_ir::{AttrExt, Op, TypeExt};

type Verdict = Result<(), String>;

pub(crate) fn verify(op: Op<'_>) -> Verdict {
    ops::verify_by_rule!(op)
}

fn constant(op: Op<'_>) -> Verdict {
    layout(op, "value", 0)
}

fn make(op: Op<'_>) -> Verdict {
    layout(op, "form", op.operands().len())
}

fn complement(op: Op<'_>) -> Verdict {
    match op.attr("to").and_then(|a| a.as_int()) {
        Some(to) if to >= 1 => Ok(()),
        to => Err(format!("has `to` {}; a complement reaches up to at least 1 [CUBE0173]", to.unwrap_or(0))),
    }
}

fn offset(op: Op<'_>) -> Verdict {
    coord(op, 1, false).map(|_| ())
}

fn slice(op: Op<'_>) -> Verdict {
    coord(op, 1, true).map(|_| ())
}

fn coordinates(op: Op<'_>) -> Verdict {
    match op.results().len() {
        0 => Err("has no results; give one i32 for each leaf of the shape [CUBE0176]".into()),
        _ => Ok(()),
    }
}

fn layout(op: Op<'_>, attr: &str, operands: usize) -> Verdict {
    let attr = op.attr(attr);
    let read = form_of(attr).and_then(|form| text::layout_of(&form).map(|_| form));
    let form = read.map_err(|error| {
        let text = text_of(attr);
        let at = error.at.map(|at| format!(" at byte {at} of it")).unwrap_or_default();
        format!("has `{text}`, which is no layout: {}{at} [CUBE0170]", error.message)
    })?;
    if form.operands == operands {
        return Ok(());
    }
    if op.is(ops::Constant::KIND) {
        return Err("has leaves `?`; give them as operands of layout.make [CUBE0171]".into());
    }
    Err(format!("has {operands} operands for {} leaves `?`; give one for each [CUBE0171]", form.operands))
}

// Whether the coordinate keeps a mode.
fn coord(op: Op<'_>, first: usize, may_keep: bool) -> Result<bool, String> {
    let attr = op.attr("coord");
    let (coord, places) = coord_of(attr).map_err(|error| {
        let text = text_of(attr);
        let at = error.at.map(|at| format!(" at byte {at} of it")).unwrap_or_default();
        format!("has `{text}`, which is no coordinate: {}{at} [CUBE0172]", error.message)
    })?;
    coord.depth().map_err(|error| format!("has a coordinate whose {} [CUBE0172]", error.message))?;
    let given = op.operands().len().saturating_sub(first);
    if places != given {
        return Err(format!(
            "has {given} operands for {places} places `?` of its coordinate; give one for each [CUBE0172]"
        ));
    }
    let mut keeps = false;
    coord.each_leaf(&mut |leaf| keeps |= matches!(leaf, text::CoordLeaf::Keep));
    if keeps && !may_keep {
        return Err("has a coordinate with `_`, which has no offset; slice the layout instead [CUBE0172]".into());
    }
    Ok(keeps)
}

fn view(op: Op<'_>) -> Verdict {
    let Some(buffer) = BufferType::of(op.operand(0).ty()) else { return Ok(()) };
    let line = buffer.line_type(op.cx());
    match line_of_view(op.result(0)) {
        Some(ty) if ty == line => Ok(()),
        _ => Err(format!(
            "gives {}, but a view of {} is !layout.view<{line}> [CUBE0174]",
            op.result(0).ty(),
            op.operand(0).ty()
        )),
    }
}

fn access(op: Op<'_>) -> Verdict {
    let Some(access) = crate::access_of(op) else { return Ok(()) };
    let keeps = coord(op, access.first, true)?;
    let Some(line) = line_of_view(access.view) else { return Ok(()) };
    let lanes = lanes_of(access.ty);
    let fits = match keeps {
        false => access.ty == line,
        true => {
            access.ty.element() == line.element()
                && lanes.is_multiple_of(lanes_of(line))
                && (lanes > 1 || access.ty == line)
        }
    };
    if fits {
        return Ok(());
    }
    let wanted = match keeps {
        true => format!("a vector of {} for what `_` leaves", line.element()),
        false => line.to_string(),
    };
    let word = if access.value.is_some() { "writes" } else { "reads" };
    Err(format!("{word} {}, but an element of {} is {line}; make it {wanted} [CUBE0175]", access.ty, access.view.ty()))
}
