//! Tests `cube-run --backend hip` with the test library.
use cube_amdgpu_test::Emulator;
use cube_test::header::Header;
use cube_test::toolbox::Toolbox;
use libtest_mimic::{Completion, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// Settings of the test library.
type Settings = &'static [(&'static str, &'static str)];

/// Runs of which the results must be equal to the files in test/run/data: a file of test/run and the chip.
const RIGHT: &[(&str, &str)] = &[("scale", "gfx942"), ("barriers", "gfx1100")];

/// Runs of `scale` that end with an error: the name, the settings, other arguments, and a part of the message.
const WRONG: &[(&str, Settings, &[&str], &str)] = &[
    (
        "no memory",
        &[("FAKE_HIP_MEMORY", "4096")],
        &["--arg", "x=zeros:65536", "--arg", "y=zeros:65536"],
        "exceeds half of this machine's 4096 bytes of memory",
    ),
    ("an allocation that fails", &[("FAKE_HIP_FAIL", "hipMalloc:2")], &[], "cannot allocate 32 bytes of memory"),
    (
        "a failing launch",
        &[("FAKE_HIP_FAIL", "hipModuleLaunchKernel:999")],
        &[],
        "the HIP driver refuses hipModuleLaunchKernel",
    ),
    ("a fault", &[("FAKE_HIP_FAIL", "hipModuleLaunchKernel:700")], &[], "error[CUBE0941]: a kernel faulted"),
    ("no device", &[("CUBE_HIP_DEVICE", "3")], &[], "HIP device 3 does not exist, because the library finds 2"),
    (
        "code of another chip",
        &[],
        &["--target", "amdgpu:gfx1100"],
        "it is compiled for gfx1100, and fake GPU 0 is gfx942",
    ),
];

/// The tests of the tool. `built` is the result of the build of the library in the folder `library`.
pub fn trials(library: &Path, built: &Result<(), String>, emulator: &Result<Emulator, String>) -> Vec<Trial> {
    let folder = library.to_path_buf();
    let ready = built.clone().and_then(|()| Toolbox::find().check());
    let state = Arc::new((folder, ready));
    let right = RIGHT.iter().map(|(file, chip)| {
        let (state, emulator) = (Arc::clone(&state), emulator.clone());
        Trial::ignorable_test(format!("cube-run --backend hip, {file} on {chip}"), move || match &emulator {
            Ok(emulator) => {
                state.1.clone()?;
                right(&state.0, &emulator.launcher(), file, chip).map(|()| Completion::Completed)
            }
            Err(why) => Ok(Completion::ignored_with(why.clone())),
        })
    });
    let wrong = WRONG.iter().map(|(name, settings, args, words)| {
        let state = Arc::clone(&state);
        Trial::test(format!("cube-run --backend hip, {name}"), move || {
            state.1.clone()?;
            let given = ["--arg", "x=zeros:8", "--arg", "y=zeros:8"];
            let args =
                if args.contains(&"--arg") { args.to_vec() } else { given.into_iter().chain(args.to_vec()).collect() };
            let args = args.into_iter().chain(["--arg", "factor=1.5"]).map(String::from).collect();
            let (rc, printed) = run(&state.0, &file("scale"), settings, args)?;
            if rc == Some(1) && printed.contains(words) {
                return Ok(());
            }
            Err(format!("exit status {rc:?}, and not `{words}`: {printed}").into())
        })
    });
    let list = Trial::test("cube-run --list-backends with a HIP library", {
        let state = Arc::clone(&state);
        move || {
            state.1.clone()?;
            let (_, printed) = run(&state.0, Path::new("--list-backends"), &[], vec![])?;
            if printed.lines().any(|line| line.starts_with("hip present ")) { Ok(()) } else { Err(printed.into()) }
        }
    });
    right.chain(wrong).chain([list]).collect()
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../run").join(name).with_extension("mlir")
}

/// Runs each RUN-ARGS line of a file.
fn right(library: &Path, launcher: &str, name: &str, chip: &str) -> Result<(), Failed> {
    let path = file(name);
    let folder = path.parent().unwrap_or(Path::new(".")).display().to_string();
    let lines = Header::parse(&std::fs::read_to_string(&path)?)?.run_arguments;
    let settings = [("FAKE_HIP_RUN", launcher), ("FAKE_HIP_CHIP", chip)];
    for line in &lines {
        let args: Vec<String> = line.text.replace("%S", &folder).split_whitespace().map(String::from).collect();
        let checks = args.iter().filter(|arg| *arg == "--check").count();
        let (rc, printed) = run(library, &path, &settings, args)?;
        if rc != Some(0) || printed.matches("check ").count() < checks {
            return Err(format!("{name}:{}: exit status {rc:?}: {printed}", line.number).into());
        }
    }
    if lines.is_empty() { Err("no RUN-ARGS line".into()) } else { Ok(()) }
}

/// Runs the tool in a separate process, because a process loads the library once.
fn run(
    library: &Path,
    kernel: &Path,
    settings: &[(&str, &str)],
    args: Vec<String>,
) -> Result<(Option<i32>, String), Failed> {
    let mut command = Command::new(Toolbox::find().cube);
    command.arg("run").arg(kernel).args(["--backend", "hip"]).args(args);
    command.env("LD_LIBRARY_PATH", library).envs(settings.iter().copied());
    let output = command.output()?;
    let printed = [&output.stdout[..], &output.stderr].concat();
    Ok((output.status.code(), String::from_utf8_lossy(&printed).into_owned()))
}
