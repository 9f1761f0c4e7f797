//! Runs one kernel at levels source, flat and legal on the interpreter, and also on the CPU. Compares each result
//! with the result at level source.
use crate::mutate::{Bug, mutate, sites};
use cube_artifact::{Artifact, CompileOptions, ElemType, Target};
use cube_backend_interp::{Arg, Find, Options, Program, run};
use cube_driver::{Stage, compile_in_stages, describe, stages};
use cube_runtime::hostdata::{HostArray, compare};
use cube_runtime::{Device, Init};
use cube_runtime_cpu::CpuDevice;
use cube_target::Element;
use std::ops::ControlFlow;

/// A buffer of a kernel.
#[derive(Clone, Debug)]
pub struct Data {
    /// The name of the buffer in messages.
    pub name: String,
    /// Type of an element.
    pub elem: ElemType,
    /// The element type of the buffer in the kernel.
    pub ty: String,
    /// The elements.
    pub bytes: Vec<u8>,
    /// The largest allowed distance between a float and the expected float, in units in the last place. The
    /// distance is measured from the interpreter's result at level source. Before math functions are
    /// expanded, the distance must be 0.
    pub ulp: u64,
}

/// Runs `text` with `buffers` and `cubes` cubes at each level and on the CPU; returns the differences, one per line.
///
/// # Errors
/// The kernel does not compile or run. The returned text is the error message.
pub fn differences(text: &str, buffers: &[Data], cubes: u32, every_pass: bool) -> Result<Vec<String>, String> {
    let request = CompileOptions::default();
    let mut found = Vec::new();
    let mut reference: Option<Vec<HostArray>> = None;
    let mut failure = None;
    let mut expanded = false;
    let compiled = compile_in_stages(text.as_bytes(), &Target::cpu(), &request, &mut |stage| {
        expanded |= stage.pass == "expand-math";
        let is_compared = stage.ends_phase && ["parse", "specialize", "layout", "legalize"].contains(&stage.phase);
        if !is_compared && !every_pass {
            return ControlFlow::Continue(());
        }
        // The interpreter cannot run a stage without a kernel.
        let Some(kernel) = stage.kernel() else { return ControlFlow::Continue(()) };
        let results = Program::decode(kernel, &[])
            .map_err(|d| format!("{d:?}"))
            .and_then(|program| interpreted(&program, buffers, cubes, 1 << 30));
        match (results, &reference) {
            (Err(why), _) => {
                failure = Some(format!("interpreter after {}: {why}", stage.pass));
                return ControlFlow::Break(());
            }
            (Ok(results), None) => reference = Some(results),
            (Ok(results), Some(first)) => {
                compare_all(
                    &format!("interpreter after {}", stage.pass),
                    buffers,
                    first,
                    &results,
                    expanded,
                    &mut found,
                );
            }
        }
        ControlFlow::Continue(())
    });
    let compiled = compiled.map_err(|e| e.to_string())?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    let first = reference.ok_or("no stage was run")?;
    let artifact = compiled.ok_or("the compilation was ended")?;
    compare_all("cpu", buffers, &first, &on_cpu(&artifact, buffers, cubes)?, true, &mut found);
    Ok(found)
}

/// The buffers after the interpreter's run at level source.
///
/// # Errors
/// The kernel does not run. The returned text is the error message.
pub fn expected(text: &str, buffers: &[Data], cubes: u32) -> Result<Vec<HostArray>, String> {
    let mut results = Err("no stage was run".to_string());
    let visited = stages(text.as_bytes(), &Target::cpu(), &CompileOptions::default(), &mut |stage| {
        if let Some(kernel) = stage.kernel() {
            let program = Program::decode(kernel, &[]).map_err(|d| d.message);
            results = program.and_then(|program| interpreted(&program, buffers, cubes, 1 << 30));
        }
        ControlFlow::Break(())
    });
    visited.map_err(|e| e.to_string())?;
    results
}

/// The outcome of a run of one kernel after a test inserted a bug in the output of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BugOutcome {
    /// The output of the pass does not contain an operation in which the test can insert the bug.
    Nowhere,
    /// The results with and without the bug are equal, so the bug was not found.
    Unseen {
        /// The operation with the bug.
        op: String,
    },
    /// The bug changes a result, or the interpreter finds a fault.
    Caught {
        /// The operation with the bug.
        op: String,
    },
}

/// Inserts a bug in the output of `pass` on `text`, and compares the interpreter's results with and without the
/// pass.
///
/// # Errors
/// The kernel does not compile or run. The kernel contains an operation that can receive the bug before the pass. The
/// pass does not run, or changes the results without the bug. The returned text is the error message.
pub fn planted(
    text: &str,
    buffers: &[Data],
    cubes: u32,
    pass: &str,
    (how, stage_name): (Bug, usize),
) -> Result<BugOutcome, String> {
    let mut verdict = Err(format!("{pass} does not run"));
    let (mut reference, mut before) = (Err("no stage was run".to_string()), 0);
    let visited = stages(text.as_bytes(), &Target::cpu(), &CompileOptions::default(), &mut |stage| {
        let program = |stage: &Stage<'_, '_>| {
            let kernel = stage.kernel().ok_or("no kernel is left")?;
            Program::decode(kernel, &[]).map_err(|d| d.message).and_then(|p| interpreted(&p, buffers, cubes, 1 << 20))
        };
        if stage.number == 0 {
            reference = program(stage);
        }
        if stage.pass != pass {
            before = sites(stage, how).len();
            return ControlFlow::Continue(());
        }
        verdict = match (&reference, sites(stage, how).into_iter().nth(stage_name)) {
            (Err(why), _) => Err(why.clone()),
            _ if before > 0 => Err(format!("{before} operations can be broken like this before {pass}")),
            (_, None) => Ok(BugOutcome::Nowhere),
            (Ok(first), Some(op)) => {
                let same = || {
                    program(stage).map(|results| {
                        let mut found = Vec::new();
                        compare_all("broken", buffers, first, &results, true, &mut found);
                        found.is_empty()
                    })
                };
                match same() {
                    Ok(true) => {
                        mutate(stage, how, stage_name);
                        Ok(if same() == Ok(true) { BugOutcome::Unseen { op } } else { BugOutcome::Caught { op } })
                    }
                    without => Err(format!("{pass} as it is gives another result: {without:?}")),
                }
            }
        };
        ControlFlow::Break(())
    });
    visited.map_err(|e| e.to_string())?;
    verdict
}

fn array(data: &Data, mut bytes: Vec<u8>) -> Result<HostArray, String> {
    // The host has no type for 8-bit floats, so their arrays consist of bytes. All NaNs become one bit
    // pattern, because the comparison must accept any NaN for any other NaN.
    let format = Element::from_ir(&data.ty).filter(|e| e.holder() == Some(Element::I8)).and_then(Element::format);
    let nan = |byte: u8| {
        let code = u64::from(byte & 0x7f);
        format.is_some_and(|format| code > format.most() && Some(code) != format.infinity())
    };
    bytes.iter_mut().filter(|byte| nan(**byte)).for_each(|byte| *byte = 0x7f);
    HostArray::new(data.elem, vec![(bytes.len() / data.elem.size()) as u64], bytes).map_err(|e| e.to_string())
}

pub(crate) fn interpreted(
    program: &Program,
    buffers: &[Data],
    cubes: u32,
    max_steps: u64,
) -> Result<Vec<HostArray>, String> {
    let mut args: Vec<Arg> =
        buffers.iter().map(|b| Arg::Buffer { bytes: b.bytes.clone(), initialised: true }).collect();
    let options = Options { find: Find::FAULTS, max_steps, ..Options::default() };
    let outcome = run(program, &mut args, [cubes, 1, 1], &options).map_err(|f| f.to_string())?;
    if let Some(finding) = outcome.findings.first() {
        return Err(format!("a finding in a kernel without faults: {finding}"));
    }
    let results = buffers.iter().zip(args).map(|(data, arg)| match arg {
        Arg::Buffer { bytes, .. } | Arg::Tensor { bytes, .. } => array(data, bytes),
        Arg::Scalar(_) => Err("a scalar".into()),
    });
    results.collect()
}

fn on_cpu(artifact: &Artifact, buffers: &[Data], cubes: u32) -> Result<Vec<HostArray>, String> {
    let device = CpuDevice::with_threads(1);
    let text = |e: cube_runtime::RuntimeError| e.to_string();
    let kernel = device.load(artifact).map_err(text)?;
    let mut uploaded = Vec::new();
    for data in buffers {
        let buffer = device.alloc(data.bytes.len() as u64, Init::Any).map_err(text)?;
        device.write(&buffer, 0, &data.bytes).map_err(text)?;
        uploaded.push(buffer);
    }
    let args: Vec<_> = buffers.iter().zip(&uploaded).map(|(d, b)| cube_runtime::Arg::buffer(b, d.elem)).collect();
    device.launch_kernel(&kernel, &args, [cubes, 1, 1]).map_err(text)?;
    let mut results = Vec::new();
    for (data, buffer) in buffers.iter().zip(&uploaded) {
        let mut bytes = vec![0; data.bytes.len()];
        device.read(buffer, 0, &mut bytes).map_err(text)?;
        results.push(array(data, bytes)?);
    }
    Ok(results)
}

/// The index of the first element that is zero in both results but with different signs. Comparisons of
/// arrays ignore the sign of zero.
pub(crate) fn other_zero(actual: &HostArray, expected: &HostArray) -> Option<usize> {
    let size = actual.elem().size();
    let float = actual.elem().is_float();
    let is_zero = |bytes: &[u8]| bytes[size - 1] & 0x7f == 0 && bytes[..size - 1].iter().all(|byte| *byte == 0);
    let mut pairs = actual.bytes().chunks_exact(size).zip(expected.bytes().chunks_exact(size));
    pairs.position(|(a, b)| float && a != b && is_zero(a) && is_zero(b))
}

pub(crate) fn compare_all(
    stage_name: &str,
    buffers: &[Data],
    first: &[HostArray],
    results: &[HostArray],
    math: bool,
    found: &mut Vec<String>,
) {
    for ((data, expected), actual) in buffers.iter().zip(first).zip(results) {
        let ulp = if math { data.ulp } else { 0 };
        match compare(actual, expected, ulp) {
            Ok(report) if report.passes() => {
                if let Some(at) = other_zero(actual, expected).filter(|_| ulp == 0) {
                    let show = |array: &HostArray| array.show(at).unwrap_or_default();
                    found.push(format!(
                        "{}: {stage_name}: at {at}: {} instead of {}",
                        data.name,
                        show(actual),
                        show(expected)
                    ));
                }
            }
            Ok(report) => {
                let at = report.worst.unwrap_or(0);
                let show = |array: &HostArray| array.show(at).unwrap_or_default();
                found.push(format!(
                    "{}: {stage_name}: {} of {} differ, at {at} by {} ulp ({ulp} allowed): {} instead of {}",
                    data.name,
                    report.count,
                    report.total,
                    report.max_ulp,
                    show(actual),
                    show(expected)
                ));
            }
            Err(error) => found.push(format!("{}: {stage_name}: {error}", data.name)),
        }
    }
}

/// The arguments of a launch of `text`, as the driver derives them. Tests that do not know the types of the
/// arguments use this function.
///
/// # Errors
/// The kernel does not compile.
pub fn parameters(text: &str) -> Result<Vec<cube_artifact::Param>, String> {
    describe(text.as_bytes(), "interp", &CompileOptions::default()).map(|a| a.params).map_err(|e| e.to_string())
}
