//! `a[i]` and `a[i] = v`.
use super::atomic::{Atomic, AtomicExpand};
use super::mem::{Array, Element, Mem, SharedMemory, Tensor, filled};
use super::slice::{Slice, SliceVisibility};
use crate::ir::{Elem, Lit, Raw, Ty, with};
use crate::lang::arguments::{Arg, arg};
use crate::lang::line::Line;
use crate::lang::value::{CubePrimitive, Val};

/// Staged types that support `a[i]`.
pub trait Index {
    /// The type of the index.
    type At: Clone;
    /// The staged element.
    type Out;
    /// Reads the element at `index`.
    fn at(&self, index: Self::At) -> Self::Out;
}

/// Staged types that support `a[i] = v`.
pub trait IndexAssign: Index {
    /// Writes the element at `index`.
    fn set(&self, index: Self::At, value: Self::Out);
}

/// `a[i]`.
pub fn index<B: Index>(base: &B, at: B::At, position: u32) -> B::Out {
    crate::ir::at(position);
    base.at(at)
}

/// Evaluates the index of an element that a kernel both reads and writes, as in `a[i] += v`.
pub fn index_of<B: Index>(_: &B, at: B::At) -> B::At {
    at
}

/// `a[i] = v`.
pub fn index_assign<B: IndexAssign, V: Arg<B::Out>>(base: &B, at: B::At, value: V, position: u32) {
    crate::ir::at(position);
    base.set(at, arg(value));
}

/// `a[i] = v`. The base, the index and the value are evaluated in this order.
pub fn set<B: IndexAssign, V: Arg<B::Out>>(base: B, at: B::At, value: V, position: u32) {
    index_assign(&base, at, value, position);
}

// Each element type has an impl. With one generic impl, rustc could not infer the element type of `[0.0; 4]` from its
// uses.
macro_rules! elements {
    ($($container:ident $(, $io:ident)?;)*) => {$(
        elements!(one $container T, T, Val<T> $(, $io)?);
        elements!(one $container T, Atomic<T>, AtomicExpand<T> $(, $io)?);
    )*};
    (one $container:ident $t:ident, $element:ty, $out:ty $(, $io:ident)?) => {
        impl<$t: CubePrimitive $(, $io: SliceVisibility)?> Index for Mem<$container<$element $(, $io)?>> {
            type At = Val<u32>;
            type Out = $out;
            fn at(&self, index: Val<u32>) -> $out {
                <$element as Element>::load(self.mem, index.raw, false)
            }
        }
        impl<$t: CubePrimitive $(, $io: SliceVisibility)?> IndexAssign for Mem<$container<$element $(, $io)?>> {
            fn set(&self, index: Val<u32>, value: $out) {
                <$element as Element>::save(self.mem, index.raw, value, false);
            }
        }
    };
}

elements! {
    Array;
    Tensor;
    SharedMemory;
    Slice, IO;
}

/// Index of an element in a line.
enum Lane {
    /// A run-time index. Reads outside of the line return zero, and writes outside of the line do nothing.
    Computed(Raw),
    /// A constant index within the line.
    Known(i128),
}

/// Classifies an index. A constant index outside of the line is an error at the current source location.
fn classify(ty: Ty, index: Raw) -> Lane {
    match index {
        Raw::Const(Lit::Int(i), _) if (0..i128::from(ty.line)).contains(&i) => Lane::Known(i),
        Raw::Const(Lit::Int(i), _) => {
            let lanes = match ty.line {
                1 => "its only element is 0".to_string(),
                n => format!("its elements are 0 to {}", n - 1),
            };
            crate::ir::fail(format!("element {i} is outside of a line of {}: {lanes}", ty.line));
            Lane::Known(0)
        }
        other => Lane::Computed(other),
    }
}

/// Selects `value` for index 0 of a one-element line, and `otherwise` for other indices.
fn select_first(index: Raw, value: u32, otherwise: Raw, ty: Ty) -> Raw {
    with(|b| {
        let ((i, index_ty), (otherwise, _)) = (b.id(index), b.id(otherwise));
        let (first, _) = b.id(Raw::Const(Lit::Int(0), index_ty));
        let Raw::Ssa(is_first, _) =
            b.value(Ty::scalar(Elem::Bool), &format!("arith.cmpi eq, %{i}, %{first} : {index_ty}"))
        else {
            unreachable!("an operation has a result")
        };
        b.value(ty, &format!("arith.select %{is_first}, %{value}, %{otherwise} : {ty}"))
    })
}

/// Reads one element of a line.
pub fn lane(raw: Raw, index: Raw) -> Raw {
    let (v, ty) = with(|b| b.id(raw));
    let out = Ty::scalar(ty.elem);
    match classify(ty, index) {
        Lane::Known(_) if ty.line == 1 => Raw::Ssa(v, ty),
        Lane::Computed(i) if ty.line == 1 => select_first(i, v, Raw::Const(Lit::zero(ty.elem), ty), ty),
        Lane::Known(i) => with(|b| b.value(out, &format!("vector.extract %{v}[{i}] : {out} from {ty}"))),
        Lane::Computed(i) => with(|b| {
            let (i, _) = b.id(i);
            b.value(out, &format!("cube.extract %{v}[%{i}] : {ty} -> {out}"))
        }),
    }
}

/// Returns the line with one element replaced.
pub fn with_lane(raw: Raw, index: Raw, value: Raw) -> Raw {
    let ((v, ty), (e, elem)) = with(|b| (b.id(raw), b.id(value)));
    match classify(ty, index) {
        Lane::Known(_) if ty.line == 1 => Raw::Ssa(e, ty),
        Lane::Computed(i) if ty.line == 1 => select_first(i, e, Raw::Ssa(v, ty), ty),
        Lane::Known(i) => with(|b| b.value(ty, &format!("vector.insert %{e}, %{v}[{i}] : {elem} into {ty}"))),
        Lane::Computed(i) => with(|b| {
            let (i, _) = b.id(i);
            b.value(ty, &format!("cube.insert %{e}, %{v}[%{i}] : {elem}, {ty}"))
        }),
    }
}

impl<P: CubePrimitive> Index for Val<Line<P>> {
    type At = Val<u32>;
    type Out = Val<P>;
    fn at(&self, index: Val<u32>) -> Val<P> {
        Val::new(lane(self.raw, index.raw))
    }
}

impl<P: CubePrimitive> IndexAssign for Val<Line<P>> {
    fn set(&self, index: Val<u32>, value: Val<P>) {
        let new = with_lane(self.raw, index.raw, value.raw);
        match self.raw {
            Raw::Cell(cell, ty) => with(|b| b.store(cell, ty, new)),
            _ => crate::ir::fail("this line is not a variable; declare it with `let mut`"),
        }
    }
}

/// Indexes a host table with a run-time index.
fn host_table<T: CubePrimitive>(values: &[T], index: Val<u32>) -> Val<T> {
    if let Some(i) = index.known() {
        return match values.get(i as usize) {
            Some(v) => Val::lit(*v),
            None => {
                crate::ir::fail(format!("index {i} is outside of an array of {} elements", values.len()));
                Val::lit(values[0])
            }
        };
    }
    let raws: Vec<Raw> = values.iter().map(|v| Val::lit(*v).raw).collect();
    let mem: Mem<Array<T>> = filled(&raws, Ty::scalar(T::elem()));
    Val::new(mem.mem.load(index.raw, false))
}

impl<T: CubePrimitive, const N: usize> Index for [T; N] {
    type At = Val<u32>;
    type Out = Val<T>;
    fn at(&self, index: Val<u32>) -> Val<T> {
        host_table(self, index)
    }
}

impl<T: CubePrimitive> Index for &[T] {
    type At = Val<u32>;
    type Out = Val<T>;
    fn at(&self, index: Val<u32>) -> Val<T> {
        host_table(self, index)
    }
}

impl<T: CubePrimitive> Index for Vec<T> {
    type At = Val<u32>;
    type Out = Val<T>;
    fn at(&self, index: Val<u32>) -> Val<T> {
        host_table(self, index)
    }
}

/// The index 0.
pub fn zero() -> Raw {
    Raw::Const(Lit::Int(0), Ty::scalar(Elem::U32))
}
