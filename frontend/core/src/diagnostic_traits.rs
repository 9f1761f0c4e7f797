//! Traits that make rustc's error messages use terms of the kernel language.
//!
//! If a trait is not implemented, rustc's message names the trait, the type, and the function whose bound requires the
//! trait. This message should not name the expansion of a function. Generated code therefore calls a method of the
//! trait, instead of a function with a trait bound. Each of these traits has two impls, so method lookup succeeds while
//! the type parameter `P` is an inference variable. A bound of the method then requires that `P` is a type without an
//! impl, and rustc reports the missing impl. Users see the names of the types and traits of this file in rustc's
//! messages.

use crate::lang::value::Val;
use std::marker::PhantomData;

/// Marker type for execution on the host.
#[derive(Debug)]
pub enum TheHost {}

/// Marker type for execution in a kernel. The type parameter `Unit` remains an inference variable. With a known type,
/// rustc would propose an additional bound to the user.
#[derive(Debug)]
pub struct TheKernel<Unit>(PhantomData<Unit>);

/// The first of two types with an impl of the diagnostic traits.
#[derive(Debug)]
pub enum FirstImpl {}

/// The second of two types with an impl of the diagnostic traits. The second impl prevents rustc from
/// inferring [`FirstImpl`].
#[derive(Debug)]
pub enum SecondImpl {}

/// A bound of methods. With this bound, rustc infers [`TheHost`] for a type parameter.
pub trait FixedToHost {}

/// The type parameter of call types, which is [`TheHost`] for a call of a host function. After a reported
/// type error, the type parameter is not [`TheHost`], so that rustc does not report the error again.
pub trait Host {
    /// A host function.
    type Function<Place>;
}

impl Host for TheHost {
    type Function<Place> = FunctionOf<Place>;
}

/// The type of a call of a host function.
#[derive(Debug)]
pub struct CallOfFunction<H>(PhantomData<H>);

impl<H: Host> CallOfFunction<H> {
    /// Never returns. The result type makes rustc report the trait's error message.
    pub fn in_a_kernel<Place>(self) -> H::Function<Place> {
        unreachable!()
    }
}

/// A method call: the receiver and the arguments. The staged receiver has no method of this name from a trait in scope.
#[derive(Debug)]
pub struct CallOfMethod<'a, S, A>(&'a mut S, A);

impl<'a, S, A> CallOfMethod<'a, S, A> {
    /// A method call. [`CallOfMethod::in_a_kernel_by`] looks up the method.
    pub fn new(receiver: &'a mut S, arguments: A) -> Self {
        CallOfMethod(receiver, arguments)
    }

    /// Calls the method that the type `N` identifies. rustc infers `N` from the type of the closure `_by`,
    /// which is never called.
    pub fn in_a_kernel_by<N: StagedMethod<S, A>>(self, _by: impl FnOnce(&S) -> N) -> N::Call {
        N::call(self.0, self.1)
    }
}

/// Implements a host type's method for a staged receiver `S` and staged arguments `A`.
pub trait StagedMethod<S, A> {
    /// The result type of the call: a wrapper with a method `into_value`.
    type Call;
    /// Calls the expansion of the method.
    fn call(receiver: &mut S, arguments: A) -> Self::Call;
}

/// The type of a method that kernels cannot call.
#[derive(Debug)]
pub struct NoMethod<Place>(PhantomData<Place>);

impl<S, A, Place> StagedMethod<S, A> for NoMethod<Place> {
    type Call = MethodOf<Place>;
    fn call(_: &mut S, _: A) -> MethodOf<Place> {
        unreachable!()
    }
}

/// Marker of method lookups whose result is unused. A lookup is unused if the staged type itself has the
/// method.
pub trait UnusedLookup {}

impl UnusedLookup for NoMethod<TheHost> {}

/// The host type of values without any other host type.
#[derive(Debug)]
pub enum NoHost {}

/// Gives every type the host type [`NoHost`]. Method lookup finds [`AnyHost`] last, because its method takes
/// `&mut self`.
pub trait AnyHost {
    /// Gives type inference an expression of the host type. No code calls this method.
    fn __host_type(&mut self) -> &NoHost {
        unreachable!()
    }
}

impl<T: ?Sized> AnyHost for T {}

/// A function. `Place` selects whether the host or a kernel executes the function.
#[derive(Debug)]
pub struct FunctionOf<Place>(PhantomData<Place>);

impl FixedToHost for FunctionOf<TheHost> {}

/// Implemented by functions that kernels can call.
#[diagnostic::on_unimplemented(
    message = "this is not a function of the kernel language",
    label = "not callable in a kernel",
    note = "add `#[cube]` to your own function, or call the function inside `comptime!(…)` if its arguments are known at compile time"
)]
pub trait KernelFunction: Sized {
    /// The result of the call.
    fn into_value<R>(self) -> R
    where
        Self: FixedToHost,
    {
        unreachable!()
    }
}

#[diagnostic::do_not_recommend]
impl KernelFunction for FunctionOf<FirstImpl> {}
#[diagnostic::do_not_recommend]
impl KernelFunction for FunctionOf<SecondImpl> {}

/// A method. `Place` selects whether the host or a kernel executes the method.
#[derive(Debug)]
pub struct MethodOf<Place>(PhantomData<Place>);

impl FixedToHost for MethodOf<TheHost> {}

/// Implemented by methods that kernels can call.
#[diagnostic::on_unimplemented(
    message = "this is not a method of the kernel language",
    label = "not callable in a kernel",
    note = "add `#[cube]` to your own `impl`, or call the method inside `comptime!(…)` if its arguments are known at compile time",
    note = "for a method of a `#[cube]` trait `path::Name` with lifetimes in its types, add `use path::NameExpand;`"
)]
pub trait KernelMethod: Sized {
    /// The result of the call.
    fn into_value<R>(self) -> R
    where
        Self: FixedToHost,
    {
        unreachable!()
    }
}

#[diagnostic::do_not_recommend]
impl KernelMethod for MethodOf<FirstImpl> {}
#[diagnostic::do_not_recommend]
impl KernelMethod for MethodOf<SecondImpl> {}

/// A number of type `T` that the kernel computes at run time.
#[derive(Debug)]
pub struct ComputedByTheKernel<T>(Val<T>);

/// Arguments that a parameter of type `To` accepts. A parameter without `#[comptime]` accepts run-time values
/// as well as compile-time values.
#[diagnostic::on_unimplemented(
    message = "this value is known only at run time, but the parameter is `#[comptime]`",
    label = "not known at compile time",
    note = "compute it from `#[comptime]` values or constants, or remove `#[comptime]` from the parameter"
)]
pub trait KnownWhenCompiled<To>: Sized {
    /// The value of the parameter.
    fn into_value(self) -> To;
}

#[diagnostic::do_not_recommend]
impl<T> KnownWhenCompiled<Val<T>> for ComputedByTheKernel<T> {
    fn into_value(self) -> Val<T> {
        self.0
    }
}

// A second impl exists, so rustc cannot infer the type from the value. It uses the declared type of the parameter.
#[diagnostic::do_not_recommend]
impl<T> KnownWhenCompiled<FirstImpl> for ComputedByTheKernel<T> {
    fn into_value(self) -> FirstImpl {
        unreachable!()
    }
}

/// Passes a run-time number to a parameter that is possibly `#[comptime]`.
pub trait RunTimeArgument<T>: Sized {
    /// Wraps the number for the check of the parameter's type.
    fn convert_argument(self) -> ComputedByTheKernel<T>;
}

impl<T> RunTimeArgument<T> for Val<T> {
    fn convert_argument(self) -> ComputedByTheKernel<T> {
        ComputedByTheKernel(self)
    }
}

/// A value of a type that does not derive a kernel type.
#[derive(Debug)]
pub struct ValueOf<T: ?Sized>(PhantomData<T>);

impl<T: ?Sized> ValueOf<T> {
    /// Never returns. The result type makes rustc report the trait's error message.
    pub fn in_a_kernel<Place>(self) -> FieldsOf<T, Place> {
        unreachable!()
    }
}

/// Initialisation of the fields of a value of type `T`. `Place` selects whether the host or a kernel creates
/// the value.
#[derive(Debug)]
pub struct FieldsOf<T: ?Sized, Place = TheHost>(PhantomData<T>, PhantomData<Place>);

impl<T: ?Sized> FixedToHost for FieldsOf<T, TheHost> {}

/// Implemented by types whose fields kernels can initialise.
#[diagnostic::on_unimplemented(
    message = "this is not a type of the kernel language",
    label = "not usable in a kernel",
    note = "derive `CubeType` for it, or compute the value inside `comptime!(…)`"
)]
pub trait KernelType: Sized {
    /// The value with its fields set.
    fn into_value<R>(self) -> R
    where
        Self: FixedToHost,
    {
        unreachable!()
    }
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> KernelType for FieldsOf<T, FirstImpl> {}
#[diagnostic::do_not_recommend]
impl<T: ?Sized> KernelType for FieldsOf<T, SecondImpl> {}

/// An operator whose left operand has the type `T`, which is not a number.
#[derive(Debug)]
pub struct OperatorOn<T: ?Sized>(PhantomData<T>);

impl<T: ?Sized> OperatorOn<T> {
    /// Never returns. The result type makes rustc report the trait's error message.
    pub fn in_a_kernel<Place>(self) -> ArithmeticOn<T, Place> {
        unreachable!()
    }
}

/// An operand of type `T`. `Place` selects whether the host or a kernel executes the operator.
#[derive(Debug)]
pub struct ArithmeticOn<T: ?Sized, Place = TheHost>(PhantomData<T>, PhantomData<Place>);

impl<T: ?Sized> FixedToHost for ArithmeticOn<T, TheHost> {}

/// Implemented by operands of the operators in kernels.
#[diagnostic::on_unimplemented(
    message = "operators of a kernel work on numbers",
    label = "not a number",
    note = "for your own type, write a method with `#[cube]`"
)]
pub trait KernelNumber: Sized {
    /// The result of the operator.
    fn into_value<R>(self) -> R
    where
        Self: FixedToHost,
    {
        unreachable!()
    }
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> KernelNumber for ArithmeticOn<T, FirstImpl> {}
#[diagnostic::do_not_recommend]
impl<T: ?Sized> KernelNumber for ArithmeticOn<T, SecondImpl> {}
