//! Verifiers, one function an operation; each message says what, where, the rule and the way out.
use crate::{ArrayType, ops, param_name};
use cube_ir::{AttrExt, Attribute, Op, Type, TypeExt, guarded};
use mlir_sys::MlirOperation;
use std::collections::HashMap;

/// Host types by name, with the IR type each may stand for.
const HOST_TYPES: &[(&str, &str)] = &[
    ("bool", "i1"),
    ("i8", "i8"),
    ("i16", "i16"),
    ("i32", "i32"),
    ("i64", "i64"),
    ("u8", "i8"),
    ("u16", "i16"),
    ("u32", "i32"),
    ("u64", "i64"),
    ("f16", "f16"),
    ("bf16", "bf16"),
    ("f32", "f32"),
    ("f64", "f64"),
];

/// Comptime parameters that a kernel may have.
const MAX_PARAMS: usize = 1024;

/// Units that a cube may have at most on any target known here.
const MAX_UNITS: u64 = 1 << 16;

/// Whether an access is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// Outside the buffer a read gives zero and a write is dropped.
    Checked,
    /// Promised or proven inside.
    Inbounds,
}

/// The bounds word of a load or store.
pub fn bounds_of(op: Op<'_>) -> Option<Bounds> {
    let text = op.attr("bounds")?.to_string();
    Some(if text.contains("checked") { Bounds::Checked } else { Bounds::Inbounds })
}

/// Sets the bounds word of a load or store.
pub fn set_bounds(op: Op<'_>, bounds: Bounds) {
    let text = match bounds {
        Bounds::Checked => "#cube<bounds checked>",
        Bounds::Inbounds => "#cube<bounds inbounds>",
    };
    op.set_attr("bounds", op.cx().parse_attr(text).expect("the cube dialect is loaded"));
}

pub(crate) unsafe extern "C" fn verify_callback(raw: MlirOperation) -> bool {
    // SAFETY: MLIR hands in a live operation for the time of the call.
    let op = unsafe { Op::from_raw(raw) };
    match guarded(|| verify(op)) {
        Ok(Ok(())) => true,
        Ok(Err(message)) => {
            op.error(format!("'{}' {message}", op.name()));
            false
        }
        Err(panic) => {
            op.error(format!(
                "the verifier of '{}' panicked: {panic}; please report it with this kernel [CUBE0399]",
                op.name()
            ));
            false
        }
    }
}

type Verdict = Result<(), String>;

fn verify(op: Op<'_>) -> Verdict {
    match op.name() {
        "cube.kernel" => kernel(ops::Kernel::of(op).expect("name checked")),
        "cube.func" => function(op),
        "cube.return" => returns(op),
        "cube.constant" => constant(op),
        "cube.load" => load(ops::Load::of(op).expect("name checked")),
        "cube.store" => store(ops::Store::of(op).expect("name checked")),
        _ => Ok(()),
    }
}

fn kernel(kernel: ops::Kernel<'_>) -> Verdict {
    let name = kernel.name();
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(word) || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(format!(
            "has the name {name:?}; a kernel's name becomes a symbol of the target: use letters, digits and _, a digit not first [CUBE0135]"
        ));
    }
    let dim = kernel.cube_dim().and_then(|a| a.as_i32_array()).unwrap_or_default();
    if dim.len() != 3 || dim.iter().any(|d| *d < 1) {
        return Err(format!(
            "has cube_dim {dim:?}; give one to three sizes of at least 1, as in cube_dim(64, 2) [CUBE0120]"
        ));
    }
    let units = dim.iter().map(|d| *d as u64).try_fold(1u64, |a, b| a.checked_mul(b)).unwrap_or(u64::MAX);
    if units > MAX_UNITS {
        return Err(format!(
            "has {units} units a cube, the limit of all targets is {MAX_UNITS}; use more and smaller cubes [CUBE0121]"
        ));
    }
    let ty = kernel.function_type().and_then(|a| a.as_type());
    let block = kernel.block().ok_or("has no body; give it one in braces [CUBE0122]")?;
    if ty.is_some_and(|t| !t.to_string().ends_with("-> ()")) {
        return Err("returns values; a kernel writes its results to buffers [CUBE0123]".into());
    }
    comptime(kernel)?;
    let attrs = kernel.arg_attrs().and_then(|a| a.as_array()).unwrap_or_default();
    for (i, arg) in block.args().enumerate() {
        argument(kernel.op(), i, arg.ty(), attrs.get(i).copied())?;
    }
    terminated(kernel.op())
}

fn comptime(kernel: ops::Kernel<'_>) -> Verdict {
    let params = kernel.comptime_params();
    if params.len() > MAX_PARAMS {
        return Err(format!(
            "declares {} comptime parameters, the limit is {MAX_PARAMS}; join some [CUBE0136]",
            params.len()
        ));
    }
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for param in &params {
        *counts.entry(param.name).or_default() += 1;
    }
    for param in &params {
        if counts[param.name] > 1 {
            let count = counts[param.name];
            return Err(format!("declares comptime parameter @{} {count} times; rename one [CUBE0124]", param.name));
        }
        let Some(default) = param.default else { continue };
        let (fits, kind) = match param.ty {
            Some(ty) => (default.value_type() == Some(ty), format!("a value of type {ty}")),
            None => (default.as_type().is_some_and(|t| t.is_fp() && t.element() == t), "a floating-point type".into()),
        };
        if !fits {
            return Err(format!(
                "gives comptime parameter @{} the default {default}, but it is {kind} [CUBE0302]",
                param.name
            ));
        }
    }
    Ok(())
}

fn argument(kernel: Op<'_>, index: usize, ty: Type<'_>, attrs: Option<Attribute<'_>>) -> Verdict {
    let scalar =
        |t: Type<'_>| param_name(None, Some(t)).is_some() || HOST_TYPES.iter().any(|(_, ir)| *ir == t.to_string());
    let element = ArrayType::of(ty).map(|a| a.element);
    // From level legal on buffers are memrefs.
    if ty.to_string().starts_with("memref<?x") {
        return Ok(());
    }
    if !scalar(element.unwrap_or(ty)) {
        return Err(format!(
            "argument {index} has type {ty}; arguments are !cube.array<T> or !cube.array<T, N>, and scalars of i1, i8, i16, i32, i64, f16, bf16, f32, f64 [CUBE0125]"
        ));
    }
    if let Some(name) = param_name(None, Some(element.unwrap_or(ty))) {
        declared(kernel, name)?;
    }
    let Some(dict) = attrs else { return Ok(()) };
    for name in dict.entry_names() {
        let value = dict.entry(name);
        match name {
            "cube.host" => host_type(index, element.unwrap_or(ty), value)?,
            "cube.access" => access(index, element.is_some(), value)?,
            _ if name.starts_with("cube.") => {
                return Err(format!(
                    "argument {index} has the unknown attribute {name}; known are cube.host and cube.access [CUBE0126]"
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

fn host_type(index: usize, element: Type<'_>, value: Option<Attribute<'_>>) -> Verdict {
    let name = value.and_then(|v| v.as_str()).unwrap_or("");
    let ir = element.to_string();
    match HOST_TYPES.iter().find(|(host, _)| *host == name) {
        Some((_, of)) if *of == ir || param_name(None, Some(element)).is_some() => Ok(()),
        Some((_, of)) => Err(format!(
            "argument {index} has cube.host = \"{name}\", which is {of} in IR, but its type is {ir} [CUBE0127]"
        )),
        None => {
            let known: Vec<&str> = HOST_TYPES.iter().map(|(host, _)| *host).collect();
            Err(format!("argument {index} has cube.host = \"{name}\"; known are {} [CUBE0127]", known.join(", ")))
        }
    }
}

fn access(index: usize, buffer: bool, value: Option<Attribute<'_>>) -> Verdict {
    let word = value.and_then(|v| v.as_str()).unwrap_or("");
    if !buffer {
        return Err(format!("argument {index} has cube.access but is no buffer; remove it [CUBE0128]"));
    }
    if !["read", "write", "read_write"].contains(&word) {
        return Err(format!(
            "argument {index} has cube.access = \"{word}\"; known are read, write, read_write [CUBE0128]"
        ));
    }
    Ok(())
}

fn function(op: Op<'_>) -> Verdict {
    op.body().ok_or("has no body; functions of other modules cannot be called [CUBE0122]")?;
    terminated(op)
}

fn terminated(op: Op<'_>) -> Verdict {
    let last = op.body().and_then(|b| b.terminator());
    match last {
        Some(last) if last.is("cube.return") => Ok(()),
        _ => Err("does not end in cube.return; add it as the last operation [CUBE0129]".into()),
    }
}

fn returns(op: Op<'_>) -> Verdict {
    let Some(parent) = op.parent() else { return Ok(()) };
    if !parent.is("cube.kernel") && !parent.is("cube.func") {
        return Err(format!("stands in {}; it may only end a cube.kernel or a cube.func [CUBE0130]", parent.name()));
    }
    let given: Vec<String> = op.operands().map(|v| v.ty().to_string()).collect();
    let ty = parent.attr("function_type").and_then(|a| a.as_type()).map(|t| t.to_string()).unwrap_or_default();
    let wanted = ty.rsplit_once(" -> ").map_or("", |(_, r)| r);
    let wanted = wanted.strip_prefix('(').and_then(|w| w.strip_suffix(')')).unwrap_or(wanted);
    if wanted != given.join(", ") {
        return Err(format!("returns ({}), but the signature says ({wanted}) [CUBE0131]", given.join(", ")));
    }
    Ok(())
}

fn constant(op: Op<'_>) -> Verdict {
    let name = param_name(op.attr("value"), None).unwrap_or("");
    declared(op, name)
}

// Every parameter that is used must be declared by the kernel around it; functions are generic over their caller's.
fn declared(op: Op<'_>, name: &str) -> Verdict {
    let around = std::iter::once(op).chain(op.ancestors());
    let Some(kernel) = around.into_iter().find_map(ops::Kernel::of) else { return Ok(()) };
    let params = kernel.comptime_params();
    if params.iter().any(|p| p.name == name) {
        return Ok(());
    }
    let known: Vec<String> = params.iter().map(|p| format!("@{}", p.name)).collect();
    let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
    Err(format!(
        "uses comptime parameter @{name}, but kernel @{} declares {known}; add it to comptime(...) [CUBE0132]",
        kernel.name()
    ))
}

fn line_matches(buffer: Type<'_>, value: Type<'_>, cx: cube_ir::Cx<'_>, word: &str) -> Verdict {
    let Some(array) = ArrayType::of(buffer) else { return Ok(()) };
    let element = array.element;
    let same = value.element() == element && value.lanes().unwrap_or(1) == u64::from(array.line);
    let vector_of_one = array.line == 1 && value.lanes().is_some();
    if same && !vector_of_one {
        return Ok(());
    }
    let _ = cx;
    let wanted = if array.line == 1 { element.to_string() } else { format!("vector<{}x{element}>", array.line) };
    Err(format!("{word} a {value}, but a line of {buffer} is {wanted} [CUBE0133]"))
}

fn load(load: ops::Load<'_>) -> Verdict {
    line_matches(load.buffer().ty(), load.op().result(0).ty(), load.op().cx(), "reads")
}

fn store(store: ops::Store<'_>) -> Verdict {
    line_matches(store.buffer().ty(), store.value().ty(), store.op().cx(), "writes")?;
    let Some((block, index)) = store.buffer().block_arg() else { return Ok(()) };
    let Some(kernel) = block.parent().and_then(ops::Kernel::of) else { return Ok(()) };
    let attrs = kernel.arg_attrs().and_then(|a| a.item(index));
    let access = attrs.and_then(|d| d.entry("cube.access")).and_then(|a| a.as_str());
    if access == Some("read") {
        return Err(format!(
            "writes to argument {index} of kernel @{}, which is declared cube.access = \"read\"; make it \"read_write\" or write elsewhere [CUBE0134]",
            kernel.name()
        ));
    }
    Ok(())
}
