//! Builds and runs the crates of `examples/embed` as external crates: in a folder outside this source tree,
//! without environment variables of this workspace, and with the versions in their lock files.
#![forbid(unsafe_code)]

use cube_test::nested::Cargo;
use cube_test::toolbox::Toolbox;
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = vec![
        Trial::test("embed: in process and by a child, byte for byte", || with_compiler("in_process")),
        Trial::test("embed: a module of another compiler's context", || with_compiler("existing_module")),
        Trial::test("embed: an artifact runs without LLVM and environment", without_compiler),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("test/ is in the workspace")
}

/// Builds one example and returns its program. The build uses the target folder of the workspace, because this folder
/// already contains the registry dependencies. Cargo distinguishes the crates of the example from the crates
/// of the workspace by the hashes of the crates.
fn build(name: &str, target: &Path) -> Result<PathBuf, String> {
    build_in(&root().join("examples/embed").join(name), name, target)
}

fn build_in(folder: &Path, name: &str, target: &Path) -> Result<PathBuf, String> {
    std::fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).map_err(|e| format!("no lock file: {e}"))?;
    // No test reads the debug information, and without it the build is shorter.
    Cargo { tree: folder, target }.build(&["--config", "profile.dev.debug=false"])?;
    Ok(target.join("debug").join(format!("embed-{}", name.replace('_', "-"))))
}

fn output_of(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|e| format!("{command:?} did not start: {e}"))?;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.success() { Ok(out.into_owned()) } else { Err(format!("{command:?} failed\n{out}{err}")) }
}

/// Creates a folder for a test, with a link `cubec` to the built tool.
fn compiler(name: &str) -> Result<PathBuf, String> {
    let tools = Toolbox::find();
    tools.check()?;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("embed").join(name);
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let link = folder.join("cubec");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(&tools.cube, &link).map_err(|e| format!("{}: {e}", link.display()))?;
    Ok(link)
}

/// Copies an example, and selects the features of the crates with which the macros of kernels are built. These crates are built for
/// derives too, and both builds in the folder `outside` share them only if their features are equal. The features of the
/// crates that the program links do not change. The copy is its own workspace.
fn copy_with_macros(example: &Path, to: &Path) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("cannot copy {}: {e}", example.display());
    std::fs::create_dir_all(to.join("src")).map_err(failed)?;
    std::fs::copy(example.join("src/main.rs"), to.join("src/main.rs")).map_err(failed)?;
    let manifest = std::fs::read_to_string(example.join("Cargo.toml")).map_err(failed)?;
    let here = format!("path = \"{}/", root().display());
    let mut manifest = manifest.replace("path = \"../../../", &here) + "\n[workspace]\n\n[build-dependencies]\n";
    for name in ["proc-macro2 = {", "syn = {"] {
        let line = include_str!("../../frontend/macros/Cargo.toml").lines().find(|line| line.starts_with(name));
        manifest += line.ok_or_else(|| format!("frontend/macros/Cargo.toml has no line `{name}`"))?;
        manifest.push('\n');
    }
    std::fs::write(to.join("Cargo.toml"), manifest).map_err(failed)
}

fn with_compiler(name: &str) -> Result<(), Failed> {
    let cubec = compiler(name)?;
    let target = cubec.ancestors().nth(4).expect("four folders above the link that compiler() made").to_path_buf();
    let program = build(name, &target)?;
    let printed = output_of(Command::new(program).env_clear().env("CUBE_COMPILER", &cubec))?;
    let expected = if name == "in_process" { "2.5 * 999 = 2497.5" } else { "99 * 99 + 3 = 9804" };
    if printed.contains(expected) { Ok(()) } else { Err(format!("no `{expected}` in: {printed}").into()) }
}

fn without_compiler() -> Result<(), Failed> {
    let cubec = compiler("run_artifact")?;
    let folder = cubec.parent().expect("a folder");
    let artifact = folder.join("scale.artifact");
    let kernel = root().join("examples/kernels/scale.mlir");
    output_of(Command::new(&cubec).arg(kernel).args(["--emit", "artifact", "-o"]).arg(&artifact))?;
    // Without this workspace's flags, cargo builds every crate again. The crate of the test `starter` is also built without
    // the flags, and both builds share their crates in one target folder.
    let copy = folder.join("crate");
    copy_with_macros(&root().join("examples/embed/run_artifact"), &copy)?;
    let program = build_in(&copy, "run_artifact", &Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside"))?;
    let linked = output_of(Command::new("ldd").arg(&program))?;
    if linked.contains("LLVM") || linked.contains("MLIR") {
        return Err(format!("it links the compiler: {linked}").into());
    }
    let printed = output_of(Command::new(program).env_clear().arg(&artifact))?;
    let expected = "-0.5 * 299 = -149.5";
    if printed.contains(expected) { Ok(()) } else { Err(format!("no `{expected}` in: {printed}").into()) }
}
