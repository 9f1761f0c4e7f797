//! Tests the code blocks of the documentation pages. Every `sh` block runs in the root of the checkout, and its
//! output must equal the `text` block that follows. Every `mlir` block is parsed, printed and parsed again. After
//! the language of a block, the word `no-run` skips the block, and the word `fails` means that the exit code must
//! not be zero. With the word `of=PATH`, the file PATH must contain the block, in code or in comments `//!`. The test `walks.rs` runs the step-by-step pages.
#![forbid(unsafe_code)]

use cube_test::document::{Block, blocks, compare};
use cube_test::toolbox::{TOOLS, Toolbox};
use libtest_mimic::{Arguments, Failed, Trial};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

/// The pages with blocks that change the source tree.
const WALKS: [&str; 4] = ["docs/add-a-pass.md", "docs/add-an-op.md", "docs/add-a-rule.md", "docs/add-a-backend.md"];

struct Checkout {
    root: PathBuf,
    cube: PathBuf,
    path: std::ffi::OsString,
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(message) => cube_test::refuse(&message),
    }
}

fn trials() -> Result<Vec<Trial>, String> {
    let checkout = Arc::new(checkout()?);
    let mut trials = Vec::new();
    for page in pages(&checkout.root)?.into_iter().filter(|page| !WALKS.contains(&page.as_str())) {
        let text = std::fs::read_to_string(checkout.root.join(&page)).map_err(|e| format!("{page}: {e}"))?;
        let blocks = blocks(&text).map_err(|e| format!("{page}: {e}"))?;
        for (index, block) in blocks.iter().enumerate().filter(|(_, block)| !block.says("no-run")) {
            let name = format!("{page}:{}", block.line);
            if let Some(path) = block.words.iter().find_map(|word| word.strip_prefix("of=")) {
                let (checkout, block, path) = (Arc::clone(&checkout), block.clone(), path.to_string());
                trials.push(Trial::test(format!("{name} of {path}"), move || quotes(&checkout, &block, &path)));
            }
            let (checkout, block) = (Arc::clone(&checkout), block.clone());
            match block.language.as_str() {
                "sh" => {
                    let shown = blocks.get(index + 1).filter(|next| next.language == "text").map(|b| b.text.clone());
                    trials.push(Trial::test(name, move || Ok(run(&checkout, &block, shown.as_deref())?)));
                }
                "mlir" => trials.push(Trial::test(name, move || round_trip(&checkout, &block))),
                _ => {}
            }
        }
    }
    Ok(trials)
}

/// Checks that a file contains a block.
fn quotes(checkout: &Checkout, block: &Block, path: &str) -> Result<(), Failed> {
    let text = std::fs::read_to_string(checkout.root.join(path)).map_err(|e| format!("{path}: {e}"))?;
    let lines =
        text.lines().map(|line| line.strip_prefix("//!").map_or(line, |doc| doc.strip_prefix(' ').unwrap_or(doc)));
    let lines: Vec<&str> = lines.collect();
    let quoted: Vec<&str> = block.text.lines().collect();
    if quoted.is_empty() || !lines.windows(quoted.len()).any(|window| window == quoted) {
        return Err(format!("{path} does not contain this block; copy the lines of the file").into());
    }
    Ok(())
}

/// Makes the tools available by name in a folder that precedes all other entries of `PATH`.
fn checkout() -> Result<Checkout, String> {
    let tools = Toolbox::find();
    tools.check()?;
    let links = Path::new(env!("CARGO_TARGET_TMPDIR")).join("docs-tools");
    std::fs::create_dir_all(&links).map_err(|e| format!("{}: {e}", links.display()))?;
    for (name, _) in TOOLS {
        let link = links.join(name);
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(tools.start(), &link).map_err(|e| format!("{}: {e}", link.display()))?;
    }
    let old = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([links, tools.llvm.clone()].into_iter().chain(std::env::split_paths(&old)));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("test/ is in the workspace").into();
    Ok(Checkout { root, cube: tools.start(), path: path.map_err(|e| e.to_string())? })
}

/// The paths of README.md and of the files of docs/ that git tracks.
fn pages(root: &Path) -> Result<Vec<String>, String> {
    let mut git = Command::new("git");
    git.current_dir(root).args(["ls-files", "--cached", "--others", "--exclude-standard", "README.md", "docs/*.md"]);
    let output = git.output().map_err(|e| format!("git did not start: {e}"))?;
    let list = String::from_utf8_lossy(&output.stdout);
    Ok(list.lines().filter(|page| root.join(page).is_file()).map(str::to_string).collect())
}

fn run(checkout: &Checkout, block: &Block, shown: Option<&str>) -> Result<(), String> {
    // One pipe for both outputs keeps them in the order in which a user sees them.
    let script = format!("exec 2>&1\nset -e -o pipefail\n{}", block.text);
    let output = Command::new("bash")
        .args(["-c", &script])
        .current_dir(&checkout.root)
        .env("PATH", &checkout.path)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("bash did not start: {e}"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if output.status.success() == block.says("fails") {
        return Err(format!("ended with {}:\n{printed}", output.status));
    }
    shown.map_or(Ok(()), |shown| compare(shown, &printed))
}

fn round_trip(checkout: &Checkout, block: &Block) -> Result<(), Failed> {
    let once = read_and_print(checkout, block.text.as_bytes())?;
    let twice = read_and_print(checkout, &once)?;
    if once == twice { Ok(()) } else { Err("is printed in another way the second time".into()) }
}

fn read_and_print(checkout: &Checkout, text: &[u8]) -> Result<Vec<u8>, String> {
    let mut command = Command::new(&checkout.cube);
    command.args(["opt", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|e| format!("cube opt did not start: {e}"))?;
    let mut pipe = child.stdin.take().expect("the pipe was requested");
    pipe.write_all(text).map_err(|e| e.to_string())?;
    drop(pipe);
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    if output.status.success() { Ok(output.stdout) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}
