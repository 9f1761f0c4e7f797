//! How a view gets at its elements, whatever lies below it.
use super::layout::{Coordinates, VirtualLayoutExpand};
use cube_frontend::__private::{If, Slot, Staged, Val};
use cube_frontend::ir::{Raw, with};
use cube_frontend::lang::containers::{Mem, MemRef};
use cube_frontend::lang::ops;
use cube_frontend::prelude::*;
use std::rc::Rc;

/// Says that a type speaks of others without holding them.
pub(super) type Of<T> = std::marker::PhantomData<fn() -> T>;

/// What lies below a view.
#[doc(hidden)]
pub trait Reach<E: CubePrimitive, C: Coordinates> {
    /// Reads; the position is promised to be inside, or checked as the launch asks for.
    fn read(&self, pos: C::ExpandType, promised: bool) -> Val<E>;
    /// Reads where the position is inside.
    fn read_or(&self, pos: C::ExpandType, other: Val<E>) -> Val<E>;
    /// Writes.
    fn write(&self, pos: C::ExpandType, value: Val<E>);
    /// Writes where the position is inside.
    fn write_if(&self, pos: C::ExpandType, value: Val<E>);
    /// The extent.
    fn shape(&self) -> C::ExpandType;
    /// Whether a position is inside.
    fn holds(&self, pos: C::ExpandType) -> Val<bool>;
    /// The memory from one position to another, both included.
    fn linear(&self, from: C::ExpandType, to: C::ExpandType) -> MemRef;
    /// Elements of a line.
    fn line_size(&self) -> u32;
}

/// Memory.
pub(super) struct Memory(pub MemRef);

pub(super) fn here() -> u32 {
    with(|b| b.position())
}

pub(super) fn inside<E: CubePrimitive>(cond: Val<bool>, read: impl FnOnce() -> Val<E>, other: Val<E>) -> Val<E> {
    let mut slot = Slot::new();
    let mut branch = If::begin(cond, here());
    if branch.then() {
        slot.put(read());
    }
    if branch.els() {
        slot.put(other);
    }
    branch.end();
    slot.get()
}

pub(super) fn only_if(cond: Val<bool>, write: impl FnOnce()) {
    let mut branch = If::begin(cond, here());
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
            MemKind::Slice => self.0.ask("len", &[]),
            _ => self.0.ask("buffer_len", &[]),
        }
    }

    fn has(&self, pos: Val<u32>) -> Val<bool> {
        ops::lt(pos, self.len(), here())
    }
}

impl<E: CubePrimitive> Reach<E, u32> for Memory {
    fn read(&self, pos: Val<u32>, promised: bool) -> Val<E> {
        Val::new(self.0.load(pos.raw, promised))
    }
    fn read_or(&self, pos: Val<u32>, other: Val<E>) -> Val<E> {
        inside(self.has(pos), || Val::new(self.0.load(pos.raw, false)), other)
    }
    fn write(&self, pos: Val<u32>, value: Val<E>) {
        self.0.save(pos.raw, value.raw, false);
    }
    fn write_if(&self, pos: Val<u32>, value: Val<E>) {
        only_if(self.has(pos), || self.0.save(pos.raw, value.raw, false));
    }
    fn shape(&self) -> Val<u32> {
        self.len()
    }
    fn holds(&self, pos: Val<u32>) -> Val<bool> {
        self.has(pos)
    }
    fn linear(&self, from: Val<u32>, to: Val<u32>) -> MemRef {
        let end = ops::add(to, Val::<u32>::lit(1), here());
        let start = <u32 as Coordinates>::__expand_min(from, end);
        Mem::<Array<E>>::new(self.0).__expand_slice_method(start, end).mem
    }
    fn line_size(&self) -> u32 {
        self.0.ty.ty.line
    }
}

/// A layout over what lies below.
pub(super) struct Mapped<E: CubePrimitive, C: Coordinates, S: Coordinates> {
    pub below: Rc<dyn Reach<E, S>>,
    pub layout: VirtualLayoutExpand<C, S>,
}

impl<E: CubePrimitive, C: Coordinates, S: Coordinates> Reach<E, C> for Mapped<E, C, S> {
    fn read(&self, pos: C::ExpandType, promised: bool) -> Val<E> {
        self.below.read(self.layout.mapping.source(pos), promised)
    }
    fn read_or(&self, pos: C::ExpandType, other: Val<E>) -> Val<E> {
        let (pos, holds) = self.layout.mapping.checked(pos);
        inside(holds, || self.below.read_or(pos, zero()), other)
    }
    fn write(&self, pos: C::ExpandType, value: Val<E>) {
        self.below.write(self.layout.mapping.source(pos), value);
    }
    fn write_if(&self, pos: C::ExpandType, value: Val<E>) {
        let (pos, holds) = self.layout.mapping.checked(pos);
        only_if(holds, || self.below.write_if(pos, value));
    }
    fn shape(&self) -> C::ExpandType {
        self.layout.mapping.shape()
    }
    fn holds(&self, pos: C::ExpandType) -> Val<bool> {
        self.layout.mapping.holds(pos)
    }
    fn linear(&self, from: C::ExpandType, to: C::ExpandType) -> MemRef {
        self.below.linear(self.layout.mapping.source(from), self.layout.mapping.source(to))
    }
    fn line_size(&self) -> u32 {
        self.below.line_size()
    }
}

/// Zero in every lane.
pub(super) fn zero<E: CubePrimitive>() -> Val<E> {
    let zero = Val::<E>::dummy();
    debug_assert!(matches!(zero.raw, Raw::Const(..)));
    zero
}
