//! The tests of the front end, kernels in Rust, on HIP's runtime: the test library runs their launches in the emulator (gfx942).
//!
//! The test binary `programs` is not among them: it tests the host side, among others with faults, after which a process without
//! `serve_if_asked` has no device.
use libtest_mimic::Failed;
use std::path::Path;
use std::process::Command;

/// The tests that do not run here: the start of their names, and the reason.
const LEFT_OUT: &[(&str, &str)] =
    &[("cubecl_idioms::bits_of_u8", "the emulator does not support v_sub_u16_sdwa with clamp")];

/// Runs the tests. Each test passes, or is in the list.
pub fn run(library: &Path, launcher: &str) -> Result<(), Failed> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    // The tests start this tree's compiler.
    if !Command::new(&cargo).args(["build", "-p", "cube-tools"]).status()?.success() {
        return Err("the compiler does not build".into());
    }
    let mut command = Command::new(cargo);
    command.args(["test", "-p", "cube-frontend-tests", "--features", "on-hip", "--test", "kernels"]);
    command.args(["--no-fail-fast", "--", "--test-threads", "2"]);
    command.env("LD_LIBRARY_PATH", library).env("FAKE_HIP_RUN", launcher).env("FAKE_HIP_MEMORY", "1073741824");
    let output = command.output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let lines = said.lines().filter_map(|line| line.strip_prefix("test ")?.split_once(" ... "));
    let (mut passed, mut wrong, mut left_out) = (0, Vec::new(), 0);
    for (name, verdict) in lines {
        let reason = LEFT_OUT.iter().find(|(start, _)| name.starts_with(start)).map(|(_, why)| *why);
        match (verdict, reason) {
            ("ok", None) => passed += 1,
            ("ok", Some(_)) => wrong.push(format!("{name} passes, and LEFT_OUT lists it")),
            (verdict, _) if verdict.starts_with("ignored") => println!("{name} is ignored by itself: {verdict}"),
            (_, Some(why)) => {
                println!("{name} is left out: {why}");
                left_out += 1;
            }
            _ => wrong.push(format!("{name} fails")),
        }
    }
    println!("{passed} tests of the front end passed, {left_out} left out");
    if wrong.is_empty() && passed > 180 {
        return Ok(());
    }
    Err(format!("{passed} passed; {}\n{said}{}", wrong.join("\n"), String::from_utf8_lossy(&output.stderr)).into())
}
