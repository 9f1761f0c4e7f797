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

/// Runs cargo there.
fn cargo(folder: &Path, target: &Path, words: &[&str]) -> Output {
    command(env!("CARGO"), folder, target).args(words).output().unwrap()
}

/// A command of the toolchain. Its environment contains only the search path and the compiler.
fn command(program: &str, folder: &Path, target: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).env_clear();
    command.env("CARGO_NET_OFFLINE", "true").env("CARGO_TARGET_DIR", target);
    // Debug information is not needed, and would take a gigabyte.
    command.env("CARGO_PROFILE_DEV_DEBUG", "0");
    for name in ["PATH", "HOME", "CARGO_HOME", "CARGO_INCREMENTAL", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"] {
        command.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    command.env("CUBE_COMPILER", cube()).env("BENCH_NUM_SAMPLES", "2");
    command
}

/// The file of the library `cube` that the last build of the crate linked.
fn library(folder: &Path, target: &Path) -> String {
    let built = cargo(folder, target, &["build", "--lib", "--message-format=json"]);
    let messages = String::from_utf8(built.stdout).unwrap();
    let messages = messages.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let found = messages.into_iter().filter(|message| message["target"]["name"] == "cube").find_map(|message| {
        let files = message["filenames"].as_array()?.iter().filter_map(|file| file.as_str());
        files.into_iter().find(|file| file.ends_with(".rlib")).map(str::to_string)
    });
    found.expect("cargo builds the library")
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
    // rustdoc with the libraries of the build: `cargo doc` would check all dependencies again, which takes longer than all other steps
    // after the build.
    let library = library(&folder, &target);
    let mut rustdoc = command("rustdoc", &folder, &target);
    rustdoc.args(["--edition=2024", "--crate-name=starter_crate", "src/lib.rs"]);
    rustdoc.arg("--extern").arg(format!("cube={library}")).arg("--out-dir").arg(target.join("doc"));
    rustdoc.arg("-L").arg(format!("dependency={}", target.join("debug/deps").display()));
    let documented = rustdoc.output().unwrap();
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
    // As `cargo clippy --all-targets`, but in the profile that is built already: clippy compiles the crate of the user, and cargo takes the
    // dependencies of the build.
    let mut linted = command(env!("CARGO"), &folder, &target);
    linted.args(["build", "--all-targets"]).env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver");
    let linted = linted.output().unwrap();
    assert!(linted.status.success() && !output_text(&linted).contains("warning"), "{}", output_text(&linted));
    // In the profile that is built already.
    let bench = cargo(&folder, &target, &["bench", "--profile", "dev"]);
    assert!(
        output_text(&bench).contains("saxpy of 1048576 numbers") && output_text(&bench).contains("Median"),
        "{}",
        output_text(&bench)
    );
}
