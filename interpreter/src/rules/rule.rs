//! The rows of the table of rules.
use crate::decode::decoder::Decoder;
use cube_ir::{Diagnostic, Op};
use cube_semantics::{FloatRule, Meaning};

/// A rule that emits instructions itself.
pub type Emit = for<'d, 'p> fn(&'d mut Decoder<'p>, Op<'p>) -> Result<(), Diagnostic>;

/// The meaning of an operation.
#[derive(Clone, Copy)]
pub enum Rule {
    /// The meaning that cube-semantics gives the operation's name.
    Means(Meaning),
    /// A math function of float lanes.
    Math(FloatRule),
    /// Code that emits instructions.
    Emit(Emit),
    /// No rule exists, for this reason.
    Unsupported(&'static str),
}
