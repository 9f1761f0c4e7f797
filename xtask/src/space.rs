//! Checks that the disk has space for a build. On a full disk, a linker ends with a signal, and its message does not name
//! the disk.

use crate::Outcome;
use crate::workspace::target_folder;
use std::path::Path;
use std::process::Command;

/// A task that builds. Its output in an empty target folder was measured without debug information and without incremental
/// builds, so a default build takes more: 1.8 GiB for all libraries and programs, and 4.3 GiB after a run of all tests.
#[derive(Clone, Copy)]
pub enum Build {
    /// The tools of `cargo xtask demo`.
    Tools,
    /// All tools and tests, and the copies of the tree that tests build.
    Tests,
}

impl Build {
    const fn bytes(self) -> u64 {
        match self {
            Build::Tools => 2 * GIB,
            Build::Tests => 5 * GIB,
        }
    }
}

const GIB: u64 = 1 << 30;

/// The space that linkers and tests need beside the output that exists already.
const RESERVE: u64 = GIB;

/// Fails if the disk has too little space for the build. Output of an earlier build counts as present. On a system without
/// `df`, nothing is checked.
pub fn ensure(root: &Path, build: Build) -> Outcome {
    let folder = target_folder(root);
    // The target folder does not exist before the first build.
    let existing = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(root);
    let Some(free) = free(existing) else { return Ok(()) };
    verdict(&folder, free, size(&folder), build)
}

fn verdict(folder: &Path, free: u64, present: u64, build: Build) -> Outcome {
    let needed = build.bytes().saturating_sub(present).max(RESERVE);
    if free >= needed {
        return Ok(());
    }
    let gib = |bytes: u64| format!("{:.1} GiB", bytes as f64 / GIB as f64);
    Err(format!(
        "the disk of {} has {} free, but the build needs about {}; delete files, or set CARGO_TARGET_DIR to a folder on another disk",
        folder.display(),
        gib(free),
        gib(needed)
    ))
}

/// The free bytes of the disk that contains a folder.
fn free(folder: &Path) -> Option<u64> {
    let output = Command::new("df").arg("-Pk").arg(folder).output().ok().filter(|output| output.status.success())?;
    available(&String::from_utf8_lossy(&output.stdout))
}

/// The column `Available` of the output of `df -Pk`. The name of a disk can contain spaces, so that the column is counted from
/// the percentage.
fn available(text: &str) -> Option<u64> {
    let row: Vec<&str> = text.lines().nth(1)?.split_whitespace().collect();
    let percentage = row.iter().position(|cell| cell.ends_with('%'))?;
    let kilobytes: u64 = row.get(percentage.checked_sub(1)?)?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The bytes of all files in a folder, without those that cannot be read.
fn size(folder: &Path) -> u64 {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(data) if data.is_dir() => size(&entry.path()),
        Ok(data) => data.len(),
        Err(_) => 0,
    });
    bytes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_an_error_with_the_fix() {
        let folder = Path::new("/checkout/target");
        let error = verdict(folder, 3 * GIB, GIB / 2, Build::Tests).unwrap_err();
        assert!(error.contains("the disk of /checkout/target has 3.0 GiB free"), "{error}");
        assert!(error.contains("needs about 4.5 GiB") && error.contains("CARGO_TARGET_DIR"), "{error}");
        assert_eq!(verdict(folder, 3 * GIB, 4 * GIB, Build::Tests), Ok(()));
        // Also an existing build writes new files.
        assert!(verdict(folder, GIB / 2, 9 * GIB, Build::Tools).is_err());
    }

    #[test]
    fn the_available_column_is_read() {
        let text = "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/my disk 100 60 40 60% /a b\n";
        assert_eq!(available(text), Some(40 * 1024));
        assert_eq!(available("Filesystem\n"), None);
    }

    #[test]
    fn this_disk_has_space_and_a_size() {
        assert!(free(Path::new(env!("CARGO_MANIFEST_DIR"))).is_some_and(|bytes| bytes > 0));
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join("inside")).unwrap();
        std::fs::write(temp.path().join("inside/file"), [0; 5000]).unwrap();
        assert_eq!(size(temp.path()), 5000);
        assert_eq!(free(Path::new("/no/such/folder")), None);
    }
}
