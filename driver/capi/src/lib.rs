//! The functions of `include/cube.h`, where their contracts stand. Each runs behind a guard: a panic becomes a failure and
//! never unwinds into C.
mod handle;

use cube_artifact::{Artifact, CompileOptions, Compiler, Target};
use cube_driver::Driver;
pub use handle::{CubeArtifact, CubeParam};
use std::{
    ffi::{CStr, CString, c_char, c_int, c_void},
    panic::{AssertUnwindSafe, catch_unwind},
    ptr::{null, null_mut},
    slice,
    str::FromStr,
};

/// `CUBE_ABI_VERSION` of the header.
const ABI_VERSION: u32 = 1;

/// `cube_options`.
#[repr(C)]
pub struct CubeOptions {
    kernel: *const c_char,
    file_name: *const c_char,
    params: *const *const c_char,
    param_count: usize,
}

fn guarded<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(otherwise)
}

/// # Safety
/// `text` is null or a zero-terminated text that lives as long as the result is used.
// SAFETY: reads up to the zero that the caller promises, after a look for null.
unsafe fn text<'a>(text: *const c_char, what: &str) -> Result<Option<&'a str>, String> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: not null, and the caller's promise.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map(Some).map_err(|_| format!("error[CUBE0604]: {what} is not UTF-8"))
}

/// # Safety
/// `bytes` points to `length` readable bytes, or `length` is 0.
// SAFETY: the slice covers what the caller promises to be readable, and nothing where that is null or empty.
unsafe fn bytes_of<'a>(bytes: *const c_void, length: usize) -> &'a [u8] {
    // SAFETY: not null and not empty, and the caller's promise.
    if bytes.is_null() || length == 0 { &[] } else { unsafe { slice::from_raw_parts(bytes.cast(), length) } }
}

/// Turns a result into a handle or a text for the caller.
///
/// # Safety
/// `error` is null or points to a pointer that may be written.
// SAFETY: writes through `error` only where it is not null, which the caller promises to be a place to write.
unsafe fn hand_out(error: *mut *mut c_char, body: impl FnOnce() -> Result<Artifact, String>) -> *mut CubeArtifact {
    let panicked = || Err("error[CUBE0399]: the compiler panicked: please report it with this kernel".to_string());
    let result = guarded(panicked(), body);
    let message = result.as_ref().err().map_or(null_mut(), |text| handle::c_text(text).into_raw());
    if error.is_null() {
        // SAFETY: made by `into_raw` just above, or null.
        unsafe { cube_text_free(message) };
    } else {
        // SAFETY: the caller's promise.
        unsafe { *error = message };
    }
    result.map_or(null_mut(), |artifact| Box::into_raw(Box::new(CubeArtifact::new(artifact))))
}

/// # Safety
/// As the header says; `options` is null or points to a `cube_options`.
// SAFETY: every pointer of the options is looked at for null, and is alive by the caller's promise.
unsafe fn options_of(options: *const CubeOptions) -> Result<CompileOptions, String> {
    // SAFETY: null or live.
    let Some(given) = (unsafe { options.as_ref() }) else { return Ok(CompileOptions::default()) };
    let mut params = Vec::new();
    for index in 0..given.param_count {
        // SAFETY: the array has `param_count` texts.
        let pair = unsafe { text(*given.params.add(index), "a comptime parameter")? }.unwrap_or_default();
        let (name, value) = pair
            .split_once('=')
            .ok_or_else(|| format!("error[CUBE0506]: comptime parameter '{pair}' is not NAME=VALUE"))?;
        params.push((name.to_string(), value.to_string()));
    }
    // SAFETY: null or zero-terminated.
    let (kernel, file) = unsafe { (text(given.kernel, "the kernel's name")?, text(given.file_name, "the file name")?) };
    let debug = CompileOptions::debug_from_env().map_err(|error| error.to_string())?;
    Ok(CompileOptions {
        kernel: kernel.map(String::from),
        params,
        file_name: file.map(String::from),
        debug,
        ..Default::default()
    })
}

/// `cube_abi_version`.
#[unsafe(no_mangle)]
pub extern "C" fn cube_abi_version() -> u32 {
    ABI_VERSION
}

/// `cube_compile`.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_compile(
    source: *const c_void,
    length: usize,
    target: *const c_char,
    options: *const CubeOptions,
    error: *mut *mut c_char,
) -> *mut CubeArtifact {
    // SAFETY: the promises of the header are those of the helpers.
    unsafe {
        hand_out(error, || {
            let name = text(target, "the target")?.unwrap_or("cpu");
            let target = Target::from_str(name).map_err(|e| format!("error[CUBE0500]: {e}"))?;
            let options = options_of(options)?;
            Driver.compile(bytes_of(source, length), &target, &options).map_err(|e| e.to_string())
        })
    }
}

/// `cube_artifact_read`.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_artifact_read(
    bytes: *const c_void,
    length: usize,
    error: *mut *mut c_char,
) -> *mut CubeArtifact {
    // SAFETY: as above.
    unsafe {
        hand_out(error, || {
            let artifact = Artifact::from_bytes(bytes_of(bytes, length));
            let artifact = artifact.map_err(|e| format!("error[CUBE0921]: {e}"))?;
            artifact.check().map_err(|rule| format!("error[CUBE0921]: {rule}: compile the kernel again"))?;
            Ok(artifact)
        })
    }
}

/// `cube_artifact_free`.
///
/// # Safety
/// Null, or an artifact of this library that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_artifact_free(artifact: *mut CubeArtifact) {
    if !artifact.is_null() {
        // SAFETY: made by `Box::into_raw` in `hand_out`, and given back once.
        guarded((), || drop(unsafe { Box::from_raw(artifact) }));
    }
}

/// `cube_text_free`.
///
/// # Safety
/// Null, or an error text of this library that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_text_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: made by `CString::into_raw` in `hand_out`, and given back once.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// Functions that read an artifact: name, result where the artifact is null, and the field.
macro_rules! accessors {
    ($($name:ident -> $result:ty, $otherwise:expr, |$artifact:ident| $body:expr;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`.")]
        ///
        /// # Safety
        /// The artifact is null or alive.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(artifact: *const CubeArtifact) -> $result {
            // SAFETY: the caller's promise.
            guarded($otherwise, || unsafe { artifact.as_ref() }.map_or($otherwise, |$artifact| $body))
        }
    )*};
}

accessors! {
    cube_artifact_kernel -> *const c_char, null(), |a| a.kernel.as_ptr();
    cube_artifact_entry -> *const c_char, null(), |a| a.entry.as_ptr();
    cube_artifact_target -> *const c_char, null(), |a| a.target.as_ptr();
    cube_artifact_format -> u32, 0, |a| a.format();
    cube_artifact_shared_bytes -> u32, 0, |a| a.artifact.shared_bytes;
    cube_artifact_param_count -> usize, 0, |a| a.artifact.params.len();
    cube_artifact_info_count -> usize, 0, |a| a.artifact.info.len();
}

/// `cube_artifact_code`.
///
/// # Safety
/// The artifact is null or alive; `length` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_artifact_code(artifact: *const CubeArtifact, length: *mut usize) -> *const u8 {
    // SAFETY: the caller's promise.
    unsafe { part(artifact, length, |a| &a.artifact.code) }
}

/// `cube_artifact_bytes`.
///
/// # Safety
/// As for `cube_artifact_code`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_artifact_bytes(artifact: *const CubeArtifact, length: *mut usize) -> *const u8 {
    // SAFETY: the caller's promise.
    unsafe { part(artifact, length, CubeArtifact::bytes) }
}

/// # Safety
/// The artifact is null or alive; `length` is null or may be written.
// SAFETY: `artifact` and `length` are looked at for null, and are alive by the caller's promise.
unsafe fn part(
    artifact: *const CubeArtifact,
    length: *mut usize,
    field: impl FnOnce(&CubeArtifact) -> &[u8],
) -> *const u8 {
    // SAFETY: null or alive.
    let found = guarded(None, || unsafe { artifact.as_ref() }.map(field));
    // SAFETY: null or writable.
    if let Some(length) = unsafe { length.as_mut() } {
        *length = found.map_or(0, <[u8]>::len);
    }
    found.map_or(null(), <[u8]>::as_ptr)
}

/// `cube_artifact_cube_dim`.
///
/// # Safety
/// The artifact is null or alive; `dim` has room for three numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_artifact_cube_dim(artifact: *const CubeArtifact, dim: *mut [u32; 3]) {
    // SAFETY: the caller's promise.
    if let (Some(artifact), Some(dim)) = unsafe { (artifact.as_ref(), dim.as_mut()) } {
        *dim = artifact.artifact.cube_dim;
    }
}

/// `cube_artifact_param`.
///
/// # Safety
/// The artifact is null or alive; `param` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_artifact_param(
    artifact: *const CubeArtifact,
    index: usize,
    param: *mut CubeParam,
) -> c_int {
    // SAFETY: the caller's promise.
    let (artifact, out) = unsafe { (artifact.as_ref(), param.as_mut()) };
    match (guarded(None, || artifact.and_then(|a| a.param(index))), out) {
        (Some(found), Some(out)) => {
            *out = found;
            1
        }
        _ => 0,
    }
}

/// `cube_artifact_info_param`.
///
/// # Safety
/// The artifact is null or alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_artifact_info_param(artifact: *const CubeArtifact, index: usize) -> usize {
    // SAFETY: the caller's promise.
    guarded(usize::MAX, || unsafe { artifact.as_ref() }.and_then(|a| a.info_param(index)).unwrap_or(usize::MAX))
}
