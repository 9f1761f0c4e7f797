//! Functions of numbers that CubeCL 0.11 exports.
use crate::__private::unexpanded;
use crate::ir::Raw;
use crate::lang::containers::{Atomic, AtomicExpand};
use crate::lang::math::{Clamp, Float, Max, Min, by_number_class, hypotenuse};
use crate::lang::ops;
use crate::lang::sizes::Size;
use crate::lang::topology::sync_cube;
use crate::lang::value::{CubePrimitive, Val};
use crate::v11::Vector;

/// The minimum, the maximum and the clamped value of floats, by the name of the trait, as in
/// `<Vector<F, N> as FloatOps>::max(a, b)`. If exactly one operand is NaN, the result is the other operand.
pub trait FloatOps: Max + Min + Clamp {
    /// The minimum.
    fn min(self, other: Self) -> Self {
        Min::min(self, other)
    }
    /// The maximum.
    fn max(self, other: Self) -> Self {
        Max::max(self, other)
    }
    /// The value clamped to `min..=max`.
    fn clamp(self, min: Self, max: Self) -> Self {
        Clamp::clamp(self, min, max)
    }
    #[doc(hidden)]
    fn min_in_a_kernel(value: Val<Self>, other: Val<Self>) -> Val<Self> {
        <Self as Min>::min_in_a_kernel(value, other)
    }
    #[doc(hidden)]
    fn max_in_a_kernel(value: Val<Self>, other: Val<Self>) -> Val<Self> {
        <Self as Max>::max_in_a_kernel(value, other)
    }
    #[doc(hidden)]
    fn clamp_in_a_kernel(value: Val<Self>, min: Val<Self>, max: Val<Self>) -> Val<Self> {
        <Self as Clamp>::clamp_in_a_kernel(value, min, max)
    }
}

impl<F: Float, N: Size> FloatOps for Vector<F, N> {}

/// Declares free functions of vectors with one size.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($($arg:ident),*) $body:expr;)*) => {$(
        $(#[$doc])*
        pub fn $name<F: Float, N: Size>($($arg: Vector<F, N>),*) -> Vector<F, N> {
            let _ = ($($arg),*);
            unexpanded()
        }
        #[doc(hidden)]
        pub mod $name {
            use super::*;
            /// The expansion.
            pub fn $name<F: Float, N: Size>($($arg: Val<Vector<F, N>>),*) -> Val<Vector<F, N>> {
                let body: fn($(functions!(@ raw $arg)),*) -> Raw = $body;
                Val::new(body($($arg.raw),*))
            }
        }
    )*};
    (@ raw $arg:ident) => { Raw };
}

fn minimum(a: Raw, b: Raw) -> Raw {
    by_number_class(["arith.minimumf", "arith.minsi", "arith.minui"], a, b)
}

fn maximum(a: Raw, b: Raw) -> Raw {
    by_number_class(["arith.maximumf", "arith.maxsi", "arith.maxui"], a, b)
}

functions! {
    /// The length of the hypotenuse of a right triangle with these legs, without overflow of the squares.
    hypot(lhs, rhs) hypotenuse::hypot;
    /// The reciprocal of the hypotenuse.
    rhypot(lhs, rhs) hypotenuse::rhypot;
    /// The minimum of each pair of elements; NaN if an element is NaN.
    min_nan(lhs, rhs) minimum;
    /// The maximum of each pair of elements; NaN if an element is NaN.
    max_nan(lhs, rhs) maximum;
    /// Each element clamped to `min..=max`, first to the upper bound and then to the lower bound; NaN if an operand is
    /// NaN.
    clamp_nan(value, min, max) |value, min, max| maximum(minimum(value, max), min);
}

/// The sum of `c` and the products of the four signed bytes of `a` and `b`. The sum wraps.
pub fn dp4a(a: i32, b: i32, c: i32) -> i32 {
    let bytes = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
    bytes.fold(c, |sum, (a, b)| sum.wrapping_add(i32::from(a as i8) * i32::from(b as i8)))
}

#[doc(hidden)]
pub mod dp4a {
    use super::*;
    /// The expansion.
    pub fn dp4a(a: Val<i32>, b: Val<i32>, c: Val<i32>) -> Val<i32> {
        let at = crate::ir::position();
        let products = by_number_class(["", "cube.dot", ""], a.raw, b.raw);
        Val::new(ops::binary("add", c.raw, products, at))
    }
}

/// Waits for all units of the cube, reads an element of shared memory, and waits again. All units of the cube must reach
/// the call, and all read the same value.
pub fn workgroup_uniform_load<T: CubePrimitive>(element: &T) -> T {
    let _ = element;
    unexpanded()
}

#[doc(hidden)]
pub mod workgroup_uniform_load {
    use super::*;
    /// The expansion. The argument is the element as read before the barrier, so the load is repeated after the barrier.
    pub fn workgroup_uniform_load<T: CubePrimitive>(element: Val<T>) -> Val<T> {
        sync_cube::sync_cube();
        let again = crate::ir::with(|b| b.load_again(element.raw));
        sync_cube::sync_cube();
        Val::new(again.unwrap_or_else(|| {
            crate::ir::fail("`workgroup_uniform_load` takes an element of shared memory; write `&shared[index]`");
            element.raw
        }))
    }
}

/// As [`workgroup_uniform_load()`], for an atomic in shared memory.
pub fn workgroup_uniform_load_atomic<T: CubePrimitive>(element: &Atomic<T>) -> T {
    let _ = element;
    unexpanded()
}

#[doc(hidden)]
pub mod workgroup_uniform_load_atomic {
    use super::*;
    /// The expansion.
    pub fn workgroup_uniform_load_atomic<T: CubePrimitive>(element: AtomicExpand<T>) -> Val<T> {
        sync_cube::sync_cube();
        let value = Atomic::load_in_a_kernel(element);
        sync_cube::sync_cube();
        value
    }
}

/// Waits for all units of the cube, which must all reach the barrier. After the barrier, each unit sees the earlier writes
/// of the cube's units to shared and global memory, as after `sync_cube`. The writes of other cubes are not ordered.
pub fn sync_storage() {}

#[doc(hidden)]
pub mod sync_storage {
    use super::*;
    /// The expansion.
    pub fn sync_storage() {
        sync_cube::sync_cube();
    }
}

/// Declares free functions of two numbers or vectors, by the trait with the function.
macro_rules! extrema {
    ($($(#[$doc:meta])* $name:ident $of:ident $expand:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name<T: $of>(lhs: T, rhs: T) -> T {
            $of::$name(lhs, rhs)
        }
        #[doc(hidden)]
        pub mod $name {
            use super::*;
            /// The expansion.
            pub fn $name<T: $of>(lhs: Val<T>, rhs: Val<T>) -> Val<T> {
                T::$expand(lhs, rhs)
            }
        }
    )*};
}

extrema! {
    /// The minimum. If exactly one operand is NaN, the result is the other operand.
    min Min min_in_a_kernel;
    /// The maximum. If exactly one operand is NaN, the result is the other operand.
    max Max max_in_a_kernel;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::flow::text_of;

    #[test]
    fn sync_storage_orders_shared_memory() {
        let text = text_of(sync_storage::sync_storage).expect("a kernel");
        assert!(text.contains("cube.sync cube") && !text.contains("cube.sync storage"), "{text}");
    }
}
