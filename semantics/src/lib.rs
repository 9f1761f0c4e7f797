//! The value of every scalar operation of the kernel language on constants. Folders, analyses, the interpreter and the tests share this
//! definition.
//!
//! A value is a bit pattern in a `u64` with zeros above its width. [`IntOp`], [`FloatOp`], [`Conversion`], [`IntPredicate`] and
//! [`FloatPredicate`] name the operations. [`meaning`] maps the operations of MLIR to them. Two forms serve two kinds of callers.
//! `evaluate` gives an [`Outcome`] for constants. `rule` and `plan` give plain functions, one for each width class or float format. An
//! interpreter selects such a function once and calls it often.
//!
//! If MLIR leaves an operation undefined for some operands, its function is that of `cube`'s total operation. The [`Flaw`]s are the
//! operands for which the value is meaningless.
#![forbid(unsafe_code)]
pub mod convert;
pub mod floats;
mod format;
pub mod ints;
mod loops;
mod meaning;
mod predicates;
pub mod tables;

pub use convert::{Cast, Conversion, Number, Plan, Rounding};
pub use floats::{FloatOp, FloatRule};
pub use format::*;
pub use ints::{IntOp, IntRule, Promise};
pub use loops::trip_count;
pub use meaning::{Meaning, meaning, meanings};
pub use predicates::{FloatPredicate, IntPredicate};

/// A function of one pattern. The last operand is a width in bits, unless the operation's documentation says otherwise.
pub type Fn1 = fn(u64, u32) -> u64;
/// A function of two patterns; see [`Fn1`].
pub type Fn2 = fn(u64, u64, u32) -> u64;
/// A function of three patterns; see [`Fn1`].
pub type Fn3 = fn(u64, u64, u64, u32) -> u64;

/// Operands for which an operation has no defined value.
#[derive(Clone, Copy, Debug)]
pub struct Flaw {
    /// Whether the flaw is undefined behaviour. If not, the result is poison, which is harmless until it is used.
    pub immediate: bool,
    /// The reason, as a noun phrase for messages.
    pub why: &'static str,
    /// Whether these operands have the flaw. The low 8 bits of the last operand are the width of the first operand. The bits above are
    /// the width of the result.
    pub test: fn(u64, u64, u32) -> bool,
}

/// The value of an operation on constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A pattern of the result's type.
    Value(u64),
    /// The operation is defined, but its result is not. A fold to any value is correct. A computation that depends on the value is wrong.
    Poison(&'static str),
    /// The operation itself is undefined. A program that executes it is wrong.
    Undefined(&'static str),
    /// The operation is not defined for the type or for this number of operands.
    Unsupported(&'static str),
}

impl Outcome {
    /// The pattern, if there is one.
    pub fn value(self) -> Option<u64> {
        match self {
            Outcome::Value(value) => Some(value),
            Outcome::Poison(_) | Outcome::Undefined(_) | Outcome::Unsupported(_) => None,
        }
    }

    /// The first flaw of the operands, or `value` if they have no flaw. Undefined behaviour has priority over poison.
    fn checked(flaws: &[Flaw], [a, b]: [u64; 2], widths: u32, value: u64) -> Outcome {
        let mut found = flaws.iter().filter(|flaw| (flaw.test)(a, b, widths));
        let first = found.clone().find(|flaw| flaw.immediate).or_else(|| found.next());
        match first {
            None => Outcome::Value(value),
            Some(Flaw { immediate: true, why, .. }) => Outcome::Undefined(why),
            Some(Flaw { why, .. }) => Outcome::Poison(why),
        }
    }
}
