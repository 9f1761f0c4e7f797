//! Slices read and written as numbers of another size: four `i8` as one `f32`.
use cube_frontend::prelude::*;
use std::marker::PhantomData;

/// A slice of lines of `S` that is read as one of `T`: index `i` is that of the `i`-th `T`.
#[derive(CubeType)]
pub struct ReinterpretSlice<S: CubePrimitive, T: CubePrimitive> {
    slice: Slice<Line<S>>,
    #[cube(comptime)]
    _of: PhantomData<T>,
}

#[cube]
impl<S: CubePrimitive, T: CubePrimitive> ReinterpretSlice<S, T> {
    /// The slice, whose lines have `line_size` numbers.
    pub fn new(slice: Slice<Line<S>>, #[comptime] line_size: u32) -> ReinterpretSlice<S, T> {
        let part = comptime!(numbers_of(S::elem_size(), line_size, T::elem_size()));
        ReinterpretSlice::<S, T> { slice: slice.with_line_size(part), _of: PhantomData }
    }

    /// The `T` at an index.
    pub fn read(&self, index: u32) -> T {
        T::reinterpret(self.slice[index])
    }
}

/// A slice of lines of `S` that is read and written as one of `T`.
#[derive(CubeType)]
pub struct ReinterpretSliceMut<S: CubePrimitive, T: CubePrimitive> {
    slice: SliceMut<Line<S>>,
    #[cube(comptime)]
    _of: PhantomData<T>,
}

#[cube]
impl<S: CubePrimitive, T: CubePrimitive> ReinterpretSliceMut<S, T> {
    /// The slice, whose lines have `line_size` numbers.
    pub fn new(slice: SliceMut<Line<S>>, #[comptime] line_size: u32) -> ReinterpretSliceMut<S, T> {
        let part = comptime!(numbers_of(S::elem_size(), line_size, T::elem_size()));
        ReinterpretSliceMut::<S, T> { slice: slice.with_line_size(part), _of: PhantomData }
    }

    /// The `T` at an index.
    pub fn read(&self, index: u32) -> T {
        T::reinterpret(self.slice[index])
    }

    /// Writes the `T` at an index.
    pub fn write(&mut self, index: u32, value: T) {
        self.slice[index] = Line::<S>::reinterpret(value);
    }
}

/// Numbers of `source` bytes that make one of `target` bytes. The line of them has to fit, or be a part that fits.
fn numbers_of(source: u32, line_size: u32, target: u32) -> u32 {
    let line = source * line_size;
    let fits = target.is_multiple_of(source) && (target.is_multiple_of(line) || line.is_multiple_of(target));
    if !fits {
        cube_frontend::ir::fail(format!(
            "lines of {line_size} numbers of {source} bytes cannot be read as numbers of {target} bytes: choose a line size that fits into one, or that one fits into"
        ));
        return 1;
    }
    target / source
}
