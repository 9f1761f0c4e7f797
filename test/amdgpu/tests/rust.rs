//! Kernels in Rust on HIP's runtime. The test library (`fake/hip.c`) runs their launches in the emulator, and the results must equal the
//! results of plain Rust.
//!
//! Each chip has a separate process, because a process loads the library once. `tests/hip.rs` runs all tests of the front end
//! with `CUBE_AMDGPU_RUST=1`.
#[path = "rust/kernels.rs"]
mod kernels;
#[allow(dead_code)]
#[path = "hip/library.rs"]
mod library;

use cube_amdgpu_test::Emulator;
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;

/// One chip for each plane width.
const CHIPS: [&str; 2] = ["gfx942", "gfx1100"];

fn main() -> ExitCode {
    cube_runtime_hip::serve_if_asked();
    if std::env::var_os("FAKE_HIP_RUN").is_some() {
        let trials = kernels::ALL.iter().map(|(name, test)| {
            Trial::test(*name, move || {
                test();
                Ok(())
            })
        });
        return libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code();
    }
    let folder = match tempfile::tempdir() {
        Ok(folder) => Arc::new(folder),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let built = library::build(folder.path(), &[]);
    let emulator = Emulator::find(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("amdgpu-emulator"));
    let trials = CHIPS.into_iter().map(|chip| {
        let (folder, built, emulator) = (Arc::clone(&folder), built.clone(), emulator.clone());
        Trial::ignorable_test(format!("kernels in Rust on {chip}"), move || match &emulator {
            Ok(emulator) => {
                built.clone()?;
                start(folder.path(), &emulator.launcher(), chip).map(|()| Completion::Completed)
            }
            Err(why) => Ok(Completion::ignored_with(why.clone())),
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

/// Runs all kernels on a chip, in a process with the test library.
fn start(library: &Path, launcher: &str, chip: &str) -> Result<(), Failed> {
    let mut command = Command::new(std::env::current_exe()?);
    command.env("LD_LIBRARY_PATH", library).env("FAKE_HIP_RUN", launcher).env("FAKE_HIP_CHIP", chip);
    let output = command.args(["--test-threads", "1"]).output()?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let passed = stdout.lines().filter(|line| line.ends_with("... ok")).count();
    println!("{passed} kernels in Rust on {chip}");
    if output.status.success() && passed == kernels::ALL.len() {
        return Ok(());
    }
    Err(format!("{}: {stdout}\n{}", output.status, String::from_utf8_lossy(&output.stderr)).into())
}
