//! Runs the tests of the front end (kernels in Rust) on HIP's runtime. The test library runs their launches in the
//! emulator.
//!
//! Of the test binary `programs`, this module runs the tests of the examples, of graphs and of the standard library.
//! The other tests of `programs` concern the host. Some of these other tests cause faults. After a fault, a process
//! without `serve_if_asked` has no device.
use libtest_mimic::Failed;
use std::path::Path;
use std::process::Command;

/// One chip for each plane width.
pub const CHIPS: [&str; 2] = ["gfx942", "gfx1100"];

/// The test binaries, each with the parts that run here. An empty list selects the whole binary.
const BINARIES: &[(&str, &[&str])] = &[
    ("kernels", &[]),
    ("programs", &["examples::on_the_runtime_under_test", "host::graphs", "std_library"]),
    ("random_kernels", &[]),
];

/// Minimum number of tests that must pass on a chip.
const MIN_TESTS: usize = 200;

/// The tests that do not run here: the chip, the start of their names, and the reason.
const LEFT_OUT: &[(&str, &str, &str)] = &[
    ("gfx942", "examples::on_the_runtime_under_test::reduction", SUMS),
    ("gfx1100", "examples::on_the_runtime_under_test::reduction", SUMS),
];

const SUMS: &str = "a wave has more than 10^6 instructions, the limit of the emulator";

/// Runs the tests on a chip. `CUBE_AMDGPU_RUST` is 1, or the names of some binaries. Each test passes, or is in the list.
pub fn run(library: &Path, launcher: &str, chip: &str) -> Result<(), Failed> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    // The tests start this tree's compiler.
    if !Command::new(&cargo).args(["build", "-p", "cube-tools"]).status()?.success() {
        return Err("the compiler does not build".into());
    }
    let (mut passed, mut wrong, mut left_out, mut all) = (0, Vec::new(), 0, String::new());
    let requested = std::env::var("CUBE_AMDGPU_RUST").unwrap_or_default();
    let is_selected = |binary: &str| requested == "1" || requested.split(',').any(|own| own == binary);
    for (binary, parts) in BINARIES.iter().filter(|(binary, _)| is_selected(binary)) {
        let mut command = Command::new(&cargo);
        command.args(["test", "-p", "cube-frontend-tests", "--features", "on-hip", "--test", binary]);
        command.args(["--no-fail-fast", "--", "--test-threads", "2"]).args(*parts);
        command.env("LD_LIBRARY_PATH", library).env("FAKE_HIP_RUN", launcher).env("FAKE_HIP_CHIP", chip);
        command.env("FAKE_HIP_MEMORY", "1073741824");
        let output = command.output()?;
        let stdout = String::from_utf8_lossy(&output.stdout);
        let lines = stdout.lines().filter_map(|line| line.strip_prefix("test ")?.split_once(" ... "));
        let before = passed;
        for (name, verdict) in lines {
            let listed = LEFT_OUT.iter().find(|(own, start, _)| *own == chip && name.starts_with(start));
            match (verdict, listed) {
                ("ok", None) => passed += 1,
                ("ok", Some(_)) => wrong.push(format!("{name} passes, but LEFT_OUT lists it")),
                (verdict, _) if verdict.starts_with("ignored") => println!("{name} ignores itself: {verdict}"),
                (_, Some((.., why))) => {
                    println!("{name} is left out on {chip}: {why}");
                    left_out += 1;
                }
                _ => wrong.push(format!("{name} fails")),
            }
        }
        if passed == before {
            wrong.push(format!("no test of {binary} passes"));
        }
        all.push_str(&stdout);
        all.push_str(&String::from_utf8_lossy(&output.stderr));
    }
    println!("{passed} tests of the front end passed on {chip}, {left_out} left out");
    let least = if requested == "1" { MIN_TESTS } else { 1 };
    if wrong.is_empty() && passed >= least {
        return Ok(());
    }
    Err(format!("{passed} passed; {}\n{all}", wrong.join("\n")).into())
}
