//! `cargo xtask test`: sets up, builds the tools, runs every test, and ends with one line of totals.

use crate::limit::{LIMIT, runner};
use crate::phase::{elapsed, phase};
use crate::shell::{Machine, cargo, run as run_command};
use crate::tally::Tally;
use crate::{Outcome, binaries, check, links, setup, space, workspace};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

/// The task `test`, which passes its arguments to `cargo test`.
pub fn run(arguments: &[String]) -> Outcome {
    let start = Instant::now();
    let root = workspace::root();
    phase("set-up", || setup::ensure(&Machine::this()))?;
    let everything = !names_packages(arguments);
    space::ensure(&root, if everything { space::Build::Tests } else { space::Build::Tools })?;
    phase("building the tools and the tests", || build(&root, everything))?;
    let mut tally = Tally::default();
    phase("checking the tree", || check_tree(everything, &mut tally))?;
    // The last line reports a failing test. The phase itself fails only if cargo could not run.
    phase("running the tests", || run_tests(&root, arguments, everything, &mut tally))?;
    conclude(&tally, start)
}

/// Whether the arguments contain a selection of packages.
fn names_packages(arguments: &[String]) -> bool {
    let own = arguments.iter().take_while(|argument| *argument != "--");
    own.into_iter().any(|argument| {
        matches!(argument.as_str(), "-p" | "--package" | "--workspace" | "--all" | "--manifest-path")
            || argument.starts_with("--package=")
            || argument.starts_with("-p") && !argument.starts_with("--")
    })
}

/// Builds the tools, because the tests start them and `cargo test` alone would not rebuild them. A full run builds
/// tools and tests together, so that cargo selects one set of features and builds no crate twice. The programs of `examples/rust`
/// are modules of the test `programs`, which fails if a program is not among them. Only the other examples are built here.
pub fn build(root: &Path, everything: bool) -> Outcome {
    if everything {
        let mut command = cargo(root, &["build", "--workspace", "--lib", "--bins", "--tests"]);
        run_command(command.args(other_examples(root)?.iter().flat_map(|name| ["--example", name])))?;
    } else if workspace::has_tools(root) {
        run_command(&mut cargo(root, &["build", "-p", "cube-tools", "-p", "cube-plugin"]))?;
    }
    if !workspace::has_tools(root) {
        println!("    no tools/ in this checkout yet: tests that need a tool cannot run");
    }
    links::make(root).map(drop)
}

/// The names of the examples in the workspace whose files are not in `examples/rust`.
fn other_examples(root: &Path) -> Result<Vec<String>, String> {
    let mut command = cargo(root, &["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let output = command.output().map_err(|error| format!("cargo metadata did not start: {error}"))?;
    let metadata = serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    Ok(examples_in(&metadata))
}

fn examples_in(metadata: &Value) -> Vec<String> {
    let targets =
        metadata["packages"].as_array().into_iter().flatten().flat_map(|package| package["targets"].as_array());
    let is_other = |target: &&Value| {
        let path = target["src_path"].as_str().unwrap_or_default();
        target["kind"] == serde_json::json!(["example"]) && !path.contains("/examples/rust/")
    };
    let others = targets.flatten().filter(is_other);
    others.filter_map(|target| Some(target["name"].as_str()?.to_string())).collect()
}

/// Runs the checks that do not compile code. A failed check counts as a failed test, so that, for example, a forbidden
/// dependency fails the suite. A run of selected packages omits the checks, because such a run must be quick.
fn check_tree(everything: bool, tally: &mut Tally) -> Outcome {
    if !everything {
        println!("    left out in a run of chosen packages");
        return Ok(());
    }
    for (name, held) in check::run_all(true, false)? {
        match held {
            Some(held) => tally.add(&format!("cargo xtask check: {name}"), held.then_some(()).ok_or(())),
            None => tally.skip(&format!("cargo xtask check: {name}")),
        }
    }
    Ok(())
}

fn run_tests(root: &Path, arguments: &[String], everything: bool, tally: &mut Tally) -> Outcome {
    if everything && arguments.is_empty() {
        return binaries::run(root, tally);
    }
    let own = std::env::current_exe().map_err(|error| format!("the path of xtask is unknown: {error}"))?;
    let mut command = cargo(root, &["--config", &runner(&own, LIMIT), "test"]);
    if everything {
        command.arg("--workspace");
    }
    if !arguments.iter().any(|argument| argument == "--no-fail-fast") {
        command.arg("--no-fail-fast");
    }
    let child = command.args(arguments).stdout(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| format!("cargo test did not start: {error}"))?;
    let output = child.stdout.take().expect("stdout is piped");
    for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        tally.see(&line);
    }
    let status = child.wait().map_err(|error| format!("cargo test: {error}"))?;
    tally.close(status.success());
    Ok(())
}

/// Prints the failed and the skipped tests, then the totals as the last line of the run.
fn conclude(tally: &Tally, start: Instant) -> Outcome {
    println!();
    tally.skips.iter().for_each(|skip| println!("skipped: {skip}"));
    tally.failures.iter().for_each(|failure| println!("failed: {failure}"));
    println!("time: {}", elapsed(start));
    println!("{}", tally.line());
    // The line above already reports the failure, and must be the last line.
    if tally.failed == 0 { Ok(()) } else { Err(String::new()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chooses(text: &str) -> bool {
        names_packages(&text.split_whitespace().map(str::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn a_chosen_package_replaces_the_whole_workspace() {
        assert!(chooses("-p cube-test"));
        assert!(chooses("--package=cube-test unroll"));
        assert!(!chooses("unroll"));
        assert!(!chooses("-- -p"));
    }

    #[test]
    fn examples_beside_the_programs_in_rust_are_built() {
        let target =
            |kind: &str, name: &str, path: &str| serde_json::json!({ "kind": [kind], "name": name, "src_path": path });
        let metadata = serde_json::json!({ "packages": [
            { "targets": [target("example", "rows", "/x/cube/../examples/rust/rows.rs"), target("lib", "cube", "/x/cube/src/lib.rs")] },
            { "targets": [target("example", "c_numbers", "/x/test/examples/c_numbers.rs")] },
        ] });
        assert_eq!(examples_in(&metadata), ["c_numbers"]);
    }

    #[test]
    fn a_failed_test_fails_the_task() {
        let mut tally = Tally::default();
        tally.add("x", Ok(()));
        assert_eq!(conclude(&tally, Instant::now()), Ok(()));
        tally.add("y", Err(()));
        assert!(conclude(&tally, Instant::now()).is_err());
    }
}
