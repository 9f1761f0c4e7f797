//! Rules of buffers and their accesses.
use super::Verdict;
use super::limits::MAX_ALLOCATION_BYTES;
use crate::attributes::ACCESS;
use crate::{Access, AccessKind, BufferType, Combine, Proof, access_of, ops, param_name};
use cube_ir::ops::arith;
use cube_ir::{AttrExt, Op, Type, TypeExt, Val};

pub(super) fn slice(op: Op<'_>) -> Verdict {
    let (Some(of), Some(result)) = (BufferType::of(op.operand(0).ty()), BufferType::of(op.result(0).ty())) else {
        return Ok(());
    };
    if of.element == result.element && of.line == result.line {
        return Ok(());
    }
    let expected = BufferType { kind: crate::BufferKind::Slice, size: None, ..of }.get();
    Err(cube_ir::diagnostic!(CUBE0137.part { given: op.result(0).ty(), of: op.operand(0).ty(), expected }))
}

pub(super) fn alloc(op: Op<'_>) -> Verdict {
    let Some(buffer) = BufferType::of(op.result(0).ty()) else { return Ok(()) };
    match buffer.lines().map(|lines| lines.saturating_mul(buffer.line_bytes())) {
        Some(bytes) if bytes > MAX_ALLOCATION_BYTES => {
            Err(cube_ir::diagnostic!(CUBE0138.bytes { bytes, limit: MAX_ALLOCATION_BYTES }))
        }
        _ => Ok(()),
    }
}

fn line_matches(buffer: Type<'_>, value: Type<'_>, word: &str) -> Verdict {
    let Some(array) = BufferType::of(buffer) else { return Ok(()) };
    let element = array.element;
    let same = value.element() == element && value.line_size() == Some(u64::from(array.line));
    let vector_of_one = array.line == 1 && value.lanes().is_some();
    if same && !vector_of_one {
        return Ok(());
    }
    let expected = if array.line == 1 { element.to_string() } else { format!("vector<{}x{element}>", array.line) };
    Err(cube_ir::diagnostic!(CUBE0133.line { word, ty: value, buffer, expected }))
}

pub(super) fn access(op: Op<'_>) -> Verdict {
    let Some(access) = access_of(op) else { return Ok(()) };
    proven(&access)?;
    if crate::alignment_of(op).is_some() {
        neighbours(op, &access)?;
        return may_write(&access);
    }
    match access.value {
        Some(value) => line_matches(access.buffer.ty(), value.ty(), "writes")?,
        None => line_matches(access.buffer.ty(), op.result(0).ty(), "reads")?,
    }
    may_write(&access)
}

// Checks that a proof is consistent with the access and the type of the buffer. The function does not derive the proof
// again.
fn proven(access: &Access<'_>) -> Verdict {
    let Some(proof) = crate::proof_of(access.op) else { return Ok(()) };
    let word = proof.word();
    if crate::bounds_of(access.op) != Some(crate::Bounds::Inbounds) {
        return Err(cube_ir::diagnostic!(CUBE0370.bounds { word }));
    }
    if crate::alignment_of(access.op).is_some() {
        return Err(cube_ir::diagnostic!(CUBE0370.one_line { word }));
    }
    let Some(buffer) = BufferType::of(access.buffer.ty()).filter(|_| proof == Proof::Range) else { return Ok(()) };
    if !matches!(buffer.kind, crate::BufferKind::Shared | crate::BufferKind::Local) {
        return Err(cube_ir::diagnostic!(CUBE0371.length { ty: access.buffer.ty() }));
    }
    // A proof by range applies to all values of the index, so it also applies if the index is a select.
    let chosen = access.index.def_of(arith::SELECT);
    let values = chosen.map_or_else(|| vec![access.index], |select| vec![select.operand(1), select.operand(2)]);
    let number = |value: Val<'_>| Some(value.def_of(arith::CONSTANT)?.attr("value")?.as_int()? as u32);
    let beyond = |n: &u32| buffer.lines().is_some_and(|lines| u64::from(*n) >= lines);
    match values.into_iter().filter_map(number).find(beyond) {
        Some(n) => Err(cube_ir::diagnostic!(CUBE0371.range { n, ty: access.buffer.ty() })),
        None => Ok(()),
    }
}

// An access to several lines must have the attribute `inbounds` and a valid alignment.
fn neighbours(op: Op<'_>, access: &Access<'_>) -> Verdict {
    let Some(buffer) = BufferType::of(access.buffer.ty()) else { return Ok(()) };
    let ty = access.value.map_or_else(|| op.result(0).ty(), |value| value.ty());
    let lanes = ty.lanes().unwrap_or(0);
    let align = crate::alignment_of(op).unwrap_or(0);
    let refuse = |why: &str| Err(cube_ir::diagnostic!(CUBE0177.neighbours { why }));
    if buffer.line != 1 || ty.element() != buffer.element || !(2..=16).contains(&lanes) || !lanes.is_power_of_two() {
        return refuse(&format!(
            "moves {ty}; use a vector of 2, 4, 8 or 16 elements of a buffer whose lines have one element"
        ));
    }
    if crate::bounds_of(op) != Some(crate::Bounds::Inbounds) {
        return refuse("is not inbounds; add `inbounds`, because a wide access cannot be checked");
    }
    if !align.is_power_of_two() || align > lanes * buffer.line_bytes() {
        return refuse(&format!(
            "{align} is not an alignment of {ty}; use a power of two up to the size of the vector in bytes"
        ));
    }
    Ok(())
}

fn may_write(access: &Access<'_>) -> Verdict {
    let Some((block, index)) = access.buffer.block_arg().filter(|_| access.kind.writes()) else { return Ok(()) };
    let Some(kernel) = block.parent().and_then(ops::Kernel::of) else { return Ok(()) };
    let attrs = kernel.arg_attrs().and_then(|a| a.item(index));
    let word = attrs.and_then(|d| d.entry(ACCESS)).and_then(|a| a.as_str());
    if word == Some("read") {
        return Err(cube_ir::diagnostic!(CUBE0134.read_only { index, kernel: kernel.name() }));
    }
    Ok(())
}

pub(super) fn atomic(op: Op<'_>) -> Verdict {
    let Some(access) = access_of(op) else { return Ok(()) };
    proven(&access)?;
    let buffer = access.buffer.ty();
    let cube = BufferType::of(buffer);
    let value = access.value.map_or_else(|| op.result(0).ty(), |v| v.ty());
    let element = buffer.element();
    // The elements of a memref can have a type that is not a number. This type has no line size, so the check below
    // fails.
    let memref_line = element.line_size().unwrap_or(0) as u32;
    let (element, line) = cube.map_or((element, memref_line), |b| (b.element, b.line));
    if line != 1 {
        return Err(cube_ir::diagnostic!(CUBE0139.lines { buffer, line }));
    }
    if value != element {
        return Err(cube_ir::diagnostic!(CUBE0133.element { ty: value, buffer, element }));
    }
    if !crate::is_same_in_memory(element) && crate::param_name(None, Some(element)).is_none() {
        return Err(cube_ir::diagnostic!(CUBE0139.number { element }));
    }
    if access.kind == AccessKind::AtomicRmw {
        combines(op, element, &[Combine::MulI, Combine::MulF])?;
    }
    may_write(&access)
}

/// Whether kernels can only load, store, copy and convert values of the type.
pub(crate) fn is_storage(element: Type<'_>) -> bool {
    let is_open = param_name(None, Some(element)).is_some();
    element.is_fp() && !is_open && crate::element_of(element).is_none_or(|known| !known.is_computed())
}

/// Whether the combining operation of `op` supports the type; `not` lists the operations that `op` refuses.
pub(super) fn combines(op: Op<'_>, element: Type<'_>, not: &[Combine]) -> Verdict {
    let Some(kind) = Combine::on(op) else { return Ok(()) };
    let float = kind.word().ends_with('f');
    let fits = kind == Combine::Exchange || float == element.is_fp();
    if fits && !not.contains(&kind) {
        return Ok(());
    }
    let takes =
        |k: &&Combine| !not.contains(k) && (**k == Combine::Exchange || k.word().ends_with('f') == element.is_fp());
    let words: Vec<&str> = Combine::ALL.iter().filter(takes).map(|k| k.word()).collect();
    Err(cube_ir::diagnostic!(CUBE0140.word { element, word: kind.word(), known: words.join(", ") }))
}
