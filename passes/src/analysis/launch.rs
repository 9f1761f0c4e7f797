//! Expressions that the runtime can evaluate: arguments, and arithmetic on arguments.
use super::constants::int_of;
use cube_dialect::attributes::{DERIVED, HOST};
use cube_dialect::ops;
use cube_ir::ops::{arith, cube};
use cube_ir::{AttrExt, Op, TypeExt, Val};

/// Maximum length of an expression. Without this limit, each value with two uses would double the length.
const LONGEST: usize = 160;

/// Maximum number of operations between a divisor and the arguments.
const DEEPEST: u32 = 8;

/// Extends the expression by a remainder that clears the bits above the width of the value, if necessary.
pub fn as_number(expression: &str, wide: bool) -> String {
    let fits =
        expression.parse::<u32>().is_ok() || expression.ends_with(", 4294967296)") && expression.starts_with("rem(");
    if wide || fits { expression.into() } else { format!("rem({expression}, 4294967296)") }
}

/// The index of a kernel argument, or `None` if `value` is not an argument.
pub fn argument<'p>(kernel: ops::Kernel<'p>, value: Val<'p>) -> Option<usize> {
    value.block_arg().filter(|(block, _)| block.parent() == Some(kernel.op())).map(|(_, index)| index)
}

/// The expression of an argument whose slot contains a zero-extended number: an argument that the launcher computes, or
/// an unsigned number of the host. The launcher refuses a computed number above the width of its argument.
pub fn argument_number<'p>(kernel: ops::Kernel<'p>, value: Val<'p>) -> Option<String> {
    let attributes = kernel.arg_attrs().and_then(|all| all.item(argument(kernel, value)?));
    let word = |key| attributes.and_then(|attributes| attributes.entry(key)).and_then(|text| text.as_str());
    let unsigned = word(DERIVED).is_some() || word(HOST) == Some("u32");
    let expression = unsigned.then(|| expression_of(kernel, value)).flatten()?;
    (value.ty().bits() == Some(32)).then_some(expression)
}

/// The expression of a value of 32 or 64 bits. Callers must ignore the bits of the result above the width of the value.
/// The result is `None` for a value that only the kernel can compute.
pub fn expression_of<'p>(kernel: ops::Kernel<'p>, value: Val<'p>) -> Option<String> {
    within(kernel, value, DEEPEST)
}

fn within<'p>(kernel: ops::Kernel<'p>, value: Val<'p>, depth: u32) -> Option<String> {
    let bits = value.ty().bits().filter(|bits| value.ty().is_scalar() && matches!(bits, 32 | 64))?;
    if let Some(number) = int_of(value) {
        return Some((number as u64 & (u64::MAX >> (64 - bits))).to_string());
    }
    if let Some(index) = argument(kernel, value) {
        let derived = kernel.arg_attrs().and_then(|a| a.item(index)).and_then(|a| a.entry(DERIVED));
        return Some(derived.and_then(|text| text.as_str()).map_or_else(|| kernel.arg_name(index), String::from));
    }
    let op = value.def()?;
    let depth = depth.checked_sub(1)?;
    let operand = |n: usize| within(kernel, op.operand(n), depth);
    let number = |n: usize| Some(as_number(&operand(n)?, op.operand(n).ty().bits() == Some(64)));
    let text = match op.kind() {
        // The lowest bits of sums and products depend only on the lowest bits of the operands.
        arith::ADDI => format!("add({}, {})", operand(0)?, operand(1)?),
        arith::SUBI => format!("sub({}, {})", operand(0)?, operand(1)?),
        arith::MULI => format!("mul({}, {})", operand(0)?, operand(1)?),
        arith::TRUNCI => operand(0)?,
        arith::EXTUI => number(0)?,
        cube::SHL => format!("shl({}, {})", operand(0)?, amount(op)?),
        cube::SHRUI => format!("shr({}, {})", number(0)?, amount(op)?),
        arith::DIVUI | cube::DIVUI => format!("div({}, {})", number(0)?, number(1)?),
        arith::REMUI | cube::REMUI => format!("rem({}, {})", number(0)?, number(1)?),
        arith::MINUI => format!("min({}, {})", number(0)?, number(1)?),
        arith::MAXUI => format!("max({}, {})", number(0)?, number(1)?),
        _ => return None,
    };
    (text.len() <= LONGEST).then_some(text)
}

/// The expression that is 1 if all guards are 1. The nesting depth of calls is logarithmic in the number of guards.
pub fn all_of(guards: &[String]) -> String {
    match guards {
        [] => "1".into(),
        [one] => one.clone(),
        more => {
            let (first, rest) = more.split_at(more.len() / 2);
            format!("min({}, {})", all_of(first), all_of(rest))
        }
    }
}

// A constant shift amount, modulo the width.
fn amount(op: Op<'_>) -> Option<u64> {
    let bits = u64::from(op.result(0).ty().bits()?);
    Some(int_of(op.operand(1))? as u64 % bits)
}
