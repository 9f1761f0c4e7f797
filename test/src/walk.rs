//! Copies the source tree with its build output, so that a test can execute the steps of a page in the copy.

use std::collections::BTreeSet;
use std::io::{Error, ErrorKind, Result as IoResult};
use std::path::Path;
use std::process::Command;

/// Copies the files that git does not ignore from `from` to `to`. Deletes an earlier copy. Files and folders have the
/// modification times of `from`, so that cargo builds only crates that the steps of a page change.
///
/// # Errors
/// A file cannot be read or written.
pub fn copy_tree(from: &Path, to: &Path) -> Result<(), String> {
    remove(to)?;
    let mut names = listed(from)?;
    // Cargo joins the flags of all configurations in the folders above. If the same flags occurred twice, cargo would
    // treat them as different flags, and rebuild everything.
    if to.starts_with(from) {
        names.retain(|name| !name.starts_with(".cargo/"));
    }
    for name in &names {
        let (old, new) = (from.join(name), to.join(name));
        let failed = |e: Error| format!("cannot copy {name}: {e}");
        std::fs::create_dir_all(new.parent().unwrap_or(to)).map_err(failed)?;
        std::fs::copy(&old, &new).and_then(|_| same_time(&old, &new)).map_err(failed)?;
    }
    // Build scripts check the times of folders. The time of a folder is the creation time of its newest file.
    let folders: BTreeSet<&Path> = names.iter().flat_map(|name| Path::new(name).ancestors().skip(1)).collect();
    for folder in folders {
        same_time(&from.join(folder), &to.join(folder)).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    // A separate repository, so that commands that ask git see this tree and not the enclosing one.
    run(Command::new("git").current_dir(to).args(["init", "-q"]))
}

fn remove(folder: &Path) -> Result<(), String> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(format!("cannot remove {}: {error}", folder.display()))
        }
        _ => Ok(()),
    }
}

fn same_time(old: &Path, new: &Path) -> IoResult<()> {
    std::fs::File::open(new)?.set_modified(old.metadata()?.modified()?)
}

fn listed(tree: &Path) -> Result<Vec<String>, String> {
    let mut git = Command::new("git");
    git.current_dir(tree).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let output = git.output().map_err(|e| format!("git did not start: {e}"))?;
    if !output.status.success() {
        return Err(format!("git ls-files: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let list = String::from_utf8_lossy(&output.stdout);
    let names = list.split('\0').filter(|name| !name.is_empty() && tree.join(name).is_file());
    Ok(names.map(str::to_string).collect())
}

/// Crates that contain the path of the source tree. Cargo builds these crates again in a copy of the tree.
const WITH_PATHS: [&str; 2] = ["xtask-", "cube-test-"];

/// The beginning of the name of a build folder with the object files of an earlier copy.
const EARLIER: &str = "earlier-";

/// Copies the target folder of this build to a new target folder, so that cargo builds only changed crates there. Deletes an
/// earlier copy, which contains crates of older sources, except for the object files of its C++ sources: the build script
/// of `dialects/bridge` uses an object file again if the command and the content of all inputs are equal. Libraries are
/// hard-linked, because rustc and cargo replace them by new files, and never change them in place. Another build can write
/// to `from` at the same time: files that end before they are copied are left out.
///
/// # Errors
/// A file cannot be read or written.
pub fn seed_target(from: &Path, to: &Path) -> Result<(), String> {
    let failed = |e: Error| format!("cannot copy {} to {}: {e}", from.display(), to.display());
    let objects = to.with_extension("objects");
    keep_objects(&to.join("debug/build"), &objects)?;
    remove(to)?;
    let (from, to) = (from.join("debug"), to.join("debug"));
    copy_folder(&from.join("build"), &to.join("build")).map_err(failed)?;
    for entry in objects.read_dir().map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = format!("{EARLIER}{}", entry.file_name().to_string_lossy());
        move_folder(&entry.path(), &to.join("build").join(name), |old, new| std::fs::rename(old, new))
            .map_err(failed)?;
    }
    copy_folder(&from.join(".fingerprint"), &to.join(".fingerprint")).map_err(failed)?;
    let (old, new) = (from.join("deps"), to.join("deps"));
    std::fs::create_dir_all(&new).map_err(failed)?;
    for entry in old.read_dir().map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let is_library =
            Path::new(&name).extension().is_some_and(|end| ["rlib", "rmeta", "so"].iter().any(|of| end == *of));
        if is_library && entry.path().is_file() {
            if_present(std::fs::hard_link(entry.path(), new.join(name))).map_err(failed)?;
        }
    }
    Ok(())
}

// Moves the build folders that have object files with records of their inputs.
fn keep_objects(build: &Path, to: &Path) -> Result<(), String> {
    let failed = |e: Error| format!("cannot move object files of {}: {e}", build.display());
    remove(to)?;
    std::fs::create_dir_all(to).map_err(failed)?;
    let Ok(entries) = build.read_dir() else { return Ok(()) };
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let is_earlier = entry.file_name().to_string_lossy().starts_with(EARLIER);
        let files = entry.path().join("out").read_dir().into_iter().flatten();
        let mut names = files.filter_map(|file| Some(file.ok()?.file_name()));
        if !is_earlier && names.any(|name| Path::new(&name).extension().is_some_and(|end| end == "inputs")) {
            let to = to.join(entry.file_name());
            move_folder(&entry.path(), &to, |old, new| std::fs::rename(old, new)).map_err(failed)?;
        }
    }
    Ok(())
}

// Moves a folder of cargo's files by `rename`. A layered file system does not rename a folder of a lower layer, so that the
// folder is copied there.
fn move_folder(from: &Path, to: &Path, rename: impl Fn(&Path, &Path) -> IoResult<()>) -> IoResult<()> {
    match rename(from, to) {
        Err(error) if error.kind() == ErrorKind::CrossesDevices => {
            copy_folder(from, to)?;
            std::fs::remove_dir_all(from)
        }
        done => done,
    }
}

// Copies a folder of cargo's files with their modification times, without those of the crates in `WITH_PATHS`.
fn copy_folder(from: &Path, to: &Path) -> IoResult<()> {
    std::fs::create_dir_all(to)?;
    for entry in from.read_dir()? {
        let entry = entry?;
        let (old, new) = (entry.path(), to.join(entry.file_name()));
        if WITH_PATHS.iter().any(|name| entry.file_name().to_string_lossy().starts_with(name)) {
            continue;
        }
        if old.is_dir() {
            if_present(copy_folder(&old, &new))?;
        } else {
            if_present(std::fs::copy(&old, &new).and_then(|_| same_time(&old, &new)))?;
        }
    }
    if_present(same_time(from, to))
}

fn if_present(done: IoResult<()>) -> IoResult<()> {
    done.or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|e| format!("{command:?} did not start: {e}"))?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// Applies a change to a text, in a diff notation without line numbers. Lines that start with ` ` or `-` are the
/// old text at a position. Lines that start with ` ` or `+` are the new text. A line `@@` separates two
/// positions.
///
/// # Errors
/// The old text of a position does not occur in the text, or occurs twice.
pub fn patch(text: &str, change: &str) -> Result<String, String> {
    let mut text: String = text.into();
    for hunk in change.split("@@\n").filter(|hunk| !hunk.trim().is_empty()) {
        let side = |mark: char| -> String {
            let lines = hunk.lines().filter(|l| l.is_empty() || l.starts_with([' ', mark]));
            lines.map(|l| format!("{}\n", l.get(1..).unwrap_or(""))).collect()
        };
        let (old, new) = (side('-'), side('+'));
        match text.matches(&old).count() {
            1 => text = text.replacen(&old, &new, 1),
            0 => return Err(format!("the location does not exist:\n{old}")),
            n => return Err(format!("there are {n} such locations:\n{old}")),
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_found_by_its_lines() {
        let change = " b\n-c\n+x\n+y\n@@\n e\n+f\n";
        assert_eq!(patch("a\nb\nc\nd\ne\n", change).unwrap(), "a\nb\nx\ny\nd\ne\nf\n");
        assert!(patch("a\n", " b\n+c\n").unwrap_err().contains("does not exist"));
        assert!(patch("b\nb\n", " b\n+c\n").unwrap_err().contains("2 such locations"));
    }

    #[test]
    fn a_folder_that_the_file_system_does_not_rename_is_copied() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        std::fs::create_dir_all(from.join("out")).unwrap();
        std::fs::write(from.join("out/A.o"), "object").unwrap();
        let time = from.join("out/A.o").metadata().unwrap().modified().unwrap();
        move_folder(&from, &to, |_, _| Err(ErrorKind::CrossesDevices.into())).unwrap();
        assert_eq!(std::fs::read_to_string(to.join("out/A.o")).unwrap(), "object");
        assert_eq!(to.join("out/A.o").metadata().unwrap().modified().unwrap(), time);
        assert!(!from.exists());
        let denied = move_folder(&to, &from, |_, _| Err(ErrorKind::PermissionDenied.into())).unwrap_err();
        assert_eq!(denied.kind(), ErrorKind::PermissionDenied);
        assert!(to.exists() && !from.exists());
    }

    #[test]
    fn a_new_copy_has_the_objects_of_the_last_copy_and_no_other_file_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        let write = |path: std::path::PathBuf, text: &str| {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        for part in ["build/bridge-1/out/A.o", ".fingerprint/x", "deps/libx.rlib"] {
            write(from.join("debug").join(part), "main");
        }
        seed_target(&from, &to).unwrap();
        let build = to.join("debug/build");
        write(build.join("bridge-1/out/A.o"), "first copy");
        write(build.join("bridge-1/out/A.inputs"), "first copy");
        write(build.join("other-1/out/B.o"), "first copy");
        for _ in 0..2 {
            seed_target(&from, &to).unwrap();
            let read = |name: &str| std::fs::read_to_string(build.join(name)).ok();
            assert_eq!(read("bridge-1/out/A.o").as_deref(), Some("main"));
            assert_eq!(read("other-1/out/B.o"), None);
            assert_eq!(read("earlier-bridge-1/out/A.o").as_deref(), Some("first copy"));
            // The build script copies the object with its record.
            std::fs::copy(build.join("earlier-bridge-1/out/A.o"), build.join("bridge-1/out/A.o")).unwrap();
            std::fs::copy(build.join("earlier-bridge-1/out/A.inputs"), build.join("bridge-1/out/A.inputs")).unwrap();
        }
    }
}
