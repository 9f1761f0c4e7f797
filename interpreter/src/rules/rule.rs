//! What a row of the table of rules says.
use crate::decode::decoder::Decoder;
use cube_ir::{Diagnostic, Op};
use cube_semantics::{FloatRule, Meaning};

/// A rule that emits instructions by itself.
pub type Emit = for<'d, 'p> fn(&'d mut Decoder<'p>, Op<'p>) -> Result<(), Diagnostic>;

/// What an operation means.
#[derive(Clone, Copy)]
pub enum Rule {
    /// What cube-semantics says that its name means.
    Means(Meaning),
    /// A math function of float lanes.
    Math(FloatRule),
    /// All else.
    Emit(Emit),
    /// Nothing: why not.
    Unsupported(&'static str),
}
