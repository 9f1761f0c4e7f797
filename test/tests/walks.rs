//! The walks of docs/ are walked: in a copy of this tree under target/walk, each block of docs/add-an-op.md and then of
//! docs/add-a-pass.md is done as a reader would do it.
//!
//! | block | what is done |
//! |---|---|
//! | `sh` | run in the copy's root; a `text` block behind it shows what is printed |
//! | `diff file=PATH` | the lines with ` ` and `-` are found in the file, and become those with ` ` and `+`; `@@` begins another place |
//! | any other with `file=PATH` | becomes the file |
#![forbid(unsafe_code)]

use cube_test::document::{Block, blocks, compare};
use cube_test::toolbox::TOOLS;
use cube_test::walk::{copy_tree, patch, seed_target};
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// The operation first: what it changes in C++ is then built once, also in a copy that was walked before.
const WALKS: [&str; 2] = ["docs/add-an-op.md", "docs/add-a-pass.md"];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    // One after the other: they share the copy, as two changes share a tree.
    let trial = Trial::test(format!("walks: {}", WALKS.join(", then ")), walk_all);
    libtest_mimic::run(&arguments, vec![trial]).exit_code()
}

struct Place {
    tree: PathBuf,
    target: PathBuf,
    path: std::ffi::OsString,
}

fn walk_all() -> Result<(), Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("test/ stands in the workspace");
    // CARGO_TARGET_TMPDIR is TARGET/tmp.
    let main_target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target folder");
    let place = Place::new(root, main_target)?;
    for page in WALKS {
        let text = std::fs::read_to_string(root.join(page)).map_err(|e| format!("{page}: {e}"))?;
        let blocks = blocks(&text).map_err(|e| format!("{page}: {e}"))?;
        for (index, block) in blocks.iter().enumerate().filter(|(_, block)| !block.says("no-run")) {
            let shown = blocks.get(index + 1).filter(|next| next.language == "text").map(|b| b.text.as_str());
            place.step(block, shown).map_err(|e| format!("{page}:{}: {e}", block.line))?;
        }
    }
    Ok(())
}

impl Place {
    fn new(root: &Path, main_target: &Path) -> Result<Place, String> {
        let folder = main_target.join("walk");
        let (tree, target, links) = (folder.join("tree"), folder.join("target"), folder.join("tools"));
        copy_tree(root, &tree)?;
        seed_target(main_target, &target)?;
        std::fs::create_dir_all(&links).map_err(|e| format!("{}: {e}", links.display()))?;
        for (name, _) in TOOLS {
            let link = links.join(name);
            let _ = std::fs::remove_file(&link);
            std::os::unix::fs::symlink(target.join("debug/cube"), &link)
                .map_err(|e| format!("{}: {e}", link.display()))?;
        }
        let old = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(links).chain(std::env::split_paths(&old)));
        Ok(Place { tree, target, path: path.map_err(|e| e.to_string())? })
    }

    fn step(&self, block: &Block, shown: Option<&str>) -> Result<(), String> {
        if let Some(file) = block.file() {
            let path = self.tree.join(file);
            let text = match block.language.as_str() {
                "diff" => {
                    let old = std::fs::read_to_string(&path).map_err(|e| format!("{file}: {e}"))?;
                    patch(&old, &block.text).map_err(|e| format!("{file}: {e}"))?
                }
                _ => block.text.clone(),
            };
            return std::fs::write(&path, text).map_err(|e| format!("{file}: {e}"));
        }
        if block.language == "sh" { self.run(block, shown) } else { Ok(()) }
    }

    fn run(&self, block: &Block, shown: Option<&str>) -> Result<(), String> {
        let mut command = Command::new("bash");
        command.args(["-c", &format!("exec 2>&1\nset -e -o pipefail\n{}", block.text)]);
        // What cargo told this test about itself is not what it tells the next cargo.
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CARGO_")) {
            if name != "CARGO_HOME" {
                command.env_remove(name);
            }
        }
        command.env_remove("CUBE_TOOLS").env("PATH", &self.path).env("CARGO_TARGET_DIR", &self.target);
        command.env("CARGO_NET_OFFLINE", "true");
        let output = command.current_dir(&self.tree).stdin(Stdio::null()).output().map_err(|e| e.to_string())?;
        let printed = String::from_utf8_lossy(&output.stdout);
        if output.status.success() == block.says("fails") {
            return Err(format!("ended with {}:\n{printed}", output.status));
        }
        shown.map_or(Ok(()), |shown| compare(shown, &printed))
    }
}
