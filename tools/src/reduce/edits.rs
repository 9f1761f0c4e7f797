//! Edits that can make a module smaller. The verifier determines whether an edited module is valid.
use super::case::is_fixed;
use cube_dialect::kernels_of;
use cube_ir::ops::{arith, cube, scf};
use cube_ir::{AttrExt, Attribute, Block, Builder, Edit, Op, Type, TypeExt, Val};

/// The operations that an edit can remove. Outer and later operations come first, so that the users of a value are
/// removed before the operation that defines it.
pub fn removable(root: Op<'_>) -> Vec<Op<'_>> {
    let mut ops = root.walk();
    ops.reverse();
    ops.retain(|op| !is_fixed(*op) && op.parent() != Some(root) && !is_used_zero(*op));
    ops
}

// Whether the operation is a zero that has users, for example the replacement of a removed value. An edit would
// replace the operation only by an equal zero.
fn is_used_zero(op: Op<'_>) -> bool {
    let zero = op.attr("value").is_some_and(|v| v.as_int() == Some(0) || v.as_float() == Some(0.0));
    op.is(arith::CONSTANT) && zero && !op.is_unused()
}

/// Removes a range of operations. In the users of the removed results, zeros or operands of the same type
/// replace the results.
pub fn remove<'p>(edit: &mut Edit<'p>, at: usize, length: usize) -> bool {
    let mut any = false;
    let mut gone: Vec<Op<'p>> = Vec::new();
    for op in removable(edit.root()).into_iter().skip(at).take(length) {
        if op.ancestors().any(|outer| gone.contains(&outer)) {
            continue;
        }
        if replace_results(op, zero_or_operand) && edit.erase(op) {
            gone.push(op);
            any = true;
        }
    }
    any
}

fn replace_results<'p>(op: Op<'p>, by: impl Fn(Op<'p>, Val<'p>) -> Option<Val<'p>>) -> bool {
    for result in op.results().filter(|r| r.has_uses()) {
        let Some(value) = by(op, result) else { return false };
        result.replace_all_uses(value);
    }
    true
}

fn zero_or_operand<'p>(op: Op<'p>, result: Val<'p>) -> Option<Val<'p>> {
    zero(op, result.ty()).or_else(|| operand_like(op, result))
}

fn operand_like<'p>(op: Op<'p>, result: Val<'p>) -> Option<Val<'p>> {
    op.operands().find(|value| value.ty() == result.ty())
}

// A zero just before an operation, for types that have one.
fn zero<'p>(op: Op<'p>, ty: Type<'p>) -> Option<Val<'p>> {
    let element = ty.element();
    let plain = ty == element || ty.lanes().is_some();
    let number = element.is_int() || element.is_fp() || element == op.cx().index();
    (plain && number && !ty.to_string().contains("!cube")).then(|| Builder::before(op).zero(ty))
}

/// Replaces the result of operation number `at` by an operand of the same type, and removes the operation.
pub fn forward(edit: &mut Edit<'_>, at: usize) -> bool {
    let Some(op) = removable(edit.root()).get(at).copied() else { return false };
    op.results().any(|r| r.has_uses()) && replace_results(op, operand_like) && edit.erase(op)
}

/// Operations with regions inside kernels and functions.
pub fn with_regions(root: Op<'_>) -> Vec<Op<'_>> {
    removable(root).into_iter().filter(|op| op.regions().len() > 0).collect()
}

/// Replaces an operation by the body of its region, which is then executed once.
pub fn unwrap(edit: &mut Edit<'_>, at: usize, region: usize) -> bool {
    let Some(op) = with_regions(edit.root()).get(at).copied() else { return false };
    let Some(blocks) = op.regions().nth(region).map(|r| r.blocks()) else { return false };
    let [block] = blocks.as_slice() else { return false };
    let Some(last) = block.terminator() else { return false };
    for (number, arg) in block.args().enumerate() {
        let Some(value) = entry_value(op, number, arg) else { return false };
        arg.replace_all_uses(value);
    }
    block.splice_before(op);
    let yielded: Vec<Val<'_>> = last.operands().collect();
    let skip = yielded.len().saturating_sub(op.results().len());
    for (number, result) in op.results().enumerate().filter(|(_, r)| r.has_uses()) {
        let value = yielded.get(skip + number).copied().filter(|v| v.ty() == result.ty());
        let Some(value) = value.or_else(|| zero_or_operand(op, result)) else { return false };
        result.replace_all_uses(value);
    }
    edit.erase(op)
}

// The first value of a region's block argument.
fn entry_value<'p>(op: Op<'p>, number: usize, arg: Val<'p>) -> Option<Val<'p>> {
    let operand = match (op.kind(), number) {
        (scf::FOR | cube::FOR, 0) => 0,
        (scf::FOR | cube::FOR, n) => n + 2,
        (_, n) => n,
    };
    let first = (operand < op.operands().len()).then(|| op.operand(operand)).filter(|v| v.ty() == arg.ty());
    first.or_else(|| zero(op, arg.ty()))
}

/// Number of smaller values that the search tries for a constant.
pub const CONSTANTS: usize = 4;

/// The operations that define constants.
pub fn constants(root: Op<'_>) -> Vec<Op<'_>> {
    root.walk().into_iter().filter(|op| op.is(arith::CONSTANT)).collect()
}

/// Replaces a constant by a smaller value: 0, 1, half of the constant, or its neighbour towards 0.
pub fn smaller_constant(edit: &mut Edit<'_>, at: usize, choice: usize) -> bool {
    let Some(op) = constants(edit.root()).get(at).copied() else { return false };
    let (ty, cx) = (op.result(0).ty(), op.cx());
    let value = if ty.is_fp() {
        float(op, choice).map(|v| cx.float_attr(ty, v))
    } else {
        int(op, choice).map(|v| cx.int_attr(ty, v))
    };
    let Some(value) = value.filter(|v| Some(*v) != op.attr("value")) else { return false };
    op.set_attr("value", value);
    true
}

fn float(op: Op<'_>, choice: usize) -> Option<f64> {
    let old = op.attr("value")?.as_float();
    match (old, choice) {
        (_, 0) => Some(0.0),
        (Some(old), _) if old.abs() <= 1.0 => None,
        (_, 1) => Some(1.0),
        (Some(old), 2) => Some((old / 2.0).trunc()),
        (Some(old), _) => Some(old.trunc()),
        _ => None,
    }
}

fn int(op: Op<'_>, choice: usize) -> Option<i64> {
    let old = op.attr("value")?.as_int();
    match (old, choice) {
        (_, 0) => Some(0),
        (Some(0 | 1), _) => None,
        (_, 1) => Some(1),
        (Some(old), 2) => Some(old / 2),
        (Some(old), _) => Some(old - old.signum()),
        _ => None,
    }
}

/// The attributes that an edit can remove from operations: attributes with a dot in the name, and some other
/// attributes.
pub fn attributes(root: Op<'_>) -> Vec<(Op<'_>, String)> {
    let known = ["bounds", "unsignedCmp", "unchecked", "comptime", "fastmath", "overflowFlags", "exact", "nonNeg"];
    let mut found = Vec::new();
    for op in root.walk() {
        let names = op
            .attrs()
            .into_iter()
            .filter(|(name, value)| (name.contains('.') || known.contains(name)) && Some(*value) != neutral(op, name));
        found.extend(names.map(|(name, _)| (op, name.to_string())));
    }
    found
}

// The neutral value, if an attribute has one.
fn neutral<'p>(op: Op<'p>, name: &str) -> Option<Attribute<'p>> {
    match name {
        "fastmath" => op.cx().parse_attr("#arith.fastmath<none>"),
        "overflowFlags" => op.cx().parse_attr("#arith.overflow<none>"),
        _ => None,
    }
}

/// Removes one attribute of the list [`attributes`].
pub fn remove_attribute(edit: &mut Edit<'_>, at: usize) -> bool {
    let all = attributes(edit.root());
    let Some((op, name)) = all.get(at) else { return false };
    match neutral(*op, name) {
        Some(value) => {
            op.set_attr(name, value);
            true
        }
        None => op.remove_attr(name),
    }
}

// Arguments of kernels: kernel, block, number.
fn kernel_args(root: Op<'_>) -> Vec<(Op<'_>, Block<'_>, usize)> {
    let blocks = kernels_of(root).into_iter().filter_map(|k| Some((k.op(), k.block()?)));
    blocks.flat_map(|(op, block)| (0..block.args().len()).map(move |n| (op, block, n))).collect()
}

/// The number of arguments of all kernels.
pub fn arguments(root: Op<'_>) -> usize {
    kernel_args(root).len()
}

/// Removes an unused argument from its kernel; returns its name.
pub fn remove_argument(edit: &mut Edit<'_>, at: usize) -> Option<String> {
    let (op, block, number) = kernel_args(edit.root()).get(at).copied()?;
    let kernel = cube_dialect::ops::Kernel::of(op)?;
    let name = kernel.arg_names().and_then(|n| n.as_array()).and_then(|n| n.get(number)?.as_str().map(String::from));
    if !edit.erase_arg(block, number) {
        return None;
    }
    let types: Vec<Type<'_>> = block.args().map(|arg| arg.ty()).collect();
    op.set_attr("function_type", op.cx().type_attr(op.cx().function(&types, &[])));
    for list in ["arg_names", "arg_attrs"] {
        let Some(mut items) = op.attr(list).and_then(|a| a.as_array()).filter(|items| number < items.len()) else {
            continue;
        };
        items.remove(number);
        let text: Vec<String> = items.iter().map(ToString::to_string).collect();
        op.set_attr(list, op.cx().parse_attr(&format!("[{}]", text.join(", ")))?);
    }
    Some(name.map_or_else(
        || format!("arg{number}"),
        |n| if n.starts_with(|c: char| c.is_ascii_digit()) { format!("arg{n}") } else { n },
    ))
}

/// The cube dim of each kernel.
pub fn cube_dims(root: Op<'_>) -> Vec<[u32; 3]> {
    kernels_of(root).into_iter().map(|k| k.facts().cube_dim).collect()
}

/// Sets the cube dim of the kernel with the number `kernel`; returns false if the module has fewer kernels.
pub fn set_cube_dim(edit: &mut Edit<'_>, kernel: usize, dim: [u32; 3]) -> bool {
    let Some(kernel) = kernels_of(edit.root()).get(kernel).copied() else { return false };
    let sides: Vec<i32> = dim.iter().map(|n| *n as i32).collect();
    kernel.op().set_attr("cube_dim", kernel.op().cx().i32_array(&sides));
    true
}
