//! `cargo xtask demo`: from a bare machine to the table of numbers. The demo itself is the tool's: `cube demo`.

use crate::phase::phase;
use crate::shell::{Machine, cargo, run as run_command};
use crate::{Outcome, links, setup, workspace};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The task; its arguments go to `cube demo`. The development profile is used, because `cargo xtask test` also uses it
/// and a newcomer runs both. Most time is spent in LLVM and in the kernels, which are optimised in either profile.
pub fn run(arguments: &[String]) -> Outcome {
    let root = workspace::root();
    phase("set-up", || setup::ensure(&Machine::this()))?;
    if !workspace::has_tools(&root) {
        return Err("no tools/ in this checkout yet, so there is no `cube demo` to run".into());
    }
    phase("building the tools", || run_command(&mut cargo(&root, &["build", "-p", "cube-tools"])))?;
    links::make(&root)?;
    println!("==> cube demo");
    let cube = workspace::target_folder(&root).join("debug/cube");
    // In the place of this process, so that the demo's exit code and its signals are its own.
    let error = Command::new(&cube).current_dir(&root).arg("demo").args(arguments).exec();
    Err(format!("{} did not start: {error}", cube.display()))
}
