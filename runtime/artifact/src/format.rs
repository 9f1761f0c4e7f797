//! The encoding of compiled code, as a name that the backend and the devices share.
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// The encoding of the compiled code in an [`Artifact`](crate::Artifact).
///
/// New formats can be added outside this crate. A backend creates the format of its code with [`CodeFormat::new`], and
/// each device lists the formats that it can load. `CodeFormat` has a constant only for formats whose calling
/// convention this crate defines.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CodeFormat {
    name: Cow<'static, str>,
    extension: Cow<'static, str>,
}

impl CodeFormat {
    /// A relocatable ELF object with one function and no undefined symbols.
    pub const ELF_OBJECT: CodeFormat = CodeFormat::new("elf-object", "o");
    /// NVIDIA PTX, as text.
    pub const PTX: CodeFormat = CodeFormat::new("ptx", "ptx");
    /// A code object of an AMD GPU: a linked ELF object, with code object version 5.
    pub const HSACO: CodeFormat = CodeFormat::new("hsaco", "hsaco");
    /// WGSL, as text.
    pub const WGSL: CodeFormat = CodeFormat::new("wgsl", "wgsl");
    /// SPIR-V, as words of little-endian bytes.
    pub const SPIRV: CodeFormat = CodeFormat::new("spirv", "spv");

    /// Creates a format with this name and file extension. The name and the extension each consist of 1 to 32
    /// characters: lower-case letters, digits and `-`.
    ///
    /// # Panics
    /// Panics if the name or the extension is invalid. In a constant, the panic is a compile error.
    pub const fn new(name: &'static str, extension: &'static str) -> CodeFormat {
        assert!(is_word(name) && is_word(extension), "a format has a name and an extension of small letters");
        CodeFormat { name: Cow::Borrowed(name), extension: Cow::Borrowed(extension) }
    }

    /// The name, which identifies the format.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file extension of code in this format, without the dot.
    pub fn extension(&self) -> &str {
        &self.extension
    }

    /// Whether the name and the extension are valid words. A damaged or malicious artifact can contain invalid words,
    /// and the extension becomes part of a file name.
    pub(crate) fn is_sound(&self) -> bool {
        is_word(&self.name) && is_word(&self.extension)
    }
}

impl fmt::Display for CodeFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

const fn is_word(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !(bytes[at].is_ascii_lowercase() || bytes[at].is_ascii_digit() || bytes[at] == b'-') {
            return false;
        }
        at += 1;
    }
    !bytes.is_empty() && bytes.len() <= 32
}
