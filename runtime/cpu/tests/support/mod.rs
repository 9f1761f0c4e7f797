//! Kernels that gcc compiles, and artifacts that contain them.
use cube_artifact::{Artifact, BufferAccess, CodeFormat, ElemType, InfoWord, Param, ParamKind, Target};
use std::path::Path;
use std::process::Command;

/// The object that gcc compiles from `tests/kernels/NAME.c`.
pub fn object(name: &str, flags: &[&str]) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels");
    let out = tempfile::NamedTempFile::new().expect("a temporary file");
    let mut gcc = Command::new("gcc");
    gcc.args(["-c", "-O2", "-fPIC", "-ffreestanding", "-fno-stack-protector"]).args(flags);
    let done = gcc.arg(folder.join(format!("{name}.c"))).arg("-o").arg(out.path()).output().expect("gcc starts");
    assert!(done.status.success(), "gcc: {}", String::from_utf8_lossy(&done.stderr));
    std::fs::read(out.path()).expect("gcc wrote the object")
}

/// A buffer parameter whose lines have one element.
pub fn buffer(name: &str, elem: ElemType, access: BufferAccess) -> Param {
    Param { name: name.into(), kind: ParamKind::Buffer { elem, line: 1, align: 1, access } }
}

/// An artifact that contains an object.
pub fn artifact(entry: &str, code: Vec<u8>, params: Vec<Param>, cube_dim: [u32; 3]) -> Artifact {
    let buffers = params.iter().enumerate().filter(|(_, p)| matches!(p.kind, ParamKind::Buffer { .. }));
    let info = buffers.map(|(index, _)| InfoWord::Length { param: index as u32 }).collect();
    Artifact {
        kernel: entry.into(),
        entry: entry.into(),
        target: Target::cpu(),
        format: CodeFormat::ELF_OBJECT,
        code,
        params,
        derived: vec![],
        info,
        cube_dim,
        checked: true,
        shared_bytes: 0,
        scratch_bytes: 0,
        prints: vec![],
        overwritten: vec![],
        plane_dim: None,
        cube_count: None,
        unit_limit: Some(1 << 32),
        first_cubes: None,
        features: vec![],
    }
}

/// `x[i] *= a`.
pub fn scale() -> Artifact {
    of_buffer_and_scalar("scale", 64)
}

/// A kernel of some milliseconds that uses no memory.
#[allow(dead_code, reason = "only the bench uses this kernel")]
pub fn chain() -> Artifact {
    of_buffer_and_scalar("chain", 1)
}

fn of_buffer_and_scalar(name: &str, units: u32) -> Artifact {
    let a = Param { name: "a".into(), kind: ParamKind::Scalar { elem: ElemType::F32 } };
    artifact(name, object(name, &[]), vec![buffer("x", ElemType::F32, BufferAccess::ReadWrite), a], [units, 1, 1])
}
