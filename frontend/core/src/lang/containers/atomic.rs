//! Atomic operations on elements of memory, with relaxed ordering.
use super::index::zero;
use super::mem::{Element, MemRef};
use crate::__private::unexpanded;
use crate::ir::{self, Elem, Raw, with};
use crate::lang::ops::suffixed;
use crate::lang::value::{CubePrimitive, CubeType, HasHost, Staged, Val};
use std::marker::PhantomData;

/// A number in memory that all accesses read or write atomically.
#[derive(Clone, Copy)]
pub struct Atomic<T> {
    of: PhantomData<fn() -> T>,
}

/// Location of an atomic number: its memory and its index.
pub struct AtomicExpand<T> {
    mem: Option<MemRef>,
    index: Raw,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for AtomicExpand<T> {
    fn clone(&self) -> Self {
        AtomicExpand { mem: self.mem, index: self.index, of: PhantomData }
    }
}

impl<T: CubePrimitive> HasHost for AtomicExpand<T> {
    type Host = Atomic<T>;
    fn __staged(self) -> <Self::Host as CubeType>::ExpandType {
        self
    }
}

impl<T: CubePrimitive> Staged for AtomicExpand<T> {
    fn dummy() -> Self {
        AtomicExpand { mem: None, index: zero(), of: PhantomData }
    }
}

impl<T: CubePrimitive> CubeType for Atomic<T> {
    type ExpandType = AtomicExpand<T>;
}

impl<T: CubePrimitive> Atomic<T> {
    /// The element type for host programs.
    pub fn as_type_native_unchecked() -> ir::StorageType {
        ir::StorageType::Atomic(T::elem().into())
    }
    /// The element type for host programs; always `Some`.
    pub fn as_type_native() -> Option<ir::StorageType> {
        Some(Self::as_type_native_unchecked())
    }
    /// Uses of the atomic type that the client's device supports.
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
    fn load(mem: MemRef, index: Raw, _: bool) -> AtomicExpand<T> {
        AtomicExpand { mem: Some(mem), index: with(|b| b.load(index)), of: PhantomData }
    }
    fn save(_: MemRef, _: Raw, _: AtomicExpand<T>, _: bool) {
        ir::fail("an atomic cannot be assigned to; write `Atomic::store(&atomic, value)`");
    }
}

impl<T: CubePrimitive> AtomicExpand<T> {
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
            pub fn $name(&self, value: T) -> T {
                let _ = value;
                unexpanded()
            }
        )*}
    };
}

// These declarations are separate from the expansions, because rustc shows a method's declaration in the error for a
// wrong call.
rmw! {
    /// Writes `value` and returns the previous value.
    swap;
    /// Adds `value`, and returns the previous value.
    add;
    /// Subtracts `value`, and returns the previous value.
    sub;
    /// Stores the maximum of the previous value and `value`, and returns the previous value.
    max;
    /// Stores the minimum of the previous value and `value`, and returns the previous value.
    min;
    /// Stores the bitwise AND of the previous value and `value`, and returns the previous value.
    and;
    /// Stores the bitwise OR of the previous value and `value`, and returns the previous value.
    or;
    /// Stores the bitwise XOR of the previous value and `value`, and returns the previous value.
    xor;
    /// [`Atomic::swap`] in CubeCL 0.11.
    exchange;
    /// [`Atomic::add`] in CubeCL 0.11.
    fetch_add;
    /// [`Atomic::sub`] in CubeCL 0.11.
    fetch_sub;
    /// [`Atomic::max`] in CubeCL 0.11.
    fetch_max;
    /// [`Atomic::min`] in CubeCL 0.11.
    fetch_min;
    /// [`Atomic::and`] in CubeCL 0.11.
    fetch_and;
    /// [`Atomic::or`] in CubeCL 0.11.
    fetch_or;
    /// [`Atomic::xor`] in CubeCL 0.11.
    fetch_xor;
}

macro_rules! expansions {
    ($($expand:ident, $method:ident, $kind:expr;)*) => {
        impl<T: CubePrimitive> Atomic<T> {$(
            #[doc(hidden)]
            pub fn $expand(pointer: AtomicExpand<T>, value: Val<T>) -> Val<T> {
                let kind: fn(Elem) -> String = $kind;
                pointer.rmw(&kind(T::elem()), value)
            }
        )*}
        impl<T: CubePrimitive> AtomicExpand<T> {$(
            #[doc(hidden)]
            pub fn $method(&self, value: Val<T>) -> Val<T> {
                Atomic::$expand(self.clone(), value)
            }
        )*}
    };
}

expansions! {
    swap_in_a_kernel, __expand_swap_method, |_| "exchange".into();
    add_in_a_kernel, __expand_add_method, |e| suffixed("add", e);
    sub_in_a_kernel, __expand_sub_method, |e| suffixed("sub", e);
    max_in_a_kernel, __expand_max_method, |e| suffixed("max", e);
    min_in_a_kernel, __expand_min_method, |e| suffixed("min", e);
    and_in_a_kernel, __expand_and_method, |_| "andi".into();
    or_in_a_kernel, __expand_or_method, |_| "ori".into();
    xor_in_a_kernel, __expand_xor_method, |_| "xori".into();
    exchange_in_a_kernel, __expand_exchange_method, |_| "exchange".into();
    fetch_add_in_a_kernel, __expand_fetch_add_method, |e| suffixed("add", e);
    fetch_sub_in_a_kernel, __expand_fetch_sub_method, |e| suffixed("sub", e);
    fetch_max_in_a_kernel, __expand_fetch_max_method, |e| suffixed("max", e);
    fetch_min_in_a_kernel, __expand_fetch_min_method, |e| suffixed("min", e);
    fetch_and_in_a_kernel, __expand_fetch_and_method, |_| "andi".into();
    fetch_or_in_a_kernel, __expand_fetch_or_method, |_| "ori".into();
    fetch_xor_in_a_kernel, __expand_fetch_xor_method, |_| "xori".into();
}

impl<T: CubePrimitive> Atomic<T> {
    /// Reads the value.
    pub fn load(&self) -> T {
        unexpanded()
    }
    #[doc(hidden)]
    pub fn load_in_a_kernel(pointer: AtomicExpand<T>) -> Val<T> {
        let Some((i, mem)) = pointer.of() else { return Val::dummy() };
        let ty = mem.ty.ty;
        Val::new(with(|b| b.value(ty, &format!("cube.atomic_load %{}[%{i}] : {} -> {ty}", mem.id, mem.ty))))
    }
    /// Writes the value.
    pub fn store(&self, value: T) {
        let _ = value;
        unexpanded()
    }
    #[doc(hidden)]
    pub fn store_in_a_kernel(pointer: AtomicExpand<T>, value: Val<T>) {
        let Some((i, mem)) = pointer.of() else { return };
        with(|b| {
            let (v, ty) = b.id(value.raw);
            b.op(&format!("cube.atomic_store %{v}, %{}[%{i}] : {ty}, {}", mem.id, mem.ty));
        });
    }
    /// Writes `value` if the previous value equals `cmp`. Returns the previous value.
    pub fn compare_and_swap(&self, cmp: T, value: T) -> T {
        let _ = (cmp, value);
        unexpanded()
    }
    /// [`Atomic::compare_and_swap`] in CubeCL 0.11. The exchange never fails if the previous value equals `cmp`.
    pub fn compare_exchange_weak(&self, cmp: T, value: T) -> T {
        let _ = (cmp, value);
        unexpanded()
    }
    #[doc(hidden)]
    pub fn compare_exchange_weak_in_a_kernel(pointer: AtomicExpand<T>, cmp: Val<T>, value: Val<T>) -> Val<T> {
        Self::compare_and_swap_in_a_kernel(pointer, cmp, value)
    }
    #[doc(hidden)]
    pub fn compare_and_swap_in_a_kernel(pointer: AtomicExpand<T>, cmp: Val<T>, value: Val<T>) -> Val<T> {
        let Some((i, mem)) = pointer.of() else { return Val::dummy() };
        Val::new(with(|b| {
            let (c, ty) = b.id(cmp.raw);
            let (v, _) = b.id(value.raw);
            b.value(ty, &format!("cube.atomic_cas %{c}, %{v}, %{}[%{i}] : {ty}, {}", mem.id, mem.ty))
        }))
    }
}

/// Expansions of methods.
#[doc(hidden)]
#[allow(missing_docs)]
impl<T: CubePrimitive> AtomicExpand<T> {
    pub fn __expand_load_method(&self) -> Val<T> {
        Atomic::load_in_a_kernel(self.clone())
    }
    pub fn __expand_store_method(&self, value: Val<T>) {
        Atomic::store_in_a_kernel(self.clone(), value);
    }
    pub fn __expand_compare_exchange_weak_method(&self, cmp: Val<T>, value: Val<T>) -> Val<T> {
        Atomic::compare_and_swap_in_a_kernel(self.clone(), cmp, value)
    }
    pub fn __expand_compare_and_swap_method(&self, cmp: Val<T>, value: Val<T>) -> Val<T> {
        Atomic::compare_and_swap_in_a_kernel(self.clone(), cmp, value)
    }
}
