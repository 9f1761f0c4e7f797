//! `cargo xtask compat speed`: the time of four kernels on the CPU's Vulkan device, compared with CubeCL's own runtime on wgpu.
//!
//! The programs of `benches/cubecl` are compiled once with CubeCL from the registry and once with the crate `cube`. All
//! processes run at the same time, but only one at a time has work. If CubeCL's SPIR-V does not run on the device, the
//! peer of SPIR-V is CubeCL's WGSL. A round launches a kernel several times and waits. The
//! implementations take their rounds in turn. The best of [`ROUNDS`] rounds counts.

use super::{EDITIONS, Edition, write};
use crate::Outcome;
use crate::phase::phase;
use crate::workspace::{root, target_folder};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Rounds of each case and implementation.
const ROUNDS: usize = 9;

const HOST: &str = include_str!("../../../benches/cubecl/host.rs");

const MANIFEST: &str = r#"[package]
name = "speed"
version = "0.1.0"
edition = "2024"

[features]
spirv = SPIRV

[dependencies]
cubecl = CUBECL

[workspace]
"#;

/// The code formats of both implementations.
const FORMATS: [(&str, &str); 2] = [("wgsl", "WGSL"), ("spirv", "SPIR-V")];

pub fn run(arguments: &[String]) -> Outcome {
    let name = arguments.first().map(String::as_str);
    let selected: Vec<&Edition> = EDITIONS.iter().filter(|one| name.is_none_or(|name| name == one.name)).collect();
    if selected.is_empty() || arguments.len() > 1 {
        return Err(format!("unknown arguments {}; write `0.8`, `0.11`, or no argument", arguments.join(" ")));
    }
    let mut slower = Vec::new();
    for edition in selected {
        slower.extend(compare(edition)?);
    }
    if slower.is_empty() { Ok(()) } else { Err(format!("slower than CubeCL: {}", slower.join("; "))) }
}

/// Measures the programs of an edition, prints the table, and returns the slower cases. A case is slower if both of its times
/// are larger than CubeCL's.
fn compare(edition: &Edition) -> Result<Vec<String>, String> {
    let folder = target_folder(&root()).join("compat");
    let (ours, theirs) = phase(&format!("building the programs of {}", edition.name), || programs(edition, &folder))?;
    let mut slower = Vec::new();
    for ((code, format), own_format) in FORMATS.into_iter().zip(&theirs) {
        let place = folder.join(format!("speed-{}-{code}", edition.name));
        write(&place.join("cube.toml"), &format!("[wgpu]\ncode = \"{code}\"\n"))?;
        // CubeCL 0.8.1 requests more features of Vulkan for SPIR-V than each device has.
        let theirs = Program::start(own_format, &place).or_else(|error| {
            println!("\nCubeCL {} with {format} does not start on this device ({error})", edition.version);
            Program::start(&theirs[0], &place)
        });
        let mut peers = [Program::start(&ours, &place)?, theirs?];
        check(&peers)?;
        println!("\n{format}: {}, and CubeCL {}: {}", peers[0].runtime, edition.version, peers[1].runtime);
        println!(
            "| ms per launch, best of {ROUNDS} | elapsed time | CubeCL | ratio | processor time | CubeCL | ratio |"
        );
        println!("|---|---|---|---|---|---|---|");
        for case in 0..peers[0].cases.len() {
            let mut best = [[f64::INFINITY; 2]; 2];
            for _ in 0..ROUNDS {
                for (peer, best) in peers.iter_mut().zip(&mut best) {
                    let times = peer.round(case)?;
                    best.iter_mut().zip(times).for_each(|(best, time)| *best = best.min(time));
                }
            }
            let [[wall, processor], [their_wall, their_processor]] = best;
            let (name, ratios) = (&peers[0].cases[case].0, [their_wall / wall, their_processor / processor]);
            println!(
                "| {name} | {wall:.3} | {their_wall:.3} | {:.2} | {processor:.3} | {their_processor:.3} | {:.2} |",
                ratios[0], ratios[1]
            );
            if ratios[0].max(ratios[1]) < 1.0 {
                slower.push(format!("{name}, {format}, {}", edition.version));
            }
        }
    }
    Ok(slower)
}

/// Compiles the program with the crate `cube`, and with CubeCL for WGSL and for SPIR-V.
fn programs(edition: &Edition, folder: &Path) -> Result<(PathBuf, [PathBuf; 2]), String> {
    let cube = root().join("cube");
    let own = format!("{{ package = \"cube-mlir\", path = \"{}\", features = [\"wgpu-spirv\"] }}", cube.display());
    let peer = format!(
        "{{ version = \"={}\", default-features = false, features = [\"std\", \"stdlib\", \"wgpu\"] }}",
        edition.version
    );
    let ours = build(edition, folder, "cube", &MANIFEST.replace("CUBECL", &own).replace("SPIRV", "[]"), false)?;
    let manifest = MANIFEST.replace("CUBECL", &peer).replace("SPIRV", "[\"cubecl/wgpu-spirv\"]");
    let theirs = [false, true].map(|spirv| build(edition, folder, "cubecl", &manifest, spirv));
    let [wgsl, spirv] = theirs;
    Ok((ours, [wgsl?, spirv?]))
}

/// Compiles a program, and returns its path.
fn build(edition: &Edition, folder: &Path, name: &str, manifest: &str, spirv: bool) -> Result<PathBuf, String> {
    let source = match edition.name {
        "0.8" => include_str!("../../../benches/cubecl/speed_0_8.rs"),
        _ => include_str!("../../../benches/cubecl/speed_0_11.rs"),
    };
    // The prelude of CubeCL 0.11 lacks the trait of runtimes.
    let prelude = match name {
        "cube" => format!("{}::*", edition.prelude),
        _ => "cubecl::{__private::Runtime, prelude::*}".into(),
    };
    let tree = folder.join(format!("speed-{}-{name}", edition.name));
    write(&tree.join("Cargo.toml"), manifest)?;
    write(&tree.join("src/main.rs"), &source.replace("PRELUDE", &prelude))?;
    write(&tree.join("src/host.rs"), HOST)?;
    let target = folder.join("target");
    let features: &[&str] = if spirv { &["--features", "spirv"] } else { &[] };
    let output = super::cargo_of(&tree, &target, &[&["build", "--release"], features].concat())?;
    if !output.status.success() {
        return Err(format!("{}: {}", tree.display(), String::from_utf8_lossy(&output.stderr)));
    }
    // The next build of a program replaces the binary.
    let copy = tree.join(if spirv { "speed-spirv" } else { "speed" });
    std::fs::copy(target.join("release/speed"), &copy).map_err(|error| format!("{}: {error}", copy.display()))?;
    Ok(copy)
}

/// Whether all programs have the same cases with the same results.
fn check(peers: &[Program; 2]) -> Outcome {
    for ((name, sum), (other, other_sum)) in peers[0].cases.iter().zip(&peers[1].cases) {
        // Different orders of a sum, and different formulas of `erf`, give slightly different results.
        if name != other || (sum - other_sum).abs() > 1e-4 * other_sum.abs().max(1e4) {
            return Err(format!("the sum of the results of {name} is {sum}, and CubeCL's of {other} {other_sum}"));
        }
    }
    let [own, other] = [&peers[0].cases, &peers[1].cases].map(Vec::len);
    if own == other && own > 0 { Ok(()) } else { Err(format!("{own} cases, and {other} of CubeCL")) }
}

/// A running program.
struct Program {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    runtime: String,
    /// The name of each case, and the sum of its results.
    cases: Vec<(String, f64)>,
}

impl Program {
    /// Starts a program, and waits until it has launched each kernel once.
    fn start(path: &Path, folder: &Path) -> Result<Self, String> {
        let mut command = Command::new(path);
        command.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let failed = |error| format!("{}: {error}", path.display());
        let mut child = command.spawn().map_err(failed)?;
        let (input, output) = child.stdin.take().zip(child.stdout.take()).ok_or("a process without pipes")?;
        let mut program =
            Program { child, input, output: BufReader::new(output), runtime: String::new(), cases: Vec::new() };
        loop {
            let line = program.line()?;
            match line.split_once(' ') {
                Some(("runtime", name)) => program.runtime = name.into(),
                Some(("case", case)) => program.cases.extend(case_of(case)),
                _ if line == "ready" => return Ok(program),
                _ => return Err(format!("{}: {line}", path.display())),
            }
        }
    }

    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(0) => Err(format!("the program {} ended", self.runtime)),
            Ok(_) => Ok(line.trim().to_string()),
            Err(error) => Err(format!("{}: {error}", self.runtime)),
        }
    }

    /// Runs a round of a case. The result is the elapsed time and the processor time of a launch, in milliseconds.
    fn round(&mut self, case: usize) -> Result<[f64; 2], String> {
        writeln!(self.input, "{case}").map_err(|error| format!("{}: {error}", self.runtime))?;
        let line = self.line()?;
        times_of(&line).ok_or_else(|| format!("{}: {line}", self.runtime))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // A process that has ended cannot be killed.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// A case, from a line with the sum of its results and its name.
fn case_of(line: &str) -> Option<(String, f64)> {
    let (sum, name) = line.split_once(' ')?;
    Some((name.to_string(), sum.parse().ok()?))
}

/// Two times in milliseconds, from a line with nanoseconds.
fn times_of(line: &str) -> Option<[f64; 2]> {
    let (wall, processor) = line.split_once(' ')?;
    Some([wall.parse::<f64>().ok()? / 1e6, processor.parse::<f64>().ok()? / 1e6])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_program_are_read() {
        assert_eq!(case_of("-1.5 add, lines of 4, checked"), Some(("add, lines of 4, checked".into(), -1.5)));
        assert_eq!(times_of("1500000 2000000"), Some([1.5, 2.0]));
        assert_eq!(times_of("nothing"), None);
    }
}
