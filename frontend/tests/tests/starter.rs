//! The crate that `cubec new` creates builds outside the workspace with one dependency line, and passes its tests. The
//! environment of the build contains only the search path, the compiler and the settings of the test run.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The path of the compiler that kernels of this test program use.
fn cube() -> PathBuf {
    let exe = std::env::current_exe().unwrap();
    let beside = exe.parent().and_then(Path::parent).unwrap().join("cube");
    std::env::var_os("CUBE_COMPILER").map_or(beside, PathBuf::from)
}

/// Runs cargo there. The environment of cargo contains only the search path and the compiler.
fn cargo(folder: &Path, target: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO"));
    command.args(words).current_dir(folder).env_clear();
    command.env("CARGO_NET_OFFLINE", "true").env("CARGO_TARGET_DIR", target);
    // Debug information is not needed, and would take a gigabyte.
    command.env("CARGO_PROFILE_DEV_DEBUG", "0");
    for name in ["PATH", "HOME", "CARGO_HOME", "CARGO_INCREMENTAL", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"] {
        command.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    command.env("CUBE_COMPILER", cube()).env("BENCH_NUM_SAMPLES", "2").output().unwrap()
}

#[test]
fn a_new_crate_runs_and_passes_its_tests() {
    let temp = tempfile::tempdir().unwrap();
    // As in a checkout of Cube: the folder above is a workspace that does not know the crate.
    fs::write(temp.path().join("Cargo.toml"), "[workspace]\nmembers = []\n").unwrap();
    let folder = temp.path().join("starter-crate");
    let root = root();
    let words = ["c".as_ref(), "new".as_ref(), folder.as_os_str(), "--path".as_ref(), root.as_os_str()];
    let made = Command::new(cube()).args(words).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    // Versions that are downloaded already: the machine can be offline.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    // Kept between runs, and shared with the test `embed`: dependencies of the crate are built once.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside");
    let output_text = |output: &Output| {
        let text = [output.stdout.as_slice(), &output.stderr].concat();
        String::from_utf8_lossy(&text).into_owned()
    };
    let run = cargo(&folder, &target, &["run"]);
    assert!(output_text(&run).contains("[1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0]"), "{}", output_text(&run));
    let tested = cargo(&folder, &target, &["test"]);
    assert!(
        tested.status.success() && output_text(&tested).contains("saxpy_is_as_on_the_host ... ok"),
        "{}",
        output_text(&tested)
    );
    assert!(!output_text(&tested).contains("warning"), "{}", output_text(&tested));
    let formatted = cargo(&folder, &target, &["fmt", "--check"]);
    assert!(formatted.status.success(), "{}", output_text(&formatted));
    let documented = cargo(&folder, &target, &["doc", "--no-deps"]);
    assert!(
        documented.status.success() && !output_text(&documented).contains("warning"),
        "{}",
        output_text(&documented)
    );
    // A user of the crate finds the launch, with the summary of the kernel and its arguments in order.
    let page = fs::read_to_string(target.join("doc/starter_crate/saxpy_kernel/fn.launch.html")).unwrap();
    let words =
        ["Launches the kernel", "one unit an element", "client: &amp;", "a: F</code>", "x: &amp;Array&lt;F&gt;</code>"];
    let found = words.map(|word| page.find(word));
    assert!(found.iter().all(Option::is_some) && found[3] < found[4], "{found:?} in {page}");
    let linted = cargo(&folder, &target, &["clippy", "--all-targets", "--", "-D", "warnings"]);
    assert!(linted.status.success(), "{}", output_text(&linted));
    // In the profile that is built already.
    let bench = cargo(&folder, &target, &["bench", "--profile", "dev"]);
    assert!(
        output_text(&bench).contains("saxpy of 1048576 numbers") && output_text(&bench).contains("Median"),
        "{}",
        output_text(&bench)
    );
}
