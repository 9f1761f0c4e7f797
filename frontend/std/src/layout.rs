//! Views of buffers through CuTe layouts. The layout algebra (`cube-algebra`) runs on the host while the kernel is
//! built.
//!
//! A [`Layout`] is a compile-time value: parse or compute a layout in `comptime!`. A [`View`] is a buffer with a
//! layout. The division, composition and slicing of a view have no run-time cost. An invalid operation on a layout
//! is an error at the operation's location. The error contains an index for which the operation has no correct result.
//! The compiler's phase `layout` selects access widths and predicates. The phase `layout` also reports the widths,
//! predicates and bank conflicts of accesses (`cube-opt --compile-to=layout --cube-remarks`).
//!
//! ```ignore
//! let tiles = View::new(a, comptime!(matrix.clone())).zipped_divide(comptime!(tile(&[16, 256])));
//! let own = tiles.slice(((Mode::All, Mode::All), CUBE_POS_X)).compose(comptime!(tv.clone()));
//! let own = own.slice((UNIT_POS_X, Mode::All));
//! out.store(own.load() + other.load());
//! ```
pub use cube_algebra::{
    Coord, Error, Slice as LayoutSlice, Swizzle, ThreadValue, Tiler, blocked_product, coalesce, complement, compose,
    crd2idx, flat_divide, idx2crd, left_inverse, logical_divide, logical_product, make_layout_tv, raked_product,
    right_inverse, slice, tiled_divide, zipped_divide,
};
pub use cube_algebra::{Layout, Nest};
pub use cube_frontend::lang::coord::{Coordinate, Mode};

use cube_frontend::__private::unexpanded;
use cube_frontend::ir::{self, MemKind, MemTy, Raw, Ty, with};
use cube_frontend::lang::containers::{Mem, MemRef};
use cube_frontend::lang::coord::CoordExpand;
use cube_frontend::lang::value::{HasHost, Staged};
use cube_frontend::prelude::*;
use std::marker::PhantomData;

/// Required alignment, in bytes, of an argument with a layout. The launch checks the alignment.
const ALIGNMENT: u32 = 16;

/// Parses a layout in CuTe's notation: `(4,(2,8)):(1,(4,32))`.
///
/// # Panics
/// The text is not a layout. If a kernel calls the function in `comptime!`, the panic becomes an error of the
/// first launch.
pub fn layout(text: &str) -> Layout {
    text.parse().unwrap_or_else(|error| panic!("`{text}` is not a layout: {error}"))
}

/// The layout of a row-major matrix: `(rows,columns):(columns,1)`.
///
/// # Panics
/// See [`layout`].
pub fn row_major(rows: u32, columns: u32) -> Layout {
    layout(&format!("({rows},{columns}):({columns},1)"))
}

/// The layout of a tile with the given extent in each mode.
///
/// # Panics
/// See [`layout`].
pub fn tile(extents: &[u64]) -> Layout {
    let list = |all: Vec<String>| format!("({})", all.join(","));
    let ones = list(extents.iter().map(|_| "1".to_string()).collect());
    layout(&format!("{}:{ones}", list(extents.iter().map(u64::to_string).collect())))
}

/// A buffer with a layout.
#[derive(Clone, Copy)]
pub struct View<E> {
    of: PhantomData<fn() -> E>,
}

/// [`View`], staged.
pub struct ViewExpand<E> {
    /// Number of the view's SSA value.
    id: u32,
    /// Type of the buffer's lines.
    line: Ty,
    /// Memory kind of the buffer.
    space: MemKind,
    /// The remaining modes.
    layout: Layout,
    /// The text of the swizzle that applies to offsets, if any.
    swizzle: Option<String>,
    of: PhantomData<fn() -> E>,
}

impl<E> Clone for ViewExpand<E> {
    fn clone(&self) -> Self {
        ViewExpand { layout: self.layout.clone(), swizzle: self.swizzle.clone(), ..*self }
    }
}

impl<E: CubePrimitive> CubeType for View<E> {
    type ExpandType = ViewExpand<E>;
}

impl<E: CubePrimitive> HasHost for ViewExpand<E> {
    type Host = View<E>;
    fn __staged(self) -> <Self::Host as CubeType>::ExpandType {
        self
    }
}

impl<E: CubePrimitive> Staged for ViewExpand<E> {
    fn store(&mut self, value: Self) {
        if self.id != value.id {
            ir::fail(
                "a view cannot be assigned under run-time control flow; select the coordinate instead, and create the view at its use",
            );
        }
    }
    fn dummy() -> Self {
        let ty = MemTy { kind: MemKind::Local(1), ty: Ty::scalar(E::elem()) };
        let id = with(|b| b.memory(&format!("cube.alloc : {ty}")));
        view_of(MemRef::new(id, ty), Layout::unit(), None)
    }
}

fn view_of<E: CubePrimitive>(mem: MemRef, layout: Layout, swizzle: Option<String>) -> ViewExpand<E> {
    let text = match &swizzle {
        Some(swizzle) => format!("{swizzle} o 0 o {layout}"),
        None => layout.to_string(),
    };
    let line = mem.ty.ty;
    let id = with(|b| {
        b.align(mem.id, ALIGNMENT);
        let constant = b.memory(&format!("layout.constant #layout.layout<{text}>"));
        b.memory(&format!("layout.view %{}, %{constant} : {} -> !layout.view<{line}>", mem.id, mem.ty))
    });
    ViewExpand { id, line, space: mem.ty.kind, layout, swizzle, of: PhantomData }
}

/// Declarations of the methods, which rustc checks. The expansions of the methods of a view build IR.
impl<E: CubePrimitive> View<E> {
    /// Creates a view of an array through a layout. Offsets count lines. The start of the array argument must be
    /// aligned to 16 bytes.
    pub fn new(buffer: &Array<E>, layout: Layout) -> View<E> {
        let _ = (buffer, layout);
        unexpanded()
    }
    /// Creates a view of shared memory through a layout.
    pub fn shared(buffer: &SharedMemory<E>, layout: Layout) -> View<E> {
        let _ = (buffer, layout);
        unexpanded()
    }
    /// Creates a view of shared memory through a layout whose offsets are swizzled.
    pub fn swizzled(buffer: &SharedMemory<E>, swizzle: Swizzle, layout: Layout) -> View<E> {
        let _ = (buffer, swizzle, layout);
        unexpanded()
    }
    /// Creates local memory with one element per offset of the layout.
    pub fn fragment(layout: Layout) -> View<E> {
        let _ = layout;
        unexpanded()
    }
    /// Creates a fragment with the shape of this view, without gaps.
    pub fn fragment_like(&self) -> View<E> {
        unexpanded()
    }
    /// Divides every mode of the view into tiles, which gives the modes `((tile, ...), (rest, ...))`. The
    /// tile extents must divide the extents of the view.
    pub fn zipped_divide(&self, tile: Layout) -> View<E> {
        let _ = tile;
        unexpanded()
    }
    /// Like `zipped_divide`, for tile extents that do not divide the extents of the view. Predicates disable
    /// accesses outside of the view.
    pub fn zipped_divide_ragged(&self, tile: Layout) -> View<E> {
        let _ = tile;
        unexpanded()
    }
    /// Composes the view with a layout: `view(layout(i))`.
    pub fn compose(&self, layout: Layout) -> View<E> {
        let _ = layout;
        unexpanded()
    }
    /// Selects the modes whose coordinate is `Mode::All`. The resulting view starts at the offset that the other
    /// coordinates determine.
    pub fn slice<C: Coordinate>(&self, at: C) -> View<E> {
        let _ = at;
        unexpanded()
    }
    /// Returns the tile at a coordinate: divides the view into tiles and selects the modes of one tile.
    pub fn local_tile<C: Coordinate>(&self, tile: Layout, at: C) -> View<E> {
        let _ = (tile, at);
        unexpanded()
    }
    /// Returns a view of the elements that belong to the unit `unit`. `units` is a layout from positions in a
    /// tile to units. Each unit receives one element per tile.
    pub fn local_partition(&self, units: Layout, unit: u32) -> View<E> {
        let _ = (units, unit);
        unexpanded()
    }
    /// The element at a coordinate. If the coordinate is outside of the view, the result is 0.
    pub fn get<C: Coordinate>(&self, at: C) -> E {
        let _ = at;
        unexpanded()
    }
    /// Writes the element at a coordinate. If the coordinate is outside of the view, the call does nothing.
    pub fn set<C: Coordinate>(&self, at: C, value: E) {
        let _ = (at, value);
        unexpanded()
    }
    /// Reads all elements of the view as one line, in order. The view must have at most 1024 elements.
    pub fn load(&self) -> Line<E> {
        unexpanded()
    }
    /// Writes all elements of the view from one line, in order. The view must have at most 1024 elements.
    pub fn store(&self, values: Line<E>) {
        let _ = values;
        unexpanded()
    }
    /// Copies the elements of another view to this view. Both views must have the same number of elements, at
    /// most 1024.
    pub fn copy_from(&self, other: &View<E>) {
        let _ = other;
        unexpanded()
    }
    /// Number of elements of the view, as a compile-time value.
    pub fn size(&self) -> u32 {
        unexpanded()
    }
    /// Size of a mode, as a compile-time value.
    pub fn size_of_mode(&self, mode: u32) -> u32 {
        let _ = mode;
        unexpanded()
    }
    /// Asserts that the view has the layout `expected`, in CuTe's notation. If the view's layout differs, the
    /// kernel has an error at the location of this call.
    pub fn expect_layout(&self, expected: &'static str) {
        let _ = expected;
        unexpanded()
    }
    /// Prints the view's layout with the name `name` at compile time.
    pub fn print_layout(&self, name: &'static str) {
        let _ = name;
        unexpanded()
    }
}

/// Expansions.
#[doc(hidden)]
#[allow(missing_docs)]
impl<E: CubePrimitive> View<E> {
    pub fn new_in_a_kernel(buffer: Mem<Array<E>>, layout: Layout) -> ViewExpand<E> {
        view_of(buffer.mem, layout, None)
    }
    pub fn shared_in_a_kernel(buffer: Mem<SharedMemory<E>>, layout: Layout) -> ViewExpand<E> {
        view_of(buffer.mem, layout, None)
    }
    pub fn swizzled_in_a_kernel(buffer: Mem<SharedMemory<E>>, swizzle: Swizzle, layout: Layout) -> ViewExpand<E> {
        let text = format!("Sw<{},{},{}>", swizzle.bits(), swizzle.base(), swizzle.shift());
        view_of(buffer.mem, layout, Some(text))
    }
    pub fn fragment_in_a_kernel(layout: Layout) -> ViewExpand<E> {
        let lines = u32::try_from(layout.cosize()).unwrap_or(u32::MAX);
        let ty = MemTy { kind: MemKind::Local(lines), ty: Ty::scalar(E::elem()) };
        let id = with(|b| b.memory(&format!("cube.alloc : {ty}")));
        view_of(MemRef::new(id, ty), layout, None)
    }
}

/// Expansions of methods.
#[doc(hidden)]
#[allow(missing_docs)]
impl<E: CubePrimitive> ViewExpand<E> {
    fn ty(&self) -> String {
        format!("!layout.view<{}>", self.line)
    }

    fn report<T>(&self, result: Result<T, Error>) -> Option<T> {
        result
            .map_err(|error| {
                let note = error.note().map(|note| format!("; {note}")).unwrap_or_default();
                ir::fail(format!("{error}{note}"));
            })
            .ok()
    }

    fn with_layout(&self, id: u32, layout: Layout) -> Self {
        ViewExpand { id, layout, ..self.clone() }
    }

    fn constant(&self, layout: &Layout) -> u32 {
        with(|b| b.memory(&format!("layout.constant #layout.layout<{layout}>")))
    }

    fn divided(&self, tile: Layout, ragged: bool) -> Self {
        let tiler = Tiler::ByMode(tile.modes().into_iter().map(Tiler::Layout).collect());
        let rounded = if ragged { cube_algebra::round_up(&self.layout, &tiler) } else { Ok(self.layout.clone()) };
        let Some(layout) = self.report(rounded.and_then(|l| zipped_divide(&l, &tiler))) else { return self.clone() };
        let (by, keyword, ty) = (self.constant(&tile), if ragged { " ragged" } else { "" }, self.ty());
        let id = with(|b| b.memory(&format!("layout.zipped_divide %{} by modes %{by}{keyword} : {ty}", self.id)));
        self.with_layout(id, layout)
    }

    pub fn __expand_zipped_divide_method(&self, tile: Layout) -> Self {
        self.divided(tile, false)
    }

    pub fn __expand_zipped_divide_ragged_method(&self, tile: Layout) -> Self {
        self.divided(tile, true)
    }

    pub fn __expand_compose_method(&self, inner: Layout) -> Self {
        let Some(layout) = self.report(compose(&self.layout, &inner)) else { return self.clone() };
        let (by, ty) = (self.constant(&inner), self.ty());
        let id = with(|b| b.memory(&format!("layout.compose %{}, %{by} : {ty}", self.id)));
        self.with_layout(id, layout)
    }

    // The text of the coordinate, its run-time operands, and the remaining modes. The layout algebra uses 0 for each
    // run-time coordinate.
    fn at_clause(&self, at: &CoordExpand) -> Option<(String, Layout)> {
        let known: Result<Coord, Error> = at.text.replace('?', "0").parse();
        let left = self.report(known.and_then(|coord| slice(&coord, &self.layout)))?;
        let operands: Vec<String> =
            at.indices.iter().map(|index| with(|b| format!("%{}", b.id(index.raw).0))).collect();
        let operands = if operands.is_empty() { String::new() } else { format!("({})", operands.join(", ")) };
        Some((format!("at <{}>{operands}", at.text), left.layout))
    }

    pub fn __expand_slice_method(&self, at: CoordExpand) -> Self {
        let Some((clause, layout)) = self.at_clause(&at) else { return self.clone() };
        let ty = self.ty();
        let id = with(|b| b.memory(&format!("layout.slice %{} {clause} : {ty}", self.id)));
        self.with_layout(id, layout)
    }

    pub fn __expand_local_tile_method(&self, tile: Layout, at: CoordExpand) -> Self {
        let all = vec!["_"; tile.rank()].join(",");
        let at = CoordExpand { text: format!("(({all}),{})", at.text), ..at };
        self.divided(tile, false).__expand_slice_method(at)
    }

    pub fn __expand_local_partition_method(&self, units: Layout, unit: cube_frontend::lang::value::Val<u32>) -> Self {
        let extents: Vec<u64> = units.modes().iter().map(Layout::size).collect();
        let tiles = self.divided(tile(&extents), false);
        // The position of each unit in the tile: the inverse of `units`.
        let positions = right_inverse(&units);
        if positions.size() != units.size() {
            ir::fail(format!(
                "the layout {units} does not map to the units 0 to {} without gaps; use another layout",
                units.size() - 1
            ));
            return self.clone();
        }
        let by = self.constant(&positions);
        let position = with(|b| {
            let unit = b.id(unit.raw).0;
            b.value(Ty::scalar(ir::Elem::U32), &format!("layout.crd2idx %{by} at <?>(%{unit})"))
        });
        tiles.__expand_slice_method(CoordExpand {
            text: "(?,_)".into(),
            indices: vec![cube_frontend::lang::value::Val::new(position)],
        })
    }

    pub fn __expand_fragment_like_method(&self) -> Self {
        let Some(layout) = self.report(Layout::column_major(&self.layout.shape())) else { return self.clone() };
        View::<E>::fragment_in_a_kernel(layout)
    }

    fn one(&self, at: &CoordExpand) -> Option<String> {
        if at.text.contains('_') {
            ir::fail(
                "this coordinate does not select one element, because it contains `_`; write a number for each mode, or slice the view",
            );
            return None;
        }
        self.at_clause(at).map(|(clause, _)| clause)
    }

    pub fn __expand_get_method(&self, at: CoordExpand) -> cube_frontend::lang::value::Val<E> {
        let Some(clause) = self.one(&at) else { return cube_frontend::lang::value::Val::dummy() };
        let (ty, line) = (self.ty(), self.line);
        let text = format!("layout.load %{} {clause} : {ty} -> {line}", self.id);
        cube_frontend::lang::value::Val::new(with(|b| b.value(line, &text)))
    }

    pub fn __expand_set_method(&self, at: CoordExpand, value: cube_frontend::lang::value::Val<E>) {
        let Some(clause) = self.one(&at) else { return };
        self.write(value.raw, &clause, self.line);
    }

    fn write(&self, value: Raw, clause: &str, ty: Ty) {
        let Some(value) = cube_frontend::lang::ops::splat(value, ty.line) else { return };
        with(|b| {
            let (value, ty) = b.id(value);
            b.op(&format!("layout.store %{value}, %{} {clause} : {ty}, !layout.view<{}>", self.id, self.line));
        });
    }

    fn all(&self) -> Ty {
        let count = u32::try_from(self.layout.size()).unwrap_or(u32::MAX);
        if count > 1024 {
            ir::fail(format!(
                "one access has {count} elements, but at most 1024 are supported; select one coordinate of a mode of {}",
                self.layout
            ));
        }
        Ty { elem: self.line.elem, line: self.line.line * count.min(1024) }
    }

    pub fn __expand_load_method(&self) -> cube_frontend::lang::value::Val<Line<E>> {
        let ty = self.all();
        let text = format!("layout.load %{} at <_> : {} -> {ty}", self.id, self.ty());
        cube_frontend::lang::value::Val::new(with(|b| b.value(ty, &text)))
    }

    pub fn __expand_store_method(&self, values: cube_frontend::lang::value::Val<Line<E>>) {
        self.write(values.raw, "at <_>", self.all());
    }

    pub fn __expand_copy_from_method(&self, other: ViewExpand<E>) {
        if other.layout.size() != self.layout.size() {
            return ir::fail(format!(
                "{} has {} elements, but {} has {} elements: copy between views of equal size",
                other.layout,
                other.layout.size(),
                self.layout,
                self.layout.size()
            ));
        }
        self.__expand_store_method(other.__expand_load_method());
    }

    pub fn __expand_size_method(&self) -> u32 {
        u32::try_from(self.layout.size()).unwrap_or(u32::MAX)
    }

    pub fn __expand_size_of_mode_method(&self, mode: u32) -> u32 {
        let size = self.report(self.layout.mode(mode as usize)).map_or(1, |mode| mode.size());
        u32::try_from(size).unwrap_or(u32::MAX)
    }

    pub fn __expand_expect_layout_method(&self, expected: &'static str) {
        let found = self.layout.to_string();
        if found != expected {
            ir::fail(format!("the layout of this view is {found}, but {expected} is expected"));
        }
    }

    pub fn __expand_print_layout_method(&self, name: &'static str) {
        cube_frontend::host::variables::notice(format_args!("{name} = {}", self.describe()));
    }

    /// The view's layout in CuTe's notation.
    pub fn describe(&self) -> String {
        let space = match self.space {
            MemKind::Shared(_) => "shared",
            MemKind::Local(_) => "local",
            _ => "global",
        };
        let swizzle = self.swizzle.as_ref().map(|swizzle| format!("{swizzle} o ")).unwrap_or_default();
        format!("view<{}, {space}> o {swizzle}{}", self.line, self.layout)
    }
}
