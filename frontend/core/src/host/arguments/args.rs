//! Types of launch arguments.
use super::launch::Launch;
use super::params::{CompileArg, Params};
use crate::host::{Handle, Runtime};
use crate::ir::{MemKind, Ty};
use crate::lang::containers::{Array, Element, Mem, Tensor, with_lines};
use crate::lang::math::Scalar;
use crate::lang::sequence::{Sequence, SequenceExpand, SequenceIndex};
use crate::lang::value::{CubePrimitive, CubeType, Val};
use std::marker::PhantomData;

/// A type whose values can be launch arguments.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a launch",
    label = "not a launch argument",
    note = "derive `CubeLaunch` for it beside `CubeType`, or pass it as `#[comptime]`"
)]
pub trait LaunchArg: CubeType {
    /// Makes rustc check that a type implements this trait. rustc's message about a missing impl then names this trait,
    /// and not the bound of a function.
    #[doc(hidden)]
    const IS_IMPLEMENTED: () = ();
    /// Type of the host value that a program passes for the argument.
    type RuntimeArg<'a, R: Runtime>;
    /// Adds the argument to a launch.
    /// The launch refers to the argument.
    fn register<'a: 'x, 'x, R: Runtime>(arg: &'x Self::RuntimeArg<'a, R>, launch: &mut Launch<'x>) -> CompileArg;
    /// Declares the argument in the kernel under construction and returns its staged value.
    fn enter(arg: &CompileArg, params: &mut Params) -> Self::ExpandType;
}

/// Another name of [`LaunchArg`], equal to the name of the derive macro. Kernels for older versions of CubeCL use the
/// name `CubeLaunch` in bounds.
pub trait CubeLaunch: LaunchArg {}
impl<T: LaunchArg> CubeLaunch for T {}

/// A type of `#[comptime]` parameters. Each distinct value of a `#[comptime]` parameter selects a separate
/// kernel.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a `#[comptime]` parameter of a launch",
    label = "cannot be compared and hashed",
    note = "each value compiles a separate kernel; derive `Clone`, `PartialEq`, `Eq`, `Hash` and `Debug`; pass a float as its bits, a `u32`"
)]
pub trait ComptimeParameter {
    /// Makes rustc check that a type implements this trait.
    const IS_IMPLEMENTED: () = ();
}

#[diagnostic::do_not_recommend]
impl<T: Clone + Eq + std::hash::Hash + std::fmt::Debug + Send + Sync> ComptimeParameter for T {}

/// A type of `#[cube(comptime)]` fields of launch arguments.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a `#[cube(comptime)]` field of a launch argument",
    label = "cannot be compared and hashed",
    note = "each value compiles a separate kernel; derive `Clone`, `PartialEq`, `Eq`, `Hash` and `Debug`; pass a float as its bits, a `u32`"
)]
pub trait ComptimeField {
    /// Converts the value to a part of the kernel's key, under the field's name.
    fn to_compile_arg(&self, name: &'static str) -> CompileArg;
}

#[diagnostic::do_not_recommend]
impl<T: Clone + Eq + std::hash::Hash + std::fmt::Debug + Send + Sync + 'static> ComptimeField for T {
    fn to_compile_arg(&self, name: &'static str) -> CompileArg {
        CompileArg::host(name, self)
    }
}

/// Type of the host value for a launch argument of type `T`.
pub type RuntimeArg<'a, T, R> = <T as LaunchArg>::RuntimeArg<'a, R>;

/// A scalar argument.
#[derive(Clone, Copy, Debug)]
pub struct ScalarArg<T> {
    /// The number.
    pub elem: T,
}

impl<T> ScalarArg<T> {
    /// Wraps a number.
    pub fn new(elem: T) -> Self {
        ScalarArg { elem }
    }
}

/// An array in device memory.
pub struct ArrayHandleRef<'a, R: Runtime> {
    /// Handle of the array's memory.
    pub handle: &'a Handle,
    /// Length in elements.
    pub length: [usize; 1],
    /// Size of an element in bytes.
    pub elem_size: usize,
    of: PhantomData<fn() -> R>,
}

impl<'a, R: Runtime> ArrayHandleRef<'a, R> {
    /// An array at the start of a handle's memory, with `length` elements of `elem_size` bytes each.
    ///
    /// # Safety
    /// `length` elements must fit into the memory, because unchecked kernels rely on the length.
    #[allow(unsafe_code)]
    pub unsafe fn from_raw_parts(handle: &'a Handle, length: usize, elem_size: usize) -> Self {
        ArrayHandleRef { handle, length: [length], elem_size, of: PhantomData }
    }

    /// The array as a tensor of rank 1.
    pub fn as_tensor(&self) -> TensorHandleRef<'_, R> {
        let (strides, shape) = (&[1], &self.length);
        TensorHandleRef { handle: self.handle, strides, shape, elem_size: self.elem_size, runtime: PhantomData }
    }
}

/// An array argument.
pub enum ArrayArg<'a, R: Runtime> {
    /// An argument in the memory of a handle.
    Handle {
        /// The array with its handle.
        handle: ArrayHandleRef<'a, R>,
        /// Elements per line.
        line_size: u8,
    },
    /// An argument that shares the memory of an earlier argument.
    Alias {
        /// Position of the earlier argument among the buffers of the launch.
        input_pos: usize,
    },
}

impl<'a, R: Runtime> ArrayArg<'a, R> {
    /// An array argument at the start of a handle's memory, with `length` elements in lines of `line_size`
    /// elements.
    ///
    /// # Safety
    /// `length` elements must fit into the memory, because unchecked kernels rely on the length.
    #[allow(unsafe_code)]
    pub unsafe fn from_raw_parts<E: CubePrimitive>(handle: &'a Handle, length: usize, line_size: u8) -> Self {
        // SAFETY: the caller guarantees that the length fits.
        unsafe { Self::from_raw_parts_and_size(handle, length, line_size, E::size().unwrap_or(1)) }
    }

    /// Same as [`ArrayArg::from_raw_parts`], with the size of an element in bytes.
    ///
    /// # Safety
    /// `length` elements must fit into the memory, because unchecked kernels rely on the length.
    #[allow(unsafe_code)]
    pub unsafe fn from_raw_parts_and_size(handle: &'a Handle, length: usize, line_size: u8, elem_size: usize) -> Self {
        // SAFETY: the caller guarantees that the length fits.
        let handle = unsafe { ArrayHandleRef::from_raw_parts(handle, length, elem_size) };
        ArrayArg::Handle { handle, line_size }
    }

    /// An argument that shares the memory of an earlier argument. `position` counts the buffers of the
    /// launch.
    pub fn alias(position: usize) -> Self {
        ArrayArg::Alias { input_pos: position }
    }
}

/// A tensor in device memory.
pub struct TensorHandleRef<'a, R: Runtime> {
    /// Handle of the tensor's memory.
    pub handle: &'a Handle,
    /// Stride of each dimension, in elements.
    pub strides: &'a [usize],
    /// Number of elements along each dimension.
    pub shape: &'a [usize],
    /// Size of an element in bytes.
    pub elem_size: usize,
    /// Marker of the runtime's type.
    pub runtime: PhantomData<R>,
}

impl<R: Runtime> Clone for TensorHandleRef<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Runtime> Copy for TensorHandleRef<'_, R> {}

impl<R: Runtime> std::fmt::Debug for TensorHandleRef<'_, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TensorHandleRef {{ strides: {:?}, shape: {:?} }}", self.strides, self.shape)
    }
}

impl<'a, R: Runtime> TensorHandleRef<'a, R> {
    /// A tensor at the start of a handle's memory. `elem_size` is in bytes.
    ///
    /// # Safety
    /// The tensor must fit into the memory, because unchecked kernels rely on its shape and strides.
    #[allow(unsafe_code)]
    pub unsafe fn from_raw_parts(
        handle: &'a Handle,
        strides: &'a [usize],
        shape: &'a [usize],
        elem_size: usize,
    ) -> Self {
        TensorHandleRef { handle, strides, shape, elem_size, runtime: PhantomData }
    }

    /// Number of elements.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// The tensor as a launch argument with lines of `line_size` elements.
    pub fn as_tensor_arg(&self, line_size: u8) -> TensorArg<'a, R> {
        TensorArg::Handle { handle: *self, line_size }
    }

    /// The tensor as an array argument with all its elements, in memory order.
    pub fn as_array_arg(&self, line_size: u8) -> ArrayArg<'a, R> {
        let handle =
            ArrayHandleRef { handle: self.handle, length: [self.size()], elem_size: self.elem_size, of: PhantomData };
        ArrayArg::Handle { handle, line_size }
    }
}

/// A tensor argument.
#[derive(Debug)]
pub enum TensorArg<'a, R: Runtime> {
    /// An argument in the memory of a handle.
    Handle {
        /// The tensor with its handle.
        handle: TensorHandleRef<'a, R>,
        /// Elements per line.
        line_size: u8,
    },
    /// An argument that shares the memory of an earlier argument.
    Alias {
        /// Position of the earlier argument among the buffers of the launch.
        input_pos: usize,
    },
}

impl<'a, R: Runtime> TensorArg<'a, R> {
    /// A tensor argument at the start of a handle's memory, with lines of `line_size` elements.
    ///
    /// # Safety
    /// The tensor must fit into the memory, because unchecked kernels rely on its shape and strides.
    #[allow(unsafe_code)]
    pub unsafe fn from_raw_parts<E: CubePrimitive>(
        handle: &'a Handle,
        strides: &'a [usize],
        shape: &'a [usize],
        line_size: u8,
    ) -> Self {
        // SAFETY: the caller guarantees that shape and strides fit.
        unsafe { Self::from_raw_parts_and_size(handle, strides, shape, line_size, E::size().unwrap_or(1)) }
    }

    /// Same as [`TensorArg::from_raw_parts`], with the size of an element in bytes.
    ///
    /// # Safety
    /// The tensor must fit into the memory, because unchecked kernels rely on its shape and strides.
    #[allow(unsafe_code)]
    pub unsafe fn from_raw_parts_and_size(
        handle: &'a Handle,
        strides: &'a [usize],
        shape: &'a [usize],
        line_size: u8,
        elem_size: usize,
    ) -> Self {
        // SAFETY: the caller guarantees that shape and strides fit.
        let handle = unsafe { TensorHandleRef::from_raw_parts(handle, strides, shape, elem_size) };
        TensorArg::Handle { handle, line_size }
    }

    /// An argument that shares the memory of an earlier argument. `position` counts the buffers of the
    /// launch.
    pub fn alias(position: usize) -> Self {
        TensorArg::Alias { input_pos: position }
    }
}

/// Whether an array has as many whole lines as the memory of its handle.
#[inline]
fn fills(handle: &Handle, length: usize, line: u32, elem_size: usize) -> bool {
    let (length, bytes, size) = (length as u64, handle.size(), elem_size as u64);
    // In most launches the array is the whole memory, and a multiplication takes less time than three divisions.
    length.checked_mul(size) == Some(bytes) || length / u64::from(line) == bytes / size / u64::from(line)
}

impl<T: Element> LaunchArg for Array<T> {
    type RuntimeArg<'a, R: Runtime> = ArrayArg<'a, R>;
    fn register<'a: 'x, 'x, R: Runtime>(arg: &'x ArrayArg<'a, R>, launch: &mut Launch<'x>) -> CompileArg {
        match arg {
            ArrayArg::Handle { handle, line_size } => {
                launch.buffer::<T>(handle.handle, handle.length[0], u32::from(*line_size), handle.elem_size, None);
                let line = u32::from(*line_size).max(1);
                CompileArg::Array(line, !fills(handle.handle, handle.length[0], line, T::item_elem().host().size()))
            }
            ArrayArg::Alias { input_pos } => CompileArg::Array(launch.alias(*input_pos), false),
        }
    }
    fn enter(arg: &CompileArg, params: &mut Params) -> Mem<Array<T>> {
        let (line, host_len) = match arg {
            CompileArg::Array(line, host_len) => (*line, *host_len),
            _ => (1, false),
        };
        let ty = Ty { elem: T::item_elem(), line };
        Mem::new(with_lines(MemKind::Array, ty, |ty| params.buffer(ty, T::ATOMIC, host_len)))
    }
}

impl<T: Element> LaunchArg for Tensor<T> {
    type RuntimeArg<'a, R: Runtime> = TensorArg<'a, R>;
    fn register<'a: 'x, 'x, R: Runtime>(arg: &'x TensorArg<'a, R>, launch: &mut Launch<'x>) -> CompileArg {
        match arg {
            TensorArg::Handle { handle, line_size } => {
                let shape = Some((handle.shape, handle.strides));
                launch.buffer::<T>(handle.handle, handle.size(), u32::from(*line_size), handle.elem_size, shape);
                CompileArg::Tensor(u32::from(*line_size).max(1))
            }
            TensorArg::Alias { input_pos } => CompileArg::Tensor(launch.alias(*input_pos)),
        }
    }
    fn enter(arg: &CompileArg, params: &mut Params) -> Mem<Tensor<T>> {
        let line = if let CompileArg::Tensor(line) = arg { *line } else { 1 };
        let ty = Ty { elem: T::item_elem(), line };
        Mem::new(with_lines(MemKind::Tensor, ty, |ty| params.buffer(ty, T::ATOMIC, false)))
    }
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> LaunchArg for T {
    type RuntimeArg<'a, R: Runtime> = ScalarArg<T>;
    fn register<'a: 'x, 'x, R: Runtime>(arg: &'x ScalarArg<T>, launch: &mut Launch<'x>) -> CompileArg {
        launch.scalar(arg.elem.to_scalar());
        CompileArg::Scalar
    }
    fn enter(_: &CompileArg, params: &mut Params) -> Val<T> {
        Val::new(params.scalar(T::elem()))
    }
}

impl LaunchArg for () {
    type RuntimeArg<'a, R: Runtime> = ();
    fn register<'a: 'x, 'x, R: Runtime>(_: &'x (), _: &mut Launch<'x>) -> CompileArg {
        CompileArg::Node(Vec::new())
    }
    fn enter(_: &CompileArg, _: &mut Params) {}
}

macro_rules! tuple_args {
    ($($name:ident $at:tt),*) => {
        #[diagnostic::do_not_recommend]
        impl<$($name: LaunchArg),*> LaunchArg for ($($name,)*) {
            type RuntimeArg<'a, R: Runtime> = ($($name::RuntimeArg<'a, R>,)*);
            fn register<'a: 'x, 'x, R: Runtime>(arg: &'x Self::RuntimeArg<'a, R>, launch: &mut Launch<'x>) -> CompileArg {
                CompileArg::Node(vec![$($name::register::<R>(&arg.$at, launch)),*])
            }
            fn enter(arg: &CompileArg, params: &mut Params) -> Self::ExpandType {
                ($($name::enter(arg.part($at), &mut params.field(stringify!($at))),)*)
            }
        }
    };
}

tuple_args!(A 0);
tuple_args!(A 0, B 1);
tuple_args!(A 0, B 1, C 2);
tuple_args!(A 0, B 1, C 2, D 3);
tuple_args!(A 0, B 1, C 2, D 3, E 4);
tuple_args!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple_args!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple_args!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuple_args!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuple_args!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
tuple_args!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
tuple_args!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);

impl<T: LaunchArg> LaunchArg for Option<T> {
    type RuntimeArg<'a, R: Runtime> = Option<T::RuntimeArg<'a, R>>;
    fn register<'a: 'x, 'x, R: Runtime>(arg: &'x Self::RuntimeArg<'a, R>, launch: &mut Launch<'x>) -> CompileArg {
        match arg {
            Some(arg) => CompileArg::Variant(1, vec![T::register::<R>(arg, launch)]),
            None => CompileArg::Variant(0, Vec::new()),
        }
    }
    fn enter(arg: &CompileArg, params: &mut Params) -> Self::ExpandType {
        (arg.variant() == 1).then(|| T::enter(arg.part(0), params))
    }
}

/// A list of arguments of one type.
pub struct SequenceArg<'a, R: Runtime, T: LaunchArg> {
    /// The arguments, in order.
    pub values: Vec<T::RuntimeArg<'a, R>>,
}

impl<'a, R: Runtime, T: LaunchArg> Default for SequenceArg<'a, R, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a, R: Runtime, T: LaunchArg> SequenceArg<'a, R, T> {
    /// A list without arguments.
    pub fn new() -> Self {
        SequenceArg { values: Vec::new() }
    }
    /// Appends an argument.
    pub fn push(&mut self, value: T::RuntimeArg<'a, R>) {
        self.values.push(value);
    }
}

impl<'a, R: Runtime, T: LaunchArg> FromIterator<T::RuntimeArg<'a, R>> for SequenceArg<'a, R, T> {
    fn from_iter<I: IntoIterator<Item = T::RuntimeArg<'a, R>>>(values: I) -> Self {
        SequenceArg { values: values.into_iter().collect() }
    }
}

impl<T: LaunchArg, I: SequenceIndex> LaunchArg for Sequence<T, I> {
    type RuntimeArg<'a, R: Runtime> = SequenceArg<'a, R, T>;
    fn register<'a: 'x, 'x, R: Runtime>(arg: &'x Self::RuntimeArg<'a, R>, launch: &mut Launch<'x>) -> CompileArg {
        CompileArg::Node(arg.values.iter().map(|v| T::register::<R>(v, launch)).collect())
    }
    fn enter(arg: &CompileArg, params: &mut Params) -> SequenceExpand<T, I> {
        let CompileArg::Node(parts) = arg else { return SequenceExpand::of(Vec::new()) };
        let value = |(i, part): (usize, &CompileArg)| T::enter(part, &mut params.field(&i.to_string()));
        SequenceExpand::of(parts.iter().enumerate().map(value).collect())
    }
}
