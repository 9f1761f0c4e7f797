//! Tensors over layouts: CuTe's views, with the algebra of `cube-algebra` while the kernel is written.
//!
//! A [`Layout`] is a value that is known when the kernel is compiled: parse it, or compute it, in `comptime!`. A [`View`] is a buffer
//! under a layout. Dividing, composing and slicing views costs nothing when the kernel runs; what the algebra refuses is an error
//! at its line, with an index that proves it. How wide accesses are, which of them need a predicate, and how they meet memory is
//! decided by the compiler's phase `layout` (`cube-opt --compile-to=layout --cube-remarks`).
//!
//! ```ignore
//! let tiles = View::new(a, comptime!(matrix.clone())).zipped_divide(comptime!(tile(&[16, 256])));
//! let own = tiles.slice(((Mode::All, Mode::All), CUBE_POS_X)).compose(comptime!(tv.clone())).slice((UNIT_POS_X, Mode::All));
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

/// Bytes to which an argument under a layout is aligned; the launch checks it.
const ALIGNMENT: u32 = 16;

/// The layout of a text in CuTe's notation: `(4,(2,8)):(1,(4,32))`.
///
/// # Panics
/// The text is no layout; in a kernel that is an error of its first launch.
pub fn layout(text: &str) -> Layout {
    text.parse().unwrap_or_else(|error| panic!("`{text}` is no layout: {error}"))
}

/// The layout of a matrix whose rows lie one after the other: `(rows,columns):(columns,1)`.
///
/// # Panics
/// As [`layout`].
pub fn row_major(rows: u32, columns: u32) -> Layout {
    layout(&format!("({rows},{columns}):({columns},1)"))
}

/// A tile of these extents, one for each mode.
///
/// # Panics
/// As [`layout`].
pub fn tile(extents: &[u64]) -> Layout {
    let list = |all: Vec<String>| format!("({})", all.join(","));
    let ones = list(extents.iter().map(|_| "1".to_string()).collect());
    layout(&format!("{}:{ones}", list(extents.iter().map(u64::to_string).collect())))
}

/// A buffer under a layout.
#[derive(Clone, Copy)]
pub struct View<E> {
    of: PhantomData<fn() -> E>,
}

/// [`View`], staged.
pub struct ViewExpand<E> {
    /// Its value in the IR.
    id: u32,
    /// What a line of the buffer is.
    line: Ty,
    /// Where the buffer is.
    place: MemKind,
    /// The modes that are left.
    layout: Layout,
    /// The swizzle in front, as it was given.
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
                "a view cannot change while the kernel runs: choose the coordinate, and make the view where it is used",
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
    ViewExpand { id, line, place: mem.ty.kind, layout, swizzle, of: PhantomData }
}

/// What the host sees of it; the work is done by the twins.
impl<E: CubePrimitive> View<E> {
    /// An array under a layout, whose offsets count its lines. An argument begins at a multiple of 16 bytes then.
    pub fn new(buffer: &Array<E>, layout: Layout) -> View<E> {
        let _ = (buffer, layout);
        unexpanded()
    }
    /// Memory of the cube under a layout.
    pub fn shared(buffer: &SharedMemory<E>, layout: Layout) -> View<E> {
        let _ = (buffer, layout);
        unexpanded()
    }
    /// Memory of the cube under a layout whose offsets are swizzled.
    pub fn swizzled(buffer: &SharedMemory<E>, swizzle: Swizzle, layout: Layout) -> View<E> {
        let _ = (buffer, swizzle, layout);
        unexpanded()
    }
    /// Memory of the unit, one element for each offset of the layout.
    pub fn fragment(layout: Layout) -> View<E> {
        let _ = layout;
        unexpanded()
    }
    /// A fragment with the shape of this view and no gaps.
    pub fn fragment_like(&self) -> View<E> {
        unexpanded()
    }
    /// The tiles of all modes, then which tile: `((tile, ...), (rest, ...))`. Tiles fit a whole number of times.
    pub fn zipped_divide(&self, tile: Layout) -> View<E> {
        let _ = tile;
        unexpanded()
    }
    /// The same where the last tiles may reach over the end: there are no elements there.
    pub fn zipped_divide_ragged(&self, tile: Layout) -> View<E> {
        let _ = tile;
        unexpanded()
    }
    /// The view behind a layout: `view(layout(i))`.
    pub fn compose(&self, layout: Layout) -> View<E> {
        let _ = layout;
        unexpanded()
    }
    /// The modes whose coordinate is `Mode::All`, from the place that the others give.
    pub fn slice<C: Coordinate>(&self, at: C) -> View<E> {
        let _ = at;
        unexpanded()
    }
    /// The tile of that coordinate: a division, and the tile's modes.
    pub fn local_tile<C: Coordinate>(&self, tile: Layout, at: C) -> View<E> {
        let _ = (tile, at);
        unexpanded()
    }
    /// What of this view is a unit's, where the units are laid out as `units`: one element of every tile of that shape.
    pub fn local_partition(&self, units: Layout, unit: u32) -> View<E> {
        let _ = (units, unit);
        unexpanded()
    }
    /// The element at a coordinate; 0 where there is none.
    pub fn get<C: Coordinate>(&self, at: C) -> E {
        let _ = at;
        unexpanded()
    }
    /// Writes the element at a coordinate; nothing where there is none.
    pub fn set<C: Coordinate>(&self, at: C, value: E) {
        let _ = (at, value);
        unexpanded()
    }
    /// All elements, in order.
    pub fn load(&self) -> Line<E> {
        unexpanded()
    }
    /// Writes all elements, in order.
    pub fn store(&self, values: Line<E>) {
        let _ = values;
        unexpanded()
    }
    /// Copies another view of as many elements into this one.
    pub fn copy_from(&self, other: &View<E>) {
        let _ = other;
        unexpanded()
    }
    /// How many elements are left; known when the kernel is compiled.
    pub fn size(&self) -> u32 {
        unexpanded()
    }
    /// The size of a mode; known when the kernel is compiled.
    pub fn size_of_mode(&self, mode: u32) -> u32 {
        let _ = mode;
        unexpanded()
    }
    /// Says what the layout of the view is, in CuTe's notation; another one is an error of this line.
    pub fn expect_layout(&self, expected: &'static str) {
        let _ = expected;
        unexpanded()
    }
    /// Prints the view under a name while the kernel is compiled.
    pub fn print_layout(&self, name: &'static str) {
        let _ = name;
        unexpanded()
    }
}

/// The twins.
#[doc(hidden)]
#[allow(missing_docs)]
impl<E: CubePrimitive> View<E> {
    pub fn __expand_new(buffer: Mem<Array<E>>, layout: Layout) -> ViewExpand<E> {
        view_of(buffer.mem, layout, None)
    }
    pub fn __expand_shared(buffer: Mem<SharedMemory<E>>, layout: Layout) -> ViewExpand<E> {
        view_of(buffer.mem, layout, None)
    }
    pub fn __expand_swizzled(buffer: Mem<SharedMemory<E>>, swizzle: Swizzle, layout: Layout) -> ViewExpand<E> {
        let text = format!("Sw<{},{},{}>", swizzle.bits(), swizzle.base(), swizzle.shift());
        view_of(buffer.mem, layout, Some(text))
    }
    pub fn __expand_fragment(layout: Layout) -> ViewExpand<E> {
        let lines = u32::try_from(layout.cosize()).unwrap_or(u32::MAX);
        let ty = MemTy { kind: MemKind::Local(lines), ty: Ty::scalar(E::elem()) };
        let id = with(|b| b.memory(&format!("cube.alloc : {ty}")));
        view_of(MemRef::new(id, ty), layout, None)
    }
}

/// The twins of methods.
#[doc(hidden)]
#[allow(missing_docs)]
impl<E: CubePrimitive> ViewExpand<E> {
    fn ty(&self) -> String {
        format!("!layout.view<{}>", self.line)
    }

    fn refuse<T>(&self, result: Result<T, Error>) -> Option<T> {
        result
            .map_err(|error| {
                let note = error.note().map(|note| format!("; {note}")).unwrap_or_default();
                ir::fail(format!("{error}{note}"));
            })
            .ok()
    }

    fn made(&self, id: u32, layout: Layout) -> Self {
        ViewExpand { id, layout, ..self.clone() }
    }

    fn constant(&self, layout: &Layout) -> u32 {
        with(|b| b.memory(&format!("layout.constant #layout.layout<{layout}>")))
    }

    fn divided(&self, tile: Layout, ragged: bool) -> Self {
        let tiler = Tiler::ByMode(tile.modes().into_iter().map(Tiler::Layout).collect());
        let rounded = if ragged { cube_algebra::round_up(&self.layout, &tiler) } else { Ok(self.layout.clone()) };
        let Some(layout) = self.refuse(rounded.and_then(|l| zipped_divide(&l, &tiler))) else { return self.clone() };
        let (by, word, ty) = (self.constant(&tile), if ragged { " ragged" } else { "" }, self.ty());
        let id = with(|b| b.memory(&format!("layout.zipped_divide %{} by modes %{by}{word} : {ty}", self.id)));
        self.made(id, layout)
    }

    pub fn __expand_zipped_divide_method(&self, tile: Layout) -> Self {
        self.divided(tile, false)
    }

    pub fn __expand_zipped_divide_ragged_method(&self, tile: Layout) -> Self {
        self.divided(tile, true)
    }

    pub fn __expand_compose_method(&self, inner: Layout) -> Self {
        let Some(layout) = self.refuse(compose(&self.layout, &inner)) else { return self.clone() };
        let (by, ty) = (self.constant(&inner), self.ty());
        let id = with(|b| b.memory(&format!("layout.compose %{}, %{by} : {ty}", self.id)));
        self.made(id, layout)
    }

    // The coordinate as text with its operands, and the modes that it leaves. A place that only the kernel knows is taken for 0.
    fn place(&self, at: &CoordExpand) -> Option<(String, Layout)> {
        let known: Result<Coord, Error> = at.text.replace('?', "0").parse();
        let left = self.refuse(known.and_then(|coord| slice(&coord, &self.layout)))?;
        let operands: Vec<String> =
            at.indices.iter().map(|index| with(|b| format!("%{}", b.id(index.raw).0))).collect();
        let operands = if operands.is_empty() { String::new() } else { format!("({})", operands.join(", ")) };
        Some((format!("at <{}>{operands}", at.text), left.layout))
    }

    pub fn __expand_slice_method(&self, at: CoordExpand) -> Self {
        let Some((place, layout)) = self.place(&at) else { return self.clone() };
        let ty = self.ty();
        let id = with(|b| b.memory(&format!("layout.slice %{} {place} : {ty}", self.id)));
        self.made(id, layout)
    }

    pub fn __expand_local_tile_method(&self, tile: Layout, at: CoordExpand) -> Self {
        let all = vec!["_"; tile.rank()].join(",");
        let at = CoordExpand { text: format!("(({all}),{})", at.text), ..at };
        self.divided(tile, false).__expand_slice_method(at)
    }

    pub fn __expand_local_partition_method(&self, units: Layout, unit: cube_frontend::lang::value::Val<u32>) -> Self {
        let extents: Vec<u64> = units.modes().iter().map(Layout::size).collect();
        let tiles = self.divided(tile(&extents), false);
        // Which place of the tile a unit has: the other way round than which unit a place has.
        let places = right_inverse(&units);
        if places.size() != units.size() {
            ir::fail(format!("units {units} are not numbered from 0 to {} without gaps", units.size() - 1));
            return self.clone();
        }
        let by = self.constant(&places);
        let place = with(|b| {
            let unit = b.id(unit.raw).0;
            b.value(Ty::scalar(ir::Elem::U32), &format!("layout.crd2idx %{by} at <?>(%{unit})"))
        });
        tiles.__expand_slice_method(CoordExpand {
            text: "(?,_)".into(),
            indices: vec![cube_frontend::lang::value::Val::new(place)],
        })
    }

    pub fn __expand_fragment_like_method(&self) -> Self {
        let Some(layout) = self.refuse(Layout::column_major(&self.layout.shape())) else { return self.clone() };
        View::<E>::__expand_fragment(layout)
    }

    fn one(&self, at: &CoordExpand) -> Option<String> {
        if at.text.contains('_') {
            ir::fail("this coordinate leaves a mode: slice the view and load what is left, or give the mode a place");
            return None;
        }
        self.place(at).map(|(place, _)| place)
    }

    pub fn __expand_get_method(&self, at: CoordExpand) -> cube_frontend::lang::value::Val<E> {
        let Some(place) = self.one(&at) else { return cube_frontend::lang::value::Val::dummy() };
        let (ty, line) = (self.ty(), self.line);
        let text = format!("layout.load %{} {place} : {ty} -> {line}", self.id);
        cube_frontend::lang::value::Val::new(with(|b| b.value(line, &text)))
    }

    pub fn __expand_set_method(&self, at: CoordExpand, value: cube_frontend::lang::value::Val<E>) {
        let Some(place) = self.one(&at) else { return };
        self.write(value.raw, &place, self.line);
    }

    fn write(&self, value: Raw, place: &str, ty: Ty) {
        let Some(value) = cube_frontend::lang::ops::splat(value, ty.line) else { return };
        with(|b| {
            let (value, ty) = b.id(value);
            b.op(&format!("layout.store %{value}, %{} {place} : {ty}, !layout.view<{}>", self.id, self.line));
        });
    }

    fn all(&self) -> Ty {
        let count = u32::try_from(self.layout.size()).unwrap_or(u32::MAX);
        if count > 1024 {
            ir::fail(format!("{count} elements at once; the most is 1024, so give a mode of {} a place", self.layout));
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
                "{} has {} elements, and {} has {}; copy views of the same size",
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
        let size = self.refuse(self.layout.mode(mode as usize)).map_or(1, |mode| mode.size());
        u32::try_from(size).unwrap_or(u32::MAX)
    }

    pub fn __expand_expect_layout_method(&self, expected: &'static str) {
        let found = self.layout.to_string();
        if found != expected {
            ir::fail(format!("the layout of this view is {found}, not {expected}"));
        }
    }

    pub fn __expand_print_layout_method(&self, name: &'static str) {
        cube_frontend::host::variables::notice(format_args!("{name} = {}", self.describe()));
    }

    /// As CuTe prints it.
    pub fn describe(&self) -> String {
        let place = match self.place {
            MemKind::Shared(_) => "shared",
            MemKind::Local(_) => "local",
            _ => "global",
        };
        let swizzle = self.swizzle.as_ref().map(|swizzle| format!("{swizzle} o ")).unwrap_or_default();
        format!("view<{}, {place}> o {swizzle}{}", self.line, self.layout)
    }
}
