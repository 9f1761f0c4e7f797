//! Computes every scalar operation of the kernel language on constants. The constant folders, the analyses, the
//! interpreter and the tests share this definition.
//!
//! A value is a bit pattern in a `u64`; the bits above the width of the type are zero. [`IntOp`], [`FloatOp`],
//! [`Conversion`], [`IntPredicate`] and [`FloatPredicate`] name the operations. [`meaning`] maps the operations of MLIR
//! to them. Each operation has two interfaces: `evaluate`, and `rule` or `plan`. `evaluate` returns an [`Outcome`] for
//! constants. `rule` and `plan` return plain functions, one for each width class or float format. An interpreter
//! selects a plain function once and calls it many times.
//!
//! For operands whose result MLIR leaves undefined, the plain function returns the result of the corresponding total
//! operation of the dialect `cube`. The [`Flaw`]s of an operation describe the operands for which the returned value is
//! meaningless.
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
pub use floats::{FloatFunctions, FloatOp};
pub use format::*;
pub use ints::{IntFunctions, IntOp, Promise};
pub use loops::trip_count;
pub use meaning::{Meaning, meaning, meanings};
pub use predicates::{FloatPredicate, IntPredicate};

/// A function of one bit pattern. The last operand is a width in bits, unless the operation's documentation says
/// otherwise.
pub type Fn1 = fn(u64, u32) -> u64;
/// A function of two bit patterns; see [`Fn1`].
pub type Fn2 = fn(u64, u64, u32) -> u64;
/// A function of three bit patterns; see [`Fn1`].
pub type Fn3 = fn(u64, u64, u64, u32) -> u64;

/// A set of operands for which an operation has no defined result.
#[derive(Clone, Copy, Debug)]
pub struct Flaw {
    /// Whether the flaw is undefined behaviour. If false, the result is poison, which is valid unless the program
    /// depends on the result.
    pub immediate: bool,
    /// The reason for the flaw, as a noun phrase for messages.
    pub why: &'static str,
    /// Whether the given operands have the flaw. The low 8 bits of the last argument of `test` are the width of
    /// the first operand. The higher bits of the last argument of `test` are the width of the result.
    pub test: fn(u64, u64, u32) -> bool,
}

/// The result of an operation on constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A bit pattern of the result type.
    Value(u64),
    /// The operation is defined, but its result is poison. The compiler can fold the operation to any value. A
    /// program that depends on the poison value is wrong.
    Poison(&'static str),
    /// The operation has undefined behaviour. A program that executes the operation is wrong.
    Undefined(&'static str),
    /// The operation is not defined for the type or for this number of operands.
    Unsupported(&'static str),
}

impl Outcome {
    /// The bit pattern of the result, if the result is a value.
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
