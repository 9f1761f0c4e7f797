//! Items that the macros' generated code uses. Programs do not use these items directly.
#![allow(missing_docs)]

pub use cube_macros::{Configured, configured_away};

pub use crate::__staged_type as staged_type;
pub use crate::diagnostic_traits::{
    CallOfFunction, CallOfMethod, FirstImpl, NoHost, NoMethod, StagedMethod, TheHost, TheKernel, UnusedLookup, ValueOf,
};
pub use crate::host::KernelSource;
pub use crate::host::arguments::{CompileArg, Launch, LaunchArg, LaunchError, Params, report};
pub use crate::host::arguments::{ComptimeField, ComptimeParameter, Named, ScalarArg, Unsized};
pub use crate::host::{ComputeClient, CubeCount, CubeDim, Runtime};
pub use crate::ir::Builder;
pub use crate::ir::Raw;
pub use crate::lang::arguments::{Arg, DerefTarget, LoopCounter, arg};
pub use crate::lang::cast::{Castable, cast};
pub use crate::lang::containers::Mem;
pub use crate::lang::containers::{Array, IndexAssign, array, array_of, index, index_assign, index_of, set};
pub use crate::lang::debug_names::{ViaNumber, ViaOther};
pub use crate::lang::flow::{
    For, If, Loop, Ret, Slot, at, comment, enter, fail, fast_math, panicked, placeholders, print, printed, terminate,
};
pub use crate::lang::forms;
pub use crate::lang::indices::size_index;
pub use crate::lang::logic::Logic;
pub use crate::lang::math::by_name;
pub use crate::lang::ops::{
    Compared, ComparedHost, ComparedValues, Operands, add, and, bitand, bitor, bitxor, condition, div, eq, flag, ge,
    gt, known_flag, le, lt, mul, ne, neg, not, or, rem, shl, shr, sub,
};
pub use crate::lang::prints::{check_print, print_text};
pub use crate::lang::ranges::{bounds as range, host_iter};
pub use crate::lang::shapes::replace_shape;
pub use crate::lang::sizes::{AddressType, LaunchSizes, LaunchedSize, Size, chosen as chosen_size};
pub use crate::lang::topology::topology;
pub use crate::lang::value::{
    CubePrimitive, CubeType, HasHost, Operand, R, Staged, Val, ViaClone, ViaHost, ViaKnown, ViaStaged, Walk, assign,
    declare, into_staged, lit, runtime, type_of_a_kernel, variable,
};
pub use crate::lang::variants::{Arms, Match, Open, Variants, combine_variants, discriminant, only};
pub use crate::tune;
pub use crate::v11::{
    AnyRuntime, Client, CubeDim as V11CubeDim, absolute_pos, element, index_range, local_array, local_array_of,
    register_size,
};
pub use crate::{__check_constant as check_constant, __named_method as named_method, __staged_trait as staged_trait};
pub use crate::{__fallback_function as fallback_function, __fallback_method as fallback_method};
pub use crate::{
    __fallback_trait as fallback_trait, __launch_form as launch_form, __launch_function as launch_function,
};

/// While rustc checks a kernel body, this function determines the type of `[a, b, c]`: an array with `u32` indices,
/// like all memory of the kernel language.
pub fn host_array<T: crate::lang::containers::Element, const N: usize>(_: [T; N]) -> crate::lang::containers::Array<T> {
    unexpanded()
}

/// Gives `[value; length]` its type when rustc checks a kernel body. The parameter `length` can be a
/// `#[comptime]` value.
pub fn host_array_of<T: crate::lang::containers::Element, L>(_: T, _: L) -> crate::lang::containers::Array<T> {
    unexpanded()
}

/// Traits whose names are also names of other items in the prelude.
pub mod bounds {
    pub use crate::lang::math::{Clamp, Max, Min};
}

/// Number traits that the macros use in generated bounds.
pub mod numbers {
    pub use crate::lang::math::{Float, Int, Numeric};
    pub use crate::lang::value::CubePrimitive;
}

/// Traits whose methods the generated code calls.
pub mod methods {
    pub use super::{FieldsFallback as _, KernelResult as _, OtherArgument as _};
    pub use crate::diagnostic_traits::{
        AnyHost as _, KernelFunction as _, KernelMethod as _, KernelNumber as _, KernelType as _,
        KnownWhenCompiled as _, RunTimeArgument as _,
    };
    pub use crate::host::arguments::LaunchArg as _;
    pub use crate::lang::arguments::{Arg as _, AssignDeref as _};
    pub use crate::lang::cells::{RegistryOfHost as _, RegistryOfNumbers as _};
    pub use crate::lang::containers::{
        Index as _, IndexAssign as _, LinedExpand as _, ListExpand as _, ListMutExpand as _,
        SliceMutOperatorExpand as _, SliceOperatorExpand as _,
    };
    pub use crate::lang::debug_names::{ViaNumber as _, ViaOther as _};
    pub use crate::lang::math::{
        Cast as _, ClampFunction as _, ClampMethods as _, DivisionMethods as _, Float as _, Int as _, Numeric as _,
        Powi as _, PowiMethods as _, Reinterpret as _,
    };
    pub use crate::lang::math::{of_one::*, of_two::*, renamed_methods::*};
    pub use crate::lang::ops::{
        ComparedHost as _, ComparedValues as _, OneOperand as _, OperandsOfOneType as _, OperandsOfShift as _,
        OtherOperands as _,
    };
    pub use crate::lang::options::{OptionOfHost as _, OptionOfKernel as _};
    pub use crate::lang::value::{
        CubePrimitive as _, HasHost as _, HostScrutinee as _, Operand as _, Staged as _, StagedScrutinee as _,
        ViaClone as _, ViaHost as _, ViaKnown as _, ViaStaged as _,
    };
}

/// Makes rustc check that the output type of a function is `Sized`. The result is always 0.
pub const fn size_of_output<T, F: FnOnce() -> T>(_: &F) -> usize {
    // `size_of` requires that the output is `Sized`. The subtraction gives 0 for every size.
    size_of::<T>().saturating_sub(usize::MAX)
}

/// A type that replaces a type parameter while rustc checks a kernel body. No kernel has a value of this type
/// at run time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StandIn;

/// Types with a value that replaces a constant while rustc checks a generic body.
pub trait StandInValue: Sized {
    /// One or `true`. No value is zero, because bodies divide by constants.
    const VALUE: Self;
}

macro_rules! stand_in_values {
    ($($value:literal: $($ty:ty)*;)*) => { $($(impl StandInValue for $ty { const VALUE: $ty = $value; })*)* };
}

stand_in_values! {
    true: bool;
    'a': char;
    1: u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize;
    1.0: f32 f64;
}

/// The staged form of [`StandIn`].
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

/// A type-level identity function that exists only for `N == 0`. A nonzero `N` marks an expression with an error
/// that rustc has already reported.
pub trait Checked<const N: usize> {
    /// `Self`.
    type Out: ?Sized;
    /// Returns the value unchanged.
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

/// Returns the value unchanged. For a nonzero `N`, the result type does not exist, because another error has
/// been reported. rustc does not report a missing type that follows from an earlier error.
pub fn value_if_checked<const N: usize, T: Checked<N, Out: Sized>>(value: T) -> T::Out {
    value.same()
}

/// The value of the check constant of a function without a check.
pub const UNCHECKED: usize = 0;

/// The functions of an expansion. If the user's body has an error, the expansion has no name of this type, and the results
/// of its functions have no types. rustc does not report an error about a value without a type.
pub enum Gate {}

impl Gate {
    /// Returns the value unchanged.
    pub fn same<T>(value: T) -> T {
        value
    }

    /// Converts a host number to a staged value.
    pub fn lit<T: CubePrimitive>(value: T) -> Val<T> {
        Val::lit(value)
    }

    /// A position or size, by its name in the IR.
    pub fn topology(name: &str, position: u32) -> Val<u32> {
        topology(name, position)
    }

    /// `value as To`.
    pub fn cast<To: CubePrimitive, From: Castable>(value: From, position: u32) -> Val<To> {
        cast(value, position)
    }
}

/// The type of a cast whose syntax does not show that it is a number.
pub trait CastTarget: CubePrimitive {
    /// `value as Self`.
    fn cast<From: Castable>(value: From, position: u32) -> Val<Self> {
        cast(value, position)
    }
}

impl<T: CubePrimitive> CastTarget for T {}

/// Wraps a converted argument, or the result of a call. The wrapper determines which methods rustc's method
/// lookup finds.
pub struct Computed<T>(T);

impl<T> Computed<T> {
    /// Wraps a computed value.
    pub fn new(value: T) -> Self {
        Computed(value)
    }

    /// Unwraps the value.
    pub fn into_value(self) -> T {
        self.0
    }
}

/// Implements the method `convert_argument` for arguments without a more specific method `convert_argument`. Method lookup finds
/// [`OtherArgument`] last, because its method `convert_argument` takes `&mut self`.
pub trait OtherArgument: Clone {
    /// Converts the argument to the type of its parameter.
    fn convert_argument<To>(&mut self) -> Computed<To>
    where
        Self: Arg<To>,
    {
        Computed(self.clone().arg())
    }
}

impl<T: Clone> OtherArgument for T {}

/// Fallback initialisation for types that do not derive a kernel type.
pub trait FieldsFallback {
    /// Returns a placeholder for a value whose fields are not set. The derive macro of a kernel type
    /// generates a function that shadows this function.
    fn __cube_fields() -> ValueOf<Self> {
        unexpanded()
    }
}

impl<T: ?Sized> FieldsFallback for T {}

/// Returns a field of an enum's active variant.
pub fn field<T: Clone>(field: &Option<T>) -> T {
    field.clone().unwrap_or_else(|| missing_field())
}

/// The type of a field that a struct expression can omit.
pub trait OptionalField: Sized {
    /// `Option<Self>`.
    type Option;
}

impl<T> OptionalField for T {
    type Option = Option<T>;
}

/// Converts the result of a call to a kernel value. The wrapper of a host function's result has inherent methods with
/// the names of this trait's methods. The inherent methods create no kernel value (`diagnostic_traits.rs`).
pub trait KernelResult: Sized {
    /// Wraps the result.
    fn in_a_kernel(self) -> Computed<Self> {
        Computed(self)
    }

    /// Wraps the result of a method call. The closure `_by` only serves type inference and is never called.
    fn in_a_kernel_by<N: UnusedLookup>(self, _by: impl FnOnce(&NoHost) -> N) -> Computed<Self> {
        Computed(self)
    }
}

impl<T> KernelResult for T {}

/// The body of a kernel function when the host calls the function.
///
/// # Panics
/// Always.
pub fn unexpanded() -> ! {
    panic!("a kernel function was called on the host; call it from a #[cube] function, and launch a kernel")
}

/// The value of a required field that a struct expression omits. rustc rejects every program that would call
/// this function.
pub fn missing_field() -> ! {
    panic!("a field does not have a value")
}

/// The result of a `match` without a matching arm. rustc rejects every program that would call this function.
pub fn no_variant() -> ! {
    panic!("no arm of a match applies")
}

/// Panics, because a value with a comptime part has no placeholder value for unreachable code.
pub fn no_dummy<T>() -> T {
    panic!("this value has parts known at compile time, so an arm that is never taken cannot yield it")
}

/// The kernel under construction, for code in `intrinsic!`.
pub struct Scope;

impl Scope {
    pub fn current() -> Self {
        Scope
    }
}
