//! Slices reinterpreted as elements of another size, for example four `i8` as one `f32`.
use cube_frontend::prelude::*;
use std::marker::PhantomData;

/// A slice of lines of `S`, read as elements of `T`. Indices count elements of `T`.
#[derive(CubeType)]
pub struct ReinterpretSlice<S: CubePrimitive, T: CubePrimitive> {
    slice: Slice<Line<S>>,
    #[cube(comptime)]
    _of: PhantomData<T>,
}

#[cube]
impl<S: CubePrimitive, T: CubePrimitive> ReinterpretSlice<S, T> {
    /// Wraps a slice with lines of `line_size` elements.
    pub fn new(slice: Slice<Line<S>>, #[comptime] line_size: u32) -> ReinterpretSlice<S, T> {
        let part = comptime!(numbers_of(S::elem_size(), line_size, T::elem_size()));
        ReinterpretSlice::<S, T> { slice: slice.with_line_size(part), _of: PhantomData }
    }

    /// Reads the element of type `T` at an index.
    pub fn read(&self, index: u32) -> T {
        T::reinterpret(self.slice[index])
    }
}

/// A mutable slice of lines of `S`, accessed as elements of `T`.
#[derive(CubeType)]
pub struct ReinterpretSliceMut<S: CubePrimitive, T: CubePrimitive> {
    slice: SliceMut<Line<S>>,
    #[cube(comptime)]
    _of: PhantomData<T>,
}

#[cube]
impl<S: CubePrimitive, T: CubePrimitive> ReinterpretSliceMut<S, T> {
    /// Wraps a slice with lines of `line_size` elements.
    pub fn new(slice: SliceMut<Line<S>>, #[comptime] line_size: u32) -> ReinterpretSliceMut<S, T> {
        let part = comptime!(numbers_of(S::elem_size(), line_size, T::elem_size()));
        ReinterpretSliceMut::<S, T> { slice: slice.with_line_size(part), _of: PhantomData }
    }

    /// Reads the element of type `T` at an index.
    pub fn read(&self, index: u32) -> T {
        T::reinterpret(self.slice[index])
    }

    /// Writes the element of type `T` at an index.
    pub fn write(&mut self, index: u32, value: T) {
        self.slice[index] = Line::<S>::reinterpret(value);
    }
}

/// Number of source elements per target element. Element sizes are in bytes. The size of a source line must be a
/// multiple or a divisor of the size of a target element.
fn numbers_of(source: u32, line_size: u32, target: u32) -> u32 {
    let line = source * line_size;
    let fits = target.is_multiple_of(source) && (target.is_multiple_of(line) || line.is_multiple_of(target));
    if !fits {
        cube_frontend::ir::fail(format!(
            "lines of {line_size} elements of {source} bytes cannot be reinterpreted as elements of {target} bytes; use a line size in bytes that divides {target} or is a multiple of it"
        ));
        return 1;
    }
    target / source
}
