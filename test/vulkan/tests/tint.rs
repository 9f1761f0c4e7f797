//! Tests that Tint accepts the WGSL text of every kernel of test/run, of the examples and of the random kernels. Tint
//! has stricter rules than naga.
//!
//! `CUBE_TINT=FOLDER` names a folder in which `npm install webgpu` ran; without it the test is skipped. `CUBE_FUZZ_COUNT` sets the number
//! of random kernels, and `CUBE_FUZZ_SEED` sets the first seed.
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
        Some(folder) => validated(Path::new(&folder)).map(|()| Completion::Completed),
        None => Ok(Completion::ignored_with("CUBE_TINT names no folder with the npm package webgpu")),
    };
    libtest_mimic::run(&Arguments::from_args(), vec![Trial::ignorable_test("WGSL is valid by Tint", test)]).exit_code()
}

fn validated(modules: &Path) -> Result<(), Failed> {
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
    // The script is copied beside the modules, because node searches for modules there.
    let script = modules.join("cube-tint.mjs");
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("tint.mjs"), &script)?;
    let output = Command::new("node").arg(&script).arg(folder.path()).current_dir(modules).output()?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let last = stdout.lines().last().unwrap_or_default().to_string();
    println!("{last}");
    if last == format!("{texts} valid, 0 invalid") && texts > 100 {
        return Ok(());
    }
    Err(format!("{texts} texts: {stdout}{}", String::from_utf8_lossy(&output.stderr)).into())
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
    let number = |name: &str, otherwise| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(otherwise);
    let (first, count): (u64, u64) = (number("CUBE_FUZZ_SEED", 1), number("CUBE_FUZZ_COUNT", 200));
    for seed in first..first + count {
        // The features alternate, so that both chips compile texts.
        let (floats, planes): (&'static [&'static str], _) =
            if seed % 2 == 0 { (&["f32"], PlaneScope::Nowhere) } else { (&["f16", "f32"], PlaneScope::Together) };
        let kernel = generate_in(seed, Scope { ints: &["i32"], floats, planes });
        all.push((format!("random{seed}"), kernel.text));
    }
    Ok(all)
}
