//! The types of the rows in the table of rules.
use crate::decode::decoder::Decoder;
use cube_ir::{Diagnostic, Op};
use cube_semantics::{FloatFunctions, Meaning};

/// A function that emits the instructions of an operation.
pub type Emit = for<'d, 'p> fn(&'d mut Decoder<'p>, Op<'p>) -> Result<(), Diagnostic>;

/// The meaning of an operation.
#[derive(Clone, Copy)]
pub enum Rule {
    /// The operation has the meaning that cube-semantics defines for its name.
    Means(Meaning),
    /// The operation is a math function on float lanes.
    Math(FloatFunctions),
    /// A function emits the instructions of the operation.
    Emit(Emit),
    /// The operation has no rule, for the given reason.
    Unsupported(&'static str),
}
