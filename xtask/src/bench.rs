//! `cargo xtask bench`: the figures that compare Cube with its peers, in one run.

use crate::phase::phase;
use crate::shell::{Machine, cargo, run as run_command};
use crate::{Outcome, links, setup, workspace};

/// The separate target folder for the libraries with which the benchmarks compare Cube. These libraries are
/// compiled for the CPU of this machine, as a user would do for speed.
const TARGET: &str = "target-native";

/// The task.
pub fn run(arguments: &[String]) -> Outcome {
    let root = workspace::root();
    phase("set-up", || setup::ensure(&Machine::this()))?;
    phase("building the tools", || run_command(&mut cargo(&root, &["build", "--release", "-p", "cube-tools"])))?;
    links::make_in(&root.join("target/release"))?;
    let mut command = cargo(&root, &["run", "--release", "-p", "cube-benches", "--"]);
    command
        .args(arguments)
        .env("CARGO_TARGET_DIR", TARGET)
        .env("RUSTFLAGS", "-C target-cpu=native")
        .env("CUBE_COMPILER", root.join("target/release/cubec"))
        .env("CUBE_TOOLS", root.join("target/release"));
    phase("measuring", || run_command(&mut command))
}
