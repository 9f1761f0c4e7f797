//! Measures versions of the other benchmarks' kernels in OpenCL C on pocl. A small C program runs the kernels. If a
//! program or library is missing, the error names the missing packages.
use crate::Result;
use crate::compare::ROUNDS;
use std::process::Command;

const FOLDER: &str = "benches/pocl";

pub fn run() -> Result<()> {
    match measured() {
        Ok(lines) => println!("\nthe same kernels in OpenCL C, best of {ROUNDS}\n{lines}"),
        Err(reason) => println!("\npocl was not measured: {reason}"),
    }
    Ok(())
}

fn measured() -> std::result::Result<String, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let program = folder.path().join("run");
    let install = "install it with `apt-get install pocl-opencl-icd ocl-icd-opencl-dev opencl-headers`";
    let mut cc = Command::new("cc");
    cc.arg("-O2").arg(format!("{FOLDER}/run.c")).arg("-o").arg(&program).args(["-lOpenCL", "-lm"]);
    let built = cc.output().map_err(|e| format!("there is no C compiler ({e})"))?;
    if !built.status.success() {
        return Err(format!("OpenCL's headers or library are not installed; {install}"));
    }
    let run = Command::new(&program).arg(format!("{FOLDER}/kernels.cl")).arg(ROUNDS.to_string()).output();
    let run = run.map_err(|e| e.to_string())?;
    if !run.status.success() {
        return Err(format!("{}; {install}", String::from_utf8_lossy(&run.stderr).trim()));
    }
    let stdout = String::from_utf8_lossy(&run.stdout);
    let line = |line: &str| {
        let mut words = line.split(' ');
        let name = words.next().unwrap_or_default();
        match (name, words.next().and_then(|seconds| seconds.parse::<f64>().ok())) {
            ("device", _) => format!("  {line}"),
            (_, Some(seconds)) => format!("  {name:32} {:.3} ms", seconds * 1e3),
            _ => String::new(),
        }
    };
    Ok(stdout.lines().map(line).collect::<Vec<_>>().join("\n"))
}
