//! PTX of random kernels: no path reads an unwritten register. `CUBE_FUZZ_COUNT` sets the number of kernels, and
//! `CUBE_FUZZ_SEED` the first seed.
//!
//! Odd seeds generate kernels with control flow. Even seeds generate chains of operations on vectors of
//! narrow elements. With `CUBE_FUZZ_ONLY=kernels`, all seeds generate kernels with control flow.
use cube_artifact::{CompileOptions, Compiler, Target};
use cube_backend_nvptx::undefined_reads;
use cube_driver::Driver;
use cube_fuzz::settings::seeds;
use cube_fuzz::{kernels::generate, vectors::chain};
use std::path::{Path, PathBuf};

/// Removes the first line that reads the position of the unit or the cube; returns the remaining PTX, and the
/// register that the removed line writes.
fn without_position(ptx: &str) -> Option<(String, &str)> {
    let line = ptx.split_inclusive('\n').find(|line| line.contains("%tid.x;") || line.contains("%ctaid.x;"))?;
    let register = line.split_whitespace().nth(1)?.trim_end_matches(',');
    Some((ptx.replacen(line, "", 1), register))
}

#[test]
fn no_ptx_of_a_random_kernel_reads_an_undefined_register() {
    let (first, count) = seeds(40);
    let target = Target { backend: "nvptx".into(), chip: None };
    let only = std::env::var("CUBE_FUZZ_ONLY").ok();
    assert!(only.as_deref().is_none_or(|only| only == "kernels"), "set CUBE_FUZZ_ONLY to kernels, or to nothing");
    let only_kernels = only.is_some();
    let (mut wrong, mut detected, mut zeros) = (Vec::new(), 0, 0);
    for seed in first..first + count {
        let text = if seed % 2 == 0 && !only_kernels { chain(seed).text } else { generate(seed).text };
        let compiled = Driver.compile(text.as_bytes(), &target, &CompileOptions::default());
        let ptx = match compiled {
            Ok(artifact) => String::from_utf8(artifact.code).expect("PTX is text"),
            Err(why) => {
                wrong.push(format!("seed {seed}: {why}\n{text}"));
                continue;
            }
        };
        wrong.extend(undefined_reads(&ptx).into_iter().map(|read| format!("seed {seed}: {read}\n{text}")));
        zeros += u64::from(ptx.contains("mov.b16 \t%rs") && ptx.contains(", 0;"));
        // The check must report a missing write.
        if let Some((broken, register)) = without_position(&ptx) {
            detected += 1;
            if !undefined_reads(&broken).iter().any(|read| read.register == register) {
                wrong.push(format!("seed {seed}: nothing is found without the write of {register}\n{ptx}"));
            }
        }
    }
    eprintln!("{count} kernels from seed {first}, {detected} planted breaks, {zeros} with zeros of 16 bits");
    let shown: Vec<&str> = wrong.iter().take(3).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} of {count} kernels from seed {first}:\n{}", wrong.len(), shown.join("\n"));
    assert!(detected * 2 >= count, "only {detected} of {count} kernels had a write to leave out");
}

/// Kernel files of the repository.
fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders =
        ["examples/kernels", "benches/kernels", "test/run", "dialects/cube/examples", "dialects/layout/examples"];
    let entries = folders.iter().flat_map(|folder| root.join(folder).read_dir().expect("the folder is there"));
    let files = entries.map(|entry| entry.expect("it can be read").path());
    files.filter(|file| file.extension().is_some_and(|ending| ending == "mlir")).collect()
}

#[test]
fn no_ptx_of_a_kernel_of_the_repository_reads_an_undefined_register() {
    let target = Target { backend: "nvptx".into(), chip: None };
    let (mut checked, mut wrong) = (0, Vec::new());
    for file in files() {
        let text = std::fs::read_to_string(&file).expect("it can be read");
        for kernel in text.split("cube.kernel @").skip(1) {
            let name = kernel.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().map(str::to_string);
            let label = format!("{} {name:?}", file.display());
            let request = CompileOptions { kernel: name, ..CompileOptions::default() };
            // The compiler refuses comptime parameters without a default value. This refusal is not an error about PTX.
            let Ok(artifact) = Driver.compile(text.as_bytes(), &target, &request).inspect_err(|why| {
                wrong.extend(why.to_string().contains("CUBE0414").then(|| format!("{label}: {why}")));
            }) else {
                continue;
            };
            let ptx = String::from_utf8(artifact.code).expect("PTX is text");
            wrong.extend(undefined_reads(&ptx).into_iter().map(|read| format!("{label}: {read}")));
            checked += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked >= 150, "only {checked} kernels were compiled");
}
