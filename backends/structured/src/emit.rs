//! The interface between the walk over a kernel and a backend.
use crate::{Split, Written};
use cube_ir::{Attribute, Op, SessionError, Type, Val};
use std::fmt::Display;

/// The output of the walk over a kernel. An implementation receives the operations of a kernel in order, and the
/// begin and end of each branch, switch and loop.
///
/// A backend that emits source text implements [`Language`](crate::Language), and [`Writer`](crate::Writer) implements
/// this trait for the language.
pub trait Emit<'p> {
    /// The value of a lane: text, or an id. A variable is also a value. Each use of the variable loads its value.
    type Value: Clone + PartialEq;

    /// A loop whose end is not emitted yet.
    type Loop;

    /// Creates the error for an operation that is refused, with the operation's location.
    fn refuse(&self, op: Op<'_>, why: impl Display) -> SessionError;

    /// The lanes of an operand of `op`: one lane for a scalar; the array and the length in lines for a buffer.
    ///
    /// # Errors
    /// The operand has no lanes yet.
    fn lanes(&self, op: Op<'p>, value: Val<'p>) -> Written<Vec<Self::Value>>;

    /// The only lane of a scalar operand of `op`.
    ///
    /// # Errors
    /// Returns the errors of [`Emit::lanes`].
    fn scalar(&self, op: Op<'p>, value: Val<'p>) -> Written<Self::Value> {
        let first = self.lanes(op, value)?.into_iter().next();
        first.ok_or_else(|| self.refuse(op, "one of its operands has no lanes"))
    }

    /// Sets the lanes of a value.
    fn bind(&mut self, value: Val<'p>, lanes: Vec<Self::Value>);

    /// Assigns the source location of `op` to the following code.
    fn locate(&mut self, op: Op<'p>);

    /// The branch that becomes two entry points, and whether the current entry point is that of the first cubes.
    fn split(&self) -> Option<(Split<'p>, bool)> {
        None
    }

    /// Emits an operation that the walk does not support, or whose code the backend replaces. Returns false for an
    /// operation that the method does not emit.
    ///
    /// # Errors
    /// The target supports the operation, but not this use of the operation.
    fn special(&mut self, op: Op<'p>) -> Written<bool>;

    /// Declares variables to which later code assigns values.
    ///
    /// # Errors
    /// The target does not have the type of one of `values`.
    fn declare(&mut self, op: Op<'p>, values: &[Val<'p>]) -> Written;

    /// Assigns values to variables simultaneously.
    ///
    /// # Errors
    /// Returns the errors of [`Emit::declare`] and [`Emit::lanes`].
    fn assign(&mut self, op: Op<'p>, to: &[Val<'p>], from: &[Val<'p>]) -> Written;

    /// The scalar that controls a branch or loop `op`.
    ///
    /// # Errors
    /// An operation inside `op` is not allowed under the condition of `op`.
    fn decide(&mut self, op: Op<'p>, value: Val<'p>) -> Written<Self::Value>;

    /// A number of type `ty`; `None` for a type that the target lacks.
    fn literal(&mut self, ty: Type<'p>, number: Attribute<'p>) -> Option<Self::Value>;

    /// Sets the lanes of a constant's result, which are literals.
    ///
    /// # Errors
    /// Returns the errors of [`Emit::declare`].
    fn constant(&mut self, op: Op<'p>, lanes: Vec<Self::Value>) -> Written;

    /// One lane of the result of an operation that computes each lane separately; `None` for other
    /// operations.
    fn lane(&mut self, op: Op<'p>, operands: &[Self::Value]) -> Option<Self::Value>;

    /// Sets the lanes of `value` to lanes that [`Emit::lane`] has computed.
    ///
    /// # Errors
    /// Returns the errors of [`Emit::declare`].
    fn define(&mut self, op: Op<'p>, value: Val<'p>, lanes: Vec<Self::Value>) -> Written;

    /// Combines two lanes of a `vector.reduction`.
    ///
    /// # Errors
    /// The target lacks the combination of the lanes.
    fn combine(&mut self, op: Op<'p>, a: &Self::Value, b: &Self::Value) -> Written<Self::Value>;

    /// Assigns `value` to the variable `result` if `index` equals `number`.
    fn choose(&mut self, index: &Self::Value, number: usize, result: &Self::Value, value: &Self::Value);

    /// Assigns one lane to one variable.
    fn set(&mut self, variable: &Self::Value, value: &Self::Value);

    /// Begins the code that runs if the condition holds. If `has_otherwise` is false, no code follows for the other case.
    fn begin_branch(&mut self, condition: &Self::Value, has_otherwise: bool);

    /// Ends the code of the true branch, and begins the code of the false branch.
    fn begin_otherwise(&mut self);

    fn end_branch(&mut self);

    /// Begins a switch over the numbers `cases`.
    fn begin_switch(&mut self, selector: &Self::Value, cases: &[i64]);

    /// Begins the code of a case, by its index in the list of [`Emit::begin_switch`]. Cases are emitted in order.
    ///
    /// # Errors
    /// The target does not support the value of the case.
    fn begin_case(&mut self, op: Op<'p>, selector: &Self::Value, position: usize, case: i64) -> Written;

    /// Begins the code for all numbers without a case. The code of all cases is emitted before the code for
    /// numbers without a case.
    fn begin_default(&mut self, cases: usize);

    /// Ends the code of a case or of the default.
    fn end_case(&mut self);

    fn end_switch(&mut self);

    /// Begins the body of an `scf.for` with the counter variable `counter`. `bounds` are the first value, the exclusive
    /// end and the step.
    ///
    /// # Errors
    /// The target lacks the type of the counter.
    fn begin_for(&mut self, op: Op<'p>, counter: Val<'p>, bounds: [Val<'p>; 3]) -> Written<Self::Loop>;

    /// Ends the body of the loop `begun`.
    fn end_for(&mut self, begun: Self::Loop);

    /// Begins the body of an `scf.while`.
    fn begin_while(&mut self) -> Self::Loop;

    /// Emits code that exits from the loop if the condition does not hold.
    fn leave_unless(&mut self, begun: &Self::Loop, condition: &Self::Value);

    /// Ends the body of the loop `begun`.
    fn end_while(&mut self, begun: Self::Loop);
}
