//! Compiles MLIR text or bytecode to an artifact, and reads artifacts from bytes.
use crate::handle::CubeArtifact;
use crate::out::{Outcome, bytes_of, new_handle, text, text_of, usage_error};
use cube_artifact::{Artifact, CompileOptions, Compiler, Target, diagnostic};
use cube_driver::Driver;
use std::{
    ffi::{c_char, c_void},
    str::FromStr,
};

/// The type `cube_options` of `cube.h`.
#[repr(C)]
pub struct CubeOptions {
    kernel: *const c_char,
    file_name: *const c_char,
    params: *const *const c_char,
    param_count: usize,
}

/// # Safety
/// The caller must fulfil the contract in `cube.h`; `options` is null or points to a `cube_options`.
// SAFETY: every pointer of the options is checked for null, and is alive by the caller's promise.
unsafe fn options_of(options: *const CubeOptions) -> Outcome<CompileOptions> {
    let variables = crate::variables();
    let debug = CompileOptions::debug_of(&variables).map_err(|error| error.to_string())?;
    let folder = variables.folder().display().to_string();
    let defaults = CompileOptions { debug, folder, ..Default::default() };
    // SAFETY: null or live.
    let Some(given) = (unsafe { options.as_ref() }) else { return Ok(defaults) };
    if given.params.is_null() && given.param_count > 0 {
        return Err(usage_error(format!(
            "params is null, but param_count is {}; pass as many strings",
            given.param_count
        )));
    }
    let mut params = Vec::new();
    for index in 0..given.param_count {
        // SAFETY: the array has `param_count` texts.
        let pair = unsafe { text(*given.params.add(index), "a comptime parameter")? }.unwrap_or_default();
        let (name, value) = pair.split_once('=').ok_or_else(|| text_of(diagnostic!(CUBE0506.text { given: pair })))?;
        params.push((name.to_string(), value.to_string()));
    }
    // SAFETY: null or zero-terminated.
    let (kernel, file) = unsafe { (text(given.kernel, "the kernel's name")?, text(given.file_name, "the file name")?) };
    Ok(CompileOptions { kernel: kernel.map(String::from), params, file_name: file.map(String::from), ..defaults })
}

/// `cube_compile`.
///
/// # Safety
/// The caller must fulfil the contract in `cube.h`.
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
        new_handle(error, "cube_compile", || {
            let name = text(target, "the target")?.unwrap_or("cpu");
            let target = Target::from_str(name).map_err(|e| text_of(diagnostic!(CUBE0500.refused { why: e })))?;
            let options = options_of(options)?;
            let artifact = Driver.compile(bytes_of(source, length), &target, &options);
            Ok(artifact.map(CubeArtifact::new).map_err(|e| e.to_string())?)
        })
    }
}

/// `cube_artifact_read`.
///
/// # Safety
/// The caller must fulfil the contract in `cube.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_artifact_read(
    bytes: *const c_void,
    length: usize,
    error: *mut *mut c_char,
) -> *mut CubeArtifact {
    // SAFETY: as above.
    unsafe {
        new_handle(error, "cube_artifact_read", || {
            let artifact = Artifact::from_bytes(bytes_of(bytes, length));
            let artifact = artifact.map_err(|e| text_of(diagnostic!(CUBE0921.read { error: e })))?;
            artifact.check().map_err(|rule| text_of(diagnostic!(CUBE0921.rule { rule })))?;
            Ok(CubeArtifact::new(artifact))
        })
    }
}
