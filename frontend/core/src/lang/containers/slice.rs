//! Ranges of memory.
use super::mem::{Container, Element, Mem, MemRef};
use crate::__private::unexpanded;
use crate::ir::{MemKind, MemTy, with};
use crate::lang::value::{CubeType, Val};
use std::marker::PhantomData;

/// Whether a slice may be written.
pub trait SliceVisibility: Clone + 'static {
    /// It may.
    const WRITABLE: bool;
}

/// A slice that is only read.
#[derive(Clone)]
pub struct ReadOnly;

/// A slice that may be written.
#[derive(Clone)]
pub struct ReadWrite;

impl SliceVisibility for ReadOnly {
    const WRITABLE: bool = false;
}

impl SliceVisibility for ReadWrite {
    const WRITABLE: bool = true;
}

/// A range of memory.
#[derive(Clone, Copy)]
pub struct Slice<E, IO: SliceVisibility = ReadOnly> {
    of: PhantomData<fn() -> (E, IO)>,
}

/// A range of memory that may be written.
pub type SliceMut<E> = Slice<E, ReadWrite>;

impl<E: Element, IO: SliceVisibility> CubeType for Slice<E, IO> {
    type ExpandType = Mem<Slice<E, IO>>;
}

impl<E: Element, IO: SliceVisibility> Container for Slice<E, IO> {
    type Item = E;
    const WRITABLE: bool = IO::WRITABLE;
}

impl<E: Element, IO: SliceVisibility> std::ops::Index<u32> for Slice<E, IO> {
    type Output = E;
    fn index(&self, _: u32) -> &E {
        unexpanded()
    }
}

impl<E: Element> std::ops::IndexMut<u32> for Slice<E, ReadWrite> {
    fn index_mut(&mut self, _: u32) -> &mut E {
        unexpanded()
    }
}

impl<E: Element, IO: SliceVisibility> Iterator for Slice<E, IO> {
    type Item = E;
    fn next(&mut self) -> Option<E> {
        unexpanded()
    }
}

/// The lines from `start` to below `end`.
pub fn slice_of<E: Element, IO: SliceVisibility>(mem: MemRef, start: Val<u32>, end: Val<u32>) -> Mem<Slice<E, IO>> {
    let ty = MemTy { kind: MemKind::Slice, ty: mem.ty.ty };
    let (a, b) = (start.id(), end.id());
    let id = with(|w| w.memory(&format!("cube.slice %{}[%{a} to %{b}] : {} -> {ty}", mem.id, mem.ty)));
    Mem::new(MemRef { id, ty })
}
