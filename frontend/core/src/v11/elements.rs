//! Memory whose elements have indices of type `usize`: slices of Rust, arrays, tensors and shared memory.
use crate::__private::unexpanded;
use crate::ir::Ty;
use crate::lang::containers::{Atomic, AtomicExpand, Element, Index, IndexAssign, Mem, MemRef};
use crate::lang::containers::{Slice, filled_with_zeros, shared, slice_of};
use crate::lang::flow::{Counted, Iterate};
use crate::lang::indices::{size_index, size_of_u32};
use crate::lang::math::Scalar;
use crate::lang::ops;
use crate::lang::sizes::Const;
use crate::lang::value::{CubePrimitive, CubeType, HasHost, Operand, R, Staged, Val, ViaKnown};
use crate::v11::Vector;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// An index of memory.
fn index_of(index: Val<usize>) -> Val<u32> {
    size_index::size_index(index)
}

/// Declares the staged form of memory with indices of type `usize`. Elements and atomic elements have different staged
/// forms, so that rustc infers the type of the elements of `Array::new(4)` from the uses of an element.
macro_rules! staged_memory {
    ($($(#[$doc:meta])* $name:ident of $item:ty: $out:ty;)*) => {$(
        $(#[$doc])*
        pub struct $name<T> {
            mem: MemRef,
            of: PhantomData<fn() -> T>,
        }

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}

        impl<T: CubePrimitive> $name<T> {
            /// Wraps a reference to memory.
            pub fn new(mem: MemRef) -> Self {
                $name { mem, of: PhantomData }
            }

            fn as_u32_memory(&self) -> Mem<Slice<$item>> {
                Mem::new(self.mem)
            }

            /// The length in elements.
            fn length(&self) -> Val<usize> {
                size_of_u32(self.as_u32_memory().__expand_len_method())
            }
        }

        impl<T: CubePrimitive> IndexRange for $name<T> {
            fn range(&self, start: Option<Val<usize>>, end: Option<Val<usize>>, inclusive: bool, position: u32) -> Self {
                crate::ir::at(position);
                let start = start.unwrap_or_else(|| Val::lit(0));
                let end = match end {
                    Some(end) if inclusive => ops::add(end, Val::<usize>::lit(1), position),
                    Some(end) => end,
                    None => self.length(),
                };
                let slice: Mem<Slice<$item>> = slice_of(self.mem, index_of(start), index_of(end));
                $name::new(slice.mem)
            }
        }

        impl<T: CubePrimitive> HasHost for $name<T> {
            type Host = Array<$item>;
            fn __staged(self) -> <Self::Host as CubeType>::ExpandType {
                self
            }
        }

        impl<T: CubePrimitive> Staged for $name<T> {
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
            fn rd(&self) -> Self {
                *self
            }
            fn dummy() -> Self {
                $name::new(<Mem<crate::lang::containers::Array<T>> as Staged>::dummy().mem)
            }
        }

        impl<T: CubePrimitive> Index for $name<T> {
            type At = Val<usize>;
            type Out = $out;
            fn at(&self, index: Val<usize>) -> $out {
                <$item as Element>::load(self.mem, index_of(index).raw, false)
            }
        }

        impl<T: CubePrimitive> IndexAssign for $name<T> {
            fn set(&self, index: Val<usize>, value: $out) {
                <$item as Element>::save(self.mem, index_of(index).raw, value, false);
            }
        }

        impl<T: CubePrimitive> Iterate for $name<T> {
            type Item = $out;
            fn counted(&self) -> Option<Counted<Self::Item>> {
                self.as_u32_memory().counted()
            }
            fn items(self) -> Option<Vec<Self::Item>> {
                self.as_u32_memory().items()
            }
        }

        /// Expansions of methods.
        #[doc(hidden)]
        #[allow(missing_docs)]
        impl<T: CubePrimitive> $name<T> {
            pub fn __expand_len_method(&self) -> Val<usize> {
                self.length()
            }
            pub fn __expand_is_empty_method(&self) -> Val<bool> {
                ops::eq(self.length(), Val::<usize>::lit(0), crate::ir::position())
            }
            pub fn __expand_iter_method(&self) -> Self {
                *self
            }
            pub fn __expand_as_slice_method(&self) -> Self {
                *self
            }
            pub fn __expand_as_mut_slice_method(&self) -> Self {
                *self
            }
            pub fn __expand_inner_ref_method(&self) -> Self {
                *self
            }
            pub fn __expand_inner_mut_method(&self) -> Self {
                *self
            }
            pub fn __expand_get_unchecked_method(&self, index: Val<usize>) -> $out {
                <$item as Element>::load(self.mem, index_of(index).raw, true)
            }
            pub fn __expand_buffer_len_method(&self) -> Val<usize> {
                size_of_u32(self.as_u32_memory().__expand_buffer_len_method())
            }
            pub fn __expand_rank_method(&self) -> Val<usize> {
                size_of_u32(self.mem.query("rank", &[]))
            }
            pub fn __expand_shape_method(&self, dim: Val<usize>) -> Val<usize> {
                size_of_u32(self.mem.query("shape", &[index_of(dim).raw]))
            }
            pub fn __expand_stride_method(&self, dim: Val<usize>) -> Val<usize> {
                size_of_u32(self.mem.query("stride", &[index_of(dim).raw]))
            }
            pub fn __expand_coordinate_method(&self, index: Val<usize>, dim: Val<usize>) -> Val<usize> {
                size_of_u32(self.mem.query("coordinate", &[index_of(index).raw, index_of(dim).raw]))
            }
            pub fn __expand_vector_size_method(&self) -> usize {
                self.mem.line() as usize
            }
            /// Returns the vector size to host code, for `comptime!(memory.vector_size())`.
            pub fn vector_size(&self) -> usize {
                self.mem.line() as usize
            }
        }

        impl<T: CubePrimitive> CubeType for [$item] {
            type ExpandType = $name<T>;
        }

        impl<T: CubePrimitive> CubeType for Box<[$item]> {
            type ExpandType = $name<T>;
        }

        impl<T: CubePrimitive> CubeType for Array<$item> {
            type ExpandType = $name<T>;
        }

        impl<T: CubePrimitive> CubeType for Tensor<$item> {
            type ExpandType = $name<T>;
        }

        impl<T: CubePrimitive> CubeType for Shared<[$item]> {
            type ExpandType = $name<T>;
        }

        /// A buffer argument of a launch.
        impl<T: CubePrimitive> Buffer for $name<T> {
            type Item = $item;
            fn of_memory(mem: MemRef) -> Self {
                $name::new(mem)
            }
        }
    )*};
}

/// Staged memory that a launch can pass.
pub(super) trait Buffer {
    /// The elements.
    type Item: Element;
    /// Wraps a reference to memory.
    fn of_memory(mem: MemRef) -> Self;
}

/// Staged memory whose ranges are slices.
pub trait IndexRange {
    /// The elements `start..end`. A missing bound is the bound of the memory.
    fn range(&self, start: Option<Val<usize>>, end: Option<Val<usize>>, inclusive: bool, position: u32) -> Self;
}

staged_memory! {
    /// Staged memory with indices of type `usize`. `[T]`, `Box<[T]>`, [`Array`], [`Tensor`] and [`Shared`] have this
    /// staged form, so that each of them can be an argument for `&[T]`.
    ElementsExpand of T: Val<T>;
    /// Staged memory of atomics, as [`ElementsExpand`].
    AtomicsExpand of Atomic<T>: AtomicExpand<T>;
}

/// Slices of scalars as slices of vectors.
pub trait SliceExt<T: Scalar> {
    /// The same elements as vectors of one element.
    fn as_vectorized(&self) -> &[Vector<T, Const<1>>] {
        unexpanded()
    }
    /// The same elements as vectors of one element.
    fn as_vectorized_mut(&mut self) -> &mut [Vector<T, Const<1>>] {
        unexpanded()
    }
}

impl<T: Scalar> SliceExt<T> for [T] {}

/// Expansions of the methods of [`SliceExt`].
#[doc(hidden)]
#[allow(missing_docs)]
impl<T: Scalar> ElementsExpand<T> {
    pub fn __expand_as_vectorized_method(&self) -> ElementsExpand<Vector<T, Const<1>>> {
        ElementsExpand::new(self.mem)
    }
    pub fn __expand_as_vectorized_mut_method(&self) -> ElementsExpand<Vector<T, Const<1>>> {
        ElementsExpand::new(self.mem)
    }
}

/// Makes the value of an expression a host value, if it is known at compile time.
pub trait IntoComptime: Sized {
    /// Returns the value unchanged.
    fn comptime(self) -> Self {
        self
    }
}

impl<T> IntoComptime for T {}

#[doc(hidden)]
impl<T: CubePrimitive + Operand> Val<T> {
    /// The expansion of [`IntoComptime::comptime`].
    pub fn __expand_comptime_method(&self) -> T {
        R(self).host()
    }
}

/// Declares a host type of memory that dereferences to a slice.
macro_rules! memory {
    ($($name:ident<$t:ident>: $ty:ty;)*) => {$(
        // Only one of these types is `Copy`.
        #[allow(clippy::non_canonical_clone_impl)]
        impl<$t> Clone for $ty {
            fn clone(&self) -> Self {
                $name { of: PhantomData }
            }
        }
        impl<$t> Deref for $ty {
            type Target = [$t];
            fn deref(&self) -> &[$t] {
                unexpanded()
            }
        }
        impl<$t> DerefMut for $ty {
            fn deref_mut(&mut self) -> &mut [$t] {
                unexpanded()
            }
        }
    )*};
}

/// Local memory of the unit.
pub struct Array<T> {
    of: PhantomData<fn() -> T>,
}

impl<T> Copy for Array<T> {}

/// A memory argument with shape and strides.
pub struct Tensor<T> {
    of: PhantomData<fn() -> T>,
}

/// Shared memory of the cube, with undefined content until a unit writes it. `Shared<[T]>` has several elements, and
/// `Shared<T>` has one element, which `*s` names.
pub struct Shared<T: ?Sized> {
    of: PhantomData<fn(&T)>,
}

memory! {
    Array<T>: Array<T>;
    Tensor<T>: Tensor<T>;
    Shared<T>: Shared<[T]>;
}

/// A length of an allocation. Memory has at least one element.
pub(super) fn length_of<T: Element>(length: usize) -> (u32, Ty) {
    (crate::lang::indices::size_index(length).max(1), Ty { elem: T::item_elem(), line: T::item_line() })
}

impl<T: CubePrimitive> Array<T> {
    /// Local memory of `length` elements. Every execution of the call sets all elements to zero.
    pub fn new(length: usize) -> Self {
        let _ = length;
        unexpanded()
    }
    #[doc(hidden)]
    pub fn new_in_a_kernel(length: usize) -> ElementsExpand<T> {
        let (length, ty) = length_of::<T>(length);
        ElementsExpand::new(filled_with_zeros(length, ty))
    }
}

impl<T: CubePrimitive> Shared<[T]> {
    /// Shared memory of `length` elements with undefined content.
    pub fn new_slice(length: usize) -> Self {
        let _ = length;
        unexpanded()
    }
    #[doc(hidden)]
    pub fn new_slice_in_a_kernel(length: usize) -> ElementsExpand<T> {
        let (length, ty) = length_of::<T>(length);
        ElementsExpand::new(shared(length, ty))
    }
    /// As [`Shared::new_slice`]. `alignment` has no effect, because every allocation is aligned to its elements.
    pub fn new_aligned_slice(length: usize, alignment: usize) -> Self {
        let _ = (length, alignment);
        unexpanded()
    }
    #[doc(hidden)]
    pub fn new_aligned_slice_in_a_kernel(length: usize, _alignment: usize) -> ElementsExpand<T> {
        Self::new_slice_in_a_kernel(length)
    }
}

impl<T> Shared<[T]> {
    /// All elements.
    pub fn inner_ref(&self) -> &[T] {
        unexpanded()
    }
    /// All elements.
    pub fn inner_mut(&mut self) -> &mut [T] {
        unexpanded()
    }
}

/// Shared memory of atomics. The function is in a separate trait. rustc therefore infers elements that are not atomics
/// for `Shared::new_slice(n)` without a type.
pub trait SharedAtomics<T: CubePrimitive>: Sized {
    /// Shared memory of `length` atomics with undefined content.
    fn new_slice(length: usize) -> Self {
        let _ = length;
        unexpanded()
    }
    #[doc(hidden)]
    fn new_slice_in_a_kernel(length: usize) -> AtomicsExpand<T> {
        let (length, ty) = length_of::<Atomic<T>>(length);
        AtomicsExpand::new(shared(length, ty))
    }
}

impl<T: CubePrimitive> SharedAtomics<T> for Shared<[Atomic<T>]> {}

impl<T> Tensor<T> {
    /// All elements in memory order.
    pub fn as_slice(&self) -> &[T] {
        unexpanded()
    }
    /// All elements in memory order.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        unexpanded()
    }
    /// The number of elements of type `T`, from the tensor's shape.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        unexpanded()
    }
    /// The number of elements of type `T` in the tensor's buffer.
    pub fn buffer_len(&self) -> usize {
        unexpanded()
    }
    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        unexpanded()
    }
    /// Number of scalar elements along a dimension.
    pub fn shape(&self, dim: usize) -> usize {
        let _ = dim;
        unexpanded()
    }
    /// Stride of a dimension, in scalar elements.
    pub fn stride(&self, dim: usize) -> usize {
        let _ = dim;
        unexpanded()
    }
    /// The coordinate, along the dimension `dim`, of the element with linear index `index`.
    pub fn coordinate(&self, index: usize, dim: usize) -> usize {
        let _ = (index, dim);
        unexpanded()
    }
}

/// The vector size of memory, as a compile-time value.
pub trait Vectorized {
    /// Number of elements of a vector.
    fn vector_size(&self) -> usize {
        unexpanded()
    }
}

impl<T> Vectorized for [T] {}
impl<T> Vectorized for Tensor<T> {}
impl<T> Vectorized for Array<T> {}

/// The elements `start..end` of memory, for `&x[start..end]`.
pub fn index_range<M: IndexRange>(
    base: &M,
    start: Option<Val<usize>>,
    end: Option<Val<usize>>,
    inclusive: bool,
    position: u32,
) -> M {
    base.range(start, end, inclusive, position)
}

/// Gives `[a, b]` its type when rustc checks a kernel body.
pub fn local_array<T, const N: usize>(_: [T; N]) -> Array<T> {
    unexpanded()
}

/// The expansion of `[a, b]`.
#[doc(hidden)]
pub mod local_array {
    use super::*;
    /// Local memory of the unit.
    pub fn local_array<T: CubePrimitive>(array: Mem<crate::lang::containers::Array<T>>) -> ElementsExpand<T> {
        ElementsExpand::new(array.mem)
    }
}

/// An element of `[a, b]`.
pub fn element<T>(value: T) -> T {
    value
}

/// The expansion of an element of `[a, b]`.
#[doc(hidden)]
pub mod element {
    use super::*;
    /// Returns the value unchanged.
    pub fn element<T>(value: Val<T>) -> Val<T> {
        value
    }
}

/// Gives `[value; length]` its type when rustc checks a kernel body.
pub fn local_array_of<T>(_: T, _: usize) -> Array<T> {
    unexpanded()
}

/// The expansion of `[value; length]`.
#[doc(hidden)]
pub mod local_array_of {
    use super::*;
    /// Local memory of the unit.
    pub fn local_array_of<T: CubePrimitive>(value: Val<T>, length: usize) -> ElementsExpand<T> {
        let position = crate::ir::position();
        let array = crate::lang::containers::array_of(value, crate::lang::indices::size_index(length), position);
        ElementsExpand::new(array.mem)
    }
}
