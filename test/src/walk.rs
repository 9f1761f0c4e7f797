//! Copies the source tree with its build output, so that a test can execute the steps of a page in the copy.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Copies the files that git does not ignore from `from` to `to`. Deletes each file in `to` that `from` does
/// not contain and that git does not ignore. An unchanged file keeps its modification time, so that cargo
/// builds only the changed crates. The first copy also preserves the modification times of `from`, so that
/// cargo builds only the changed crates.
///
/// # Errors
/// A file cannot be read or written.
pub fn copy_tree(from: &Path, to: &Path) -> Result<(), String> {
    let first = !to.exists();
    let mut source_names = listed(from)?;
    // Cargo joins the flags of all configurations in the folders above. If the same flags occurred twice, cargo would
    // treat them as different flags, and rebuild everything.
    if to.starts_with(from) {
        source_names.retain(|name| !name.starts_with(".cargo/"));
    }
    for name in &source_names {
        let (old, new) = (from.join(name), to.join(name));
        let failed = |e: std::io::Error| format!("cannot copy {name}: {e}");
        let bytes = std::fs::read(&old).map_err(failed)?;
        if std::fs::read(&new).is_ok_and(|there| there == bytes) {
            continue;
        }
        std::fs::create_dir_all(new.parent().unwrap_or(to)).map_err(failed)?;
        std::fs::write(&new, bytes).map_err(failed)?;
        let meta = old.metadata().map_err(failed)?;
        std::fs::set_permissions(&new, meta.permissions()).map_err(failed)?;
        if first {
            same_time(&old, &new).map_err(failed)?;
        }
    }
    if first {
        // Build scripts check the times of folders. The time of a folder is the creation time of its newest file.
        let folders: BTreeSet<&Path> =
            source_names.iter().flat_map(|name| Path::new(name).ancestors().skip(1)).collect();
        for folder in folders {
            same_time(&from.join(folder), &to.join(folder)).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
    }
    // A separate repository, so that commands that ask git see this tree and not the enclosing one.
    if first {
        run(Command::new("git").current_dir(to).args(["init", "-q"]))?;
    }
    for name in listed(to)?.iter().filter(|name| !source_names.contains(name)) {
        std::fs::remove_file(to.join(name)).map_err(|e| format!("cannot remove {name}: {e}"))?;
    }
    Ok(())
}

fn same_time(old: &Path, new: &Path) -> std::io::Result<()> {
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

/// Copies the target folder of this build to a new target folder. Crates from the registry are hard-linked, because
/// cargo never changes their files in place. Cube's own crates are copied. Crates that contain the path of the source
/// tree (this runner and xtask) are not copied, so that cargo builds them again.
///
/// # Errors
/// A `cp` fails.
pub fn seed_target(from: &Path, to: &Path) -> Result<(), String> {
    if to.exists() {
        return Ok(());
    }
    let script = r#"set -e
from=$0/debug to=$1.new/debug
rm -rf "$1.new"; mkdir -p "$to/deps"
cp -a "$from/build" "$from/.fingerprint" "$to/"
rm -rf "$to"/.fingerprint/xtask-* "$to"/.fingerprint/cube-test-*
find "$from/deps" -type f \( -name 'libcube*.rlib' -o -name 'libcube*.rmeta' \) -exec cp -a -t "$to/deps" {} +
find "$from/deps" -type f \( -name '*.rlib' -o -name '*.rmeta' -o -name '*.so' -o -name '*.d' \) \
  ! -name 'libcube*' ! -name 'cube*' ! -name 'xtask*' -exec ln -t "$to/deps" {} +
mv "$1.new" "$1""#;
    run(Command::new("bash").args(["-c", script]).arg(from).arg(to))
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
}
