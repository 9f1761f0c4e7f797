//! The inputs that determine a kernel's code, as a hash.
use cube_artifact::{CompileOptions, Target};
use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

/// A hash of all inputs that determine a kernel's code. The hashes of two kernels are equal if and only if
/// all inputs that determine the code are equal.
pub(super) fn of(source: &[u8], target: &Target, options: &CompileOptions) -> [u8; 32] {
    // Only code for a debugger contains the name of the source file and the folder to which the name is relative.
    let mut options = options.clone();
    if !options.debug {
        options.file_name = None;
        options.folder.clear();
    }
    let mut hash = blake3::Hasher::new();
    let rest = postcard::to_stdvec(&(target, options, machine())).expect("options contain only plain data");
    hash.update(&(rest.len() as u64).to_le_bytes()).update(&rest).update(source);
    *hash.finalize().as_bytes()
}

/// A hash that identifies a compiler by its path, size and modification time.
pub(super) fn stamp(program: PathBuf) -> Option<[u8; 32]> {
    let program = fs::canonicalize(program).ok()?;
    let found = fs::metadata(&program).ok()?;
    let time = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
    let text = format!("{}\n{}\n{time}", program.display(), found.len());
    Some(*blake3::hash(text.as_bytes()).as_bytes())
}

/// Properties of this processor that affect code: its name and its features, as the operating system reports them.
pub fn machine() -> &'static str {
    static MACHINE: OnceLock<String> = OnceLock::new();
    MACHINE.get_or_init(|| {
        let mut text = format!("{} {} {}", std::env::consts::ARCH, std::env::consts::OS, env!("CARGO_PKG_VERSION"));
        // `/proc/cpuinfo` has one entry per processor, and the system generates the file during the read. The
        // first entry suffices.
        let mut info = Vec::new();
        if let Ok(file) = fs::File::open("/proc/cpuinfo") {
            let _ = file.take(8 << 10).read_to_end(&mut info);
        }
        let info = String::from_utf8_lossy(&info);
        let first = info.split("\n\n").next().unwrap_or_default();
        let kept = ["vendor_id", "cpu family", "model", "flags", "Features", "CPU implementer", "CPU part"];
        for line in first.lines().filter(|line| kept.iter().any(|name| line.starts_with(name))) {
            text.push('\n');
            text.push_str(line);
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_relevant_options_change_the_key_and_the_file_name_does_not() {
        let cpu = Target::cpu();
        let plain = CompileOptions::default();
        let base = of(b"a", &cpu, &plain);
        let with = |change: &dyn Fn(&mut CompileOptions)| {
            let mut options = plain.clone();
            change(&mut options);
            of(b"a", &cpu, &options)
        };
        assert_eq!(base, of(b"a", &cpu, &plain));
        assert_eq!(base, with(&|o| o.file_name = Some("x.mlir".into())));
        assert_eq!(base, with(&|o| o.folder = "/src".into()));
        let others = [
            of(b"b", &cpu, &plain),
            of(b"a", &Target { chip: Some("x86-64-v3".into()), ..cpu.clone() }, &plain),
            with(&|o| o.kernel = Some("k".into())),
            with(&|o| o.params = vec![("N".into(), "4".into())]),
            with(&|o| o.debug = true),
            with(&|o| {
                o.debug = true;
                o.folder = "/src".into();
            }),
            with(&|o| {
                o.debug = true;
                o.file_name = Some("x.mlir".into());
            }),
        ];
        for (i, one) in others.iter().enumerate() {
            assert!(*one != base && !others[..i].contains(one), "{i}");
        }
    }

    #[test]
    fn rewritten_compiler_file_changes_its_stamp() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("cubec");
        fs::write(&program, "one").unwrap();
        let first = stamp(program.clone());
        assert!(first.is_some() && first == stamp(program.clone()));
        fs::write(&program, "three").unwrap();
        assert_ne!(first, stamp(program));
        assert_eq!(stamp(folder.path().join("none")), None);
    }
}
