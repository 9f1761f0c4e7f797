//! Runs one kernel on the interpreter at levels source, flat and legal and on the CPU, and compares with the first.
use cube_artifact::{CompileOptions, Compiler, ElemType, Target};
use cube_backend_interp::{Arg, Find, Options, Program, run};
use cube_driver::{Driver, describe, stages};
use cube_runtime::hostdata::{HostArray, compare};
use cube_runtime::{Device, Init};
use cube_runtime_cpu::CpuDevice;
use std::ops::ControlFlow;

/// A buffer of a kernel.
#[derive(Clone, Debug)]
pub struct Data {
    /// What it is called in messages.
    pub name: String,
    /// Type of an element.
    pub elem: ElemType,
    /// The elements.
    pub bytes: Vec<u8>,
    /// How far floats may be from the interpreter's at level source, once math functions are expanded.
    pub ulp: u64,
}

/// Runs `text` with `buffers` and `cubes` cubes everywhere; gives the differences, one line each.
///
/// # Errors
/// A kernel that does not compile or run, in words.
pub fn differences(text: &str, buffers: &[Data], cubes: u32, every_pass: bool) -> Result<Vec<String>, String> {
    let request = CompileOptions::default();
    let mut found = Vec::new();
    let mut reference: Option<Vec<HostArray>> = None;
    let mut failure = None;
    let mut expanded = false;
    let visited = stages(text.as_bytes(), &Target::cpu(), &request, &mut |stage| {
        expanded |= stage.pass == "expand-math";
        let looked_at = stage.ends_phase && ["parse", "specialize", "layout", "legalize"].contains(&stage.phase);
        if !looked_at && !every_pass {
            return ControlFlow::Continue(());
        }
        let Some(kernel) = stage.kernel() else { return ControlFlow::Break(()) };
        let results = Program::decode(kernel, &[])
            .map_err(|d| format!("{d:?}"))
            .and_then(|program| interpreted(&program, buffers, cubes));
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
    visited.map_err(|e| e.to_string())?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    let first = reference.ok_or("no stage was run")?;
    compare_all("cpu", buffers, &first, &on_cpu(text, buffers, cubes)?, true, &mut found);
    Ok(found)
}

/// The buffers that the interpreter leaves at level source.
///
/// # Errors
/// A kernel that does not run, in words.
pub fn expected(text: &str, buffers: &[Data], cubes: u32) -> Result<Vec<HostArray>, String> {
    let mut results = Err("no stage was run".to_string());
    let visited = stages(text.as_bytes(), &Target::cpu(), &CompileOptions::default(), &mut |stage| {
        if let Some(kernel) = stage.kernel() {
            let program = Program::decode(kernel, &[]).map_err(|d| d.message);
            results = program.and_then(|program| interpreted(&program, buffers, cubes));
        }
        ControlFlow::Break(())
    });
    visited.map_err(|e| e.to_string())?;
    results
}

fn array(data: &Data, bytes: Vec<u8>) -> Result<HostArray, String> {
    HostArray::new(data.elem, vec![(bytes.len() / data.elem.size()) as u64], bytes).map_err(|e| e.to_string())
}

fn interpreted(program: &Program, buffers: &[Data], cubes: u32) -> Result<Vec<HostArray>, String> {
    let mut args: Vec<Arg> =
        buffers.iter().map(|b| Arg::Buffer { bytes: b.bytes.clone(), initialised: true }).collect();
    let options = Options { find: Find::FAULTS, max_steps: 1 << 30, ..Options::default() };
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

fn on_cpu(text: &str, buffers: &[Data], cubes: u32) -> Result<Vec<HostArray>, String> {
    let artifact =
        Driver.compile(text.as_bytes(), &Target::cpu(), &CompileOptions::default()).map_err(|e| e.to_string())?;
    let device = CpuDevice::with_threads(1);
    let say = |e: cube_runtime::RuntimeError| e.to_string();
    let kernel = device.load(&artifact).map_err(say)?;
    let mut uploaded = Vec::new();
    for data in buffers {
        let buffer = device.alloc(data.bytes.len() as u64, Init::Any).map_err(say)?;
        device.write(&buffer, 0, &data.bytes).map_err(say)?;
        uploaded.push(buffer);
    }
    let args: Vec<_> = buffers.iter().zip(&uploaded).map(|(d, b)| cube_runtime::Arg::buffer(b, d.elem)).collect();
    device.launch_kernel(&kernel, &args, [cubes, 1, 1]).map_err(say)?;
    let mut results = Vec::new();
    for (data, buffer) in buffers.iter().zip(&uploaded) {
        let mut bytes = vec![0; data.bytes.len()];
        device.read(buffer, 0, &mut bytes).map_err(say)?;
        results.push(array(data, bytes)?);
    }
    Ok(results)
}

/// The first float that is a zero of the other sign, which counts as equal where arrays are compared.
pub(crate) fn other_zero(actual: &HostArray, expected: &HostArray) -> Option<usize> {
    let size = actual.elem().size();
    let float = matches!(actual.elem(), ElemType::F16 | ElemType::BF16 | ElemType::F32 | ElemType::F64);
    let is_zero = |bytes: &[u8]| bytes[size - 1] & 0x7f == 0 && bytes[..size - 1].iter().all(|byte| *byte == 0);
    let mut pairs = actual.bytes().chunks_exact(size).zip(expected.bytes().chunks_exact(size));
    pairs.position(|(a, b)| float && a != b && is_zero(a) && is_zero(b))
}

fn compare_all(
    place: &str,
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
                        "{}: {place}: at {at}: {} instead of {}",
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
                    "{}: {place}: {} of {} differ, at {at} by {} ulp ({ulp} allowed): {} instead of {}",
                    data.name,
                    report.count,
                    report.total,
                    report.max_ulp,
                    show(actual),
                    show(expected)
                ));
            }
            Err(error) => found.push(format!("{}: {place}: {error}", data.name)),
        }
    }
}

/// What a launch of `text` takes, by the driver's word: used by tests that know no types.
///
/// # Errors
/// A kernel that does not compile.
pub fn parameters(text: &str) -> Result<Vec<cube_artifact::Param>, String> {
    describe(text.as_bytes(), "interp", &CompileOptions::default()).map(|a| a.params).map_err(|e| e.to_string())
}
