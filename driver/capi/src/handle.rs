//! The content of a C handle `cube_artifact`: the artifact, and its zero-terminated texts.
use crate::out::c_text;
use cube_artifact::{Artifact, BufferAccess, ElemType, InfoWord, ParamKind};
use std::{
    ffi::{CString, c_char},
    sync::OnceLock,
};

/// The type `cube_artifact` of `cube.h`.
pub struct CubeArtifact {
    pub(crate) artifact: Artifact,
    pub(crate) kernel: CString,
    pub(crate) entry: CString,
    pub(crate) target: CString,
    pub(crate) format_name: CString,
    names: Vec<CString>,
    /// Name and expression of each derived scalar.
    derived: Vec<(CString, CString)>,
    /// The expression of the cube count along each axis. The list is empty if a launch runs as many cubes as
    /// the program requests.
    cube_count: Vec<CString>,
    features: Vec<CString>,
    bytes: OnceLock<Vec<u8>>,
}

/// The type `cube_param` of `cube.h`.
#[repr(C)]
pub struct CubeParam {
    name: *const c_char,
    elem: *const c_char,
    kind: u32,
    line: u32,
    align: u32,
}

/// The type `cube_derived` of `cube.h`.
#[repr(C)]
pub struct CubeDerived {
    name: *const c_char,
    elem: *const c_char,
    expression: *const c_char,
}

impl CubeArtifact {
    pub(crate) fn new(artifact: Artifact) -> Self {
        CubeArtifact {
            kernel: c_text(&artifact.kernel),
            entry: c_text(&artifact.entry),
            target: c_text(&artifact.target.to_string()),
            format_name: c_text(artifact.format.name()),
            names: artifact.params.iter().map(|p| c_text(&p.name)).collect(),
            derived: artifact.derived.iter().map(|d| (c_text(&d.name), c_text(&d.expression))).collect(),
            cube_count: artifact.cube_count.iter().flatten().map(|text| c_text(text)).collect(),
            features: artifact.features.iter().map(|name| c_text(name)).collect(),
            bytes: OnceLock::new(),
            artifact,
        }
    }

    pub(crate) fn cube_count(&self, axis: usize) -> Option<*const c_char> {
        self.cube_count.get(axis).map(|text| text.as_ptr())
    }

    pub(crate) fn format(&self) -> u32 {
        match self.artifact.format.name() {
            "elf-object" => 1,
            "ptx" => 2,
            "hsaco" => 3,
            _ => 0,
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get_or_init(|| self.artifact.to_bytes())
    }

    pub(crate) fn param(&self, index: usize) -> Option<CubeParam> {
        let (param, name) = (self.artifact.params.get(index)?, self.names.get(index)?.as_ptr());
        Some(match &param.kind {
            ParamKind::Buffer { elem, line, access, align } => {
                let kind = match access {
                    BufferAccess::Read => 1,
                    BufferAccess::Write => 2,
                    BufferAccess::ReadWrite => 3,
                    BufferAccess::Unaccessed => 4,
                };
                let align = (elem.size() as u32 * line).max(*align);
                CubeParam { name, elem: elem_text(*elem), kind, line: *line, align }
            }
            ParamKind::Scalar { elem } => CubeParam { name, elem: elem_text(*elem), kind: 0, line: 0, align: 0 },
        })
    }

    pub(crate) fn derived(&self, index: usize) -> Option<CubeDerived> {
        let (found, (name, expression)) = (self.artifact.derived.get(index)?, self.derived.get(index)?);
        Some(CubeDerived { name: name.as_ptr(), elem: elem_text(found.elem), expression: expression.as_ptr() })
    }

    pub(crate) fn feature(&self, index: usize) -> Option<*const c_char> {
        Some(self.features.get(index)?.as_ptr())
    }

    pub(crate) fn info_param(&self, index: usize) -> Option<usize> {
        let InfoWord::Length { param } = self.artifact.info.get(index)?;
        Some(*param as usize)
    }
}

/// The zero-terminated name of an element type, with static lifetime.
fn elem_text(elem: ElemType) -> *const c_char {
    elem.c_name().as_ptr().cast()
}
