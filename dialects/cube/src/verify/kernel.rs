//! Rules of kernels, functions and comptime parameters.
use super::Verdict;
use super::limits::{MAX_ARGUMENTS, MAX_PARAMS, MAX_UNITS};
use crate::attributes::{ACCESS, ALIGN, CUBE_COUNT, CUBES, DERIVED, HOST, LEN, NOALIAS, OVERWRITTEN, PRINTS};
use crate::{BufferKind, BufferType, element_of, is_number, kernel::Comptime, ops, param_name};
use cube_ir::access::accesses_memory;
use cube_ir::ops::{arith, vector};
use cube_ir::{AttrExt, Attribute, Dialect, Message, Op, OpKind, Type, TypeExt, suggestion};
use cube_target::{Class, Element, Number};
use std::collections::HashMap;

pub(super) fn kernel(kernel: ops::Kernel<'_>) -> Verdict {
    let name = kernel.name();
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(word) || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(cube_ir::diagnostic!(CUBE0135.name { name: format!("{name:?}") }));
    }
    let dim = kernel.cube_dim().and_then(|a| a.as_i32_array()).unwrap_or_default();
    if dim.len() != 3 || dim.iter().any(|d| *d < 1) {
        return Err(cube_ir::diagnostic!(CUBE0120.sizes { dim: format!("{dim:?}") }));
    }
    let units = dim.iter().map(|d| *d as u64).try_fold(1u64, |a, b| a.checked_mul(b)).unwrap_or(u64::MAX);
    if units > MAX_UNITS {
        return Err(cube_ir::diagnostic!(CUBE0121.units { units, limit: MAX_UNITS }));
    }
    let ty = kernel.function_type().and_then(|a| a.as_type());
    let block = kernel.block().ok_or(cube_ir::diagnostic!(CUBE0122.kernel))?;
    if ty.and_then(|t| t.function_results()).is_some_and(|results| !results.is_empty()) {
        return Err(cube_ir::diagnostic!(CUBE0123.results));
    }
    comptime(kernel)?;
    if block.args().len() > MAX_ARGUMENTS {
        return Err(cube_ir::diagnostic!(CUBE0155.count { count: block.args().len(), limit: MAX_ARGUMENTS }));
    }
    let attrs = kernel.arg_attrs().and_then(|a| a.as_array()).unwrap_or_default();
    for (i, arg) in block.args().enumerate() {
        argument(kernel.op(), i, arg.ty(), attrs.get(i).copied())?;
    }
    launch(kernel, &attrs)?;
    terminated(kernel.op())
}

// The attributes that passes write for the launch. The artifact contains their values.
fn launch(kernel: ops::Kernel<'_>, attrs: &[Attribute<'_>]) -> Verdict {
    let texts = |all: Attribute<'_>| -> Option<usize> {
        let all = all.as_array()?;
        all.iter().all(|text| text.as_str().is_some()).then_some(all.len())
    };
    if kernel.op().attr(CUBE_COUNT).is_some_and(|counts| texts(counts) != Some(3)) {
        return Err(cube_ir::diagnostic!(CUBE0156.cubes { why: "" }));
    }
    if let Some(all) = kernel.op().attr(OVERWRITTEN) {
        let count = kernel.block().map_or(0, |block| block.args().len());
        let names: Vec<String> = (0..count).map(|index| kernel.arg_name(index)).collect();
        let is_text = |name: &str| all.entry(name).is_some_and(|text| text.as_str().is_some());
        let entries = all.entry_names();
        if entries.is_empty() || !entries.iter().all(|name| is_text(name) && names.iter().any(|known| known == name)) {
            return Err(cube_ir::diagnostic!(CUBE0156.overwritten { why: "" }));
        }
    }
    let formats = kernel.op().attr(PRINTS);
    if formats.is_none() && attrs.iter().all(|attrs| !is_for_prints(*attrs)) {
        return Ok(());
    }
    // The runtime appends the buffer of printed text to the buffers of the host.
    let is_buffer = |ty: Type<'_>| ty.is_shaped() || BufferType::of(ty).is_some();
    let types = kernel.block().map(|block| block.args().map(|arg| arg.ty()).collect::<Vec<_>>()).unwrap_or_default();
    let last = types.iter().rposition(|ty| is_buffer(*ty));
    let printed: Vec<usize> = (0..attrs.len()).filter(|i| is_for_prints(attrs[*i])).collect();
    let has_formats = formats.and_then(texts).is_some_and(|count| count > 0);
    if has_formats && printed.len() == 1 && last == printed.first().copied() {
        return Ok(());
    }
    Err(cube_ir::diagnostic!(CUBE0156.prints))
}

fn is_for_prints(attrs: Attribute<'_>) -> bool {
    attrs.entry(ACCESS).and_then(|word| word.as_str()) == Some("prints")
}

fn comptime(kernel: ops::Kernel<'_>) -> Verdict {
    let params = kernel.comptime_params();
    if params.len() > MAX_PARAMS {
        return Err(cube_ir::diagnostic!(CUBE0136.count { count: params.len(), limit: MAX_PARAMS }));
    }
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for param in &params {
        *counts.entry(param.name).or_default() += 1;
    }
    for param in &params {
        if counts[param.name] > 1 {
            let count = counts[param.name];
            return Err(cube_ir::diagnostic!(CUBE0124.twice { param: param.name, count }));
        }
        let Some(default) = param.default else { continue };
        let (fits, kind) = match param.ty {
            Some(ty) => (default.value_type() == Some(ty), format!("a value of type {ty}")),
            None => (default.as_type().is_some_and(is_number), "a float, an integer or a line of them".into()),
        };
        if !fits {
            return Err(cube_ir::diagnostic!(CUBE0302.default { param: param.name, default, kind }));
        }
    }
    Ok(())
}

const ARGUMENT_ATTRIBUTES: [&str; 7] = [ACCESS, ALIGN, CUBES, DERIVED, HOST, LEN, NOALIAS];

fn argument(kernel: Op<'_>, index: usize, ty: Type<'_>, attrs: Option<Attribute<'_>>) -> Verdict {
    let scalar = |t: Type<'_>| param_name(None, Some(t)).is_some() || t.is_scalar() && element_of(t).is_some();
    let buffer = BufferType::of(ty);
    let element = buffer.map(|a| a.element);
    if buffer.is_some_and(|b| !b.is_global()) {
        return Err(cube_ir::diagnostic!(CUBE0125.inside { index, ty }));
    }
    // At level legal and later, buffers are memrefs.
    if ty.is_memref() && ty.dims().is_some_and(|sizes| sizes.first() == Some(&None)) {
        return Ok(());
    }
    if !scalar(element.unwrap_or(ty)) {
        let known: Vec<&str> = Element::ALL.iter().map(|element| element.ir()).collect();
        return Err(cube_ir::diagnostic!(CUBE0125.unknown { index, ty, known: known.join(", ") }));
    }
    if let Some(name) = param_name(None, Some(element.unwrap_or(ty))) {
        declared(kernel, name)?;
    }
    let Some(dict) = attrs else { return Ok(()) };
    for name in dict.entry_names() {
        let value = dict.entry(name);
        match name {
            HOST => host_type(index, element.unwrap_or(ty), value)?,
            ACCESS => access(index, element.is_some(), value)?,
            NOALIAS if element.is_some() => {}
            NOALIAS => {
                return Err(cube_ir::diagnostic!(CUBE0128.noalias { index }));
            }
            ALIGN => align(index, element.is_some(), value)?,
            DERIVED => derived(index, ty, value)?,
            CUBES => cubes(kernel, index, ty)?,
            LEN => length(index, element.is_some(), value)?,
            _ if name.split_once('.').is_some_and(|(dialect, _)| dialect == Dialect::Cube.name()) => {
                let near = suggestion(name, ARGUMENT_ATTRIBUTES).map(|near| format!(" (did you mean {near}?)"));
                return Err(
                    cube_ir::diagnostic!(CUBE0126.unknown { index, name, near: near.unwrap_or_default(), known: ARGUMENT_ATTRIBUTES.join(", ") }),
                );
            }
            _ => {}
        }
    }
    Ok(())
}

fn host_type(index: usize, element: Type<'_>, value: Option<Attribute<'_>>) -> Verdict {
    let name = value.and_then(|v| v.as_str()).unwrap_or("");
    let Some(number) = Number::from_name(name) else {
        let known = Number::NAMES.join(", ");
        return Err(cube_ir::diagnostic!(CUBE0127.unknown { index, name, known }));
    };
    let own = element_of(element);
    if own == Some(number.element())
        || param_name(None, Some(element)).is_some()
        || own.is_some_and(|own| holds(number, own))
    {
        return Ok(());
    }
    Err(cube_ir::diagnostic!(CUBE0127.differs { index, name, host: number.mlir(), ty: element }))
}

// After `expand-conversions`, an argument of a storage type has the type of its register. If the register type is a
// float, a later pass replaces the float by an integer of the same width.
fn holds(number: Number, own: Element) -> bool {
    let Some(holder) = number.element().holder() else { return false };
    own == holder || own.class() == Class::Int && own.bits() == holder.bits()
}

fn access(index: usize, buffer: bool, value: Option<Attribute<'_>>) -> Verdict {
    let word = value.and_then(|v| v.as_str()).unwrap_or("");
    if !buffer {
        return Err(cube_ir::diagnostic!(CUBE0128.no_buffer { index }));
    }
    // Only the compiler writes the word `prints`, for the buffer with the records of `cube.print`.
    if !["read", "write", "read_write", "prints"].contains(&word) {
        return Err(cube_ir::diagnostic!(CUBE0128.word { index, word }));
    }
    Ok(())
}

// The buffer with the number of cubes. Only one buffer can have it.
fn cubes(kernel: Op<'_>, index: usize, ty: Type<'_>) -> Verdict {
    let attrs = ops::Kernel::of(kernel).and_then(|kernel| kernel.arg_attrs()).and_then(|all| all.as_array());
    let first = attrs.unwrap_or_default().iter().position(|attrs| attrs.entry(CUBES).is_some());
    let is_array = |buffer: BufferType<'_>| {
        buffer.kind == BufferKind::Array && buffer.line == 1 && buffer.element == kernel.cx().int(32)
    };
    match BufferType::of(ty) {
        Some(buffer) if is_array(buffer) && first == Some(index) => Ok(()),
        Some(buffer) if is_array(buffer) => Err(cube_ir::diagnostic!(CUBE0128.twice { index })),
        _ => Err(cube_ir::diagnostic!(CUBE0128.cubes { index, ty })),
    }
}

// The alignment of the first line. The launch checks it.
fn align(index: usize, buffer: bool, value: Option<Attribute<'_>>) -> Verdict {
    let bytes = value.and_then(|v| v.as_int()).and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
    if buffer && bytes.is_power_of_two() && bytes <= 128 {
        return Ok(());
    }
    Err(cube_ir::diagnostic!(CUBE0178.argument { index, bytes }))
}

// Checks `cube.len`, which selects the length of the host's array or of the buffer.
fn length(index: usize, buffer: bool, value: Option<Attribute<'_>>) -> Verdict {
    let word = value.and_then(|v| v.as_str()).unwrap_or("");
    if buffer && ["host", "buffer"].contains(&word) {
        return Ok(());
    }
    Err(cube_ir::diagnostic!(CUBE0151.word { index, word }))
}

fn derived(index: usize, ty: Type<'_>, value: Option<Attribute<'_>>) -> Verdict {
    if value.and_then(|v| v.as_str()).is_none() || !(ty.is_signless() && matches!(ty.bits(), Some(32 | 64))) {
        return Err(cube_ir::diagnostic!(CUBE0150.text { index }));
    }
    Ok(())
}

pub(super) fn function(op: Op<'_>) -> Verdict {
    op.body().ok_or(cube_ir::diagnostic!(CUBE0122.function))?;
    terminated(op)
}

fn terminated(op: Op<'_>) -> Verdict {
    let last = op.body().and_then(|b| b.terminator());
    match last {
        Some(last) if last.is(ops::Return::KIND) => Ok(()),
        _ => Err(cube_ir::diagnostic!(CUBE0129.end)),
    }
}

pub(super) fn returns(op: Op<'_>) -> Verdict {
    let Some(parent) = super::control::returns_to(op)? else { return Ok(()) };
    let given: Vec<Type<'_>> = op.operands().map(|v| v.ty()).collect();
    let ty = parent.attr("function_type").and_then(|a| a.as_type());
    let expected = ty.and_then(|ty| ty.function_results()).unwrap_or_default();
    if expected != given {
        let list = |all: Vec<Type<'_>>| all.iter().map(|ty| format!("{ty}")).collect::<Vec<_>>().join(", ");
        return Err(cube_ir::diagnostic!(CUBE0131.types { given: list(given), expected: list(expected) }));
    }
    Ok(())
}

pub(super) fn constant(op: Op<'_>) -> Verdict {
    let name = param_name(op.attr("value"), None).unwrap_or("");
    let ty = op.result(0).ty();
    match declared(op, name)? {
        Some(Comptime { ty: None, .. }) => Err(cube_ir::diagnostic!(CUBE0302.type_for_value { name })),
        Some(Comptime { ty: Some(of), .. }) if of != ty => {
            Err(cube_ir::diagnostic!(CUBE0302.declared { name, ty, of }))
        }
        _ => Ok(()),
    }
}

pub(super) fn generic(op: Op<'_>) -> Verdict {
    let names: Vec<&str> = ["float_op", "int_op"].iter().filter_map(|word| op.attr(word)?.as_str()).collect();
    if names.is_empty() {
        return Err(cube_ir::diagnostic!(CUBE0152.no_name));
    }
    let fits = |name: &str| {
        let kind = OpKind::from_name(name);
        let dialect = name.split_once('.').and_then(|(dialect, _)| Dialect::named(dialect));
        let computes = matches!(dialect, Some(Dialect::Arith | Dialect::Math | Dialect::Vector));
        computes && !accesses_memory(kind) && ![vector::PRINT, arith::CONSTANT].contains(&kind)
    };
    match names.iter().find(|name| !fits(name)) {
        Some(name) => Err(cube_ir::diagnostic!(CUBE0152.does_not_compute { name })),
        None => Ok(()),
    }
}

// The enclosing kernel must declare every used parameter. Functions are generic over the parameters of their caller.
fn declared<'p>(op: Op<'p>, name: &str) -> Result<Option<Comptime<'p>>, Message> {
    let around = std::iter::once(op).chain(op.ancestors());
    let Some(kernel) = around.into_iter().find_map(ops::Kernel::of) else { return Ok(None) };
    let params = kernel.comptime_params();
    if let Some(param) = params.iter().find(|p| p.name == name) {
        return Ok(Some(*param));
    }
    let known: Vec<String> = params.iter().map(|p| format!("@{}", p.name)).collect();
    let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
    Err(cube_ir::diagnostic!(CUBE0132.undeclared { name, kernel: kernel.name(), known }))
}
