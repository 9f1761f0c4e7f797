//! Atomics: operations on elements of memory, which order nothing else.
use super::index::zero;
use super::mem::{Element, MemRef};
use crate::__private::unexpanded;
use crate::ir::{self, Elem, Raw, with};
use crate::lang::ops::suffixed;
use crate::lang::value::{CubePrimitive, CubeType, HasHost, Staged, Val};
use std::marker::PhantomData;

/// A number that units change together.
#[derive(Clone, Copy)]
pub struct Atomic<T> {
    of: PhantomData<fn() -> T>,
}

/// Where an atomic is.
pub struct AtomicPlace<T> {
    mem: Option<MemRef>,
    index: Raw,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for AtomicPlace<T> {
    fn clone(&self) -> Self {
        AtomicPlace { mem: self.mem, index: self.index, of: PhantomData }
    }
}

impl<T: CubePrimitive> HasHost for AtomicPlace<T> {
    type Host = Atomic<T>;
    fn __staged(self) -> <Self::Host as CubeType>::ExpandType {
        self
    }
}

impl<T: CubePrimitive> Staged for AtomicPlace<T> {
    fn dummy() -> Self {
        AtomicPlace { mem: None, index: zero(), of: PhantomData }
    }
}

impl<T: CubePrimitive> CubeType for Atomic<T> {
    type ExpandType = AtomicPlace<T>;
}

impl<T: CubePrimitive> Atomic<T> {
    /// The element type, as the host asks for it.
    pub fn as_type_native_unchecked() -> ir::StorageType {
        ir::StorageType::Atomic(T::elem().into())
    }
    /// The element type, as the host asks for it.
    pub fn as_type_native() -> Option<ir::StorageType> {
        Some(Self::as_type_native_unchecked())
    }
    /// What the type can be used for on a device.
    pub fn supported_uses<S: crate::host::ComputeServer>(
        client: &crate::host::ComputeClient<S>,
    ) -> crate::host::features::Set<crate::host::features::TypeUsage> {
        client.properties().type_usage(Self::as_type_native_unchecked())
    }
}

impl<T: CubePrimitive> Element for Atomic<T> {
    const ATOMIC: bool = true;
    fn item_elem() -> Elem {
        T::elem()
    }
    fn load(mem: MemRef, index: Raw, _: bool) -> AtomicPlace<T> {
        AtomicPlace { mem: Some(mem), index: with(|b| b.load(index)), of: PhantomData }
    }
    fn save(_: MemRef, _: Raw, _: AtomicPlace<T>, _: bool) {
        ir::fail("an atomic is not assigned to: write `Atomic::store(&place, value)`");
    }
}

impl<T: CubePrimitive> AtomicPlace<T> {
    fn of(&self) -> Option<(u32, MemRef)> {
        let mem = self.mem?;
        Some((ir::current(self.index).0, mem))
    }

    fn rmw(&self, kind: &str, value: Val<T>) -> Val<T> {
        let Some((i, mem)) = self.of() else { return Val::dummy() };
        Val::new(with(|b| {
            let (v, ty) = b.id(value.raw);
            b.value(ty, &format!("cube.atomic_rmw {kind} %{v}, %{}[%{i}] : {ty}, {}", mem.id, mem.ty))
        }))
    }
}

macro_rules! rmw {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        impl<T: CubePrimitive> Atomic<T> {$(
            $(#[$doc])*
            pub fn $name(pointer: &Self, value: T) -> T {
                let _ = (pointer, value);
                unexpanded()
            }
        )*}
    };
}

// Apart from their twins: rustc shows these lines where a call is wrong.
rmw! {
    /// Puts a value there and gives the one before.
    swap;
    /// Adds and gives the value before.
    add;
    /// Subtracts and gives the value before.
    sub;
    /// Keeps the larger and gives the value before.
    max;
    /// Keeps the smaller and gives the value before.
    min;
    /// Keeps the common bits and gives the value before.
    and;
    /// Keeps the bits of either and gives the value before.
    or;
    /// Keeps the bits of one only and gives the value before.
    xor;
}

macro_rules! twins {
    ($($twin:ident, $method:ident, $kind:expr;)*) => {
        impl<T: CubePrimitive> Atomic<T> {$(
            #[doc(hidden)]
            pub fn $twin(pointer: AtomicPlace<T>, value: Val<T>) -> Val<T> {
                let kind: fn(Elem) -> String = $kind;
                pointer.rmw(&kind(T::elem()), value)
            }
        )*}
        impl<T: CubePrimitive> AtomicPlace<T> {$(
            #[doc(hidden)]
            pub fn $method(&self, value: Val<T>) -> Val<T> {
                Atomic::$twin(self.clone(), value)
            }
        )*}
    };
}

twins! {
    __expand_swap, __expand_swap_method, |_| "exchange".into();
    __expand_add, __expand_add_method, |e| suffixed("add", e);
    __expand_sub, __expand_sub_method, |e| suffixed("sub", e);
    __expand_max, __expand_max_method, |e| suffixed("max", e);
    __expand_min, __expand_min_method, |e| suffixed("min", e);
    __expand_and, __expand_and_method, |_| "andi".into();
    __expand_or, __expand_or_method, |_| "ori".into();
    __expand_xor, __expand_xor_method, |_| "xori".into();
}

impl<T: CubePrimitive> Atomic<T> {
    /// The value.
    pub fn load(pointer: &Self) -> T {
        let _ = pointer;
        unexpanded()
    }
    #[doc(hidden)]
    pub fn __expand_load(pointer: AtomicPlace<T>) -> Val<T> {
        let Some((i, mem)) = pointer.of() else { return Val::dummy() };
        let ty = mem.ty.ty;
        Val::new(with(|b| b.value(ty, &format!("cube.atomic_load %{}[%{i}] : {} -> {ty}", mem.id, mem.ty))))
    }
    /// Puts a value there.
    pub fn store(pointer: &Self, value: T) {
        let _ = (pointer, value);
        unexpanded()
    }
    #[doc(hidden)]
    pub fn __expand_store(pointer: AtomicPlace<T>, value: Val<T>) {
        let Some((i, mem)) = pointer.of() else { return };
        with(|b| {
            let (v, ty) = b.id(value.raw);
            b.op(&format!("cube.atomic_store %{v}, %{}[%{i}] : {ty}, {}", mem.id, mem.ty));
        });
    }
    /// Puts `value` there where the value before is `cmp`; gives the value before.
    pub fn compare_and_swap(pointer: &Self, cmp: T, value: T) -> T {
        let _ = (pointer, cmp, value);
        unexpanded()
    }
    #[doc(hidden)]
    pub fn __expand_compare_and_swap(pointer: AtomicPlace<T>, cmp: Val<T>, value: Val<T>) -> Val<T> {
        let Some((i, mem)) = pointer.of() else { return Val::dummy() };
        Val::new(with(|b| {
            let (c, ty) = b.id(cmp.raw);
            let (v, _) = b.id(value.raw);
            b.value(ty, &format!("cube.atomic_cas %{c}, %{v}, %{}[%{i}] : {ty}, {}", mem.id, mem.ty))
        }))
    }
}
