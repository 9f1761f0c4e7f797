//! The tools compared with mlir-opt, the scaling of passes, and the time of a small kernel from process start to
//! result.
use crate::Result;
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

const ROUNDS: usize = 3;
const OPS: usize = 100_000;

/// Measures and prints all figures of this file.
pub fn run() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("cube-benches-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let result = against_mlir_opt(&folder).and_then(|()| scaling(&folder)).and_then(|()| starts(&folder));
    std::fs::remove_dir_all(&folder)?;
    result
}

fn tool(name: &str) -> PathBuf {
    std::env::var_os("CUBE_TOOLS").map_or_else(|| PathBuf::from(name), |f| Path::new(&f).join(name))
}

fn mlir_opt() -> PathBuf {
    Path::new(&std::env::var("MLIR_SYS_220_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".into())).join("bin/mlir-opt")
}

fn time(program: &Path, args: &[&str], file: &Path) -> Result<Duration> {
    let start = Instant::now();
    let status =
        Command::new(program).args(args).arg(file).args(["-o", "/dev/null"]).stderr(Stdio::inherit()).status()?;
    let elapsed = start.elapsed();
    if status.success() { Ok(elapsed) } else { Err(format!("{} {args:?} failed", program.display()).into()) }
}

fn ms(d: Duration) -> f64 {
    d.as_secs_f64() * 1e3
}

/// The best time of each entry of `runs`; the entries run alternately.
fn best(runs: &[(&Path, &[&str], &Path)]) -> Result<Vec<f64>> {
    let mut best = vec![f64::INFINITY; runs.len()];
    for _ in 0..ROUNDS {
        for (i, (program, args, file)) in runs.iter().enumerate() {
            best[i] = best[i].min(ms(time(program, args, file)?));
        }
    }
    Ok(best)
}

/// The text of `count / 6` blocks. Each block has six operations: a load, arithmetic, and a store under an
/// `scf.if`.
fn body(count: usize, access: impl Fn(&mut String, usize)) -> String {
    let mut text = String::new();
    for i in 0..count / 6 {
        access(&mut text, i);
    }
    text
}

fn memref_module(ops: usize) -> String {
    let body = body(ops, |t, i| {
        let _ = write!(
            t,
            "  %c{i} = arith.constant {i} : index\n  %v{i} = memref.load %x[%c{i}] : memref<?xf32>\n  %m{i} = arith.mulf %v{i}, %a : f32\n  scf.if %p {{\n    %s{i} = arith.addf %m{i}, %v{i} : f32\n    memref.store %s{i}, %y[%c{i}] : memref<?xf32>\n  }}\n"
        );
    });
    format!("func.func @k(%x: memref<?xf32>, %y: memref<?xf32>, %a: f32, %p: i1) {{\n{body}  return\n}}\n")
}

fn cube_module(ops: usize, bounds: &str) -> String {
    let body = body(ops, |t, i| {
        let _ = write!(
            t,
            "  %c{i} = arith.constant {i} : i32\n  %v{i} = cube.load %x[%c{i}]{bounds} : !cube.array<f32> -> f32\n  %m{i} = arith.mulf %v{i}, %a : f32\n  scf.if %p {{\n    %s{i} = arith.addf %m{i}, %v{i} : f32\n    cube.store %s{i}, %y[%c{i}]{bounds} : f32, !cube.array<f32>\n  }}\n"
        );
    });
    format!(
        "cube.kernel @k(%x: !cube.array<f32>, %y: !cube.array<f32>, %a: f32, %p: i1) cube_dim(64) {{\n{body}  cube.return\n}}\n"
    )
}

fn against_mlir_opt(folder: &Path) -> Result<()> {
    let (memref, cube) = (folder.join("memref.mlir"), folder.join("cube.mlir"));
    std::fs::write(&memref, memref_module(OPS))?;
    std::fs::write(&cube, cube_module(OPS, ""))?;
    let (stock, ours) = (mlir_opt(), tool("cube-opt"));
    let passes: &[&str] = &["--canonicalize", "--cse"];
    let t = best(&[(&stock, passes, &memref), (&ours, passes, &memref), (&ours, passes, &cube)])?;
    println!("\n--canonicalize --cse on {OPS} operations, best of {ROUNDS} alternating rounds");
    println!("  mlir-opt, memref {:8.1} ms", t[0]);
    println!("  cube-opt, memref {:8.1} ms  {:.3}x of mlir-opt", t[1], t[1] / t[0]);
    println!("  cube-opt, cube   {:8.1} ms  {:.3}x of mlir-opt on memref", t[2], t[2] / t[0]);
    Ok(())
}

fn scaling(folder: &Path) -> Result<()> {
    let passes = [
        ("remove-checks", " checked"),
        ("expand-checks", " checked"),
        ("expand-integers", " inbounds"),
        ("expand-math", " inbounds"),
        ("expand-casts", " inbounds"),
        ("buffers-to-memref", " inbounds"),
        ("specialize", ""),
    ];
    println!(
        "\ntime of a pass by --mlir-timing at 1,000, 10,000 and 100,000 operations, ms, and the exponent over both steps"
    );
    for (name, bounds) in passes {
        let mut times = Vec::new();
        for ops in [1_000, 10_000, 100_000] {
            let file = folder.join(format!("{ops}.mlir"));
            std::fs::write(&file, cube_module(ops, bounds))?;
            times.push(pass_time(name, &file)?);
        }
        let exponent = (times[2] / times[0].max(0.05)).log10() / 2.0;
        println!("  {name:18} {:8.2} {:8.2} {:8.2}   {exponent:.2}", times[0], times[1], times[2]);
    }
    Ok(())
}

/// The shortest time of a compiler pass, in milliseconds. The function runs the pass several times with
/// `--mlir-timing`.
fn pass_time(pass: &str, file: &Path) -> Result<f64> {
    let pipeline = format!("--pass-pipeline=builtin.module(cube.kernel({pass}))");
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let output = Command::new(tool("cube-opt"))
            .args([&pipeline, "--mlir-timing", "--mlir-timing-display=list", "-o", "/dev/null"])
            .arg(file)
            .output()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let line = text.lines().find(|l| l.trim_end().ends_with(pass));
        let seconds = line.and_then(|l| l.split_whitespace().next()).and_then(|t| t.parse::<f64>().ok());
        best = best.min(seconds.ok_or_else(|| format!("no timing of {pass} in:\n{text}"))? * 1e3);
    }
    Ok(best)
}

fn starts(folder: &Path) -> Result<()> {
    let saxpy = folder.join("saxpy.mlir");
    std::fs::write(
        &saxpy,
        "cube.kernel @saxpy(%x: !cube.array<f32>, %y: !cube.array<f32>, %a: f32) cube_dim(256) {\n  %i = cube.topology absolute_pos\n  %v = cube.load %x[%i] : !cube.array<f32> -> f32\n  %w = cube.load %y[%i] : !cube.array<f32> -> f32\n  %m = arith.mulf %a, %v : f32\n  %s = arith.addf %m, %w : f32\n  cube.store %s, %y[%i] : f32, !cube.array<f32>\n  cube.return\n}\n",
    )?;
    let (opt, run) = (tool("cube-opt"), tool("cube-run"));
    let empty = folder.join("empty.mlir");
    std::fs::write(&empty, "module {}\n")?;
    let t = best(&[(&mlir_opt(), &[], &empty), (&opt, &[], &empty)])?;
    println!("\nprocess start to end on an empty module: mlir-opt {:.1} ms, cube-opt {:.1} ms", t[0], t[1]);
    let mut best = f64::INFINITY;
    for _ in 0..3 * ROUNDS {
        let start = Instant::now();
        let done = Command::new(&run)
            .arg(&saxpy)
            .args(["--arg", "x=iota:1000", "--arg", "y=ones:1000", "--arg", "a=2.0"])
            .stdout(Stdio::null())
            .status()?;
        if !done.success() {
            return Err("cube-run of saxpy failed".into());
        }
        best = best.min(ms(start.elapsed()));
    }
    println!("saxpy of 1,000 elements, process start to result, cold: {best:.1} ms");
    Ok(())
}
