//! `cargo xtask bless`: rewrites pinned outputs with the current outputs of the tools. After the task, the author
//! reviews the changed outputs with git.

use crate::phase::phase;
use crate::shell::{cargo, run as run_command};
use crate::{Outcome, suite, workspace};
use std::process::Command;

/// The task `bless`. The arguments of the task select tests, like the arguments of `cargo test`.
pub fn run(arguments: &[String]) -> Outcome {
    let root = workspace::root();
    phase("building the tools", || suite::build(&root, false))?;
    let mut command = cargo(&root, &["test", "-p", "cube-test", "--test", "filecheck"]);
    let result = phase("rewriting pinned outputs", || run_command(command.args(arguments).env("BLESS", "1")));
    // New files are listed first, since a diff does not show them.
    run_command(Command::new("git").current_dir(&root).args(["status", "--short", "--", "test"]))?;
    run_command(Command::new("git").current_dir(&root).args(["--no-pager", "diff", "--stat", "--", "test"]))?;
    result
}
