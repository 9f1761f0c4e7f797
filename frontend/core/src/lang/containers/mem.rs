//! Staged memory of kernels: arrays, tensors and shared memory.
use crate::__private::unexpanded;
use crate::ir::{self, Elem, Lit, MemKind, MemTy, Raw, Ty, with};
use crate::lang::ops;
use crate::lang::value::{CubePrimitive, CubeType, HasHost, Staged, Val};
use std::marker::PhantomData;

/// Types that memory can store.
#[diagnostic::on_unimplemented(
    message = "memory of a kernel cannot hold `{Self}`",
    label = "not an element",
    note = "elements are numbers, lines and atomics; a type parameter needs a bound: `Float`, `Int`, `Numeric` or `CubePrimitive`"
)]
pub trait Element: CubeType + 'static {
    /// The element type of the lines in memory.
    fn item_elem() -> Elem;
    /// Number of elements of an item, if the type determines the number; 1 for other types.
    fn item_line() -> u32 {
        1
    }
    /// Whether accesses to the elements are atomic. Atomic memory can be written through shared references.
    const ATOMIC: bool = false;
    /// Reads the element at an index. `inbounds` omits the bounds check.
    fn load(mem: MemRef, index: Raw, inbounds: bool) -> Self::ExpandType;
    /// Writes the element at an index. `inbounds` omits the bounds check.
    fn save(mem: MemRef, index: Raw, value: Self::ExpandType, inbounds: bool);
}

impl<T: CubePrimitive> Element for T {
    fn item_elem() -> Elem {
        T::elem()
    }
    fn item_line() -> u32 {
        T::line()
    }
    fn load(mem: MemRef, index: Raw, inbounds: bool) -> Val<T> {
        Val::new(mem.load(index, inbounds))
    }
    fn save(mem: MemRef, index: Raw, value: Val<T>, inbounds: bool) {
        mem.save(index, value.raw, inbounds);
    }
}

/// Reference to an allocation or to a slice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemRef {
    /// Number of the memory's SSA value.
    pub id: u32,
    /// Kind of the memory, and type of its lines.
    pub ty: MemTy,
    /// Number of memory lines that form one line of the kernel.
    pub ratio: u32,
}

impl MemRef {
    /// Creates a reference whose kernel lines equal the lines of the memory.
    pub fn new(id: u32, ty: MemTy) -> Self {
        MemRef { id, ty, ratio: 1 }
    }

    /// Number of elements in a kernel line.
    pub fn line(self) -> u32 {
        self.ty.ty.line * self.ratio
    }

    /// Converts a number of memory lines to a number of kernel lines.
    pub fn lines(self, lines: Val<u32>) -> Val<u32> {
        let position = crate::ir::position();
        if self.ratio == 1 { lines } else { ops::div(lines, Val::<u32>::lit(self.ratio), position) }
    }

    /// Index of the first memory line in the kernel line `index`.
    pub fn first_line(self, index: Raw) -> Raw {
        self.line_index(index, 0)
    }

    fn line_index(self, index: Raw, number: u32) -> Raw {
        if self.ratio == 1 {
            return index;
        }
        let position = crate::ir::position();
        let first = ops::mul(Val::<u32>::new(index), Val::<u32>::lit(self.ratio), position);
        ops::add(first, Val::<u32>::lit(number), position).raw
    }

    /// Reads one line of the kernel, which can consist of several memory lines. `inbounds` omits the bounds
    /// check.
    pub fn load(self, index: Raw, inbounds: bool) -> Raw {
        if self.ratio == 1 {
            return self.load_line(index, inbounds);
        }
        let (n, ty) = (self.ty.ty.line, self.ty.ty);
        let mut whole = Raw::Const(Lit::zero(ty.elem), Ty { elem: ty.elem, line: self.line() });
        for number in 0..self.ratio {
            let part = self.load_line(self.line_index(index, number), inbounds);
            for lane in 0..n {
                let element = super::index::lane(part, Val::<u32>::lit(lane).raw);
                whole = super::index::with_lane(whole, Val::<u32>::lit(number * n + lane).raw, element);
            }
        }
        whole
    }

    /// Writes one line of the kernel, which can consist of several memory lines. `inbounds` omits the bounds
    /// check.
    pub fn save(self, index: Raw, value: Raw, inbounds: bool) {
        if self.ratio == 1 {
            return self.save_line(index, value, inbounds);
        }
        let (n, ty) = (self.ty.ty.line, self.ty.ty);
        let Some(value) = ops::splat(value, self.line()) else { return };
        let value = Raw::Ssa(crate::ir::current(value).0, Ty { elem: ty.elem, line: self.line() });
        for number in 0..self.ratio {
            let mut part = Raw::Const(Lit::zero(ty.elem), ty);
            for lane in 0..n {
                let element = super::index::lane(value, Val::<u32>::lit(number * n + lane).raw);
                part = super::index::with_lane(part, Val::<u32>::lit(lane).raw, element);
            }
            self.save_line(self.line_index(index, number), part, inbounds);
        }
    }

    fn load_line(self, index: Raw, inbounds: bool) -> Raw {
        let mode = if inbounds { " inbounds" } else { "" };
        with(|b| {
            let (i, _) = b.id(index);
            b.element(self.ty.ty, format!("cube.load %{}[%{i}]{mode} : {} -> {}", self.id, self.ty, self.ty.ty))
        })
    }

    fn save_line(self, index: Raw, value: Raw, inbounds: bool) {
        let mode = if inbounds { " inbounds" } else { "" };
        let Some(value) = ops::splat(value, self.ty.ty.line) else { return };
        with(|b| {
            let (i, _) = b.id(index);
            let (v, ty) = b.id(value);
            b.op(&format!("cube.store %{v}, %{}[%{i}]{mode} : {ty}, {}", self.id, self.ty));
        });
    }

    /// Appends an operation that queries the memory, such as `cube.len`, and returns a `u32`.
    pub fn query(self, what: &str, operands: &[Raw]) -> Val<u32> {
        let ty = Ty::scalar(Elem::U32);
        Val::new(with(|b| {
            let mut text = format!("cube.{what} %{}", self.id);
            for operand in operands {
                let (id, _) = b.id(*operand);
                text.push_str(&format!(", %{id}"));
            }
            b.value(ty, &format!("{text} : {}", self.ty))
        }))
    }
}

/// A memory type of the kernel language.
pub trait Container: CubeType<ExpandType = Mem<Self>> + Sized + 'static {
    /// The type that an index selects: a number or a line.
    type Item: Element;
    /// Whether the kernel can write to the memory.
    const WRITABLE: bool = true;
}

/// Staged memory.
pub struct Mem<C> {
    /// Reference to the allocation or slice.
    pub mem: MemRef,
    of: PhantomData<fn() -> C>,
}

impl<C> Clone for Mem<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Mem<C> {}

impl<C> Mem<C> {
    /// Wraps a reference.
    pub fn new(mem: MemRef) -> Self {
        Mem { mem, of: PhantomData }
    }
}

impl<C: Container> HasHost for Mem<C> {
    type Host = C;
    fn __staged(self) -> <Self::Host as CubeType>::ExpandType {
        self
    }
}

impl<C: Container> Staged for Mem<C> {
    const HAS_DUMMY: bool = false;
    fn to_cells(&self, depth: usize) -> Self {
        super::slice::outlives(self.mem, depth);
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
        let ty = MemTy { kind: MemKind::Local(1), ty: Ty::scalar(C::Item::item_elem()) };
        Mem::new(MemRef::new(alloc(ty), ty))
    }
}

/// Declares memory with lines of type `ty`. If the kernel accesses parts of lines, the declared memory has scalar
/// elements instead.
pub fn with_lines(kind: MemKind, ty: Ty, make: impl FnOnce(MemTy) -> u32) -> MemRef {
    if ty.line == 1 || !are_elements_hinted() {
        let ty = MemTy { kind, ty };
        return MemRef::new(make(ty), ty);
    }
    let kind = match kind {
        MemKind::Shared(n) => MemKind::Shared(n * ty.line),
        MemKind::Local(n) => MemKind::Local(n * ty.line),
        other => other,
    };
    let elements = MemTy { kind, ty: Ty::scalar(ty.elem) };
    MemRef { id: make(elements), ty: elements, ratio: ty.line }
}

fn are_elements_hinted() -> bool {
    with(|b| b.hints.elements.is_some())
}

/// Allocates memory and returns the number of its SSA value.
pub fn alloc(ty: MemTy) -> u32 {
    with(|b| {
        b.check_line(ty.ty, "this memory has");
        b.memory(&format!("cube.alloc : {ty}"))
    })
}

macro_rules! containers {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        pub struct $name<T> {
            of: PhantomData<fn() -> T>,
        }
        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $name<T> {}
        impl<T: Element> CubeType for $name<T> {
            type ExpandType = Mem<$name<T>>;
        }
        impl<T: Element> Container for $name<T> {
            type Item = T;
        }
        impl<T: Element> std::ops::Index<u32> for $name<T> {
            type Output = T;
            fn index(&self, _: u32) -> &T {
                unexpanded()
            }
        }
        impl<T: Element> std::ops::IndexMut<u32> for $name<T> {
            fn index_mut(&mut self, _: u32) -> &mut T {
                unexpanded()
            }
        }
        impl<T: Element> Iterator for $name<T> {
            type Item = T;
            fn next(&mut self) -> Option<T> {
                unexpanded()
            }
        }
        impl<'a, T: Element> Iterator for &'a $name<T> {
            type Item = T;
            fn next(&mut self) -> Option<T> {
                unexpanded()
            }
        }
    )*};
}

containers! {
    /// Memory of one dimension: an argument, or local memory of the unit.
    Array;
    /// A memory argument with shape and strides.
    Tensor;
    /// Shared memory of the cube.
    SharedMemory;
}

/// Returns the compile-time length of an allocation. A run-time length is reported as an error.
fn static_length(size: Val<u32>, what: &str) -> u32 {
    match size.constant().and_then(Lit::int).and_then(|n| u32::try_from(n).ok()) {
        Some(n) if n > 0 => n,
        Some(_) => {
            ir::fail(format!("{what} needs at least one element; use a larger length"));
            1
        }
        None => {
            ir::fail(format!(
                "the size of {what} must be known at compile time; use a constant or a `#[comptime]` value"
            ));
            1
        }
    }
}

fn new_mem<C>(kind: MemKind, ty: Ty) -> Mem<C> {
    Mem::new(with_lines(kind, ty, alloc))
}

impl<T: Element> Array<T> {
    /// Local memory of `length` elements. Every execution of the call sets all elements to zero, also in a loop. If all
    /// indices of accesses are constants, the compiler removes those zero stores that are overwritten.
    pub fn new(length: u32) -> Self {
        let _ = length;
        unexpanded()
    }
    #[doc(hidden)]
    pub fn new_in_a_kernel(length: Val<u32>) -> Mem<Array<T>> {
        let n = static_length(length, "a local array");
        zeroed(n, Ty::scalar(T::item_elem()))
    }
    /// Local memory of `length` lines, which are set to zero as in [`Array::new`].
    pub fn vectorized(length: u32, line_size: u32) -> Self {
        let _ = (length, line_size);
        unexpanded()
    }
    #[doc(hidden)]
    pub fn vectorized_in_a_kernel(length: u32, line_size: u32) -> Mem<Array<T>> {
        zeroed(length.max(1), Ty { elem: T::item_elem(), line: line_size.max(1) })
    }
    /// Local memory of `length` lines, which are set to zero as in [`Array::new`].
    pub fn lined(length: u32, line_size: u32) -> Self {
        let _ = (length, line_size);
        unexpanded()
    }
    #[doc(hidden)]
    pub fn lined_in_a_kernel(length: u32, line_size: u32) -> Mem<Array<T>> {
        Self::vectorized_in_a_kernel(length, line_size)
    }
    /// Local memory with the given initial values.
    pub fn from_data<C: CubePrimitive>(data: impl IntoIterator<Item = C>) -> Self {
        let _ = data;
        unexpanded()
    }
    #[doc(hidden)]
    pub fn from_data_in_a_kernel<C: CubePrimitive>(data: impl IntoIterator<Item = C>) -> Mem<Array<T>> {
        let values: Vec<Raw> =
            data.into_iter().map(|v| crate::lang::cast::convert(Val::lit(v).raw, T::item_elem(), 0)).collect();
        filled(&values, Ty::scalar(T::item_elem()))
    }
}

impl<T: Element> SharedMemory<T> {
    /// Shared memory of `size` elements with undefined content. Before a unit reads an element that another
    /// unit writes, all units must reach a barrier after the write.
    pub fn new(size: u32) -> Self {
        let _ = size;
        unexpanded()
    }
    #[doc(hidden)]
    pub fn new_in_a_kernel(size: Val<u32>) -> Mem<SharedMemory<T>> {
        let n = static_length(size, "shared memory");
        new_mem(MemKind::Shared(n), Ty::scalar(T::item_elem()))
    }
    /// Declares that later code does not use the memory. The call has no effect, because the compiler itself
    /// computes the lifetimes of allocations. Allocations with disjoint lifetimes can share an address.
    ///
    /// # Safety
    /// All units of the cube must execute the call. The kernel must not use a slice of the memory after the
    /// call.
    #[allow(unsafe_code)]
    pub unsafe fn free(self) {
        unexpanded()
    }
}

impl<P: CubePrimitive> SharedMemory<P> {
    /// Shared memory of `size` lines with undefined content, like [`SharedMemory::new`].
    pub fn new_lined(size: u32, line_size: u32) -> SharedMemory<crate::lang::line::Line<P>> {
        let _ = (size, line_size);
        unexpanded()
    }
    #[doc(hidden)]
    pub fn new_lined_in_a_kernel(size: Val<u32>, line_size: u32) -> Mem<SharedMemory<crate::lang::line::Line<P>>> {
        let n = static_length(size, "shared memory");
        new_mem(MemKind::Shared(n), Ty { elem: P::elem(), line: line_size.max(1) })
    }
    /// Shared memory of `size` lines. Each access reads or writes a whole line, as one value of `P`.
    pub fn vectorized(size: u32, line_size: u32) -> Self {
        let _ = (size, line_size);
        unexpanded()
    }
    #[doc(hidden)]
    pub fn vectorized_in_a_kernel(size: Val<u32>, line_size: u32) -> Mem<SharedMemory<P>> {
        let n = static_length(size, "shared memory");
        new_mem(MemKind::Shared(n), Ty { elem: P::elem(), line: line_size.max(1) })
    }
    /// Shared memory of `size` lines. `alignment` has no effect, because every allocation is aligned to its
    /// lines.
    pub fn new_aligned(size: u32, line_size: u32, alignment: u32) -> SharedMemory<crate::lang::line::Line<P>> {
        let _ = (size, line_size, alignment);
        unexpanded()
    }
    #[doc(hidden)]
    pub fn new_aligned_in_a_kernel(
        size: Val<u32>,
        line_size: u32,
        _alignment: u32,
    ) -> Mem<SharedMemory<crate::lang::line::Line<P>>> {
        Self::new_lined_in_a_kernel(size, line_size)
    }
}

#[doc(hidden)]
impl<T: Element> Mem<SharedMemory<T>> {
    pub fn __expand_free_method(self) {}
}

/// Zeroed local memory.
fn zeroed<T: Element>(length: u32, ty: Ty) -> Mem<Array<T>> {
    Mem::new(filled_with_zeros(length, ty))
}

/// Local memory of `length` lines of type `ty`, which are set to zero.
pub fn filled_with_zeros(length: u32, ty: Ty) -> MemRef {
    let mem = with_lines(MemKind::Local(length), ty, alloc);
    fill(mem, Raw::Const(Lit::zero(mem.ty.ty.elem), mem.ty.ty));
    mem
}

/// Shared memory of `length` lines of type `ty`, with undefined content.
pub fn shared(length: u32, ty: Ty) -> MemRef {
    with_lines(MemKind::Shared(length), ty, alloc)
}

/// Maximum length of local memory that is initialised without a loop. Local memory of at most this length becomes SSA
/// values if all indices are constants.
const MAX_UNROLLED_FILL: u32 = 256;

/// Stores the value `line` to all lines of local memory.
fn fill(mem: MemRef, line: Raw) {
    let (MemKind::Local(count), at) = (mem.ty.kind, |i: u32| Raw::Const(Lit::Int(i.into()), Ty::scalar(Elem::U32)))
    else {
        unreachable!("only local memory is filled");
    };
    if count <= MAX_UNROLLED_FILL {
        return (0..count).for_each(|i| mem.save_line(at(i), line, true));
    }
    let (bounds, index) = with(|b| {
        let bounds = [0, count, 1].map(|n| b.id(at(n)).0);
        // This call emits the constant at the top of the kernel, and therefore before the loop.
        b.id(line);
        b.open();
        (bounds, Raw::Ssa(b.argument(), Ty::scalar(Elem::U32)))
    });
    mem.save_line(index, line, true);
    with(|b| {
        let (body, _) = b.close();
        let ([first, end, step], (index, _)) = (bounds, b.id(index));
        b.region(&format!("scf.for unsigned %{index} = %{first} to %{end} step %{step} : i32"), &[("", &body)]);
    });
}

/// Local memory with the given initial values.
pub fn filled<C>(values: &[Raw], ty: Ty) -> Mem<C> {
    let mem: Mem<C> = new_mem(MemKind::Local(values.len().max(1) as u32), ty);
    for (i, value) in values.iter().enumerate() {
        mem.mem.save(Raw::Const(Lit::Int(i as i128), Ty::scalar(Elem::U32)), *value, true);
    }
    mem
}

/// `[a, b, c]`.
pub fn array<T: CubePrimitive, const N: usize>(values: [Val<T>; N], position: u32) -> Mem<Array<T>> {
    crate::ir::at(position);
    let ty = values.first().map_or(Ty::scalar(T::elem()), Val::ty);
    let raws: Vec<Raw> = values.iter().map(|v| v.raw).collect();
    filled(&raws, ty)
}

/// `[value; length]`.
pub fn array_of<T: CubePrimitive>(value: Val<T>, length: u32, position: u32) -> Mem<Array<T>> {
    crate::ir::at(position);
    let mem: Mem<Array<T>> = new_mem(MemKind::Local(length.max(1)), value.ty());
    if mem.mem.ratio == 1 {
        let (id, ty) = crate::ir::current(value.raw);
        fill(mem.mem, Raw::Ssa(id, ty));
        return mem;
    }
    let at = |i: u32| Raw::Const(Lit::Int(i.into()), Ty::scalar(Elem::U32));
    (0..length).for_each(|i| mem.mem.save(at(i), value.raw, true));
    mem
}
