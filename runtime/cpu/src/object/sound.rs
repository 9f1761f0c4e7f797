//! Requirements of a valid object, and the error for an invalid object.
use cube_runtime::RuntimeError;

/// The maximum alignment of a section: a page.
pub const ALIGNMENT: usize = 4096;

pub(super) fn unreadable(error: object::Error) -> RuntimeError {
    invalid(format!("it is not a valid 64-bit little-endian ELF object ({error})"))
}

/// The error of an object that cannot be loaded, with the cause and the fix.
pub(super) fn invalid(what: impl std::fmt::Display) -> RuntimeError {
    RuntimeError::invalid_artifact(format!(
        "its code cannot be loaded: {what}; compile the kernel again for this machine with the matching cubec"
    ))
}
