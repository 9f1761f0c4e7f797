//! `cargo xtask demo`: sets up the machine, builds the tools, and runs the demo. The task runs the tool
//! `cube demo`, which contains the implementation of the demo.

use crate::phase::phase;
use crate::shell::{Machine, cargo, run as run_command};
use crate::{Outcome, links, setup, space, workspace};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The task `demo`, which passes its arguments to `cube demo`. The task builds in the development profile, because a
/// new developer runs both `cargo xtask demo` and `cargo xtask test`, which uses this profile. The demo spends most
/// time in LLVM and in the kernels, which are optimised in every profile.
pub fn run(arguments: &[String]) -> Outcome {
    let root = workspace::root();
    phase("set-up", || setup::ensure(&Machine::this()))?;
    if !workspace::has_tools(&root) {
        return Err("no tools/ in this checkout yet, so there is no `cube demo` to run".into());
    }
    space::ensure(&root, space::Build::Tools)?;
    phase("building the tools", || run_command(&mut cargo(&root, &["build", "-p", "cube-tools"])))?;
    links::make(&root)?;
    println!("==> cube demo");
    let cube = workspace::target_folder(&root).join("debug/cube");
    // Replaces this process, so that the exit code and signals are the demo's own.
    let error = Command::new(&cube).current_dir(&root).arg("demo").args(arguments).exec();
    Err(format!("{} did not start: {error}", cube.display()))
}
