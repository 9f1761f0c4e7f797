//! The linker lld, called in this process.
use crate::SessionError;
use cube_bridge::cubeLinkShared;
use mlir_sys::MlirStringRef;
use std::ffi::{CString, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Links an ELF object of any target into a shared object. lld reads and writes files, so input and output are in a
/// temporary folder. Only one link runs at a time.
///
/// # Errors
/// CUBE0400, with the message of lld, or with the system's message about the temporary folder.
pub fn link_shared_object(object: &[u8]) -> Result<Vec<u8>, SessionError> {
    let system = |error: std::io::Error| refused(&format!("linking needs a temporary file: {error}"));
    let folder = tempfile::tempdir().map_err(system)?;
    let (input, output) = (folder.path().join("kernel.o"), folder.path().join("kernel.so"));
    std::fs::write(&input, object).map_err(system)?;
    link(&input, &output).map_err(|words| refused(&format!("lld: {words}")))?;
    std::fs::read(&output).map_err(system)
}

fn refused(why: &str) -> SessionError {
    SessionError::from(crate::diagnostic!(CUBE0400.refused { why }))
}

fn link(input: &Path, output: &Path) -> Result<(), String> {
    let name = |path: &Path| CString::new(path.as_os_str().as_bytes()).map_err(|error| error.to_string());
    let (input, output) = (name(input)?, name(output)?);
    let mut words = String::new();
    // SAFETY: both names end in zero and outlive the call. `append_message` gets the address of `words`, which also
    // outlives the call.
    let linked = unsafe { cubeLinkShared(input.as_ptr(), output.as_ptr(), append_message, (&raw mut words).cast()) };
    if linked { Ok(()) } else { Err(words.trim().to_string()) }
}

unsafe extern "C" fn append_message(text: MlirStringRef, to: *mut c_void) {
    // SAFETY: the text is valid during the call, and `to` is the address of the string that `link` passes.
    unsafe {
        let bytes = std::slice::from_raw_parts(text.data.cast::<u8>(), text.length);
        (*to.cast::<String>()).push_str(&String::from_utf8_lossy(bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::link_shared_object;

    #[test]
    fn damaged_objects_are_rejected_and_the_next_link_succeeds() {
        for object in [&b""[..], b"\x7fELF", b"no object"] {
            let error = link_shared_object(object).unwrap_err();
            let first = &error.diagnostics[0];
            assert_eq!(first.code.as_deref(), Some("CUBE0400"));
            assert!(first.message.contains("lld: ") && first.message.contains("error"), "{}", first.message);
        }
    }
}
