//! Dynamic access to the source of a view.
use super::layout::{Coordinates, VirtualLayoutExpand};
use cube_frontend::__private::{If, Slot, Staged, Val};
use cube_frontend::ir::{Raw, with};
use cube_frontend::lang::containers::{Mem, MemRef};
use cube_frontend::lang::ops;
use cube_frontend::prelude::*;
use std::rc::Rc;

/// A marker type for type parameters of a struct that stores no value of these types.
pub(super) type Marker<T> = std::marker::PhantomData<fn() -> T>;

/// The source of a view.
#[doc(hidden)]
pub trait ViewStorage<E: CubePrimitive, C: Coordinates> {
    /// Reads an element. `inbounds` omits the bounds check. Without `inbounds`, the launch mode decides whether
    /// the access is checked.
    fn read(&self, pos: C::ExpandType, inbounds: bool) -> Val<E>;
    /// Reads an element. If the position is out of bounds, the result is `other`.
    fn read_or(&self, pos: C::ExpandType, other: Val<E>) -> Val<E>;
    /// Writes an element.
    fn write(&self, pos: C::ExpandType, value: Val<E>);
    /// Writes an element if the position is in bounds.
    fn write_if(&self, pos: C::ExpandType, value: Val<E>);
    /// Extent of the source.
    fn shape(&self) -> C::ExpandType;
    /// Whether a position is in bounds.
    fn is_in_bounds(&self, pos: C::ExpandType) -> Val<bool>;
    /// The memory from the position `from` to the position `to`, both inclusive.
    fn linear(&self, from: C::ExpandType, to: C::ExpandType) -> MemRef;
    /// Number of elements of a line.
    fn line_size(&self) -> u32;
}

/// Memory as the source of a view.
pub(super) struct Memory(pub MemRef);

pub(super) fn current_position() -> u32 {
    with(|b| b.position())
}

pub(crate) fn read_if<E: CubePrimitive>(cond: Val<bool>, read: impl FnOnce() -> Val<E>, other: Val<E>) -> Val<E> {
    let mut slot = Slot::new();
    let mut branch = If::begin(cond, current_position());
    if branch.then() {
        slot.put(read());
    }
    if branch.els() {
        slot.put(other);
    }
    branch.end();
    slot.get()
}

pub(super) fn run_if(cond: Val<bool>, write: impl FnOnce()) {
    let mut branch = If::begin(cond, current_position());
    if branch.then() {
        write();
    }
    branch.end();
}

impl Memory {
    fn len(&self) -> Val<u32> {
        use cube_frontend::ir::MemKind;
        match self.0.ty.kind {
            MemKind::Local(n) | MemKind::Shared(n) => Val::lit(n),
            MemKind::Slice => self.0.query("len", &[]),
            _ => self.0.query("buffer_len", &[]),
        }
    }

    fn contains(&self, pos: Val<u32>) -> Val<bool> {
        ops::lt(pos, self.len(), current_position())
    }
}

impl<E: CubePrimitive> ViewStorage<E, u32> for Memory {
    fn read(&self, pos: Val<u32>, inbounds: bool) -> Val<E> {
        Val::new(self.0.load(pos.raw, inbounds))
    }
    fn read_or(&self, pos: Val<u32>, other: Val<E>) -> Val<E> {
        read_if(self.contains(pos), || Val::new(self.0.load(pos.raw, false)), other)
    }
    fn write(&self, pos: Val<u32>, value: Val<E>) {
        self.0.save(pos.raw, value.raw, false);
    }
    fn write_if(&self, pos: Val<u32>, value: Val<E>) {
        run_if(self.contains(pos), || self.0.save(pos.raw, value.raw, false));
    }
    fn shape(&self) -> Val<u32> {
        self.len()
    }
    fn is_in_bounds(&self, pos: Val<u32>) -> Val<bool> {
        self.contains(pos)
    }
    fn linear(&self, from: Val<u32>, to: Val<u32>) -> MemRef {
        let end = ops::add(to, Val::<u32>::lit(1), current_position());
        let start = <u32 as Coordinates>::min_in_a_kernel(from, end);
        Mem::<Array<E>>::new(self.0).__expand_slice_method(start, end).mem
    }
    fn line_size(&self) -> u32 {
        self.0.ty.ty.line
    }
}

/// A layout applied to a source.
pub(super) struct Mapped<E: CubePrimitive, C: Coordinates, S: Coordinates> {
    pub source: Rc<dyn ViewStorage<E, S>>,
    pub layout: VirtualLayoutExpand<C, S>,
}

impl<E: CubePrimitive, C: Coordinates, S: Coordinates> ViewStorage<E, C> for Mapped<E, C, S> {
    fn read(&self, pos: C::ExpandType, inbounds: bool) -> Val<E> {
        self.source.read(self.layout.mapping.source(pos), inbounds)
    }
    fn read_or(&self, pos: C::ExpandType, other: Val<E>) -> Val<E> {
        let (pos, holds) = self.layout.mapping.checked(pos);
        read_if(holds, || self.source.read_or(pos, zero()), other)
    }
    fn write(&self, pos: C::ExpandType, value: Val<E>) {
        self.source.write(self.layout.mapping.source(pos), value);
    }
    fn write_if(&self, pos: C::ExpandType, value: Val<E>) {
        let (pos, holds) = self.layout.mapping.checked(pos);
        run_if(holds, || self.source.write_if(pos, value));
    }
    fn shape(&self) -> C::ExpandType {
        self.layout.mapping.shape()
    }
    fn is_in_bounds(&self, pos: C::ExpandType) -> Val<bool> {
        self.layout.mapping.is_in_bounds(pos)
    }
    fn linear(&self, from: C::ExpandType, to: C::ExpandType) -> MemRef {
        self.source.linear(self.layout.mapping.source(from), self.layout.mapping.source(to))
    }
    fn line_size(&self) -> u32 {
        self.source.line_size()
    }
}

/// A line whose elements are all zero.
pub(super) fn zero<E: CubePrimitive>() -> Val<E> {
    let zero = Val::<E>::dummy();
    debug_assert!(matches!(zero.raw, Raw::Const(..)));
    zero
}
