//! The arguments of a launch, set by name.
use crate::device::{CubeBuffer, same_device};
use crate::kernel::CubeKernel;
use crate::out::{Outcome, bytes_of, done, free, given, given_text, new_handle, null_handle, of_runtime, usage_error};
use cube_artifact::{ElemType, ParamKind};
use cube_runtime::{Arg, Device, Dims, Kernel, MAX_RANK, RuntimeError, Scalar};
use std::{
    ffi::{c_char, c_int, c_void},
    slice,
    sync::Arc,
};

/// `cube_args`; keeps its kernel and its buffers alive.
pub struct CubeArgs {
    pub(crate) device: Arc<dyn Device>,
    pub(crate) kernel: Kernel,
    set: Vec<Option<Arg>>,
}

/// The type `cube_shape` of `cube.h`.
#[repr(C)]
pub struct CubeShape {
    rank: usize,
    shape: *const u64,
    strides: *const u64,
    in_place: c_int,
}

impl CubeShape {
    /// # Safety
    /// `shape` and `strides` are null or point to `rank` numbers.
    // SAFETY: `shape` and `strides` are checked for null, and `rank` is checked to be small before a read.
    pub(crate) unsafe fn dims(&self) -> Outcome<Option<Dims>> {
        if self.shape.is_null() {
            let unused = self.strides.is_null() && self.rank == 0;
            return if unused {
                Ok(None)
            } else {
                Err(usage_error("shape is null, but rank or strides are set; set all three, or none"))
            };
        }
        if self.rank > MAX_RANK {
            return Err(usage_error(format!(
                "rank is {}, but a tensor has at most {MAX_RANK} dimensions; merge dimensions",
                self.rank
            )));
        }
        // SAFETY: the caller's promise.
        let shape = unsafe { slice::from_raw_parts(self.shape, self.rank) };
        if self.strides.is_null() {
            return Ok(Some(Dims::contiguous(shape)));
        }
        // SAFETY: the caller's promise.
        Ok(Some(Dims::tensor(shape, unsafe { slice::from_raw_parts(self.strides, self.rank) })))
    }
}

impl CubeArgs {
    /// All arguments, in the order of the kernel's parameters.
    pub(crate) fn complete(&self) -> Result<Vec<Arg>, RuntimeError> {
        let artifact = self.kernel.artifact();
        let one = |(param, set): (&cube_artifact::Param, &Option<Arg>)| {
            let kind = if matches!(param.kind, ParamKind::Buffer { .. }) { "buffer" } else { "scalar" };
            let missing = || {
                let error = RuntimeError::user(format!("it has no value; call cube_args_set_{kind}"));
                error.at_argument(&param.name).in_kernel(&artifact.kernel)
            };
            set.clone().ok_or_else(missing)
        };
        artifact.params.iter().zip(&self.set).map(one).collect()
    }

    /// Adds an argument if the kernel has a parameter with the name `name` that accepts the value.
    fn put(&mut self, name: &str, value: Result<Arg, RuntimeError>) -> Outcome<()> {
        let artifact = self.kernel.artifact();
        let names = || artifact.params.iter().map(|p| p.name.as_str());
        let Some(index) = names().position(|known| known == name) else {
            let hint = cube_artifact::suggestion(name, names()).map(|s| format!("; did you mean {s}?"));
            let known = names().collect::<Vec<_>>().join(", ");
            let known = if known.is_empty() { "it takes none".into() } else { format!("its parameters are {known}") };
            let message = format!("it has no parameter {name}: {known}{}", hint.unwrap_or_default());
            return Err(of_runtime(RuntimeError::user(message).in_kernel(&artifact.kernel)));
        };
        let fits = value.and_then(|arg| fits(&artifact.params[index].kind, &arg).map(|()| arg));
        let arg = fits.map_err(|error| of_runtime(error.at_argument(name).in_kernel(&artifact.kernel)))?;
        self.set[index] = Some(arg);
        Ok(())
    }
}

/// Checks one argument against its parameter. `cube_launch` checks rules that involve several arguments.
fn fits(kind: &ParamKind, arg: &Arg) -> Result<(), RuntimeError> {
    let (takes, elem, given) = match (kind, arg) {
        (ParamKind::Buffer { elem, .. }, Arg::Buffer { elem: given, .. }) => ("a buffer of ", *elem, *given),
        (ParamKind::Scalar { elem }, Arg::Scalar(scalar)) => ("a scalar of type ", *elem, scalar.elem()),
        (ParamKind::Buffer { elem, .. }, Arg::Scalar(_)) => {
            let message =
                format!("the kernel takes a buffer of {elem}, but the argument is a scalar; call cube_args_set_buffer");
            return Err(RuntimeError::user(message));
        }
        (ParamKind::Scalar { elem }, Arg::Buffer { .. }) => {
            let message =
                format!("the kernel takes a scalar of {elem}, but the argument is a buffer; call cube_args_set_scalar");
            return Err(RuntimeError::user(message));
        }
    };
    if elem != given {
        let message = format!(
            "the kernel takes {takes}{elem}, but the argument has type {given}; convert the data or compile the kernel for {given}"
        );
        return Err(RuntimeError::user(message));
    }
    if let Arg::Buffer { buffer, dims: Some(dims), .. } = arg {
        let held = buffer.size() / elem.size() as u64;
        if dims.extent() > held {
            return Err(RuntimeError::user(format!(
                "shape {:?} with strides {:?} requires {} elements, but the buffer has {held}; set a larger buffer",
                dims.shape,
                dims.strides,
                dims.extent()
            )));
        }
    }
    Ok(())
}

pub(crate) fn elem_of(name: &str) -> Outcome<ElemType> {
    ElemType::from_name(name).ok_or_else(|| {
        let known = ElemType::ALL.map(ElemType::name);
        let hint = cube_artifact::suggestion(name, known).map(|s| format!("; did you mean {s}?")).unwrap_or_default();
        usage_error(format!("'{name}' is not an element type; choose one of {}{hint}", known.join(", ")))
    })
}

/// `cube_args_new`.
///
/// # Safety
/// The caller must fulfil the contract in `cube.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_args_new(kernel: *const CubeKernel, error: *mut *mut c_char) -> *mut CubeArgs {
    // SAFETY: the promises of the header are those of the helpers.
    unsafe {
        new_handle(error, "cube_args_new", || {
            let CubeKernel { device, kernel } = given(kernel, "the kernel", "cube_kernel_load")?;
            let set = vec![None; kernel.artifact().params.len()];
            Ok(CubeArgs { device: device.clone(), kernel: kernel.clone(), set })
        })
    }
}

/// `cube_args_free`.
///
/// # Safety
/// The pointer is null, or points to arguments that are not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_args_free(args: *mut CubeArgs) {
    // SAFETY: the caller's promise.
    unsafe { free(args) }
}

/// `cube_args_set_buffer`.
///
/// # Safety
/// The caller must fulfil the contract in `cube.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_args_set_buffer(
    args: *mut CubeArgs,
    name: *const c_char,
    elem: *const c_char,
    buffer: *const CubeBuffer,
    shape: *const CubeShape,
    error: *mut *mut c_char,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        done(error, "cube_args_set_buffer", || {
            let args = args.as_mut().ok_or_else(|| null_handle("the arguments", "cube_args_new"))?;
            let (name, elem) = (given_text(name, "the parameter's name")?, given_text(elem, "the element type")?);
            let (elem, from) = (elem_of(elem)?, given(buffer, "the buffer", "cube_buffer_new")?);
            let shape = shape.as_ref();
            let dims = shape.map_or(Ok(None), |shape| shape.dims())?;
            let in_place = shape.is_some_and(|shape| shape.in_place != 0);
            let arg = Arg::Buffer { buffer: from.buffer.clone(), elem, in_place, dims };
            let same = same_device(&args.device, &from.device);
            args.put(name, same.map(|()| arg))
        })
    }
}

/// `cube_args_set_scalar`.
///
/// # Safety
/// The caller must fulfil the contract in `cube.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_args_set_scalar(
    args: *mut CubeArgs,
    name: *const c_char,
    elem: *const c_char,
    value: *const c_void,
    error: *mut *mut c_char,
) -> c_int {
    // SAFETY: as above; the value has as many bytes as its type.
    unsafe {
        done(error, "cube_args_set_scalar", || {
            let args = args.as_mut().ok_or_else(|| null_handle("the arguments", "cube_args_new"))?;
            let (name, elem) = (given_text(name, "the parameter's name")?, given_text(elem, "the element type")?);
            let elem = elem_of(elem)?;
            if value.is_null() {
                return Err(usage_error(format!("the value is null; point to a value of type {elem}")));
            }
            let scalar = Scalar::from_bytes(elem, bytes_of(value, elem.size()));
            args.put(name, scalar.map(Arg::Scalar).map_err(RuntimeError::user))
        })
    }
}
