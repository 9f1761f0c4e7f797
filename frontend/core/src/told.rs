//! What rustc says about kernels that are wrong, in the words of the language.
//!
//! Its message about a trait that a type lacks names the trait, the type, and the function whose bound asked. So that none of these
//! is a part of the expansion, what is asked for is a method of the trait itself: no bound of a function is part of it. rustc takes
//! such a method only where the type may have the trait: it may while a part of it, the place, is open, since two places have it.
//! The method then says what the place is, one that has it not, and that is what is told. The types and traits here have names that
//! read as words for the same reason.

use crate::lang::value::Val;
use std::marker::PhantomData;

/// The place where host code runs.
#[derive(Debug)]
pub enum TheHost {}

/// The place where a kernel runs. What its unit is stays open: rustc would propose a bound otherwise.
#[derive(Debug)]
pub struct TheKernel<Unit>(PhantomData<Unit>);

/// A place that has what is asked for.
#[derive(Debug)]
pub enum Here {}

/// Another one.
#[derive(Debug)]
pub enum There {}

/// What the question is about, once its place is known.
pub trait SoItIs {}

/// The host; what has been told already is not told of it again, since its type is an error then.
pub trait Host {
    /// A function of it.
    type Function<Place>;
}

impl Host for TheHost {
    type Function<Place> = FunctionOf<Place>;
}

/// The call of a function of the host.
#[derive(Debug)]
pub struct CallOfFunction<H>(PhantomData<H>);

impl<H: Host> CallOfFunction<H> {
    /// What it gives a kernel: nothing.
    pub fn in_a_kernel<Place>(self) -> H::Function<Place> {
        unreachable!()
    }
}

/// The call of a method that no trait for staged values in scope has, with its receiver and its arguments.
#[derive(Debug)]
pub struct CallOfMethod<'a, S, A>(&'a mut S, A);

impl<'a, S, A> CallOfMethod<'a, S, A> {
    /// A call whose method [`CallOfMethod::in_a_kernel_by`] looks up.
    pub fn new(receiver: &'a mut S, arguments: A) -> Self {
        CallOfMethod(receiver, arguments)
    }

    /// Calls the method that `by` returns for the host type of the receiver. `by` is never called: its type is enough.
    pub fn in_a_kernel_by<N: StagedMethod<S, A>>(self, _by: impl FnOnce(&S) -> N) -> N::Call {
        N::call(self.0, self.1)
    }
}

/// The type by which a method of a host type is found for a staged receiver `S` and staged arguments `A`.
pub trait StagedMethod<S, A> {
    /// The result, wrapped in a type with a method `made`.
    type Call;
    /// Calls the expansion of the method.
    fn call(receiver: &mut S, arguments: A) -> Self::Call;
}

/// A method that the host type does not have in the kernel language.
#[derive(Debug)]
pub struct NoMethod<Place>(PhantomData<Place>);

impl<S, A, Place> StagedMethod<S, A> for NoMethod<Place> {
    type Call = MethodOf<Place>;
    fn call(_: &mut S, _: A) -> MethodOf<Place> {
        unreachable!()
    }
}

/// The method is not asked for, because the staged type has it.
pub trait NotAsked {}

impl NotAsked for NoMethod<TheHost> {}

/// The host type of a value that has none.
#[derive(Debug)]
pub enum NoHost {}

/// The host type of everything that has none: this method is looked for last.
pub trait AnyHost {
    /// A place of no type; never called.
    fn __host_type(&mut self) -> &NoHost {
        unreachable!()
    }
}

impl<T: ?Sized> AnyHost for T {}

/// A function that runs somewhere.
#[derive(Debug)]
pub struct FunctionOf<Place>(PhantomData<Place>);

impl SoItIs for FunctionOf<TheHost> {}

/// A function that kernels can call.
#[diagnostic::on_unimplemented(
    message = "this is no function of the kernel language",
    label = "not callable in a kernel",
    note = "put `#[cube]` before it where it is yours, or call it inside `comptime!(…)` where its arguments are known when the kernel is compiled"
)]
pub trait KernelFunction: Sized {
    /// What it gives.
    fn made<R>(self) -> R
    where
        Self: SoItIs,
    {
        unreachable!()
    }
}

#[diagnostic::do_not_recommend]
impl KernelFunction for FunctionOf<Here> {}
#[diagnostic::do_not_recommend]
impl KernelFunction for FunctionOf<There> {}

/// A method of something.
#[derive(Debug)]
pub struct MethodOf<Place>(PhantomData<Place>);

impl SoItIs for MethodOf<TheHost> {}

/// A method that kernels can call.
#[diagnostic::on_unimplemented(
    message = "this is no method of the kernel language",
    label = "not callable in a kernel",
    note = "put `#[cube]` before its `impl` where it is yours, or call it inside `comptime!(…)` where its arguments are known when the kernel is compiled",
    note = "for a method of a `#[cube]` trait `path::Name` with lifetimes in its types, add `use path::NameExpand;`"
)]
pub trait KernelMethod: Sized {
    /// What it gives.
    fn made<R>(self) -> R
    where
        Self: SoItIs,
    {
        unreachable!()
    }
}

#[diagnostic::do_not_recommend]
impl KernelMethod for MethodOf<Here> {}
#[diagnostic::do_not_recommend]
impl KernelMethod for MethodOf<There> {}

/// A number of type `T` that is computed while the kernel runs.
#[derive(Debug)]
pub struct ComputedByTheKernel<T>(Val<T>);

/// What a `#[comptime]` parameter of type `To` takes. A parameter without the word takes what is computed, too.
#[diagnostic::on_unimplemented(
    message = "this is known only when the kernel runs, and the parameter is `#[comptime]`",
    label = "not known when the kernel is compiled",
    note = "mark what it comes from as `#[comptime]`, or use a constant; or take `#[comptime]` from the parameter"
)]
pub trait KnownWhenCompiled<To>: Sized {
    /// The parameter's value.
    fn made(self) -> To;
}

#[diagnostic::do_not_recommend]
impl<T> KnownWhenCompiled<Val<T>> for ComputedByTheKernel<T> {
    fn made(self) -> Val<T> {
        self.0
    }
}

// Two of them, so that what the parameter takes is its own type and does not follow from the value.
#[diagnostic::do_not_recommend]
impl<T> KnownWhenCompiled<Here> for ComputedByTheKernel<T> {
    fn made(self) -> Here {
        unreachable!()
    }
}

/// A number of the kernel as an argument of a parameter that may be `#[comptime]`.
pub trait OfTheKernel<T>: Sized {
    /// The parameter's value, once it is made.
    fn given(self) -> ComputedByTheKernel<T>;
}

impl<T> OfTheKernel<T> for Val<T> {
    fn given(self) -> ComputedByTheKernel<T> {
        ComputedByTheKernel(self)
    }
}

/// A value of a type that no derive has made one of the language.
#[derive(Debug)]
pub struct ValueOf<T: ?Sized>(PhantomData<T>);

impl<T: ?Sized> ValueOf<T> {
    /// What it is to a kernel: nothing.
    pub fn in_a_kernel<Place>(self) -> FieldsOf<T, Place> {
        unreachable!()
    }
}

/// The fields of a value, by the place of its type.
#[derive(Debug)]
pub struct FieldsOf<T: ?Sized, Place = TheHost>(PhantomData<T>, PhantomData<Place>);

impl<T: ?Sized> SoItIs for FieldsOf<T, TheHost> {}

/// Fields that a kernel can give values to.
#[diagnostic::on_unimplemented(
    message = "this is no type of the kernel language",
    label = "has no meaning in a kernel",
    note = "derive `CubeType` for it, or make the value inside `comptime!(…)`"
)]
pub trait KernelType: Sized {
    /// What is made of them.
    fn made<R>(self) -> R
    where
        Self: SoItIs,
    {
        unreachable!()
    }
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> KernelType for FieldsOf<T, Here> {}
#[diagnostic::do_not_recommend]
impl<T: ?Sized> KernelType for FieldsOf<T, There> {}

/// A function, by the constant of its body.
#[derive(Debug)]
pub struct ThisFunction<const N: usize>;

/// A function that names variants that an enum has, as its macro knew it. A body that has been found wrong has no constant.
#[diagnostic::on_unimplemented(
    message = "an enum of that name came before, with other variants: put this function behind its own, or give one another name",
    label = "this names a variant that the other has not"
)]
pub trait BehindItsEnum {
    /// The end of a twin whose body as written has a mistake that has been told.
    fn told() -> !;
}

impl BehindItsEnum for ThisFunction<1> {
    fn told() -> ! {
        crate::__private::unexpanded()
    }
}
