//! `cargo xtask compat time`: the processor time of rustc for the kernels of CubeCL's runtime tests, with CubeCL's own
//! macro and library, and with the crate `cube`.
//!
//! Each of the two crates has the same modules of tests. A wrapper of rustc records the user and system time of the
//! crate alone, without its dependencies. The crates take turns for [`RUNS`] rounds. The smallest time of each crate counts. The
//! table also has the median of the ratios of the rounds with its quartiles, which show the noise of other work on the machine.

use super::{EDITIONS, Edition, downloaded, macros_of, without_modules, write};
use crate::Outcome;
use crate::workspace::{root, target_folder};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The number of rounds.
const RUNS: usize = 15;

/// The largest permitted time with the crate `cube`, as a multiple of the time with CubeCL.
const LARGEST_RATIO: f64 = 1.2;

/// The manifest of the crate with CubeCL's own library.
const MANIFEST: &str = r#"[package]
name = "cubecl_core_time"
version = "0.1.0"
edition = "2024"

[dependencies]
cubecl-core = "=VERSION"
cubecl-runtime = "=VERSION"
cubecl-ir = "=VERSION"
cubecl-common = "=VERSION"
half = { version = "2", features = ["num-traits"] }
num-traits = "0.2"
paste = "1"

[workspace]
"#;

const LIBRARY: &str = "#![allow(warnings)]\npub use cubecl_core::*;\npub use num_traits;\npub mod runtime_tests;\n";

/// Appends the user and system time of rustc to the file in `CPU_TIMES`.
const WRAPPER: &str = "#!/bin/bash\nTIMEFORMAT='%U %S'\n{ time \"$@\" 2>&3; } 3>&2 2>>\"$CPU_TIMES\"\n";

pub fn run() -> Outcome {
    let edition = &EDITIONS[0];
    let folder = target_folder(&root()).join("compat");
    let sources = downloaded(&folder.join(format!("download-{}", edition.name)), "cubecl-core", edition.version)?;
    let sources = sources.join("src/runtime_tests");
    let (ours, theirs) = (folder.join(format!("tests-{}", edition.name)), folder.join("time"));
    edition.write_crate(&sources, &ours, &BTreeMap::new())?;
    write_crate_of_cubecl(edition, &sources, &theirs)?;
    let wrapper = folder.join("rustc-with-times");
    write(&wrapper, WRAPPER)?;
    let mode = Command::new("chmod").arg("+x").arg(&wrapper).status();
    mode.map_err(|error| format!("cannot start chmod: {error}"))?;
    println!(
        "| processor time of rustc, least of {RUNS} | CubeCL {} | Cube | ratio | median ratio of a round (quartiles) |",
        edition.version
    );
    println!("|---|---|---|---|---|");
    let mut largest = 0.0_f64;
    for command in ["check", "build"] {
        let (mut best, mut ratios) = ([f64::INFINITY; 2], Vec::new());
        for _ in 0..RUNS {
            let times = [measured(command, &theirs, &folder, &wrapper)?, measured(command, &ours, &folder, &wrapper)?];
            best.iter_mut().zip(times).for_each(|(best, time)| *best = best.min(time));
            ratios.push(times[1] / times[0]);
        }
        let ([low, middle, high], ratio) = (quartiles(ratios), best[1] / best[0]);
        largest = largest.max(ratio);
        let [theirs, ours] = best;
        println!("| {command} | {theirs:.2} s | {ours:.2} s | {ratio:.2} | {middle:.2} ({low:.2} to {high:.2}) |");
    }
    if largest <= LARGEST_RATIO { Ok(()) } else { Err(format!("the ratio {largest:.2} exceeds {LARGEST_RATIO}")) }
}

/// The values at a quarter, a half and three quarters of the sorted list.
fn quartiles(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| values[(values.len() - 1) * quarter / 4])
}

fn write_crate_of_cubecl(edition: &Edition, sources: &Path, folder: &Path) -> Outcome {
    write(&folder.join("Cargo.toml"), &MANIFEST.replace("VERSION", edition.version))?;
    write(&folder.join("src/lib.rs"), LIBRARY)?;
    let omitted: Vec<&str> = edition.omitted.iter().map(|(module, _)| *module).collect();
    let macros = macros_of(sources, &omitted);
    let files = std::fs::read_dir(sources).map_err(|error| format!("cannot read {}: {error}", sources.display()))?;
    for file in files.filter_map(Result::ok).map(|entry| entry.path()) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if omitted.contains(&name.as_str()) {
            continue;
        }
        let text =
            std::fs::read_to_string(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        let text = if name == "mod" { without_modules(&text, &omitted, &macros) } else { text };
        write(&folder.join(format!("src/runtime_tests/{name}.rs")), &text)?;
    }
    Ok(())
}

/// Compiles the library of a crate, and returns the time of rustc in seconds.
fn measured(command: &str, tests: &Path, folder: &Path, wrapper: &Path) -> Result<f64, String> {
    let times: PathBuf = folder.join("cpu-times.txt");
    write(&times, "")?;
    let library = tests.join("src/lib.rs");
    let text = std::fs::read_to_string(&library).map_err(|error| format!("{}: {error}", library.display()))?;
    // The new time of the file makes cargo compile the crate again.
    write(&library, &text)?;
    let mut cargo = Command::new("cargo");
    cargo.args([command, "--lib"]).current_dir(tests).env("CARGO_TARGET_DIR", folder.join("target"));
    cargo.env("CARGO_INCREMENTAL", "0").env("RUSTC_WORKSPACE_WRAPPER", wrapper).env("CPU_TIMES", &times);
    let output = cargo.output().map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("{}: {}", tests.display(), String::from_utf8_lossy(&output.stderr)));
    }
    let text = std::fs::read_to_string(&times).map_err(|error| format!("{}: {error}", times.display()))?;
    last_time(&text).ok_or_else(|| format!("{command} of {} did not compile the crate", tests.display()))
}

/// The sum of user and system time in the last line that has both.
fn last_time(text: &str) -> Option<f64> {
    text.lines().rev().find_map(|line| {
        let (user, system) = line.split_once(' ')?;
        Some(user.parse::<f64>().ok()? + system.parse::<f64>().ok()?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_values_of_the_list() {
        assert_eq!(quartiles(vec![5.0, 1.0, 4.0, 2.0, 3.0]), [2.0, 3.0, 4.0]);
    }

    #[test]
    fn the_last_time_counts() {
        assert_eq!(last_time("0.01 0.02\nnote: x\n1.50 0.25\n"), Some(1.75));
        assert_eq!(last_time("no time\n"), None);
    }
}
