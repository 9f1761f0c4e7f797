//! C functions that read the properties of an artifact.
use crate::handle::{CubeArtifact, CubeDerived, CubeParam};
use crate::out::{free, guarded};
use std::{
    ffi::{c_char, c_int},
    ptr::null,
};

/// `cube_artifact_free`.
///
/// # Safety
/// The pointer is null, or points to an artifact of this library that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_artifact_free(artifact: *mut CubeArtifact) {
    // SAFETY: the caller's promise.
    unsafe { free(artifact) }
}

/// Defines C functions that read an artifact. Each row has the name of a C function, the function's result
/// for a null artifact, and the artifact's field.
macro_rules! accessors {
    ($($name:ident -> $result:ty, $otherwise:expr, |$artifact:ident| $body:expr;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`.")]
        ///
        /// # Safety
        /// `artifact` is null, or points to a live artifact.
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
    cube_artifact_format_name -> *const c_char, null(), |a| a.format_name.as_ptr();
    cube_artifact_shared_bytes -> u32, 0, |a| a.artifact.shared_bytes;
    cube_artifact_scratch_bytes -> u64, 0, |a| a.artifact.scratch_bytes;
    cube_artifact_plane_dim -> u32, 0, |a| a.artifact.plane_dim.unwrap_or(0);
    cube_artifact_unit_limit -> u64, 0, |a| a.artifact.unit_limit.unwrap_or(0);
    cube_artifact_checked -> c_int, 0, |a| a.artifact.checked.into();
    cube_artifact_prints -> c_int, 0, |a| (!a.artifact.prints.is_empty()).into();
    cube_artifact_derived_count -> usize, 0, |a| a.artifact.derived.len();
    cube_artifact_feature_count -> usize, 0, |a| a.artifact.features.len();
    cube_artifact_param_count -> usize, 0, |a| a.artifact.params.len();
    cube_artifact_info_count -> usize, 0, |a| a.artifact.info.len();
}

/// `cube_artifact_code`.
///
/// # Safety
/// `artifact` is null, or points to a live artifact. `length` is null, or points to writable memory.
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
/// `artifact` is null, or points to a live artifact. `length` is null, or points to writable memory.
// SAFETY: `artifact` and `length` are checked for null, and are alive by the caller's promise.
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
/// `artifact` is null, or points to a live artifact. `dim` points to writable memory for three numbers.
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
/// `artifact` is null, or points to a live artifact. `param` is null, or points to writable memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_artifact_param(
    artifact: *const CubeArtifact,
    index: usize,
    param: *mut CubeParam,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { fill(artifact, param, |a| a.param(index)) }
}

/// `cube_artifact_derived`.
///
/// # Safety
/// `artifact` is null, or points to a live artifact. `derived` is null, or points to writable memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_artifact_derived(
    artifact: *const CubeArtifact,
    index: usize,
    derived: *mut CubeDerived,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { fill(artifact, derived, |a| a.derived(index)) }
}

/// `cube_artifact_cube_count`.
///
/// # Safety
/// `artifact` is null, or points to a live artifact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_artifact_cube_count(artifact: *const CubeArtifact, axis: usize) -> *const c_char {
    // SAFETY: the caller's promise.
    guarded(null(), || unsafe { artifact.as_ref() }.and_then(|a| a.cube_count(axis)).unwrap_or(null()))
}

/// `cube_artifact_feature`.
///
/// # Safety
/// `artifact` is null, or points to a live artifact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_artifact_feature(artifact: *const CubeArtifact, index: usize) -> *const c_char {
    // SAFETY: the caller's promise.
    guarded(null(), || unsafe { artifact.as_ref() }.and_then(|a| a.feature(index)).unwrap_or(null()))
}

/// Writes a property of the artifact to `out`. Returns whether the artifact has the property.
///
/// # Safety
/// `artifact` is null, or points to a live artifact. `out` is null, or points to writable memory.
// SAFETY: `artifact` and `out` are checked for null, and are alive by the caller's promise.
unsafe fn fill<T>(artifact: *const CubeArtifact, out: *mut T, of: impl FnOnce(&CubeArtifact) -> Option<T>) -> c_int {
    // SAFETY: null or alive.
    let (artifact, out) = unsafe { (artifact.as_ref(), out.as_mut()) };
    match (guarded(None, || artifact.and_then(of)), out) {
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
/// `artifact` is null, or points to a live artifact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_artifact_info_param(artifact: *const CubeArtifact, index: usize) -> usize {
    // SAFETY: the caller's promise.
    guarded(usize::MAX, || unsafe { artifact.as_ref() }.and_then(|a| a.info_param(index)).unwrap_or(usize::MAX))
}
