//! `cargo xtask check`: rules that a program checks instead of reviewers. Each check is one row of the table `CHECKS`
//! and one file in the folder `check/`.

mod codes;
mod cycles;
mod cycles_scan;
mod doc_tests;
mod docs;
mod enum_values;
mod facts;
mod features;
mod layers;
mod layers_table;
mod lengths;
mod messages;
mod op_names;
mod pairs;
mod paths;
mod scan;
mod settings;
mod sizes;
mod style;
mod terms;
mod titles;
mod toolchain;
mod typed_types;
mod unsafes;
mod wording;

use crate::Outcome;
use crate::phase::elapsed;
use crate::workspace::root;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The result of a check.
#[derive(Debug)]
enum Verdict {
    /// The check has no findings; the text states how much was checked.
    Passed(String),
    /// The check has no findings; a full check also prints the given list.
    Listed(String, Vec<String>),
    /// The check was skipped; the text is the reason.
    Skipped(String),
    /// The findings of the check. The message of a finding contains the location, the rule and the fix.
    Failed(Vec<String>),
}

impl Verdict {
    /// `Failed` if there are findings, otherwise `Passed`.
    fn of(findings: Vec<String>, summary: String) -> Verdict {
        if findings.is_empty() { Verdict::Passed(summary) } else { Verdict::Failed(findings) }
    }
}

struct Check {
    name: &'static str,
    /// Whether the check compiles no code; every test run includes such checks.
    quick: bool,
    run: fn(&Tree) -> Verdict,
}

const CHECKS: &[Check] = &[
    Check { name: "layering", quick: true, run: layers::check },
    Check { name: "import cycles", quick: true, run: cycles::check },
    Check { name: "a test for each pass", quick: true, run: pairs::check },
    Check { name: "one set of features", quick: true, run: features::check },
    Check { name: "version of rustc", quick: true, run: toolchain::check },
    Check { name: "sizes", quick: true, run: sizes::check },
    Check { name: "unsafe", quick: true, run: unsafes::check },
    Check { name: "settings are values", quick: true, run: settings::check },
    Check { name: "names of operations", quick: true, run: op_names::check },
    Check { name: "cases of enumerations", quick: true, run: enum_values::check },
    Check { name: "types are not texts", quick: true, run: typed_types::check },
    Check { name: "messages are values", quick: true, run: messages::check },
    Check { name: "codes", quick: true, run: codes::check },
    Check { name: "length of messages", quick: true, run: lengths::check },
    Check { name: "titles of commits", quick: true, run: titles::check },
    Check { name: "wording", quick: true, run: wording::check },
    Check { name: "examples in docs", quick: true, run: doc_tests::check },
    Check { name: "documents", quick: true, run: docs::links },
    Check { name: "terms lead to pages", quick: true, run: terms::check },
    Check { name: "names in documents", quick: true, run: facts::check },
    Check { name: "generated reference", quick: true, run: docs::generated },
    Check { name: "no machine's paths", quick: true, run: paths::check },
    Check { name: "formatting", quick: true, run: style::fmt },
    Check { name: "clippy", quick: false, run: style::clippy },
];

/// The task `check`; with `--quick`, checks that compile code are omitted.
pub fn run(arguments: &[String]) -> Outcome {
    let quick = match arguments {
        [] => false,
        [only] if only == "--quick" => true,
        _ => return Err("usage: cargo xtask check [--quick]".into()),
    };
    let results = run_all(quick, !quick)?;
    if quick {
        println!("{}", left_out());
    }
    let broken: Vec<_> = results.iter().filter(|(_, held)| *held == Some(false)).map(|(name, _)| *name).collect();
    if broken.is_empty() { Ok(()) } else { Err(format!("not in order: {}", broken.join(", "))) }
}

// The names of the checks that only a full run includes.
fn left_out() -> String {
    let names: Vec<_> = CHECKS.iter().filter(|check| !check.quick).map(|check| check.name).collect();
    format!("left out {} of {} checks: {} (cargo xtask check)", names.len(), CHECKS.len(), names.join(", "))
}

/// Runs the checks in parallel, and prints one line per check in the order of the table. The result states for each
/// check whether it passed; `None` for a skipped check.
pub fn run_all(quick: bool, with_lists: bool) -> Result<Vec<(&'static str, Option<bool>)>, String> {
    let tree = &Tree::of_git(&root())?;
    let chosen = CHECKS.iter().filter(|check| check.quick || !quick);
    Ok(std::thread::scope(|scope| {
        let timed = |check: &'static Check| {
            let start = Instant::now();
            ((check.run)(tree), elapsed(start))
        };
        let running: Vec<_> = chosen.map(|check| (check, scope.spawn(move || timed(check)))).collect();
        let results = running.into_iter().map(|(check, thread)| {
            let (verdict, time) = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (check.name, report(check, verdict, &time, with_lists))
        });
        results.collect()
    }))
}

fn report(check: &Check, verdict: Verdict, time: &str, with_lists: bool) -> Option<bool> {
    let row = |mark: &str, detail: &str| println!("{mark:<8} {:<22} {detail} ({time})", check.name);
    match verdict {
        Verdict::Passed(detail) => row("ok", &detail),
        Verdict::Listed(detail, list) => {
            row("ok", &detail);
            list.iter().filter(|_| with_lists).for_each(|line| println!("           {line}"));
        }
        Verdict::Skipped(why) => {
            row("skipped", &why);
            return None;
        }
        Verdict::Failed(findings) => {
            row("broken", &format!("{} found", findings.len()));
            findings.iter().for_each(|finding| println!("           {finding}"));
            return Some(false);
        }
    }
    Some(true)
}

/// The lines of a source with their numbers, without comments and without the unit tests at the end of the file.
fn code_lines(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    lines.map(|(index, line)| (index + 1, line))
}

/// The files for the checks: all files of the checkout that git does not ignore.
struct Tree {
    root: PathBuf,
    files: Vec<String>,
}

impl Tree {
    fn of_git(root: &Path) -> Result<Tree, String> {
        let mut command = Command::new("git");
        command.current_dir(root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let output = command.output().map_err(|error| format!("git did not start: {error}"))?;
        if !output.status.success() {
            return Err(format!("git ls-files failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
        }
        let list = String::from_utf8_lossy(&output.stdout);
        let mut files: Vec<String> = list.split('\0').filter(|name| !name.is_empty()).map(str::to_string).collect();
        // A file that is deleted but not yet committed is still in git's list.
        files.retain(|name| root.join(name).is_file());
        files.sort();
        files.dedup();
        Ok(Tree { root: root.into(), files })
    }

    /// The text of a file; empty if the file is not text.
    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.root.join(name)).unwrap_or_default()
    }

    /// The Rust sources of these folders, without files of tests.
    fn sources_in<'a>(&'a self, folders: &'a [&str]) -> impl Iterator<Item = &'a str> {
        let is_source =
            |file: &&str| file.contains("/src/") && !file.contains("/tests/") && !file.ends_with("tests.rs");
        self.with_ending(".rs").filter(is_source).filter(|file| folders.iter().any(|folder| file.starts_with(folder)))
    }

    fn with_ending<'a>(&'a self, ending: &'a str) -> impl Iterator<Item = &'a str> {
        self.files.iter().map(String::as_str).filter(move |name| name.ends_with(ending))
    }

    fn has(&self, name: &str) -> bool {
        self.files.binary_search_by(|file| file.as_str().cmp(name)).is_ok()
    }
}

#[cfg(test)]
mod fake {
    //! Creates a tree of a few files in a temporary folder, for tests.

    use super::Tree;

    /// Returns the folder, which is deleted when dropped, and the tree of the files in this folder.
    pub struct Files {
        _folder: tempfile::TempDir,
        pub tree: Tree,
    }

    /// Writes the files.
    pub fn files(list: &[(&str, &str)]) -> Files {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in list {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let mut names: Vec<String> = list.iter().map(|(name, _)| name.to_string()).collect();
        names.sort();
        Files { tree: Tree { root: folder.path().into(), files: names }, _folder: folder }
    }

    /// The findings of a check, which must have at least one finding.
    pub fn findings(verdict: super::Verdict) -> Vec<String> {
        match verdict {
            super::Verdict::Failed(findings) => findings,
            other => panic!("nothing found: {other:?}"),
        }
    }
}
