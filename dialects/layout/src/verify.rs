//! Verifiers of the rules that do not depend on the operands' layouts.
use crate::{coord_of, evaluate::lanes_of, layout_text_of, line_of_view, ops, text, text_of};
use cube_dialect::BufferType;
use cube_ir::{AttrExt, Message, Op, TypeExt};

type Verdict = Result<(), Message>;

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
        to => Err(cube_ir::diagnostic!(CUBE0173.to { to: to.unwrap_or(0) })),
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
        0 => Err(cube_ir::diagnostic!(CUBE0176.no_results)),
        _ => Ok(()),
    }
}

fn layout(op: Op<'_>, attr: &str, operands: usize) -> Verdict {
    let attr = op.attr(attr);
    let read = layout_text_of(attr).and_then(|form| text::layout_of(&form).map(|_| form));
    let form = read.map_err(|error| {
        let text = text_of(attr);
        let at = error.at.map(|at| format!(" at byte {at} of it")).unwrap_or_default();
        cube_ir::diagnostic!(CUBE0170.no_layout { text, why: error.message, at })
    })?;
    if form.operands == operands {
        return Ok(());
    }
    if op.is(ops::Constant::KIND) {
        return Err(cube_ir::diagnostic!(CUBE0171.constant));
    }
    Err(cube_ir::diagnostic!(CUBE0171.count { operands, leaves: form.operands }))
}

// Checks the attribute `coord`, and returns whether the coordinate keeps a mode.
fn coord(op: Op<'_>, first: usize, may_keep: bool) -> Result<bool, Message> {
    let attr = op.attr("coord");
    let (coord, places) = coord_of(attr).map_err(|error| {
        let text = text_of(attr);
        let at = error.at.map(|at| format!(" at byte {at} of it")).unwrap_or_default();
        cube_ir::diagnostic!(CUBE0172.no_coordinate { text, why: error.message, at })
    })?;
    coord.depth().map_err(|error| cube_ir::diagnostic!(CUBE0172.depth { why: error.message }))?;
    let given = op.operands().len().saturating_sub(first);
    if places != given {
        return Err(cube_ir::diagnostic!(CUBE0172.places { given, places }));
    }
    let mut keeps = false;
    coord.each_leaf(&mut |leaf| keeps |= matches!(leaf, text::CoordLeaf::All));
    if keeps && !may_keep {
        return Err(cube_ir::diagnostic!(CUBE0172.keeps));
    }
    Ok(keeps)
}

fn view(op: Op<'_>) -> Verdict {
    let Some(buffer) = BufferType::of(op.operand(0).ty()) else { return Ok(()) };
    let line = buffer.line_type(op.cx());
    match line_of_view(op.result(0)) {
        Some(ty) if ty == line => Ok(()),
        _ => Err(cube_ir::diagnostic!(CUBE0174.line { given: op.result(0).ty(), buffer: op.operand(0).ty(), line })),
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
    let expected = match keeps {
        true => format!("a vector of {} for the modes with `_`", line.element()),
        false => line.to_string(),
    };
    let word = if access.value.is_some() { "writes" } else { "reads" };
    Err(cube_ir::diagnostic!(CUBE0175.element { word, ty: access.ty, view: access.view.ty(), line, expected }))
}
