//! The rules of a valid object, and the error of one that breaks them.
use cube_runtime::RuntimeError;

/// The largest alignment that a section may ask for: that of a page.
pub const ALIGNMENT: usize = 4096;

pub(super) fn unreadable(error: object::Error) -> RuntimeError {
    invalid(format!("it is not a valid 64-bit little-endian ELF object ({error})"))
}

/// An object that cannot be loaded: what is wrong with it, and the way out.
pub(super) fn invalid(what: impl std::fmt::Display) -> RuntimeError {
    RuntimeError::invalid_artifact(format!(
        "its code cannot be loaded: {what}; compile it again for this machine with the matching cubec"
    ))
}
