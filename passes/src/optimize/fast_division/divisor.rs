//! The expressions by which the runtime knows a value: arguments, and arithmetic on them.
use crate::analysis::constants::int_of;
use cube_dialect::attributes::DERIVED;
use cube_dialect::ops;
use cube_ir::ops::{arith, cube};
use cube_ir::{AttrExt, Failed, Op, TypeExt, Val};

/// Longest expression: a value that is used twice in each step would double it.
const LONGEST: usize = 160;

/// Operations between a divisor and the arguments.
const DEEPEST: u32 = 8;

/// A value that the runtime knows.
pub(super) struct Divisor {
    /// The begin of the names of its arguments.
    pub name: String,
    /// Its expression; bits above the value's width do not count.
    pub expression: String,
    /// The expression of the result, where the host knows the dividend too.
    pub whole: Option<String>,
}

impl Divisor {
    /// `None` for a value that only the kernel knows, for a constant, and for a long expression.
    pub fn of<'p>(kernel: ops::Kernel<'p>, division: Op<'p>, value: Val<'p>) -> Option<Divisor> {
        if int_of(value).is_some() {
            return None;
        }
        let expression = expression_of(kernel, value, DEEPEST)?;
        let name = match argument(kernel, value) {
            Some(index) => kernel.arg_name(index),
            None => "divisor".into(),
        };
        Some(Divisor { name, expression, whole: expression_of(kernel, division.result(0), DEEPEST) })
    }

    /// An argument for the divisor with the other sign; -1 for 0.
    pub fn negated<'p>(&self, kernel: ops::Kernel<'p>, value: Val<'p>) -> Result<Val<'p>, Failed> {
        let wide = value.ty().bits() == Some(64);
        let number = as_number(&self.expression, wide);
        let negated = as_number(&format!("sub(0, add({number}, eq({number}, 0)))"), wide);
        kernel.add_derived(&format!("{}_negated", self.name), &negated, value.ty()).ok_or(Failed)
    }
}

/// The expression without the bits that do not count.
pub(super) fn as_number(expression: &str, wide: bool) -> String {
    let fits =
        expression.parse::<u32>().is_ok() || expression.ends_with(", 4294967296)") && expression.starts_with("rem(");
    if wide || fits { expression.into() } else { format!("rem({expression}, 4294967296)") }
}

/// The magnitude of a number with a sign.
pub(super) fn absolute(number: &str, wide: bool) -> String {
    // The smaller of n and -n, without signs. 2^32 - n is in the range of 64 bits.
    if wide { format!("min({number}, sub(0, {number}))") } else { format!("min({number}, sub(4294967296, {number}))") }
}

fn argument<'p>(kernel: ops::Kernel<'p>, value: Val<'p>) -> Option<usize> {
    value.block_arg().filter(|(block, _)| block.parent() == Some(kernel.op())).map(|(_, index)| index)
}

fn expression_of<'p>(kernel: ops::Kernel<'p>, value: Val<'p>, depth: u32) -> Option<String> {
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
    let all = |n: usize| expression_of(kernel, op.operand(n), depth);
    let number = |n: usize| Some(as_number(&all(n)?, op.operand(n).ty().bits() == Some(64)));
    let text = match op.kind() {
        // The lowest bits of sums and products are those of the operands' lowest bits.
        arith::ADDI => format!("add({}, {})", all(0)?, all(1)?),
        arith::SUBI => format!("sub({}, {})", all(0)?, all(1)?),
        arith::MULI => format!("mul({}, {})", all(0)?, all(1)?),
        arith::TRUNCI => all(0)?,
        arith::EXTUI => number(0)?,
        cube::SHL => format!("shl({}, {})", all(0)?, amount(op)?),
        cube::SHRUI => format!("shr({}, {})", number(0)?, amount(op)?),
        arith::DIVUI | cube::DIVUI => format!("div({}, {})", number(0)?, number(1)?),
        arith::REMUI | cube::REMUI => format!("rem({}, {})", number(0)?, number(1)?),
        arith::MINUI => format!("min({}, {})", number(0)?, number(1)?),
        arith::MAXUI => format!("max({}, {})", number(0)?, number(1)?),
        _ => return None,
    };
    (text.len() <= LONGEST).then_some(text)
}

// A known amount of bits, which counts modulo the width.
fn amount(op: Op<'_>) -> Option<u64> {
    let bits = u64::from(op.result(0).ty().bits()?);
    Some(int_of(op.operand(1))? as u64 % bits)
}
