//! Staged values, and their relation to host values.
pub use super::variables::{Declare, IntoVariable, assign, declare, variable};
use crate::ir::{self, Elem, Lit, Raw, StorageType, Ty, with};
use std::fmt;
use std::marker::PhantomData;

/// A type of the kernel language.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type of the kernel language",
    label = "not usable in a kernel",
    note = "derive `CubeType` for it, or mark the parameter as `#[comptime]`"
)]
pub trait CubeType {
    /// The staged form of the type, whose values exist while the kernel is built.
    type ExpandType: Staged + Clone;

    /// Makes rustc report a missing impl of this trait at the location of the type.
    #[doc(hidden)]
    const IS_IMPLEMENTED: () = ();

    /// Converts a host value to a staged value.
    #[doc(hidden)]
    fn into_staged(self) -> Self::ExpandType
    where
        Self: Sized,
    {
        ir::fail(
            "kernel memory cannot be made from a host value; pass it as an argument, or allocate it in the kernel",
        );
        Self::ExpandType::dummy()
    }
}

/// A number type, or a line type of numbers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number type of the kernel language",
    label = "not a number",
    note = "numbers are bool, the integers, the floats and lines of them; a type parameter needs a bound: `Float`, `Int`, `Numeric` or `CubePrimitive`"
)]
pub trait CubePrimitive: CubeType<ExpandType = Val<Self>> + Copy + PartialEq + Send + Sync + 'static {
    /// The element type.
    fn elem() -> Elem;
    /// Converts the host value to a constant.
    fn to_lit(self) -> Lit;
    /// Size of an element in bytes.
    fn size() -> Option<usize> {
        Some(Self::elem().host().size())
    }
    /// The element type for host programs; the result is always `Some`.
    fn as_type_native() -> Option<StorageType> {
        Some(Self::as_type_native_unchecked())
    }
    /// The element type for host programs.
    fn as_type_native_unchecked() -> StorageType {
        StorageType::Scalar(Self::elem().into())
    }
    /// The element type for host programs, without its storage.
    fn elem_type_native() -> crate::ir::ElemType {
        Self::as_type_native_unchecked().elem_type()
    }
    /// Size of an element in bits.
    fn size_bits() -> Option<usize> {
        Self::size().map(|bytes| bytes * 8)
    }
    /// Size of an element in bytes, in a kernel and on the host.
    fn elem_size() -> u32 {
        Self::elem().host().size() as u32
    }
    /// Size of an element in bits, in a kernel and on the host.
    fn elem_size_bits() -> u32 {
        Self::elem_size() * 8
    }
    /// Number of packed numbers per element: 2 for `e2m1x2`, and 1 for other types.
    fn packing_factor() -> u32 {
        1
    }
    #[doc(hidden)]
    fn elem_size_in_a_kernel() -> u32 {
        Self::elem_size()
    }
    #[doc(hidden)]
    fn elem_size_bits_in_a_kernel() -> u32 {
        Self::elem_size_bits()
    }
    #[doc(hidden)]
    fn packing_factor_in_a_kernel() -> u32 {
        Self::packing_factor()
    }
    /// Size of an element in bits.
    fn size_bits_unchecked() -> usize {
        Self::elem_size_bits() as usize
    }
    /// Uses of the type that the client's device supports.
    fn supported_uses<S: crate::host::ComputeServer>(
        client: &crate::host::ComputeClient<S>,
    ) -> crate::host::features::Set<crate::host::features::TypeUsage> {
        client.properties().type_usage(Self::as_type_native_unchecked())
    }
    /// Converts a constant to a host value. The result is `None` if the constant has another type.
    fn from_lit(lit: Lit) -> Option<Self>;
    /// Number of elements of a value, if the type determines the number; 1 for other types.
    #[doc(hidden)]
    fn line() -> u32 {
        1
    }
}

/// A host value that a kernel can use at compile time.
pub trait CubeComptime: fmt::Debug + std::hash::Hash + Eq + Copy {}

impl<T: fmt::Debug + std::hash::Hash + Eq + Copy> CubeComptime for T {}

/// Makes rustc check that `T` is a type of the kernel language.
pub const fn type_of_a_kernel<T: CubeType + ?Sized>() {}

/// A staged type that belongs to one host type. Method lookup for `#[cube]` traits uses the host type, so a
/// module has to import only the trait itself.
pub trait HasHost: Sized {
    /// The type in the kernel's source text, such as `u32`.
    type Host: CubeType;

    /// Gives type inference an expression of the host type. No code calls this method.
    #[doc(hidden)]
    fn __host_type(&self) -> &Self::Host {
        unreachable!()
    }

    /// Converts the value to the staged form of its host type.
    #[doc(hidden)]
    fn __staged(self) -> <Self::Host as CubeType>::ExpandType;
}

/// An operation on each part of a struct or enum.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub enum Walk {
    /// [`Clone::clone`].
    Clone,
    /// [`Staged::to_cells`] in the block at this depth.
    Cells(usize),
    /// [`Staged::rd`].
    Read,
    /// [`Staged::dup`].
    Dup,
}

impl Walk {
    /// The result of the operation on a part.
    pub fn part<T: Staged>(self, part: &T) -> T {
        match self {
            Walk::Clone => part.clone(),
            Walk::Cells(depth) => part.to_cells(depth),
            Walk::Read => part.rd(),
            Walk::Dup => part.dup(),
        }
    }
}

/// Staged values. A staged value can be stored in a variable, be the result of a branch, and be copied.
pub trait Staged: Sized + Clone + HasHost {
    /// Whether [`Staged::dummy`] can replace any value of the type. A dummy cannot replace memory or host
    /// values.
    const HAS_DUMMY: bool = true;
    /// Allocates variables that can store this value, in the block at `depth`. The default methods are for
    /// types that are references, for example to memory. All copies of a reference refer to one memory.
    fn to_cells(&self, depth: usize) -> Self {
        self.__walk(Walk::Cells(depth))
    }
    /// Assigns `value` to the variables of this value.
    fn store(&mut self, value: Self) {
        *self = value;
    }
    /// Reads the current value of the variables.
    fn rd(&self) -> Self {
        self.__walk(Walk::Read)
    }
    /// The result of `clone`: a value with separate memory.
    fn dup(&self) -> Self {
        self.__walk(Walk::Dup)
    }
    /// Applies an operation to each part of a struct or enum.
    #[doc(hidden)]
    fn __walk(&self, walk: Walk) -> Self {
        if matches!(walk, Walk::Dup) { self.rd() } else { self.clone() }
    }
    /// Assigns a value of another variant.
    #[doc(hidden)]
    fn __replace(&mut self, value: Self) {
        *self = value;
    }
    /// The variants that the value can have at run time, each with its condition.
    fn possible_variants(&self) -> Vec<(Option<Val<bool>>, Self)> {
        super::variants::only(self.clone())
    }
    /// Returns an arbitrary value for unreachable code.
    fn dummy() -> Self;
}

/// A staged number or staged line with the host type `T`.
pub type Val<T> = RunTime<T>;

/// A staged number or line. The value is a constant or a run-time value.
pub struct RunTime<T> {
    /// Representation of the value in the builder.
    pub raw: Raw,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for Val<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Val<T> {}

impl<T> fmt::Debug for Val<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.raw {
            Raw::Const(lit, _) => write!(f, "{lit:?}"),
            _ => f.write_str("a run-time value"),
        }
    }
}

impl<T> Val<T> {
    /// Wraps a representation.
    pub fn new(raw: Raw) -> Self {
        Val { raw, of: PhantomData }
    }

    /// The constant, or `None` for run-time values.
    pub fn constant(&self) -> Option<Lit> {
        match self.raw {
            Raw::Const(lit, _) => Some(lit),
            _ => None,
        }
    }

    /// Returns the same representation with the host type `U`.
    pub fn retype<U>(self) -> Val<U> {
        Val::new(self.raw)
    }
}

impl<T: CubePrimitive> Val<T> {
    /// A compile-time constant.
    pub fn lit(value: T) -> Self {
        Val::new(Raw::Const(value.to_lit(), Ty::scalar(T::elem())))
    }

    /// The type of the value.
    pub fn ty(&self) -> Ty {
        match self.raw {
            Raw::Const(_, ty) | Raw::Ssa(_, ty) | Raw::Cell(_, ty) => ty,
            Raw::Unset(_) => Ty::scalar(T::elem()),
        }
    }

    /// The number of the SSA value that holds this value. If the value is a variable, the builder first loads the
    /// variable.
    pub fn id(&self) -> u32 {
        ir::current(self.raw).0
    }

    /// The host value, if the staged value is a constant. The result is `None` for a run-time value.
    pub fn known(&self) -> Option<T> {
        self.constant().and_then(T::from_lit)
    }
}

impl<T: CubePrimitive> HasHost for Val<T> {
    type Host = T;
    fn __staged(self) -> <Self::Host as CubeType>::ExpandType {
        self
    }
}

impl<T: CubePrimitive> Staged for Val<T> {
    fn to_cells(&self, depth: usize) -> Self {
        if let Raw::Unset(_) = self.raw {
            return *self;
        }
        let ty = self.ty();
        Val::new(with(|b| b.variable(ty, depth)))
    }

    fn store(&mut self, value: Self) {
        let ty = value.ty();
        if let Raw::Unset(depth) = self.raw {
            self.raw = with(|b| b.variable(ty, depth));
        }
        match self.raw {
            Raw::Cell(cell, have) if have.line == 1 && ty.line > 1 && with(|b| b.widen(cell, ty.line)) => {}
            Raw::Cell(cell, have) => {
                let value = super::ops::splat(value.raw, have.line);
                if let Some(value) = value {
                    with(|b| b.store(cell, have, value));
                }
            }
            // Here, the target of the assignment is a parameter or a constant.
            _ => self.raw = value.raw,
        }
    }

    fn rd(&self) -> Self {
        Val::new(with(|b| b.load(self.raw)))
    }

    fn dummy() -> Self {
        Val::new(Raw::Const(Lit::zero(T::elem()), Ty::scalar(T::elem())))
    }
}

/// Types that operands of operators can have: staged values and host numbers.
#[diagnostic::on_unimplemented(
    message = "operators of a kernel work on numbers",
    label = "not a number",
    note = "for your own type, write a method with `#[cube]`"
)]
pub trait Operand {
    /// The number type.
    type T: CubePrimitive;
    /// Converts the operand to a staged value.
    fn val(self) -> Val<Self::T>;
}

impl<T: CubePrimitive> Operand for Val<T> {
    type T = T;
    fn val(self) -> Val<T> {
        self
    }
}

impl<T: CubePrimitive> Operand for &Val<T> {
    type T = T;
    fn val(self) -> Val<T> {
        *self
    }
}

/// Converts a host number to a staged value.
pub fn lit<T: CubePrimitive>(value: T) -> Val<T> {
    Val::lit(value)
}

/// Converts a host value, for example an enum, to a staged value.
pub fn into_staged<T: CubeType>(value: T) -> T::ExpandType {
    value.into_staged()
}

/// Returns the value unchanged. The macros treat the result as a run-time value.
pub fn runtime<T>(value: T) -> T {
    value
}

/// Host values that a kernel can store in a variable. This trait has no requirements in Cube. Other
/// implementations of the kernel language, such as CubeCL, require the trait.
pub trait CubeDebug {}

/// `x.runtime()` on a host number or a tuple of numbers. The macros treat the result as a run-time value.
pub trait IntoRuntime: Sized {
    /// Returns the numbers unchanged.
    fn runtime(self) -> Self {
        self
    }
}

impl<T: CubePrimitive> IntoRuntime for T {}

/// Wraps an expression, so that method lookup selects an implementation for the kind of its value (autoref
/// specialisation).
pub struct R<'a, T>(pub &'a T);

/// Reads and copies staged values.
pub trait ViaStaged {
    /// The value.
    type Out;
    /// The current value.
    fn rd(&self) -> Self::Out;
    /// Returns a clone with separate memory.
    fn dup(&self) -> Self::Out;
    /// The value of `*x`.
    fn deref_value(&self) -> Self::Out {
        self.rd()
    }
}

impl<T: Staged> ViaStaged for R<'_, T> {
    type Out = T;
    fn rd(&self) -> T {
        self.0.rd()
    }
    fn dup(&self) -> T {
        self.0.dup()
    }
}

/// Implemented for scrutinees of `match` that are staged values.
pub trait StagedScrutinee {
    /// The staged type that the patterns of the arms match.
    type Out;
    /// A copy of the value, without the reference.
    fn scrutinee(&self) -> Self::Out;
}

impl<T: Staged> StagedScrutinee for R<'_, T> {
    type Out = T;
    fn scrutinee(&self) -> T {
        self.0.clone()
    }
}

/// Implemented for scrutinees of `match` that are host values. The variant of a host scrutinee is known at
/// compile time.
pub trait HostScrutinee {
    /// The staged form.
    type Out;
    /// Stages the value.
    fn scrutinee(&self) -> Self::Out;
}

impl<T: CubeType + Clone> HostScrutinee for &R<'_, T> {
    type Out = T::ExpandType;
    fn scrutinee(&self) -> T::ExpandType {
        self.0.clone().into_staged()
    }
}

/// Reads and copies host values.
pub trait ViaClone {
    /// The value.
    type Out;
    /// A clone.
    fn rd(&self) -> Self::Out;
    /// A clone.
    fn dup(&self) -> Self::Out;
    /// A clone.
    fn deref_value(&self) -> Self::Out {
        self.rd()
    }
}

impl<T: Clone> ViaClone for &R<'_, T> {
    type Out = T;
    fn rd(&self) -> T {
        self.0.clone()
    }
    fn dup(&self) -> T {
        self.0.clone()
    }
}

/// Numbers in `comptime!`.
pub trait ViaKnown {
    /// The host number.
    type Out;
    /// Returns the value of the constant. A run-time value is an error.
    fn host(&self) -> Self::Out;
}

// Lines are excluded, because `comptime!` reads only the size of a line, which is a constant, and not the elements.
impl<T: CubePrimitive + Operand> ViaKnown for R<'_, Val<T>> {
    type Out = T;
    fn host(&self) -> T {
        self.0.known().unwrap_or_else(|| {
            // In unreachable code, `fail` reports no error.
            ir::fail(
                "this value is not known at compile time; compute the value from `#[comptime]` values, or unroll the loop",
            );
            T::from_lit(Lit::zero(T::elem())).expect("zero is a value of every number type")
        })
    }
}

/// Reads a value in `comptime!`, for types without a more specific trait.
pub trait ViaHost {
    /// The value.
    type Out;
    /// A clone.
    fn host(&self) -> Self::Out;
}

impl<T: Clone> ViaHost for &R<'_, T> {
    type Out = T;
    fn host(&self) -> T {
        self.0.clone()
    }
}
