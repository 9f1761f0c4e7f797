//! Staged values, and how they meet those of the host.
use super::passed::Arg;
use crate::ir::{self, Elem, Lit, Raw, StorageType, Ty, with};
use std::fmt;
use std::marker::PhantomData;

/// A type of the kernel language.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of the kernel language",
    label = "has no meaning in a kernel",
    note = "derive `CubeType` for it, or mark the parameter as `#[comptime]`"
)]
pub trait CubeType {
    /// What stands for a value of it while a kernel is written.
    type ExpandType: Staged + Clone;

    /// Asks for the type, where it stands.
    #[doc(hidden)]
    const ASKED: () = ();

    /// A value of the host as one of the kernel.
    #[doc(hidden)]
    fn into_staged(self) -> Self::ExpandType
    where
        Self: Sized,
    {
        ir::fail("memory of the kernel is not a value of the host: pass it as an argument, or make it in the kernel");
        Self::ExpandType::dummy()
    }
}

/// A number, or a line of numbers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no number of the kernel language",
    label = "not a number",
    note = "numbers are bool, the integers, the floats and lines of them; a type parameter needs a bound: `Float`, `Int`, `Numeric` or `CubePrimitive`"
)]
pub trait CubePrimitive: CubeType<ExpandType = Val<Self>> + Copy + PartialEq + Send + Sync + 'static {
    /// What one element of it is.
    fn elem() -> Elem;
    /// The constant of a value of the host.
    fn to_lit(self) -> Lit;
    /// Bytes of one element.
    fn size() -> Option<usize> {
        Some(Self::elem().host().size())
    }
    /// The element type, as the host asks for it.
    fn as_type_native() -> Option<StorageType> {
        Some(Self::as_type_native_unchecked())
    }
    /// The element type, as the host asks for it.
    fn as_type_native_unchecked() -> StorageType {
        StorageType::Scalar(Self::elem().into())
    }
    /// Bits of one element.
    fn size_bits() -> Option<usize> {
        Self::size().map(|bytes| bytes * 8)
    }
    /// Bytes of one element, in a kernel and on the host.
    fn elem_size() -> u32 {
        Self::elem().host().size() as u32
    }
    /// Bits of one element, in a kernel and on the host.
    fn elem_size_bits() -> u32 {
        Self::elem_size() * 8
    }
    /// Numbers that one element packs: 1, as no type of the language packs several.
    fn packing_factor() -> u32 {
        1
    }
    #[doc(hidden)]
    fn __expand_elem_size() -> u32 {
        Self::elem_size()
    }
    #[doc(hidden)]
    fn __expand_elem_size_bits() -> u32 {
        Self::elem_size_bits()
    }
    #[doc(hidden)]
    fn __expand_packing_factor() -> u32 {
        Self::packing_factor()
    }
    /// Bits of one element, as the host asks for it.
    fn size_bits_unchecked() -> usize {
        Self::elem_size_bits() as usize
    }
    /// What the type can be used for on a device.
    fn supported_uses<S: crate::host::ComputeServer>(
        client: &crate::host::ComputeClient<S>,
    ) -> crate::host::features::Set<crate::host::features::TypeUsage> {
        client.properties().type_usage(Self::as_type_native_unchecked())
    }
    /// The value of the host for a constant; `None` where it has none.
    fn from_lit(lit: Lit) -> Option<Self>;
}

/// A value that is known when the kernel is compiled.
pub trait CubeComptime: fmt::Debug + std::hash::Hash + Eq + Copy {}

impl<T: fmt::Debug + std::hash::Hash + Eq + Copy> CubeComptime for T {}

/// Asks for a type that kernels know.
pub const fn type_of_a_kernel<T: CubeType + ?Sized>() {}

/// A staged type that stands for one type of the program. The methods of `#[cube]` traits are found through that type, so that the
/// trait itself is all that a module imports.
pub trait HasHost: Sized {
    /// The type of the program.
    type Host: CubeType;

    /// A place of that type; never called.
    #[doc(hidden)]
    fn __host_type(&self) -> &Self::Host {
        unreachable!()
    }

    /// The value itself, as the staged form of that type.
    #[doc(hidden)]
    fn __staged(self) -> <Self::Host as CubeType>::ExpandType;
}

/// What can be a variable, be chosen by a branch and be copied.
pub trait Staged: Sized + Clone + HasHost {
    /// Whether [`Staged::dummy`] can stand for any value: memory and values of the host are the ones that they are.
    const HAS_DUMMY: bool = true;
    /// Variables that can hold this value, in the block of that depth. As it stands here, with `store` and `rd`, it is for what is a
    /// name, of memory or of the host's: what is copied is the name.
    fn to_cells(&self, depth: usize) -> Self {
        let _ = depth;
        self.clone()
    }
    /// Writes into the variables.
    fn store(&mut self, value: Self) {
        *self = value;
    }
    /// A copy of what the variables hold now.
    fn rd(&self) -> Self {
        self.clone()
    }
    /// What `clone` gives: a value with memory of its own.
    fn dup(&self) -> Self {
        self.rd()
    }
    /// The variants that it may have where only the kernel knows which, each with the condition under which it has it.
    fn ways(&self) -> Vec<(Option<Val<bool>>, Self)> {
        vec![(None, self.clone())]
    }
    /// Any value, for places that are never reached.
    fn dummy() -> Self;
}

/// A staged number of type `T`, or a line of them.
pub type Val<T> = RunTime<T>;

/// A number that the kernel computes, or a line of them.
pub struct RunTime<T> {
    /// What stands behind it.
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
            _ => f.write_str("a value of the kernel"),
        }
    }
}

impl<T> Val<T> {
    /// The value behind which `raw` stands.
    pub fn new(raw: Raw) -> Self {
        Val { raw, of: PhantomData }
    }

    /// The constant, where it is one.
    pub fn constant(&self) -> Option<Lit> {
        match self.raw {
            Raw::Const(lit, _) => Some(lit),
            _ => None,
        }
    }

    /// The same bits as a value of another type of the language.
    pub fn retype<U>(self) -> Val<U> {
        Val::new(self.raw)
    }
}

impl<T: CubePrimitive> Val<T> {
    /// A constant.
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

    /// The value in the IR.
    pub fn id(&self) -> u32 {
        ir::current(self.raw).0
    }

    /// The value of the host, where it is known.
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
            // A parameter or a constant that the program treats as a place of its own.
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

/// What operators take: staged values, and numbers of the host.
pub trait Operand {
    /// The type of the value.
    type T: CubePrimitive;
    /// It as a staged value.
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

/// A number of the host as a staged value.
pub fn lit<T: CubePrimitive>(value: T) -> Val<T> {
    Val::lit(value)
}

/// A value of the host, of an enum for example, as a staged value.
pub fn into_staged<T: CubeType>(value: T) -> T::ExpandType {
    value.into_staged()
}

/// A value that macros take for one of the kernel.
pub fn runtime<T>(value: T) -> T {
    value
}

/// Values of the host that a kernel holds in a variable. Every one of them may: programs say it of their own types where other
/// compilers of the language ask for it.
pub trait CubeDebug {}

/// `x.runtime()` on a number of the host, or a tuple of numbers: values of the kernel, although their numbers are known.
pub trait IntoRuntime: Sized {
    /// The same numbers.
    fn runtime(self) -> Self {
        self
    }
}

impl<T: CubePrimitive> IntoRuntime for T {}

/// A variable with a first value.
pub fn variable<V: IntoVariable>(value: V, position: u32) -> V::Variable {
    with(|b| b.at(position));
    value.into_variable()
}

/// A variable without a value.
pub fn declare<V: Declare>() -> V {
    V::declare(ir::depth())
}

/// What can be declared before it has a value.
pub trait Declare {
    /// The variable, of the block of that depth.
    fn declare(depth: usize) -> Self;
}

impl<T> Declare for Val<T> {
    fn declare(depth: usize) -> Self {
        Val::new(Raw::Unset(depth))
    }
}

/// What `let mut` can hold.
pub trait IntoVariable {
    /// The variable.
    type Variable;
    /// A variable that holds the value.
    fn into_variable(self) -> Self::Variable;
}

impl<V: Staged> IntoVariable for V {
    type Variable = V;
    fn into_variable(self) -> V {
        let mut cells = self.to_cells(ir::depth());
        cells.store(self);
        cells
    }
}

/// Writes into a place.
pub fn assign<V: Staged, A: Arg<V>>(place: &mut V, value: A, position: u32) {
    with(|b| b.at(position));
    place.store(value.arg());
}

/// A place whose value is asked for; what it gives depends on what stands there.
pub struct R<'a, T>(pub &'a T);

/// Places of the kernel.
pub trait ViaStaged {
    /// The value.
    type Out;
    /// A copy of what is there now.
    fn rd(&self) -> Self::Out;
    /// A clone with memory of its own.
    fn dup(&self) -> Self::Out;
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

/// Places that are matched: those of the kernel as they are.
pub trait SeenStaged {
    /// The place.
    type Out;
    /// It.
    fn seen(&self) -> Self::Out;
}

impl<T: Staged> SeenStaged for R<'_, T> {
    type Out = T;
    fn seen(&self) -> T {
        self.0.clone()
    }
}

/// Places that are matched: a value of the host in its staged form, whose variant is known.
pub trait SeenHost {
    /// The staged form.
    type Out;
    /// It.
    fn seen(&self) -> Self::Out;
}

impl<T: CubeType + Clone> SeenHost for &R<'_, T> {
    type Out = T::ExpandType;
    fn seen(&self) -> T::ExpandType {
        self.0.clone().into_staged()
    }
}

/// Places of the host.
pub trait ViaClone {
    /// The value.
    type Out;
    /// A clone.
    fn rd(&self) -> Self::Out;
    /// A clone.
    fn dup(&self) -> Self::Out;
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

/// Numbers that `comptime!` asks for by name.
pub trait ViaKnown {
    /// The number.
    type Out;
    /// It, where the kernel's compilation knows it.
    fn host(&self) -> Self::Out;
}

// A line is asked for its size, which is known although its elements are not: it stays what it is.
impl<T: CubePrimitive + Operand> ViaKnown for R<'_, Val<T>> {
    type Out = T;
    fn host(&self) -> T {
        self.0.known().unwrap_or_else(|| {
            // Code that nothing reaches may ask for anything.
            ir::fail(
                "this value is not known when the kernel is compiled: mark what it comes from as `#[comptime]`, or unroll the loop",
            );
            T::from_lit(Lit::zero(T::elem())).expect("a number of the host has a zero")
        })
    }
}

/// Everything else that `comptime!` asks for by name.
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
