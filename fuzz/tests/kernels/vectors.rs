//! Tests vectors of narrow elements in the interpreter at levels source, flat and legal, and on the CPU.
//!
//! `CUBE_VECTORS=all` runs every combination of lanes, operands and uses. `CUBE_VECTORS_TO=FOLDER` writes them for a
//! machine on an NVIDIA GPU instead: kernels, artifacts, inputs and the interpreter's results, with a list of arguments
//! of `cube-launch`, one line per kernel.
use cube_fuzz::judge::{differences, expected};
use cube_fuzz::vectors::{Case, LANES, USES, cases, chain};
use cube_runtime::hostdata::npy;
use std::path::Path;

/// All cases, or one in twenty cases for each number of lanes.
fn chosen(all: bool) -> Vec<Case> {
    let mut chosen = Vec::new();
    for lanes in LANES {
        let ways = [false, true].into_iter().flat_map(|constant| USES.map(|how| (constant, how)));
        for (number, (constant, how)) in ways.enumerate() {
            let cases = cases(lanes, constant, how).into_iter().enumerate();
            chosen.extend(cases.filter(|(i, _)| all || (i + lanes) % 20 == number).map(|(_, case)| case));
        }
    }
    chosen
}

fn judge(cases: &[Case]) {
    let mut wrong = Vec::new();
    for case in cases {
        match differences(&case.text, &case.buffers, case.cubes, false) {
            Ok(found) => wrong.extend(found.into_iter().map(|found| format!("{}: {found}", case.name))),
            Err(why) => wrong.push(format!("{}: {why}\n{}", case.name, case.text)),
        }
    }
    assert!(wrong.is_empty(), "{} differences in {} kernels:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn all_levels_and_the_cpu_agree_on_vectors_of_narrow_elements() {
    let cases = chosen(std::env::var("CUBE_VECTORS").is_ok_and(|which| which == "all"));
    assert!(cases.len() >= 60, "{} kernels", cases.len());
    judge(&cases);
}

#[test]
fn all_levels_and_the_cpu_agree_on_random_chains_of_vectors() {
    let (first, count) = cube_fuzz::settings::seeds(20);
    judge(&(first..first + count).map(chain).collect::<Vec<_>>());
}

#[test]
fn gpu_test_vectors_contain_the_interpreter_results() {
    let Some(folder) = std::env::var_os("CUBE_VECTORS_TO") else {
        eprintln!("ignored: CUBE_VECTORS_TO names no folder");
        return;
    };
    let chains = cube_fuzz::settings::number("CUBE_FUZZ_COUNT", 200);
    let cases = chosen(true).into_iter().chain((1..=chains).map(chain));
    let list: Vec<String> = cases.enumerate().map(|(number, case)| write(Path::new(&folder), number, &case)).collect();
    std::fs::write(Path::new(&folder).join("list"), list.concat()).unwrap();
}

/// Writes the files of a test case; returns the line for the list of cases.
fn write(folder: &Path, number: usize, case: &Case) -> String {
    use cube_artifact::{CompileOptions, Compiler, Target};
    let target = Target { backend: "nvptx".into(), chip: None };
    let artifact = cube_driver::Driver.compile(case.text.as_bytes(), &target, &CompileOptions::default());
    let artifact = artifact.unwrap_or_else(|e| panic!("{}: {e}\n{}", case.name, case.text));
    std::fs::write(folder.join(format!("{number}.artifact")), artifact.to_bytes()).unwrap();
    std::fs::write(folder.join(format!("{number}.mlir")), &case.text).unwrap();
    let results = expected(&case.text, &case.buffers, case.cubes).unwrap_or_else(|e| panic!("{}: {e}", case.name));
    let mut line = format!("{number}.artifact --cube-count {}", case.cubes);
    let ulp = case.buffers.iter().map(|data| data.ulp).max().unwrap_or(0);
    for (i, (data, result)) in case.buffers.iter().zip(&results).enumerate() {
        let file = format!("{number}.{i}.npy");
        npy::write(&folder.join(&file), result).unwrap();
        let is_input = data.bytes == result.bytes() && data.bytes.iter().any(|byte| *byte != 0);
        line += &match is_input {
            true => format!(" --arg b{i}={file}"),
            false => format!(" --arg b{i}=zeros:{} --check b{i}={file}", result.len()),
        };
    }
    format!("{line} --ulp {ulp} # {}\n", case.name.replace('\n', " "))
}
