//! Devices and their buffers.
use crate::out::{
    Outcome, bytes_of, done, free, given, given_text, guarded, new_handle, of_runtime, text_of, usage_error,
};
use cube_runtime::{Buffer, Device, Init, RuntimeError, prints};
use cube_runtime_cpu::CpuDevice;
use cube_runtime_cuda::CudaDevice;
use std::{
    ffi::{CString, c_char, c_int, c_void},
    slice,
    sync::Arc,
    time::Duration,
};

/// The type `cube_device` of `cube.h`.
pub struct CubeDevice(pub(crate) Arc<dyn Device>);

/// `cube_buffer`; keeps its device alive.
pub struct CubeBuffer {
    pub(crate) device: Arc<dyn Device>,
    pub(crate) buffer: Buffer,
}

/// The type `cube_cpu_options` of `cube.h`.
#[repr(C)]
pub struct CubeCpuOptions {
    threads: u32,
    guard_buffers: c_int,
    catch_faults: c_int,
    time_limit: f64,
}

impl CubeCpuOptions {
    fn device(&self) -> Outcome<CpuDevice> {
        let all = || std::thread::available_parallelism().map_or(1, |n| n.get());
        let mut device = CpuDevice::with_threads(if self.threads == 0 { all() } else { self.threads as usize });
        if self.guard_buffers != 0 {
            device = device.guard_buffers();
        }
        if self.catch_faults != 0 {
            device = device.catch_faults().map_err(of_runtime)?;
        }
        if self.time_limit != 0.0 {
            let time = Duration::try_from_secs_f64(self.time_limit).map_err(|_| {
                usage_error(format!(
                    "time_limit is {}; set a number of seconds above 0, or 0 for no limit",
                    self.time_limit
                ))
            })?;
            device = device.limit_time(time);
        }
        Ok(device)
    }
}

fn open(name: &str, options: Option<&CubeCpuOptions>) -> Outcome<Arc<dyn Device>> {
    match (name, options) {
        ("cpu", Some(options)) => Ok(Arc::new(options.device()?)),
        ("cpu", None) => Ok(Arc::new(CpuDevice::new(&crate::variables()).map_err(of_runtime)?)),
        ("cuda", None) => Ok(Arc::new(CudaDevice::new(&crate::variables()).map_err(of_runtime)?)),
        ("cuda", Some(_)) => Err(usage_error("options apply only to the device cpu; pass NULL for cuda")),
        _ => {
            let near = cube_artifact::suggestion(name, ["cpu", "cuda"]);
            let hint = near.map(|name| format!("; did you mean {name}?")).unwrap_or_default();
            Err(text_of(cube_artifact::diagnostic!(CUBE0610.device { name, hint })).into())
        }
    }
}

/// `cube_device_open`.
///
/// # Safety
/// The caller must fulfil the contract in `cube.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_device_open(
    name: *const c_char,
    options: *const CubeCpuOptions,
    error: *mut *mut c_char,
) -> *mut CubeDevice {
    // SAFETY: the promises of the header are those of the helpers.
    unsafe {
        new_handle(error, "cube_device_open", || {
            open(given_text(name, "the device's name")?, options.as_ref()).map(CubeDevice)
        })
    }
}

/// `cube_device_free`.
///
/// # Safety
/// The pointer is null, or points to a device that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_device_free(device: *mut CubeDevice) {
    // SAFETY: the caller's promise.
    unsafe { free(device) }
}

/// `cube_device_sync`.
///
/// # Safety
/// The caller must fulfil the contract in `cube.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_device_sync(device: *const CubeDevice, error: *mut *mut c_char) -> c_int {
    // SAFETY: as above.
    unsafe {
        done(error, "cube_device_sync", || {
            given(device, "the device", "cube_device_open")?.0.sync().map_err(of_runtime)
        })
    }
}

/// `cube_buffer_new`.
///
/// # Safety
/// The caller must fulfil the contract in `cube.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_buffer_new(
    device: *const CubeDevice,
    bytes: u64,
    error: *mut *mut c_char,
) -> *mut CubeBuffer {
    // SAFETY: as above.
    unsafe {
        new_handle(error, "cube_buffer_new", || {
            let device = given(device, "the device", "cube_device_open")?.0.clone();
            let buffer = device.alloc(bytes, Init::Zero).map_err(of_runtime)?;
            Ok(CubeBuffer { device, buffer })
        })
    }
}

/// `cube_buffer_slice`.
///
/// # Safety
/// The caller must fulfil the contract in `cube.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_buffer_slice(
    buffer: *const CubeBuffer,
    start: u64,
    end: u64,
    error: *mut *mut c_char,
) -> *mut CubeBuffer {
    // SAFETY: as above.
    unsafe {
        new_handle(error, "cube_buffer_slice", || {
            let whole = given(buffer, "the buffer", "cube_buffer_new")?;
            let buffer = whole.buffer.slice(start..end).map_err(of_runtime)?;
            Ok(CubeBuffer { device: whole.device.clone(), buffer })
        })
    }
}

/// `cube_buffer_free`.
///
/// # Safety
/// The pointer is null, or points to a buffer that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_buffer_free(buffer: *mut CubeBuffer) {
    // SAFETY: the caller's promise.
    unsafe { free(buffer) }
}

/// `cube_buffer_size`.
///
/// # Safety
/// `buffer` is null, or points to a live buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_buffer_size(buffer: *const CubeBuffer) -> u64 {
    // SAFETY: the caller's promise.
    guarded(0, || unsafe { buffer.as_ref() }.map_or(0, |b| b.buffer.size()))
}

/// `cube_buffer_write`.
///
/// # Safety
/// The caller must fulfil the contract in `cube.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_buffer_write(
    buffer: *const CubeBuffer,
    offset: u64,
    data: *const c_void,
    length: usize,
    error: *mut *mut c_char,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        done(error, "cube_buffer_write", || {
            let to = given(buffer, "the buffer", "cube_buffer_new")?;
            within(length, data.is_null())?;
            to.device.write(&to.buffer, offset, bytes_of(data, length)).map_err(of_runtime)
        })
    }
}

/// `cube_buffer_read`.
///
/// # Safety
/// The caller must fulfil the contract in `cube.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_buffer_read(
    buffer: *const CubeBuffer,
    offset: u64,
    data: *mut c_void,
    length: usize,
    error: *mut *mut c_char,
) -> c_int {
    // SAFETY: as above; the slice covers the bytes that the caller promises to be writable.
    unsafe {
        done(error, "cube_buffer_read", || {
            let from = given(buffer, "the buffer", "cube_buffer_new")?;
            within(length, data.is_null())?;
            let out = if length == 0 { &mut [][..] } else { slice::from_raw_parts_mut(data.cast::<u8>(), length) };
            from.device.read(&from.buffer, offset, out).map_err(of_runtime)
        })
    }
}

/// Refuses a length that exceeds the address space, or a null pointer with a length.
fn within(length: usize, null: bool) -> Outcome<()> {
    if null && length > 0 {
        return Err(usage_error(format!("data is null, but length is {length}; pass a pointer to as many bytes")));
    }
    if isize::try_from(length).is_err() {
        return Err(usage_error(format!(
            "length is {length}, which exceeds the memory; pass the length of data in bytes"
        )));
    }
    Ok(())
}

/// `cube_print_line` with its data.
struct Sink(extern "C" fn(*mut c_void, *const c_char), *mut c_void);

// SAFETY: cube.h says that any thread can call the function.
unsafe impl Send for Sink {}

impl Sink {
    fn line(&self, line: &str) {
        let line = CString::new(line.replace('\0', "\u{fffd}")).unwrap_or_default();
        (self.0)(self.1, line.as_ptr());
    }
}

/// `cube_set_prints`.
///
/// # Safety
/// `line` is null, or any thread can call it with `data` until another call of this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_set_prints(line: Option<extern "C" fn(*mut c_void, *const c_char)>, data: *mut c_void) {
    guarded((), || match line {
        Some(line) => {
            let sink = Sink(line, data);
            prints::set_sink(move |text| sink.line(text));
        }
        None => prints::clear_sink(),
    })
}

/// Whether two handles refer to the same device.
pub(crate) fn same_device(one: &Arc<dyn Device>, other: &Arc<dyn Device>) -> Result<(), RuntimeError> {
    // Compares addresses only, because two pointers of one type can have different vtables.
    if std::ptr::addr_eq(Arc::as_ptr(one), Arc::as_ptr(other)) {
        return Ok(());
    }
    Err(RuntimeError::user(
        "the buffer belongs to another device; allocate it on the kernel's device and copy the data",
    ))
}
