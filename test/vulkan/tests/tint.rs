//! Tests that Tint accepts the WGSL text of every kernel of test/run, of the examples and of the random kernels. Tint
//! has stricter rules than naga.
//!
//! `CUBE_TINT=FOLDER` names a folder in which `npm install webgpu` ran. Without the variable, the test runs the program
//! `tint`. Without the program, the test is skipped. `CUBE_FUZZ_COUNT` sets the number of random kernels, and
//! `CUBE_FUZZ_SEED` sets the first seed.
#![forbid(unsafe_code)]
use cube_artifact::{CompileOptions, Compiler, Target};
use cube_driver::Driver;
use cube_fuzz::kernels::{PlaneScope, Scope, generate_in};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const CHIPS: [&str; 2] = ["core", "core-f16-subgroups"];

fn main() -> ExitCode {
    let test = || match std::env::var_os("CUBE_TINT") {
        Some(folder) => validated(&Validator::Package(folder.into())).map(|()| Completion::Completed),
        None if Command::new("tint").arg("--help").output().is_ok() => {
            validated(&Validator::Program).map(|()| Completion::Completed)
        }
        None => Ok(Completion::ignored_with(
            "the program tint is missing, and CUBE_TINT names no folder with the npm package webgpu",
        )),
    };
    libtest_mimic::run(&Arguments::from_args(), vec![Trial::ignorable_test("WGSL is valid by Tint", test)]).exit_code()
}

/// An installation of Tint.
enum Validator {
    /// The program `tint`.
    Program,
    /// A folder with the npm package `webgpu`, which contains Tint.
    Package(PathBuf),
}

impl Validator {
    /// Validates the texts in a folder. The result is the output, whose last line has the numbers of valid and of
    /// invalid texts.
    fn run(&self, folder: &Path) -> Result<String, Failed> {
        let Validator::Package(modules) = self else { return with_program(folder) };
        // The script is copied beside the modules, because node searches for modules there.
        let script = modules.join("cube-tint.mjs");
        std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("tint.mjs"), &script)?;
        let output = Command::new("node").arg(&script).arg(folder).current_dir(modules).output()?;
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8_lossy(&output.stdout).into())
    }
}

fn with_program(folder: &Path) -> Result<String, Failed> {
    let (mut text, mut valid, mut invalid) = (String::new(), 0, 0);
    for file in folder.read_dir()? {
        let output = Command::new("tint").args(["--format", "wgsl"]).arg(file?.path()).output()?;
        if output.status.success() {
            valid += 1;
        } else {
            invalid += 1;
            text += &String::from_utf8_lossy(&output.stderr);
        }
    }
    Ok(format!("{text}{valid} valid, {invalid} invalid"))
}

fn validated(tint: &Validator) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let mut texts = 0;
    for (name, source) in kernels()? {
        for chip in CHIPS {
            let target = Target { backend: "wgsl".into(), chip: Some(chip.into()) };
            let kernels = source.lines().filter_map(|line| line.split("cube.kernel @").nth(1));
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            for kernel in kernels.filter_map(|rest| rest.split(|c| !is_part(c)).next()) {
                let options = CompileOptions { kernel: Some(kernel.into()), ..CompileOptions::default() };
                // A refusal is a valid result, which other tests check.
                let Ok(artifact) = Driver.compile(source.as_bytes(), &target, &options) else { continue };
                std::fs::write(folder.path().join(format!("{name}.{kernel}.{chip}.wgsl")), &artifact.code)?;
                texts += 1;
            }
        }
    }
    let output = tint.run(folder.path())?;
    let last = output.lines().last().unwrap_or_default();
    println!("{last}");
    if last == format!("{texts} valid, 0 invalid") && texts > 100 {
        return Ok(());
    }
    Err(format!("{texts} texts: {output}").into())
}

/// The kernel sources, each with its name.
fn kernels() -> Result<Vec<(String, String)>, Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in ["test/run", "examples/kernels", "benches/kernels"] {
        let entries = root.join(folder).read_dir()?.map(|entry| entry.map(|entry| entry.path()));
        files.extend(entries.collect::<Result<Vec<_>, _>>()?);
    }
    files.retain(|file| file.extension().is_some_and(|end| end == "mlir"));
    let mut all = Vec::new();
    for file in files {
        let name = file.strip_prefix(&root).unwrap_or(&file).with_extension("").to_string_lossy().replace('/', ".");
        all.push((name, std::fs::read_to_string(&file)?));
    }
    let (first, count) = cube_fuzz::settings::seeds(200);
    for seed in first..first + count {
        // The features alternate, so that both chips compile texts.
        let (floats, planes): (&'static [&'static str], _) =
            if seed % 2 == 0 { (&["f32"], PlaneScope::Nowhere) } else { (&["f16", "f32"], PlaneScope::Together) };
        let kernel = generate_in(seed, Scope { ints: &["i32"], floats, planes });
        all.push((format!("random{seed}"), kernel.text));
    }
    Ok(all)
}
