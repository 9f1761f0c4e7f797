//! Tensors of DLPack that share the memory of a buffer.
use crate::arguments::{CubeShape, elem_of};
use crate::device::{CubeBuffer, CubeDevice};
use crate::out::{given, given_text, new_handle, of_runtime, out, usage_error};
use cube_runtime::dlpack::{self, DLManagedTensorVersioned, ManagedTensor, Tensor};
use std::{
    ffi::c_char,
    ptr::{NonNull, null_mut},
};

/// `cube_buffer_to_dlpack`.
///
/// # Safety
/// The caller must fulfil the contract in `cube.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_buffer_to_dlpack(
    buffer: *const CubeBuffer,
    elem: *const c_char,
    shape: *const CubeShape,
    error: *mut *mut c_char,
) -> *mut DLManagedTensorVersioned {
    // SAFETY: the promises of the header are those of the helpers.
    unsafe {
        let tensor = out(error, "cube_buffer_to_dlpack", || {
            let from = given(buffer, "the buffer", "cube_buffer_new")?;
            let elem = elem_of(given_text(elem, "the element type")?)?;
            let (shape, strides) = match shape.as_ref().map_or(Ok(None), |shape| shape.dims())? {
                Some(dims) => (dims.shape.to_vec(), dims.strides.to_vec()),
                None => (vec![from.buffer.size() / elem.size() as u64], vec![1]),
            };
            let tensor = Tensor { buffer: from.buffer.clone(), elem, shape, strides };
            Ok(dlpack::export(&*from.device, tensor).map_err(of_runtime)?.into_raw().as_ptr())
        });
        tensor.unwrap_or(null_mut())
    }
}

/// `cube_buffer_from_dlpack`.
///
/// # Safety
/// The caller must fulfil the contract in `cube.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_buffer_from_dlpack(
    device: *const CubeDevice,
    tensor: *mut DLManagedTensorVersioned,
    error: *mut *mut c_char,
) -> *mut CubeBuffer {
    // SAFETY: as above. The tensor is valid and owned by the caller.
    unsafe {
        new_handle(error, "cube_buffer_from_dlpack", || {
            let tensor = NonNull::new(tensor)
                .ok_or_else(|| usage_error("the tensor is null; pass a versioned DLPack tensor"))?;
            let tensor = ManagedTensor::from_raw(tensor);
            let device = given(device, "the device", "cube_device_open")?.0.clone();
            let tensor = dlpack::import(&*device, tensor).map_err(of_runtime)?;
            Ok(CubeBuffer { device, buffer: tensor.buffer })
        })
    }
}
