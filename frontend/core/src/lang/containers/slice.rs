//! Slices: ranges of memory.
use super::mem::{Container, Element, Mem, MemRef};
use crate::__private::unexpanded;
use crate::ir::{MemKind, MemTy, with};
use crate::lang::line::Line;
use crate::lang::value::{CubePrimitive, CubeType, Val};
use std::cell::RefCell;
use std::collections::HashMap;
use std::marker::PhantomData;

/// Whether a slice is mutable.
pub trait SliceVisibility: Clone + 'static {
    /// `true` for mutable slices.
    const WRITABLE: bool;
}

/// Marker of read-only slices.
#[derive(Clone, Copy)]
pub struct ReadOnly;

/// Marker of mutable slices.
#[derive(Clone, Copy)]
pub struct ReadWrite;

impl SliceVisibility for ReadOnly {
    const WRITABLE: bool = false;
}

impl SliceVisibility for ReadWrite {
    const WRITABLE: bool = true;
}

/// A range of lines in memory.
pub struct Slice<E, IO: SliceVisibility = ReadOnly> {
    of: PhantomData<fn() -> (E, IO)>,
}

impl<E, IO: SliceVisibility> Clone for Slice<E, IO> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E, IO: SliceVisibility> Copy for Slice<E, IO> {}

/// A mutable range of lines in memory.
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

/// The lines `start..end`.
pub fn slice_of<E: Element, IO: SliceVisibility>(mem: MemRef, start: Val<u32>, end: Val<u32>) -> Mem<Slice<E, IO>> {
    Mem::new(slice_of_memory(mem, start, end))
}

fn slice_of_memory(mem: MemRef, start: Val<u32>, end: Val<u32>) -> MemRef {
    let ty = MemTy { kind: MemKind::Slice, ty: mem.ty.ty };
    let (a, b) = (Val::<u32>::new(mem.first_line(start.raw)).id(), Val::<u32>::new(mem.first_line(end.raw)).id());
    let id = with(|w| w.memory(&format!("cube.slice %{}[%{a} to %{b}] : {} -> {ty}", mem.id, mem.ty)));
    MADE.with_borrow_mut(|made| made.insert(id, crate::ir::depth()));
    MemRef { id, ty, ..mem }
}

thread_local! {
    /// Maps each slice of the kernel under construction to the depth of the block that creates the slice.
    static MADE: RefCell<HashMap<u32, usize>> = RefCell::default();
}

/// Reports an error for a slice that is assigned to a variable of an outer block. `depth` is the depth of the
/// variable's block.
pub fn outlives(mem: MemRef, depth: usize) {
    let inner =
        mem.ty.kind == MemKind::Slice && MADE.with_borrow(|made| made.get(&mem.id).is_some_and(|made| *made > depth));
    if inner && !crate::ir::is_dead() {
        crate::ir::fail(
            "a slice cannot leave the block that creates it; create it before the block, and select between slices by an index",
        );
    }
}

/// Expansions of methods on slices.
#[doc(hidden)]
#[allow(missing_docs)]
impl<E: CubePrimitive, IO: SliceVisibility> Mem<Slice<E, IO>> {
    pub fn __expand_into_lined_method(&self) -> Mem<Slice<Line<E>, IO>> {
        Mem::new(self.mem)
    }
    pub fn __expand_try_cast_unchecked_method<T: CubePrimitive>(&self) -> Mem<Slice<T, IO>> {
        Mem::new(self.mem)
    }
    pub fn __expand_as_mut_unchecked_method(&self) -> Mem<Slice<E, ReadWrite>> {
        Mem::new(self.mem)
    }
}

/// Expansions of methods on slices of lines.
#[doc(hidden)]
#[allow(missing_docs)]
impl<E: CubePrimitive, IO: SliceVisibility> Mem<Slice<Line<E>, IO>> {
    pub fn __expand_with_line_size_method(&self, line_size: u32) -> Self {
        let mem = self.mem;
        let line_size = line_size.max(1);
        if !line_size.is_multiple_of(mem.ty.ty.line) {
            // The kernel uses a part of a line. The kernel is therefore built again, with memory of scalar elements.
            with(|b| b.require_elements());
            return *self;
        }
        Mem::new(MemRef { ratio: line_size / mem.ty.ty.line, ..mem })
    }
}

impl<E: CubePrimitive, IO: SliceVisibility> Slice<Line<E>, IO> {
    /// Returns a slice of the same elements with lines of `line_size` elements. If the last elements do not fill a
    /// line, the new slice omits these elements.
    pub fn with_line_size(&self, line_size: u32) -> Slice<Line<E>, IO> {
        let _ = line_size;
        unexpanded()
    }
}

/// Copies `length` elements from `from[from_index..]` to `to[to_index..]`.
pub fn copy_bulk<C: CubePrimitive>(from: &Slice<C>, from_index: u32, to: &mut SliceMut<C>, to_index: u32, length: u32) {
    let _ = (from, from_index, to, to_index, length);
    unexpanded()
}

#[doc(hidden)]
pub mod copy_bulk {
    use super::*;
    use crate::lang::flow::For;
    use crate::lang::ops;
    /// The expansion of the copy: a loop over the elements.
    pub fn copy_bulk<C: CubePrimitive>(
        from: Mem<Slice<C>>,
        from_index: Val<u32>,
        to: Mem<SliceMut<C>>,
        to_index: Val<u32>,
        length: Val<u32>,
    ) {
        let at = crate::ir::position();
        let range = crate::lang::ranges::bounds(Val::<u32>::lit(0), length, false);
        let mut iterations = For::begin(range, false, false, at);
        while let Some(i) = iterations.next_body() {
            let value = from.mem.load(ops::add(from_index, i, at).raw, false);
            to.mem.save(ops::add(to_index, i, at).raw, value, false);
        }
    }
}
