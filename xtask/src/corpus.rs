//! `cargo xtask corpus`: runs kernels and layout rows that are not part of this tree.
//!
//! * `corpus layouts FILE` runs the rows of a JSON file, one row per line, in the format of the public rows
//!   (`layout-algebra/tests/data/vectors.jsonl`).
//! * `corpus mlir FOLDER` runs each `.mlir` file with RUN-ARGS lines on each backend of this machine, as the files of
//!   `test/run`.
//! * `corpus rust FOLDER` runs each `.rs` file as a test or program of a crate whose dependency `cubecl` is the crate
//!   `cube` of this workspace.

use crate::phase::phase;
use crate::shell::{cargo, run as run_command};
use crate::suite::build;
use crate::workspace::{root, target_folder};
use crate::{Outcome, links};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The manifest of the crate with the Rust files.
const MANIFEST: &str = r#"[package]
name = "corpus"
version = "0.1.0"
edition = "2024"

[lib]
name = "cube"

[dependencies]
cubecl = { package = "cube-mlir", path = "CUBE", features = ["cuda", "wgpu-spirv"] }
half = { version = "2", features = ["num-traits"] }
num-traits = "0.2"
bytemuck = "1"

[workspace]
"#;

/// The usage in the error for other arguments.
const USAGE: &str = "write `layouts FILE`, `mlir FOLDER` or `rust FOLDER`";

pub fn run(arguments: &[String]) -> Outcome {
    let [kind, path] = arguments else { return Err(USAGE.into()) };
    let path = std::fs::canonicalize(path).map_err(|error| format!("{path}: {error}"))?;
    match kind.as_str() {
        "layouts" => layouts(&path),
        "mlir" => mlir(&path),
        "rust" => rust(&path),
        _ => Err(USAGE.into()),
    }
}

fn layouts(file: &Path) -> Outcome {
    let arguments = ["test", "-p", "cube-layout-cli", "--test", "vectors", "--", "--nocapture", "every_row"];
    run_command(cargo(&root(), &arguments).env("CUBE_LAYOUT_ROWS", file))
}

fn mlir(folder: &Path) -> Outcome {
    let root = root();
    phase("building the tools", || build(&root, false).and_then(|()| links::make(&root).map(drop)))?;
    run_command(cargo(&root, &["test", "-p", "cube-test", "--test", "run"]).env("CUBE_RUN_FOLDER", folder))
}

/// A Rust file of a corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Source {
    /// The name of the cargo target: the path in the corpus, in lower case with `_` between its parts.
    name: String,
    path: PathBuf,
    /// A program has a function `main`. Any other file has functions with `#[test]`.
    is_program: bool,
}

fn rust(folder: &Path) -> Outcome {
    let root = root();
    let tree = target_folder(&root).join("corpus");
    let sources = sources_under(folder)?;
    if sources.is_empty() {
        return Err(format!("no .rs file in {}", folder.display()));
    }
    write_crate(&root, &tree, &sources)?;
    // Files that do not compile do not stop the build of other files. The loop below reports these files.
    phase("building the files", || cargo_of(&tree, &["build", "--tests", "--examples", "--keep-going"]).map(drop))?;
    let (mut tests, mut failed) = (0, Vec::new());
    for source in &sources {
        let (passed, row) = source.run(&tree)?;
        println!("{:<40} {row}", source.name);
        match passed {
            Some(passed) => tests += passed,
            None => failed.push(source.name.as_str()),
        }
    }
    println!("{} of {} files passed, with {tests} tests and programs", sources.len() - failed.len(), sources.len());
    if failed.is_empty() { Ok(()) } else { Err(format!("these files failed: {}", failed.join(", "))) }
}

impl Source {
    /// Runs the file. The result is the number of passed tests, or `None` after a failure, and the row of the report.
    fn run(&self, tree: &Path) -> Result<(Option<usize>, String), String> {
        let build: &[&str] = if self.is_program { &["build", "--example"] } else { &["test", "--no-run", "--test"] };
        let built = cargo_of(tree, &[build, &[self.name.as_str()]].concat())?;
        if !built.status.success() {
            return Ok((None, format!("does not compile: {}", first_error(&String::from_utf8_lossy(&built.stderr)))));
        }
        let run: &[&str] = if self.is_program { &["run", "--example"] } else { &["test", "--no-fail-fast", "--test"] };
        let ended = cargo_of(tree, &[run, &[self.name.as_str()]].concat())?;
        let printed = String::from_utf8_lossy(&ended.stdout);
        let passed = if self.is_program { 1 } else { passed_tests(&printed) };
        if ended.status.success() && passed > 0 {
            return Ok((Some(passed), format!("{passed} passed")));
        }
        let failed: Vec<&str> = printed.lines().filter(|line| line.ends_with("... FAILED")).collect();
        let reason = match (failed.is_empty(), passed) {
            (false, _) => failed.join("; "),
            (true, 0) => "neither a test nor a function `main`".into(),
            (true, _) => format!("ended with {}", ended.status),
        };
        Ok((None, reason))
    }
}

/// All `.rs` files in a folder and its subfolders, sorted by name.
fn sources_under(folder: &Path) -> Result<Vec<Source>, String> {
    let (mut folders, mut sources) = (vec![folder.to_path_buf()], Vec::new());
    while let Some(inner) = folders.pop() {
        let failed = |error| format!("cannot read {}: {error}", inner.display());
        for entry in std::fs::read_dir(&inner).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                let name = name_of(path.strip_prefix(folder).unwrap_or(&path));
                sources.push(Source { name, path, is_program: text.lines().any(|line| line.starts_with("fn main(")) });
            }
        }
    }
    sources.sort_by(|one, other| one.name.cmp(&other.name));
    match sources.windows(2).find(|two| two[0].name == two[1].name) {
        Some(two) => Err(format!("{} and {} have the same name", two[0].path.display(), two[1].path.display())),
        None => Ok(sources),
    }
}

fn name_of(path: &Path) -> String {
    let name = path.with_extension("").to_string_lossy().to_lowercase();
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// Writes the crate, without the files of an earlier run.
fn write_crate(root: &Path, tree: &Path, sources: &[Source]) -> Outcome {
    let failed = |error| format!("cannot write {}: {error}", tree.display());
    for folder in ["tests", "examples", "src"] {
        match std::fs::remove_dir_all(tree.join(folder)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
    }
    for folder in ["tests", "examples", "src"] {
        std::fs::create_dir_all(tree.join(folder)).map_err(failed)?;
    }
    // A file can call the crate `cubecl` or `cube`.
    std::fs::write(tree.join("src/lib.rs"), "pub use cubecl::*;\n").map_err(failed)?;
    std::fs::copy(root.join("Cargo.lock"), tree.join("Cargo.lock")).map_err(failed)?;
    let manifest = MANIFEST.replace("CUBE", &root.join("cube").to_string_lossy());
    std::fs::write(tree.join("Cargo.toml"), manifest).map_err(failed)?;
    for source in sources {
        // Cargo builds all binaries of a package for each test, so a program that does not compile would stop the tests.
        let folder = if source.is_program { "examples" } else { "tests" };
        let copy = tree.join(folder).join(&source.name).with_extension("rs");
        std::fs::copy(&source.path, copy).map_err(|error| format!("{}: {error}", source.path.display()))?;
    }
    Ok(())
}

fn cargo_of(tree: &Path, arguments: &[&str]) -> Result<Output, String> {
    let mut cargo = Command::new("cargo");
    cargo.args(arguments).current_dir(tree).env("CARGO_TARGET_DIR", tree.join("target"));
    cargo.output().map_err(|error| format!("cannot start cargo: {error}"))
}

fn first_error(printed: &str) -> &str {
    // The lines are `error: TEXT` and `error[CODE]: TEXT`.
    let errors = printed.lines().filter(|line| line.starts_with("error"));
    errors.filter_map(|line| Some(line.split_once(": ")?.1)).next().unwrap_or("cargo prints no error")
}

/// The number in lines such as `test result: ok. 3 passed; 0 failed`.
fn passed_tests(printed: &str) -> usize {
    let results = printed.lines().filter_map(|line| line.strip_prefix("test result: "));
    let passed = results.filter_map(|line| line.split_once(". ")?.1.split_once(" passed")?.0.parse::<usize>().ok());
    passed.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_tests_or_programs_of_the_crate() {
        let folder = tempfile::tempdir().unwrap();
        let (corpus, tree) = (folder.path().join("files"), folder.path().join("crate"));
        std::fs::create_dir_all(corpus.join("sums")).unwrap();
        std::fs::write(corpus.join("Scale-1.rs"), "#[test]\nfn a() {}\n").unwrap();
        std::fs::write(corpus.join("sums/rows.rs"), "fn main() {}\n").unwrap();
        std::fs::write(corpus.join("notes.md"), "").unwrap();
        let sources = sources_under(&corpus).unwrap();
        let found: Vec<_> = sources.iter().map(|source| (source.name.as_str(), source.is_program)).collect();
        assert_eq!(found, [("scale_1", false), ("sums_rows", true)]);
        // A file of an earlier run does not stay.
        std::fs::create_dir_all(tree.join("tests")).unwrap();
        std::fs::write(tree.join("tests/old.rs"), "").unwrap();
        std::fs::write(folder.path().join("Cargo.lock"), "").unwrap();
        write_crate(folder.path(), &tree, &sources).unwrap();
        let is_there = |file: &str| tree.join(file).is_file();
        assert!(is_there("tests/scale_1.rs") && is_there("examples/sums_rows.rs") && !is_there("tests/old.rs"));
        std::fs::write(corpus.join("sums_rows.rs"), "").unwrap();
        assert!(sources_under(&corpus).unwrap_err().contains("have the same name"));
    }

    #[test]
    fn outputs_of_cargo_are_read() {
        let printed = "test result: ok. 3 passed; 0 failed; 0 ignored\ntest result: FAILED. 2 passed; 1 failed\n";
        assert_eq!(passed_tests(printed), 5);
        assert_eq!(first_error("warning: x\nerror[E0425]: cannot find `y`\nerror: z"), "cannot find `y`");
        assert_eq!(first_error(""), "cargo prints no error");
    }

    #[test]
    fn other_arguments_are_refused_with_the_usage() {
        let run = |words: &[&str]| run(&words.iter().map(|word| word.to_string()).collect::<Vec<_>>()).unwrap_err();
        assert_eq!(run(&["rust"]), USAGE);
        assert_eq!(run(&["c", "."]), USAGE);
        assert!(run(&["rust", "/no/such/folder"]).contains("No such file"));
    }
}
