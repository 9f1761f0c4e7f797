//! Divisors that the runtime can compute, and the arguments with their magic numbers.
use crate::analysis::constants::int_of;
use crate::analysis::launch::{argument, as_number, expression_of};
use cube_dialect::ops;
use cube_ir::{Failed, Op, TypeExt, Val};

/// An integer divisor that the runtime can compute.
pub(super) struct Divisor {
    /// The prefix of the names of the divisor's arguments.
    pub name: String,
    /// The expression of the divisor; bits above the width of the value are ignored.
    pub expression: String,
    /// The expression of the quotient, if the runtime can compute the dividend as well.
    pub quotient: Option<String>,
}

impl Divisor {
    /// The divisor `value` of `division`. `None` for a constant, for a value that only the kernel can
    /// compute, and for a long expression.
    pub fn of<'p>(kernel: ops::Kernel<'p>, division: Op<'p>, value: Val<'p>) -> Option<Divisor> {
        if int_of(value).is_some() {
            return None;
        }
        let expression = expression_of(kernel, value)?;
        let name = match argument(kernel, value) {
            Some(index) => kernel.arg_name(index),
            None => "divisor".into(),
        };
        Some(Divisor { name, expression, quotient: expression_of(kernel, division.result(0)) })
    }

    /// The expression of the negated divisor, modulo 2^64; -1 for a divisor of 0.
    pub fn negated_number(&self, value: Val<'_>) -> String {
        let number = as_number(&self.expression, value.ty().bits() == Some(64));
        format!("sub(0, add({number}, eq({number}, 0)))")
    }

    /// An argument with the negated divisor; -1 for a divisor of 0.
    pub fn negated<'p>(&self, kernel: ops::Kernel<'p>, value: Val<'p>) -> Result<Val<'p>, Failed> {
        let negated = as_number(&self.negated_number(value), value.ty().bits() == Some(64));
        kernel.add_derived(&format!("{}_negated", self.name), &negated, value.ty()).ok_or(Failed)
    }
}

/// The magnitude of a signed number.
pub(super) fn absolute(number: &str, wide: bool) -> String {
    // The smaller of n and -n as unsigned numbers. For 32 bits, 2^32 - n fits in 64 bits.
    if wide { format!("min({number}, sub(0, {number}))") } else { format!("min({number}, sub(4294967296, {number}))") }
}
