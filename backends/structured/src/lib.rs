//! The walk over structured control flow that backends without LLVM share.
//!
//! A kernel at level legal consists of operations of `scf`, `arith`, `math`, `memref` and `vector`. The walk
//! ([`region`]) passes the operations to an [`Emit`] in order, with the begin and end of each branch and loop. The walk
//! replaces the results of branches and loops by variables, and splits vectors into lanes. The following example shows
//! the text of [`Writer`]:
//!
//! ```text
//! %r = scf.if %c -> (vector<2xf32>) {        float r1, r2;
//!   scf.yield %a : vector<2xf32>             if (c) {
//! } else { ... }                                 const float t3 = a1; const float t4 = a2;
//!                                                r1 = t3; r2 = t4;
//!                                            } else { ... }
//! ```
//!
//! A [`Language`] defines the text of types, constants and the value of one lane. The language also writes the
//! positions of units, and all other operations that the walk cannot write. An operation that neither the walk nor the
//! language supports is refused with its location. The backend writes the function around the kernel and names its
//! arguments. A buffer has two names: its array of elements, and its length in lines.
//!
//! For each operation, the walk first calls the implementation of `Language`. If the implementation writes the
//! operation, the walk writes no text for this operation. Some languages require provably uniform conditions
//! around a barrier. The walk therefore asks the language for the name of each value that controls a branch or
//! loop ([`Language::condition_name`]).
//!
//! The generated text contains no vector types. Languages differ in their maximum vector length, and longer
//! vectors must be split anyway. The compiler of the target language combines lanes again.
#![forbid(unsafe_code)]
mod arguments;
mod barriers;
mod bools;
mod emit;
mod lanes;
mod layout;
mod module;
mod phis;
pub mod planes;
mod positions;
mod scalar;
mod split;
#[cfg(test)]
mod tests;
mod text;
mod walk;
mod writer;

pub use arguments::{Arguments, Buffer, accesses_to};
pub use barriers::Ordered;
pub use bools::{Logic, OfBools};
pub use emit::Emit;
pub use layout::Layout;
pub use module::{MemorySizes, ModuleInfo, refusal};
pub use phis::{Phi, Phis};
pub use positions::{CUBE, GRID, Input, Operator, Position, Units, uses_grid};
pub use scalar::{Scalar, WORD};
pub use split::Split;
pub use text::TextLoop;
pub use walk::region;
pub use writer::{Writer, Written};

use cube_ir::{Attribute, Op, OpKind, SourceLocation, Type, Val, ops::cube};

/// The plane operations that backends with this walk support. If a language lacks the type of a plane operation, the
/// declaration of the result is refused.
pub const PLANES: &[OpKind] = &[
    cube::PLANE_BALLOT,
    cube::PLANE_BROADCAST,
    cube::PLANE_ELECT,
    cube::PLANE_REDUCE,
    cube::PLANE_SCAN,
    cube::PLANE_SHUFFLE,
    cube::PLANE_VOTE,
];

/// The spelling of a target's language for the walk.
pub trait Language {
    /// Name of the target in error messages.
    fn target(&self) -> &'static str;

    /// The type of one lane of a value of type `ty`; `None` for a type that the language lacks.
    fn scalar(&self, ty: Type<'_>) -> Option<String>;

    /// The statement that declares the constant `name` with the value `value`.
    fn constant(&self, ty: &str, name: &str, value: &str) -> String;

    /// The declaration of a variable, which is assigned later.
    fn variable(&self, ty: &str, name: &str) -> String;

    /// The head of a loop that only `break` ends.
    fn infinite_loop(&self) -> &'static str;

    /// The literal of one element of a constant of type `ty`; `number` is the attribute of the element.
    fn literal(&self, ty: Type<'_>, number: Attribute<'_>) -> Option<String>;

    /// Whether expressions contain constants as literals instead of names.
    fn inlines_constants(&self) -> bool {
        false
    }

    /// The comment that names a source location, as a line of the text; `None` for text without comments.
    fn comment(&self, _place: &SourceLocation) -> Option<String> {
        None
    }

    /// The name of a value that controls a branch or loop `op`: a condition, a bound, a step or a selector. The
    /// language can write statements that compute an equal value, and return the name of that value.
    ///
    /// # Errors
    /// An operation inside `op` is not allowed under the condition of `op`.
    fn condition_name<'p>(
        &self,
        _writer: &mut Writer<'p, '_>,
        _op: Op<'p>,
        _value: Val<'p>,
        name: String,
    ) -> Written<String> {
        Ok(name)
    }

    /// The condition under which the `scf.for` `op`, whose step is 1, executes the iteration with counter `at`. If the
    /// result is `None`, the walk counts the iterations by [`Language::trip_count`].
    fn continue_condition(&self, _op: Op<'_>, _at: &str, _to: &str) -> Option<String> {
        None
    }

    /// The trip count of the `scf.for` `op`, as an expression of the counter's type. `from`, `to` and `step` are names.
    fn trip_count(&self, op: Op<'_>, from: &str, to: &str, step: &str) -> Option<String>;

    /// The value of one lane of an operation that computes each lane separately; `None` for other operations.
    /// The operands are names, so they require no brackets.
    fn lane(&self, op: Op<'_>, operands: &[String]) -> Option<String>;

    /// Combines two lanes of a `vector.reduction`; `None` for a combination that the language lacks.
    fn combined(&self, op: Op<'_>, a: &str, b: &str) -> Option<String>;

    /// Writes an operation that the walk does not support (for example a position) or whose text the language
    /// replaces. Returns false for an operation that the method does not write.
    ///
    /// # Errors
    /// The language does not support this use of the operation; [`Writer::refuse`] creates the error.
    fn statement<'p>(&self, writer: &mut Writer<'p, '_>, op: Op<'p>) -> Written<bool>;
}

/// Lanes of a value: 1 for a scalar.
pub fn lanes_of(value: Val<'_>) -> usize {
    use cube_ir::TypeExt;
    value.ty().element_count() as usize
}
