//! Memory, tensors and kernels of other owners. The tests with addresses of this process run on the CPU.
use crate::common::*;
use cubecl::host::dlpack::{DLDataType, DLDevice, DLManagedTensorVersioned, DLPackVersion, DLTensor, ManagedTensor};
use cubecl::host::foreign::*;
use cubecl::prelude::*;
use cubecl::server::Bindings;
use std::ptr::{NonNull, null_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

#[cube(launch)]
fn add_one(x: &mut Array<f32>) {
    if ABSOLUTE_POS < x.len() {
        x[ABSOLUTE_POS] += 1.0;
    }
}

fn on_the_cpu() -> bool {
    R::name(&client()) == "cpu"
}

#[test]
fn imported_memory_is_a_handle_until_its_owner_is_released() {
    if !on_the_cpu() {
        return;
    }
    let client = client();
    let released = Arc::new(AtomicU32::new(0));
    // Eight floats, of which the kernel uses the inner five: their address is not aligned to a cache line.
    let memory = Box::into_raw(Box::new([1.0f32; 8]));
    let count = released.clone();
    let owner = on_release(move || {
        count.fetch_add(1, Ordering::SeqCst);
    });
    let address = memory.expose_provenance() as u64 + 4;
    // SAFETY: the box is alive until the end of the test, and only the device uses the five floats.
    let handle = client.import_memory(unsafe { ExternalMemory::new(address, 20, owner) }).unwrap();
    add_one::launch::<R>(&client, one(), CubeDim::new_1d(8), array::<f32>(&handle, 5));
    assert_eq!(f32::from_bytes(&client.read_one(handle.clone())), [2.0; 5]);
    let exported = client.export_memory(&handle).unwrap();
    assert_eq!((exported.address(), exported.bytes()), (address, 20));
    drop(handle);
    assert_eq!(released.load(Ordering::SeqCst), 0, "the exported memory keeps the owner");
    drop(exported);
    assert_eq!(released.load(Ordering::SeqCst), 1);
    // SAFETY: made by `into_raw` above, and no handle is left.
    let memory = unsafe { Box::from_raw(memory) };
    assert_eq!(*memory, [1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0]);
    // SAFETY: the device refuses the memory.
    let error = client.import_memory(unsafe { ExternalMemory::new(0, 4, Box::new(())) }).unwrap_err().to_string();
    assert!(error.contains("4 bytes at address 0x0 are not memory of this process"), "{error}");
}

/// A tensor of another library: a matrix of two rows with three elements each. The rows are four elements apart in
/// memory.
struct Producer {
    tensor: DLManagedTensorVersioned,
    data: Vec<f32>,
    shape: [i64; 2],
    strides: [i64; 2],
    deleted: Arc<AtomicU32>,
}

// SAFETY: the consumer passes the tensor of a box of `producer`, once.
unsafe extern "C" fn delete(tensor: *mut DLManagedTensorVersioned) {
    // SAFETY: as above.
    let own = unsafe { Box::from_raw((*tensor).manager_ctx.cast::<Producer>()) };
    own.deleted.fetch_add(1, Ordering::SeqCst);
}

fn producer(deleted: &Arc<AtomicU32>, change: impl FnOnce(&mut DLManagedTensorVersioned)) -> ManagedTensor {
    let tensor = DLTensor {
        data: null_mut(),
        device: DLDevice { device_type: 1, device_id: 0 },
        ndim: 2,
        dtype: DLDataType { code: 2, bits: 32, lanes: 1 },
        shape: null_mut(),
        strides: null_mut(),
        byte_offset: 4,
    };
    let version = DLPackVersion { major: 1, minor: 1 };
    let tensor = DLManagedTensorVersioned {
        version,
        manager_ctx: null_mut(),
        deleter: Some(delete),
        flags: 0,
        dl_tensor: tensor,
    };
    let data = (0..9).map(|i| i as f32).collect();
    let own = Producer { tensor, data, shape: [2, 3], strides: [4, 1], deleted: deleted.clone() };
    let own = Box::into_raw(Box::new(own));
    // SAFETY: the box lives until `delete`.
    unsafe {
        let tensor = &mut (*own).tensor;
        tensor.manager_ctx = own.cast();
        tensor.dl_tensor.data = (*own).data.as_mut_ptr().cast();
        tensor.dl_tensor.shape = (*own).shape.as_mut_ptr();
        tensor.dl_tensor.strides = (*own).strides.as_mut_ptr();
        change(tensor);
        ManagedTensor::from_raw(NonNull::from(tensor))
    }
}

#[test]
fn dlpack_tensor_is_shared_without_copy_and_deleted_once() {
    if !on_the_cpu() {
        return;
    }
    let client = client();
    let deleted = Arc::new(AtomicU32::new(0));
    let tensor = client.import_tensor(producer(&deleted, |_| ())).unwrap();
    assert_eq!((&tensor.shape[..], &tensor.allocation.strides[..]), (&[2, 3][..], &[4, 1][..]));
    let handle = tensor.allocation.handle.clone();
    assert_eq!(handle.size(), 28, "from the first to the last element");
    add_one::launch::<R>(&client, one(), CubeDim::new_1d(8), array::<f32>(&handle, 7));
    let read = client.read_one_tensor(handle.copy_descriptor(&tensor.shape, &tensor.allocation.strides, 4));
    assert_eq!(f32::from_bytes(&read), [2.0, 3.0, 4.0, 6.0, 7.0, 8.0]);
    // The exported tensor shares the memory, and a second import of it as well.
    let exported = client.export_tensor(&tensor).unwrap();
    let seen = exported.tensor().unwrap();
    assert_eq!((seen.ndim, seen.byte_offset, seen.dtype.bits), (2, 0, 32));
    assert_eq!(seen.data.expose_provenance() as u64, client.export_memory(&handle).unwrap().address());
    drop((tensor, handle));
    let again = client.import_tensor(exported).unwrap();
    assert_eq!(deleted.load(Ordering::SeqCst), 0);
    assert_eq!(f32::from_bytes(&client.read_one(again.allocation.handle.clone()))[6], 8.0);
    drop(again);
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
}

#[test]
fn a_tensor_that_cannot_be_shared_is_refused_and_deleted() {
    if !on_the_cpu() {
        return;
    }
    let client = client();
    let deleted = Arc::new(AtomicU32::new(0));
    let mut refused = 0;
    let mut check = |change: fn(&mut DLManagedTensorVersioned), words: &str| {
        let error = client.import_tensor(producer(&deleted, change)).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        refused += 1;
        assert_eq!(deleted.load(Ordering::SeqCst), refused, "{words}");
    };
    check(|t| t.version.major = 2, "it has version 2, but only version 1 is supported");
    check(|t| t.flags = 1, "it is read-only");
    check(|t| t.dl_tensor.device.device_type = 2, "on device 0 of kind 2, but this device is 0 of kind 1");
    check(|t| t.dl_tensor.dtype.lanes = 4, "type code 2 with 32 bits and 4 lanes");
    check(|t| t.dl_tensor.ndim = -1, "number of dimensions");
    check(|t| t.dl_tensor.shape = null_mut(), "it has no shape");
    check(|t| t.dl_tensor.data = null_mut(), "it has no address");
    // SAFETY: the strides are those of the producer.
    check(|t| unsafe { *t.dl_tensor.strides = -4 }, "the negative extent or stride -4");
    // SAFETY: the shape is that of the producer.
    check(|t| unsafe { *t.dl_tensor.shape = i64::MAX }, "exceeds the address space");
    let handle = client.empty(16);
    let tensor = |shape: &[usize], strides: &[usize]| SharedTensor {
        allocation: cubecl::server::Allocation { handle: handle.clone(), strides: strides.to_vec() },
        shape: shape.to_vec(),
        elem: cube_artifact::ElemType::F32,
    };
    client.export_tensor(&tensor(&[4], &[1])).unwrap();
    for (shape, strides) in [(&[5][..], &[1][..]), (&[2, 2], &[4, 1]), (&[4], &[])] {
        let error = client.export_tensor(&tensor(shape, strides)).unwrap_err().to_string();
        assert!(error.contains("exceeds its buffer of 16 bytes"), "{error}");
    }
}

const PTX: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .entry scale(.param .u64 y, .param .f32 a, .param .u32 n)
{
  .reg .pred %p; .reg .b32 %i, %n; .reg .f32 %v, %a; .reg .b64 %y, %o;
  mov.u32 %i, %tid.x;
  ld.param.u32 %n, [n];
  setp.ge.u32 %p, %i, %n;
  @%p ret;
  ld.param.u64 %y, [y];
  ld.param.f32 %a, [a];
  cvta.to.global.u64 %y, %y;
  mul.wide.u32 %o, %i, 4;
  add.u64 %y, %y, %o;
  ld.global.f32 %v, [%y];
  mul.f32 %v, %v, %a;
  st.global.f32 [%y], %v;
  ret;
}
";

fn param(name: &str, kind: ParamKind) -> Param {
    Param { name: name.into(), kind }
}

/// On CUDA the kernel runs. On other devices, the error names an alternative.
#[test]
fn a_ptx_kernel_is_launched_through_the_client() {
    use cube_artifact::ElemType::{F32, U32};
    let client = client();
    let y = ParamKind::Buffer { elem: F32, line: 1, align: 1, access: BufferAccess::ReadWrite };
    let (a, n) = (ParamKind::Scalar { elem: F32 }, ParamKind::Scalar { elem: U32 });
    let params = vec![param("y", y), param("a", a), param("n", n)];
    // SAFETY: the kernel writes `n` floats of `y`, and the test passes a buffer with as many.
    let kernel = unsafe { ForeignKernel::new("scale", CodeFormat::PTX, PTX, params, [32, 1, 1]) };
    let loaded = client.load_foreign(&kernel);
    if R::name(&client) != "cuda" {
        let error = loaded.unwrap_err().to_string();
        assert!(error.contains("kernel 'scale'") && error.contains("ptx"), "{error}");
        assert!(error.contains("compile this kernel"), "{error}");
        return;
    }
    let loaded = loaded.unwrap();
    let data = client.create(f32::as_bytes(&[1.0, 2.0, 3.0, 4.0]));
    let bindings = Bindings::new().with_buffer(data.clone()).with_scalar(2.0f32).with_scalar(3u32);
    client.launch_foreign(&loaded, one(), bindings.clone()).unwrap();
    let (graph, ()) = client.graph(|client| client.launch_foreign(&loaded, one(), bindings).unwrap()).unwrap();
    graph.replay().unwrap();
    assert_eq!(f32::from_bytes(&client.read_one(data.clone())), [4.0, 8.0, 12.0, 4.0]);
    let error = client.launch_foreign(&loaded, one(), Bindings::new().with_buffer(data)).unwrap_err().to_string();
    assert!(error.contains("kernel 'scale': the parameter `a` has no number; add one to the bindings"), "{error}");
}

#[test]
fn stream_request_on_the_cpu_is_rejected_with_an_alternative() {
    if !on_the_cpu() {
        return;
    }
    let client = client();
    // SAFETY: the device refuses the stream.
    let error = client.import_stream(unsafe { ExternalStream::new(0, Box::new(())) }).unwrap_err().to_string();
    assert!(error.contains("the device cpu cannot use a stream of a driver; use a queue"), "{error}");
    let error = client.export_stream().unwrap_err().to_string();
    assert!(error.contains("use a queue of the device and its events"), "{error}");
}
