//! Exchange of tensors with other libraries by DLPack, version 1.
//!
//! The types with the prefix `DL` have the layout of `dlpack.h`. [`ManagedTensor`] owns one versioned tensor of the C
//! interface. [`import`] makes a buffer of a device from a tensor, and [`export`] makes a tensor from a buffer. The
//! buffer and the tensor share the memory, so neither function copies data. Element types: see [`element_of`].
#![allow(unsafe_code)]
use crate::buffer::Buffer;
use crate::device::{Device, Init};
use crate::error::RuntimeError;
use crate::external::{ExternalMemory, MemorySpace};
use cube_artifact::ElemType;
use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};

/// `DLDevice`: a device, as its kind and its number.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDevice {
    /// 1 is the CPU, 2 is CUDA, 10 is ROCm.
    pub device_type: i32,
    /// Number of the device, from 0.
    pub device_id: i32,
}

/// `DLDataType`: the type of an element.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDataType {
    /// 0 is signed, 1 is unsigned, 2 is float, 4 is bfloat, 6 is bool.
    pub code: u8,
    /// Bits of a number.
    pub bits: u8,
    /// Numbers of an element.
    pub lanes: u16,
}

/// `DLTensor`: a tensor without an owner.
#[repr(C)]
#[derive(Debug)]
pub struct DLTensor {
    /// Start of the memory, without `byte_offset`.
    pub data: *mut c_void,
    /// The device of the memory.
    pub device: DLDevice,
    /// Number of dimensions.
    pub ndim: i32,
    /// The type of the elements.
    pub dtype: DLDataType,
    /// Elements along each dimension.
    pub shape: *mut i64,
    /// Strides in elements; null for a row-major tensor without gaps.
    pub strides: *mut i64,
    /// Bytes from `data` to the first element.
    pub byte_offset: u64,
}

/// `DLPackVersion`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLPackVersion {
    /// A reader must not read a tensor of another major version.
    pub major: u32,
    /// Minor versions add values only.
    pub minor: u32,
}

/// `DLManagedTensorVersioned`: a tensor with its owner.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensorVersioned {
    /// Version of the layout.
    pub version: DLPackVersion,
    /// Data of the owner.
    pub manager_ctx: *mut c_void,
    /// The function that ends the use of the tensor; can be null.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    /// Bits of `DLPACK_FLAG_BITMASK_*`.
    pub flags: u64,
    /// The tensor.
    pub dl_tensor: DLTensor,
}

/// The version that [`export`] writes.
pub const VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 0 };
/// `DLPACK_FLAG_BITMASK_READ_ONLY`.
pub const READ_ONLY: u64 = 1;

/// A versioned DLPack tensor with its owner. The drop calls the deleter of the tensor.
#[derive(Debug)]
pub struct ManagedTensor(NonNull<DLManagedTensorVersioned>);

// SAFETY: the value owns the tensor, and its constructor requires a deleter that any thread can call.
unsafe impl Send for ManagedTensor {}
// SAFETY: a shared tensor is only read.
unsafe impl Sync for ManagedTensor {}

impl ManagedTensor {
    /// Takes ownership of a tensor of another library.
    ///
    /// # Safety
    /// `tensor` is a valid DLPack tensor that nobody else owns. Any thread can call its deleter. The shape and the
    /// strides describe memory that the device of the tensor can access until the call of the deleter, and all writes
    /// to this memory have completed. Other code does not access the memory while a device uses it.
    // SAFETY: the caller's promise.
    pub unsafe fn from_raw(tensor: NonNull<DLManagedTensorVersioned>) -> ManagedTensor {
        ManagedTensor(tensor)
    }

    /// Gives ownership to the caller, who must call the deleter once.
    pub fn into_raw(self) -> NonNull<DLManagedTensorVersioned> {
        let tensor = self.0;
        std::mem::forget(self);
        tensor
    }

    /// The version of the tensor. This field can be read for any version, because each version of the layout begins
    /// with it.
    pub fn version(&self) -> DLPackVersion {
        // SAFETY: the tensor is valid while `self` owns it.
        unsafe { (*self.0.as_ptr()).version }
    }

    /// The tensor; `None` if its layout has another major version.
    pub fn tensor(&self) -> Option<&DLTensor> {
        // SAFETY: as above, and the major version fixes the layout.
        (self.version().major == VERSION.major).then(|| unsafe { &(*self.0.as_ptr()).dl_tensor })
    }

    fn flags(&self) -> u64 {
        // SAFETY: callers have compared the version.
        unsafe { (*self.0.as_ptr()).flags }
    }
}

impl Drop for ManagedTensor {
    fn drop(&mut self) {
        // SAFETY: all versions of the layout begin with the version, the context and the deleter. `self` owns the tensor.
        unsafe {
            if let Some(deleter) = (*self.0.as_ptr()).deleter {
                deleter(self.0.as_ptr());
            }
        }
    }
}

/// A tensor in the memory of a device.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// The bytes from the first to the last element.
    pub buffer: Buffer,
    /// Type of an element.
    pub elem: ElemType,
    /// Elements along each dimension, outermost dimension first.
    pub shape: Vec<u64>,
    /// Stride of each dimension in elements.
    pub strides: Vec<u64>,
}

/// The element type of a type of DLPack with one lane: `i8` to `i64`, `u8` to `u64`, `f16`, `bf16`, `f32`, `f64`, `bool`.
pub fn element_of(dtype: DLDataType) -> Option<ElemType> {
    ElemType::ALL.into_iter().find(|elem| type_of(*elem) == dtype)
}

/// The type of DLPack of an element type.
pub fn type_of(elem: ElemType) -> DLDataType {
    let code = match elem {
        ElemType::Bool => 6,
        ElemType::I8 | ElemType::I16 | ElemType::I32 | ElemType::I64 => 0,
        ElemType::U8 | ElemType::U16 | ElemType::U32 | ElemType::U64 => 1,
        ElemType::F16 | ElemType::F32 | ElemType::F64 => 2,
        ElemType::BF16 => 4,
    };
    DLDataType { code, bits: 8 * elem.size() as u8, lanes: 1 }
}

fn device_of(device: &dyn Device) -> Result<DLDevice, RuntimeError> {
    let number = |ordinal: u32| i32::try_from(ordinal).unwrap_or(i32::MAX);
    match device.memory_space() {
        Some(MemorySpace::Host) => Ok(DLDevice { device_type: 1, device_id: 0 }),
        Some(MemorySpace::Cuda(ordinal)) => Ok(DLDevice { device_type: 2, device_id: number(ordinal) }),
        Some(MemorySpace::Hip(ordinal)) => Ok(DLDevice { device_type: 10, device_id: number(ordinal) }),
        None => {
            Err(crate::external::refused(device.name(), "share tensors by DLPack", "copy the data through the host"))
        }
    }
}

fn refused(why: String) -> RuntimeError {
    RuntimeError::user(format!("a DLPack tensor cannot be used: {why}"))
}

/// Makes a buffer that shares the memory of a tensor. The device drops the tensor after the last use of the memory, or
/// now if the call returns an error.
///
/// # Errors
/// The version, the device, the element type or the layout of the tensor is not supported, or the tensor is read-only.
pub fn import(device: &dyn Device, managed: ManagedTensor) -> Result<Tensor, RuntimeError> {
    let own = device_of(device)?;
    let Some(tensor) = managed.tensor() else {
        let major = managed.version().major;
        return Err(refused(format!("it has version {major}, but only version {} is supported", VERSION.major)));
    };
    if managed.flags() & READ_ONLY != 0 {
        return Err(refused("it is read-only, but kernels can write to every buffer: copy the tensor first".into()));
    }
    if tensor.device != own {
        let DLDevice { device_type, device_id } = tensor.device;
        return Err(refused(format!(
            "its memory is on device {device_id} of kind {device_type}, but this device is {} of kind {}: copy the tensor first",
            own.device_id, own.device_type
        )));
    }
    let DLDataType { code, bits, lanes } = tensor.dtype;
    let elem = element_of(tensor.dtype).ok_or_else(|| {
        refused(format!(
            "an element has type code {code} with {bits} bits and {lanes} lanes; convert it to f32 or an integer"
        ))
    })?;
    let shape = numbers(tensor.shape, tensor.ndim)?.ok_or_else(|| refused("it has no shape".into()))?;
    let strides = numbers(tensor.strides, tensor.ndim)?.unwrap_or_else(|| row_major(&shape));
    let bytes =
        bytes_of(&shape, &strides, elem).ok_or_else(|| refused("its memory exceeds the address space".into()))?;
    let buffer = if bytes == 0 {
        device.alloc(0, Init::Any)?
    } else {
        let start = (tensor.data.expose_provenance() as u64).checked_add(tensor.byte_offset);
        let address = start.filter(|_| !tensor.data.is_null()).ok_or_else(|| refused("it has no address".into()))?;
        // SAFETY: the promise of `ManagedTensor::from_raw`; the owner keeps the memory.
        device.import_memory(unsafe { ExternalMemory::new(address, bytes, Box::new(managed)) })?
    };
    Ok(Tensor { buffer, elem, shape, strides })
}

/// The shape or the strides of a tensor, as a list. The result is `None` if the pointer is null and the tensor has
/// dimensions.
fn numbers(list: *const i64, count: i32) -> Result<Option<Vec<u64>>, RuntimeError> {
    let count = usize::try_from(count).ok().filter(|count| *count <= 64);
    let count = count.ok_or_else(|| refused("its number of dimensions is not from 0 to 64".into()))?;
    if list.is_null() {
        return Ok((count == 0).then(Vec::new));
    }
    // SAFETY: the promise of `ManagedTensor::from_raw`: the list has a number for each dimension.
    let list = unsafe { std::slice::from_raw_parts(list, count) };
    let positive =
        |n: &i64| u64::try_from(*n).map_err(|_| refused(format!("it has the negative extent or stride {n}: copy it")));
    list.iter().map(positive).collect::<Result<_, _>>().map(Some)
}

fn row_major(shape: &[u64]) -> Vec<u64> {
    let mut strides = vec![1; shape.len()];
    for i in (1..shape.len()).rev() {
        strides[i - 1] = shape[i].saturating_mul(strides[i]);
    }
    strides
}

/// Bytes from the first to the last element.
fn bytes_of(shape: &[u64], strides: &[u64], elem: ElemType) -> Option<u64> {
    if shape.contains(&0) {
        return Some(0);
    }
    let last = shape
        .iter()
        .zip(strides)
        .try_fold(0u64, |last, (n, stride)| last.checked_add((n - 1).checked_mul(*stride)?))?;
    last.checked_add(1)?.checked_mul(elem.size() as u64).filter(|bytes| *bytes <= isize::MAX as u64)
}

/// The memory of an exported tensor.
struct Exported {
    tensor: DLManagedTensorVersioned,
    _buffer: Buffer,
    /// The shape, then the strides.
    lists: Vec<i64>,
}

// SAFETY: the deleter receives the pointer that `export` made from a box, once.
unsafe extern "C" fn release(tensor: *mut DLManagedTensorVersioned) {
    // SAFETY: `manager_ctx` is the box of `export`.
    drop(unsafe { Box::from_raw((*tensor).manager_ctx.cast::<Exported>()) });
}

/// Makes a DLPack tensor that shares the memory of a buffer. The call waits for all commands of the device. The
/// tensor keeps the buffer alive until its deleter is called, from any thread.
///
/// # Errors
/// The memory of the device has no addresses, the buffer belongs to another device, the layout exceeds the buffer, or a
/// command of the device failed.
pub fn export(device: &dyn Device, tensor: Tensor) -> Result<ManagedTensor, RuntimeError> {
    let own = device_of(device)?;
    let Tensor { buffer, elem, shape, strides } = tensor;
    let needed =
        bytes_of(&shape, &strides, elem).filter(|needed| shape.len() == strides.len() && *needed <= buffer.size());
    if needed.is_none() {
        let size = buffer.size();
        return Err(RuntimeError::user(format!(
            "a tensor of shape {shape:?} and strides {strides:?} exceeds its buffer of {size} bytes; correct the shape or the strides"
        )));
    }
    device.sync()?;
    let data = std::ptr::with_exposed_provenance_mut(device.export_address(&buffer)? as usize);
    let number = |n: &u64| i64::try_from(*n).unwrap_or(i64::MAX);
    let mut exported = Box::new(Exported {
        lists: shape.iter().chain(&strides).map(number).collect(),
        _buffer: buffer,
        tensor: DLManagedTensorVersioned {
            version: VERSION,
            manager_ctx: null_mut(),
            deleter: Some(release),
            flags: 0,
            dl_tensor: DLTensor {
                data,
                device: own,
                ndim: shape.len() as i32,
                dtype: type_of(elem),
                shape: null_mut(),
                strides: null_mut(),
                byte_offset: 0,
            },
        },
    });
    let (sizes, steps) = exported.lists.split_at_mut(shape.len());
    exported.tensor.dl_tensor.shape = sizes.as_mut_ptr();
    exported.tensor.dl_tensor.strides = steps.as_mut_ptr();
    let exported = Box::into_raw(exported);
    // SAFETY: the box is alive, and the field's address is not null.
    unsafe {
        (*exported).tensor.manager_ctx = exported.cast();
        Ok(ManagedTensor(NonNull::new_unchecked(&raw mut (*exported).tensor)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    #[test]
    fn the_layout_is_that_of_the_header() {
        // Sizes and offsets of dlpack.h on a machine with pointers of 64 bits.
        assert_eq!((size_of::<DLDevice>(), size_of::<DLDataType>(), size_of::<DLTensor>()), (8, 4, 48));
        let tensor = [
            offset_of!(DLTensor, data),
            offset_of!(DLTensor, device),
            offset_of!(DLTensor, ndim),
            offset_of!(DLTensor, dtype),
            offset_of!(DLTensor, shape),
            offset_of!(DLTensor, strides),
            offset_of!(DLTensor, byte_offset),
        ];
        assert_eq!(tensor, [0, 8, 16, 20, 24, 32, 40]);
        let managed = [
            offset_of!(DLManagedTensorVersioned, version),
            offset_of!(DLManagedTensorVersioned, manager_ctx),
            offset_of!(DLManagedTensorVersioned, deleter),
            offset_of!(DLManagedTensorVersioned, flags),
            offset_of!(DLManagedTensorVersioned, dl_tensor),
        ];
        assert_eq!((managed, size_of::<DLManagedTensorVersioned>()), ([0, 8, 16, 24, 32], 80));
    }

    #[test]
    fn element_types_have_one_code_each() {
        for elem in ElemType::ALL {
            assert_eq!(element_of(type_of(elem)), Some(elem));
        }
        assert_eq!(type_of(ElemType::BF16), DLDataType { code: 4, bits: 16, lanes: 1 });
        assert_eq!(element_of(DLDataType { code: 2, bits: 32, lanes: 2 }), None);
        assert_eq!(element_of(DLDataType { code: 5, bits: 64, lanes: 1 }), None);
    }

    #[test]
    fn bytes_are_counted_to_the_last_element() {
        assert_eq!(row_major(&[2, 3, 4]), [12, 4, 1]);
        assert_eq!(bytes_of(&[2, 3], &[10, 2], ElemType::F32), Some(60));
        assert_eq!(bytes_of(&[], &[], ElemType::F64), Some(8));
        assert_eq!(bytes_of(&[4, 0], &[1, 1], ElemType::F64), Some(0));
        assert_eq!(bytes_of(&[1 << 62, 8], &[8, 1], ElemType::F64), None);
    }
}
