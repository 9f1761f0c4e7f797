//! What the macros' code calls. Nothing here is for people.
#![allow(missing_docs)]

pub use cube_macros::{Configured, configured_away};

pub use crate::host::arguments::{Behind, ComptimeField, ComptimeParameter, Named};
pub use crate::host::arguments::{CompileArg, Launch, LaunchArg, LaunchError, Params, report};
pub use crate::host::{ComputeClient, CubeCount, CubeDim, Runtime};
pub use crate::ir::Builder;
pub use crate::ir::Raw;
pub use crate::lang::cast::{Castable, cast};
pub use crate::lang::containers::Mem;
pub use crate::lang::containers::{Array, IndexAssign, array, array_of, index, index_assign, index_of};
pub use crate::lang::flow::{
    For, If, Loop, Ret, Slot, at, enter, fail, fast_math, panicked, places, print, printed, terminate,
};
pub use crate::lang::math::by_name;
pub use crate::lang::named::{ViaNumber, ViaOther};
pub use crate::lang::ops::{
    Compared, ComparedHost, ComparedValues, add, and, bitand, bitor, bitxor, condition, div, eq, flag, ge, gt,
    known_flag, le, lt, mul, ne, neg, not, or, rem, shl, shr, sub,
};
pub use crate::lang::passed::{Arg, Turn, arg};
pub use crate::lang::ranges::{bounds as range, host_iter};
pub use crate::lang::shapes::replace_shape;
pub use crate::lang::topology::topology;
pub use crate::lang::value::{
    CubePrimitive, CubeType, HasHost, Operand, R, Staged, Val, ViaClone, ViaHost, ViaKnown, ViaStaged, assign, declare,
    into_staged, lit, runtime, type_of_a_kernel, variable,
};
pub use crate::lang::variants::{Arms, Open, Variants, Ways, discriminant, each_way};
pub use crate::told::{
    BehindItsEnum, CallOfFunction, CallOfMethod, Here, NoHost, NoMethod, NotAsked, StagedMethod, TheHost, TheKernel,
    ThisFunction, ValueOf,
};

/// `[a, b, c]` as rustc sees it in a body: indexed by `u32`, as all memory of the language.
pub fn host_array<T: crate::lang::containers::Element, const N: usize>(_: [T; N]) -> crate::lang::containers::Array<T> {
    unexpanded()
}

/// `[value; length]` in the same way; the length may be a `#[comptime]` value.
pub fn host_array_of<T: crate::lang::containers::Element, L>(_: T, _: L) -> crate::lang::containers::Array<T> {
    unexpanded()
}

/// Traits whose names are those of other items in the prelude.
pub mod bounds {
    pub use crate::lang::math::{Clamp, Max, Min};
}

/// Traits of numbers as bounds of the macros' own.
pub mod numbers {
    pub use crate::lang::math::{Float, Int, Numeric};
    pub use crate::lang::value::CubePrimitive;
}

/// Traits whose methods the macros' code calls.
pub mod methods {
    pub use super::{InAKernel as _, OfTheHost as _, OtherArgument as _};
    pub use crate::host::arguments::LaunchArg as _;
    pub use crate::lang::cells::{RegistryOfHost as _, RegistryOfNumbers as _};
    pub use crate::lang::containers::{
        Index as _, IndexAssign as _, LinedExpand as _, ListExpand as _, ListMutExpand as _,
        SliceMutOperatorExpand as _, SliceOperatorExpand as _,
    };
    pub use crate::lang::math::{
        Cast as _, Clamp as _, ClampMethods as _, DivisionMethods as _, Float as _, Int as _, Numeric as _, Powi as _,
        PowiMethods as _, Reinterpret as _,
    };
    pub use crate::lang::math::{of_one::*, of_two::*, renamed_methods::*};
    pub use crate::lang::named::{ViaNumber as _, ViaOther as _};
    pub use crate::lang::ops::{ComparedHost as _, ComparedValues as _};
    pub use crate::lang::options::{OptionOfHost as _, OptionOfKernel as _};
    pub use crate::lang::passed::Arg as _;
    pub use crate::lang::value::{
        CubePrimitive as _, HasHost as _, Operand as _, SeenHost as _, SeenStaged as _, Staged as _, ViaClone as _,
        ViaHost as _, ViaKnown as _, ViaStaged as _,
    };
    pub use crate::told::{
        AnyHost as _, KernelFunction as _, KernelMethod as _, KernelType as _, KnownWhenCompiled as _, OfTheKernel as _,
    };
}

/// What a function returns, by its size; nothing is known of it where the function's body has a mistake.
pub const fn size_of_output<T, F: FnOnce() -> T>(_: &F) -> usize {
    // The size is asked for, and does not matter.
    size_of::<T>().saturating_sub(usize::MAX)
}

/// Stands for a type parameter while a body is looked at, and is never used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StandIn;

/// Its staged form.
#[derive(Clone)]
pub struct StandInExpand;

impl CubeType for StandIn {
    type ExpandType = StandInExpand;
    fn into_staged(self) -> StandInExpand {
        StandInExpand
    }
}

impl HasHost for StandInExpand {
    type Host = StandIn;
    fn __staged(self) -> <Self::Host as CubeType>::ExpandType {
        self
    }
}

impl Staged for StandInExpand {
    fn to_cells(&self, _: usize) -> Self {
        StandInExpand
    }
    fn store(&mut self, _: Self) {}
    fn rd(&self) -> Self {
        StandInExpand
    }
    fn dummy() -> Self {
        StandInExpand
    }
}

/// The type itself, where the constant is one.
pub trait Checked<const N: usize> {
    /// The type itself.
    type Out: ?Sized;
    /// The value itself.
    fn same(self) -> Self::Out
    where
        Self: Sized,
        Self::Out: Sized;
}

impl<T: ?Sized> Checked<0> for T {
    type Out = T;
    fn same(self) -> T
    where
        T: Sized,
    {
        self
    }
}

/// The value itself; its type is an error that has been told already where the constant is one.
pub fn leaf<const N: usize, T: Checked<N, Out: Sized>>(value: T) -> T::Out {
    value.same()
}

/// The value itself, where its type is written beside it.
pub fn of_type<const N: usize, T: Checked<N, Out: Sized>>(value: T::Out) -> T::Out {
    value
}

/// What an argument or a call gives, once it is asked for.
pub struct Kept<T>(T);

impl<T> Kept<T> {
    /// A value that has been made.
    pub fn new(value: T) -> Self {
        Kept(value)
    }

    /// The value.
    pub fn made(self) -> T {
        self.0
    }
}

/// Anything else as an argument: its method is looked for last.
pub trait OtherArgument: Clone {
    /// The parameter's value, once it is made.
    fn given<To>(&mut self) -> Kept<To>
    where
        Self: Arg<To>,
    {
        Kept(self.clone().arg())
    }
}

impl<T: Clone> OtherArgument for T {}

/// What a type has from its derive, for one that has none.
pub trait OfTheHost {
    /// A value whose fields are given one by one.
    fn __cube_fields() -> ValueOf<Self> {
        unexpanded()
    }
}

impl<T: ?Sized> OfTheHost for T {}

/// A field of a variant that has been found.
pub fn part<T: Clone>(field: &Option<T>) -> T {
    field.clone().unwrap_or_else(|| missing())
}

/// A field that may have been given.
pub trait Given: Sized {
    /// The field.
    type Option;
}

impl<T> Given for T {
    type Option = Option<T>;
}

/// The result of a call, as the kernel has it; what a function of the host gives has a method of this name, from which nothing is made
/// (`told.rs`).
pub trait InAKernel: Sized {
    /// Itself, once it is made.
    fn in_a_kernel(self) -> Kept<Self> {
        Kept(self)
    }

    /// The same for the result of a method; `_by` is never called.
    fn in_a_kernel_by<N: NotAsked>(self, _by: impl FnOnce(&NoHost) -> N) -> Kept<Self> {
        Kept(self)
    }
}

impl<T> InAKernel for T {}

/// What stands in for a kernel's work where it is called as a function of the host.
///
/// # Panics
/// Always.
pub fn unexpanded() -> ! {
    panic!(
        "this belongs to a kernel and has no meaning on the host: call it from a function under #[cube], and launch that"
    )
}

/// A field that a struct expression leaves out; rustc has refused that program.
pub fn missing() -> ! {
    panic!("a field has no value")
}

/// A match of a value whose variant is in none of its arms; rustc has refused that program.
pub fn no_variant() -> ! {
    panic!("no arm of a match fits")
}

/// A value with parts of the host has no stand-in.
pub fn no_dummy<T>() -> T {
    panic!(
        "this value has parts that are known when the kernel is compiled: it cannot be given by a way that is never taken"
    )
}

/// The kernel that is being written, for `intrinsic!`.
pub struct Scope;

impl Scope {
    pub fn current() -> Self {
        Scope
    }
}
