//! Compiled kernels between runs of a program: one file a kernel.
//!
//! The name of a file is a hash of the kernel's text, the target and this machine; the file begins with a stamp of the compiler
//! that made it, and a file of another compiler is compiled again. With no compiler installed, what is there counts.
use cube_artifact::{Artifact, Target};
use std::fs;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

/// A folder of compiled kernels.
pub struct DiskCache {
    folder: PathBuf,
    stamp: Option<[u8; 32]>,
}

/// Bytes of the stamp.
const STAMP: usize = 32;

impl DiskCache {
    /// The cache in a folder, for the compiler that is installed.
    pub fn new(root: PathBuf, compiler: Option<PathBuf>) -> Self {
        DiskCache { folder: root.join("kernels"), stamp: compiler.and_then(stamp) }
    }

    fn file(&self, text: &str, target: &Target) -> PathBuf {
        let mut hash = blake3::Hasher::new();
        hash.update(text.as_bytes()).update(target.to_string().as_bytes()).update(machine().as_bytes());
        self.folder.join(format!("{}.artifact", hash.finalize().to_hex()))
    }

    /// The compiled kernel of a text; files that are damaged or of another compiler count as none.
    pub fn load(&self, text: &str, target: &Target) -> Option<Artifact> {
        let bytes = fs::read(self.file(text, target)).ok()?;
        let (stamp, artifact) = bytes.split_first_chunk::<STAMP>()?;
        if self.stamp.is_some_and(|mine| mine != *stamp) {
            return None;
        }
        Artifact::from_bytes(artifact).ok()
    }

    /// Keeps a compiled kernel. The file appears whole or not at all; a folder that cannot be written is no error.
    pub fn store(&self, text: &str, target: &Target, artifact: &Artifact) {
        let Some(stamp) = self.stamp else { return };
        let file = self.file(text, target);
        let unique = format!("{}-{:?}.part", std::process::id(), std::thread::current().id());
        let part = file.with_extension(unique.replace(['(', ')'], ""));
        let bytes = [&stamp[..], &artifact.to_bytes()].concat();
        let written = fs::create_dir_all(&self.folder)
            .and_then(|()| fs::write(&part, bytes))
            .and_then(|()| fs::rename(&part, &file));
        if written.is_err() {
            let _ = fs::remove_file(part);
        }
    }
}

/// What tells one compiler from another: its path, size and time.
fn stamp(program: PathBuf) -> Option<[u8; STAMP]> {
    let program = fs::canonicalize(program).ok()?;
    let found = fs::metadata(&program).ok()?;
    let time = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
    let text = format!("{}\n{}\n{time}", program.display(), found.len());
    Some(*blake3::hash(text.as_bytes()).as_bytes())
}

/// What code for this processor depends on.
fn machine() -> String {
    let mut text = format!("{} {} {}", std::env::consts::ARCH, std::env::consts::OS, env!("CARGO_PKG_VERSION"));
    #[cfg(target_arch = "x86_64")]
    for (name, there) in [
        ("avx", std::is_x86_feature_detected!("avx")),
        ("avx2", std::is_x86_feature_detected!("avx2")),
        ("fma", std::is_x86_feature_detected!("fma")),
        ("bmi2", std::is_x86_feature_detected!("bmi2")),
        ("f16c", std::is_x86_feature_detected!("f16c")),
        ("avx512f", std::is_x86_feature_detected!("avx512f")),
        ("avx512bw", std::is_x86_feature_detected!("avx512bw")),
        ("avx512vl", std::is_x86_feature_detected!("avx512vl")),
    ] {
        if there {
            text.push(' ');
            text.push_str(name);
        }
    }
    // Two processors may differ in more than these: their model tells.
    if let Ok(info) = fs::read_to_string("/proc/cpuinfo") {
        let model = info.lines().find(|line| line.starts_with("model name")).unwrap_or_default();
        let flags = info.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
        text.push_str(&blake3::hash(format!("{model}{flags}").as_bytes()).to_hex());
    }
    text
}
