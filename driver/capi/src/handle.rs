//! What a `cube_artifact` of C holds: the artifact, and its texts with the zero bytes that C wants.
use cube_artifact::{Access, Artifact, CodeFormat, InfoWord, ParamKind};
use std::{
    ffi::{CStr, CString, c_char},
    sync::OnceLock,
};

/// `cube_artifact`.
pub struct CubeArtifact {
    pub(crate) artifact: Artifact,
    pub(crate) kernel: CString,
    pub(crate) entry: CString,
    pub(crate) target: CString,
    names: Vec<CString>,
    bytes: OnceLock<Vec<u8>>,
}

/// `cube_param`.
#[repr(C)]
pub struct CubeParam {
    name: *const c_char,
    elem: *const c_char,
    kind: u32,
    line: u32,
}

/// The text up to its first zero byte, which no name has.
pub(crate) fn c_text(text: &str) -> CString {
    let end = text.bytes().position(|b| b == 0).unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

impl CubeArtifact {
    pub(crate) fn new(artifact: Artifact) -> Self {
        CubeArtifact {
            kernel: c_text(&artifact.kernel),
            entry: c_text(&artifact.entry),
            target: c_text(&artifact.target.to_string()),
            names: artifact.params.iter().map(|p| c_text(&p.name)).collect(),
            bytes: OnceLock::new(),
            artifact,
        }
    }

    pub(crate) fn format(&self) -> u32 {
        match self.artifact.format {
            CodeFormat::ElfObject => 1,
            CodeFormat::Ptx => 2,
            CodeFormat::AmdgpuAssembly => 3,
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get_or_init(|| self.artifact.to_bytes())
    }

    pub(crate) fn param(&self, index: usize) -> Option<CubeParam> {
        let (param, name) = (self.artifact.params.get(index)?, self.names.get(index)?.as_ptr());
        Some(match &param.kind {
            ParamKind::Buffer { elem, line, access, .. } => {
                let kind = match access {
                    Access::Read => 1,
                    Access::Write => 2,
                    Access::ReadWrite => 3,
                };
                CubeParam { name, elem: elem_text(elem.name()).as_ptr(), kind, line: *line }
            }
            ParamKind::Scalar { elem } => CubeParam { name, elem: elem_text(elem.name()).as_ptr(), kind: 0, line: 0 },
        })
    }

    pub(crate) fn info_param(&self, index: usize) -> Option<usize> {
        let InfoWord::Length { param } = self.artifact.info.get(index)?;
        Some(*param as usize)
    }
}

/// A name of an element type with a zero byte behind it, which lives for ever.
fn elem_text(name: &str) -> &'static CStr {
    const NAMES: [&CStr; 13] =
        [c"bool", c"i8", c"i16", c"i32", c"i64", c"u8", c"u16", c"u32", c"u64", c"f16", c"bf16", c"f32", c"f64"];
    NAMES.into_iter().find(|text| text.to_bytes() == name.as_bytes()).unwrap_or(c"unknown")
}
