//! Shared memory of one element.
use super::elements::{Shared, length_of};
use crate::__private::unexpanded;
use crate::lang::arguments::{Arg, DerefTarget};
use crate::lang::containers::{Element, Mem, MemRef, shared};
use crate::lang::value::{CubePrimitive, CubeType, HasHost, R, Staged, Val};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

impl<T: CubePrimitive> Shared<T> {
    /// Shared memory of one element with undefined content.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        unexpanded()
    }
    #[doc(hidden)]
    pub fn new_in_a_kernel() -> SharedExpand<T> {
        let (length, ty) = length_of::<T>(1);
        SharedExpand { mem: shared(length, ty), of: PhantomData }
    }
    /// The element.
    pub fn inner_ref(&self) -> &T {
        unexpanded()
    }
    /// The element.
    pub fn inner_mut(&mut self) -> &mut T {
        unexpanded()
    }
}

impl<T: CubePrimitive> Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        unexpanded()
    }
}

impl<T: CubePrimitive> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        unexpanded()
    }
}

/// [`Shared<T>`] of one element, staged.
pub struct SharedExpand<T> {
    mem: MemRef,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for SharedExpand<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SharedExpand<T> {}

impl<T: CubePrimitive> SharedExpand<T> {
    #[doc(hidden)]
    pub fn __expand_inner_ref_method(&self) -> Self {
        *self
    }
    #[doc(hidden)]
    pub fn __expand_inner_mut_method(&self) -> Self {
        *self
    }
}

/// `*s`.
impl<T: CubePrimitive> R<'_, SharedExpand<T>> {
    /// Loads the element.
    pub fn deref_value(&self) -> Val<T> {
        <T as Element>::load(self.0.mem, Val::<u32>::lit(0).raw, true)
    }
}

/// `*s = value`.
impl<T: CubePrimitive> DerefTarget<'_, SharedExpand<T>> {
    /// Stores the element.
    pub fn assign<A: Arg<Val<T>>>(self, value: A, position: u32) {
        crate::ir::at(position);
        <T as Element>::save(self.0.mem, Val::<u32>::lit(0).raw, value.arg(), true);
    }
}

impl<T: CubePrimitive> CubeType for Shared<T> {
    type ExpandType = SharedExpand<T>;
}

impl<T: CubePrimitive> HasHost for SharedExpand<T> {
    type Host = Shared<T>;
    fn __staged(self) -> <Self::Host as CubeType>::ExpandType {
        self
    }
}

impl<T: CubePrimitive> Staged for SharedExpand<T> {
    const HAS_DUMMY: bool = false;
    fn to_cells(&self, depth: usize) -> Self {
        crate::lang::containers::outlives(self.mem, depth);
        *self
    }
    fn store(&mut self, value: Self) {
        if self.mem != value.mem {
            crate::lang::shapes::replace_shape(self, value);
        }
    }
    fn dummy() -> Self {
        SharedExpand { mem: <Mem<crate::lang::containers::Array<T>> as Staged>::dummy().mem, of: PhantomData }
    }
}
