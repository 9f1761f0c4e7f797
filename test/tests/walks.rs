//! Executes the step-by-step pages of docs/ in a copy of this source tree under target/walk. The pages are
//! docs/add-an-op.md, docs/add-a-rule.md, docs/add-a-pass.md and docs/add-a-backend.md, in this order. The tests
//! must pass in a source tree in which an author has followed a page exactly. The tests that compare tables
//! with the source tree run after the first three pages.
//!
//! | block | action |
//! |---|---|
//! | `sh` | runs in the root of the copy; a `text` block after it has the expected output |
//! | `sh later` | runs after the first three pages, so that tools and large tests are built once |
//! | `sh fails` | the same, but the command must fail |
//! | `sh needs=PROGRAM` | the same; skipped with a message on a machine without the program |
//! | `diff file=PATH` | replaces the lines with ` ` and `-` by the lines with ` ` and `+`; `@@` begins another hunk |
//! | any other block with `file=PATH` | writes the file |
#![forbid(unsafe_code)]

use cube_test::document::{Block, blocks, compare};
use cube_test::toolbox::TOOLS;
use cube_test::walk::{copy_tree, patch, seed_target};
use libtest_mimic::{Arguments, Failed, Trial};
use std::cell::RefCell;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Instant, SystemTime};

/// The page about operations is first. Its steps that need the new tools run after the page about passes, whose build
/// contains the changes of all three pages.
const WALKS: [&str; 3] = ["docs/add-an-op.md", "docs/add-a-rule.md", "docs/add-a-pass.md"];

/// The page about backends is last, because the test of the target table reports a backend that refuses every
/// kernel.
const BACKEND: &str = "docs/add-a-backend.md";

/// Tests that fail if a step of a page is skipped, in addition to the tests that the pages show.
const AFTERWARDS: &[&str] = &[
    "cube docs --check",
    "cargo test -q -p cube-test --test filecheck tools/stages",
    "cargo test -q -p cube-test --test filecheck tools/tree",
    "cargo test -q -p cube-test --test filecheck tools/remarks",
    "cargo test -q -p cube-test --test docs docs/debugging.md",
    "cargo test -q -p cube-test --test codes",
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    // The pages run one after the other, because all pages change the same copy of the source tree.
    let pages = format!("walks: {}, then {BACKEND}", WALKS.join(", then "));
    let trials = vec![Trial::test(pages, walk_all), Trial::test(format!("size of {BACKEND}"), backend_is_small)];
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Maximum number of Rust lines in the backend of docs/add-a-backend.md.
const BACKEND_LINES: usize = 400;

/// The files outside of the backend's crate that a new backend changes. `cargo xtask new-backend` changes the first
/// file.
const OUTSIDE: [&str; 3] = ["Cargo.toml", "driver/Cargo.toml", "driver/src/lib.rs"];

/// The page contains the whole crate of the backend, so the check counts the lines of the page's blocks.
fn backend_is_small() -> Result<(), Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("test/ is in the workspace");
    let text = std::fs::read_to_string(root.join(BACKEND))?;
    let blocks = blocks(&text)?;
    let files = || blocks.iter().filter_map(|block| Some((block.file()?, block)));
    let own = |file: &str| file.starts_with("backends/toy/");
    if let Some((file, block)) = files().find(|(file, _)| !own(file) && !OUTSIDE.contains(file)) {
        return Err(format!("{BACKEND}:{}: {file} is outside of the new crate", block.line).into());
    }
    let rust = files().filter(|(file, block)| own(file) && file.ends_with(".rs") && block.language == "rust");
    let lines: usize = rust.map(|(_, block)| block.text.lines().count()).sum();
    // A page without the crate would also be below the limit.
    if (100..=BACKEND_LINES).contains(&lines) {
        return Ok(());
    }
    Err(format!("{BACKEND}: the backend has {lines} lines of Rust, but the limit is {BACKEND_LINES}").into())
}

fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// The crates that the pages change, and the crates that depend on them, with their optimisation levels in the copy. The
/// copy builds these crates again, and then runs few tests. With lower levels and without debug information, the build is
/// shorter.
const LEVELS: [(u8, &[&str]); 2] = [
    (
        0,
        &[
            "cube-ir",
            "cube-dialect",
            "cube-layout-dialect",
            "cube-passes",
            "cube-backend",
            "cube-to-llvm",
            "cube-simt",
            "cube-structured",
            "cube-backend-llvm",
            "cube-backend-cpu",
            "cube-backend-nvptx",
            "cube-backend-amdgpu",
            "cube-backend-spirv",
            "cube-backend-wgsl",
            "cube-driver",
            "cube-fuzz",
            "cube-tools",
            // The page about rules builds both crates three times.
            "cube-rules",
            "cube-prove",
            "cube-backend-interp",
        ],
    ),
    (1, &["cube-semantics"]),
];

/// The settings of cargo for the crates of [`LEVELS`].
fn levels() -> String {
    let all = LEVELS.iter().flat_map(|(level, names)| names.iter().map(move |name| (level, name)));
    all.map(|(level, name)| format!("[profile.dev.package.{name}]\nopt-level = {level}\ndebug = false\n")).collect()
}

struct Checkout {
    tree: PathBuf,
    target: PathBuf,
    path: std::ffi::OsString,
    server: RefCell<Option<Server>>,
}

/// A server of the copy's `cube`, as `cargo xtask test` starts a server for its tests (`tools/test-server`).
struct Server {
    child: Child,
    socket: PathBuf,
    /// The time of the program `cube`. A step that builds `cube` ends the server.
    built: SystemTime,
}

impl Server {
    /// Starts a server. `None` if the server or its client does not exist, so that tests start `cube` themselves.
    fn start(cube: &Path) -> Option<Server> {
        let built = cube.metadata().and_then(|data| data.modified()).ok()?;
        let socket = std::env::temp_dir().join(format!("cube-walk-server-{}", std::process::id()));
        let mut command = Command::new(cube);
        command.arg("test-server").arg(&socket).env("LD_BIND_NOW", "1").stderr(Stdio::null());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take()?).read_line(&mut line).ok()?;
        let server = Server { child, socket, built };
        (line == "ready\n").then_some(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The server ends because its input ends.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Whether cargo set the variable for this test, so that it must not reach the nested cargo. Settings of the user are kept:
/// without them, cargo would build all crates of the copied target folder again.
fn of_this_test(variable: &str) -> bool {
    let kept = ["CARGO_HOME", "CARGO_INCREMENTAL"].contains(&variable) || variable.starts_with("CARGO_PROFILE_");
    variable.starts_with("CARGO_") && !kept
}

fn walk_all() -> Result<(), Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("test/ is in the workspace");
    // CARGO_TARGET_TMPDIR is TARGET/tmp.
    let main_target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target folder");
    let checkout = Checkout::new(root, main_target)?;
    let mut later = Vec::new();
    for page in WALKS {
        later.extend(checkout.walk(root, page)?);
    }
    for (from, text, shown) in later {
        checkout.run(&text, false, shown.as_deref()).map_err(|e| format!("{from}: {e}"))?;
    }
    for command in AFTERWARDS {
        checkout.run(command, false, None).map_err(|e| format!("after the pages, {command}: {e}"))?;
    }
    checkout.walk(root, BACKEND)?;
    Ok(())
}

impl Checkout {
    fn new(root: &Path, main_target: &Path) -> Result<Checkout, String> {
        let folder = main_target.join("walk");
        let (tree, target, links) = (folder.join("tree"), folder.join("target"), folder.join("tools"));
        seed_target(main_target, &target)?;
        let _ = std::fs::copy(main_target.join("debug/cube-client"), target.join("debug/cube-client"));
        copy_tree(root, &tree)?;
        let config = tree.join(".cargo/config.toml");
        std::fs::create_dir_all(tree.join(".cargo")).map_err(|e| format!("{}: {e}", tree.display()))?;
        std::fs::write(&config, levels()).map_err(|e| format!("{}: {e}", config.display()))?;
        std::fs::create_dir_all(&links).map_err(|e| format!("{}: {e}", links.display()))?;
        for (name, _) in TOOLS {
            let link = links.join(name);
            let _ = std::fs::remove_file(&link);
            std::os::unix::fs::symlink(target.join("debug/cube"), &link)
                .map_err(|e| format!("{}: {e}", link.display()))?;
        }
        let old = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(links).chain(std::env::split_paths(&old)));
        Ok(Checkout { tree, target, path: path.map_err(|e| e.to_string())?, server: RefCell::default() })
    }

    // Executes a page. Returns the steps that the page defers: their location, commands and expected output.
    fn walk(&self, root: &Path, page: &str) -> Result<Vec<(String, String, Option<String>)>, String> {
        let text = std::fs::read_to_string(root.join(page)).map_err(|e| format!("{page}: {e}"))?;
        let blocks = blocks(&text).map_err(|e| format!("{page}: {e}"))?;
        let mut later = Vec::new();
        for (index, block) in blocks.iter().enumerate().filter(|(_, block)| !block.says("no-run")) {
            let shown = blocks.get(index + 1).filter(|next| next.language == "text").map(|b| b.text.as_str());
            let at = format!("{page}:{}", block.line);
            let needs = block.words.iter().filter_map(|word| word.strip_prefix("needs="));
            if let Some(program) = needs.into_iter().find(|program| !is_there(program)) {
                eprintln!("{at}: skipped: no {program} on this machine");
                continue;
            }
            if block.says("later") {
                later.push((at, block.text.clone(), shown.map(str::to_string)));
            } else {
                self.step(block, shown).map_err(|e| format!("{at}: {e}"))?;
            }
        }
        Ok(later)
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
        if block.language == "sh" { self.run(&block.text, block.says("fails"), shown) } else { Ok(()) }
    }

    // The socket of a server of the present `cube`. A step that builds `cube` runs its tests without a server.
    fn socket(&self, text: &str) -> Option<PathBuf> {
        let cube = self.target.join("debug/cube");
        let mut server = self.server.borrow_mut();
        let built = cube.metadata().and_then(|data| data.modified()).ok();
        server.take_if(|server| text.contains("cargo build") || built != Some(server.built));
        if server.is_none() && !text.contains("cargo build") && cube.with_file_name("cube-client").is_file() {
            *server = Server::start(&cube);
        }
        server.as_ref().map(|server| server.socket.clone())
    }

    fn run(&self, text: &str, fails: bool, shown: Option<&str>) -> Result<(), String> {
        let mut command = Command::new("bash");
        command.args(["-c", &format!("exec 2>&1\nset -e -o pipefail\n{text}")]);
        for (name, _) in std::env::vars_os().filter(|(name, _)| of_this_test(&name.to_string_lossy())) {
            command.env_remove(name);
        }
        // The server of the enclosing tests runs another `cube`.
        command.env_remove("CUBE_TEST_SERVER").envs(self.socket(text).map(|socket| ("CUBE_TEST_SERVER", socket)));
        command.env_remove("CUBE_TOOLS").env("PATH", &self.path).env("CARGO_TARGET_DIR", &self.target);
        command.env("CARGO_NET_OFFLINE", "true");
        let start = Instant::now();
        let output = command.current_dir(&self.tree).stdin(Stdio::null()).output().map_err(|e| e.to_string())?;
        // Steps take minutes, so each completed step is printed.
        eprintln!("{:5.1} s  {}", start.elapsed().as_secs_f32(), text.lines().collect::<Vec<_>>().join("; "));
        let printed = String::from_utf8_lossy(&output.stdout);
        if output.status.success() == fails {
            return Err(format!("ended with {}:\n{printed}", output.status));
        }
        shown.map_or(Ok(()), |shown| compare(shown, &printed))
    }
}
