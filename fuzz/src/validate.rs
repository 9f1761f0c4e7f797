//! Translation validation: the interpreter's result after every single pass is that before it.
use crate::kernels::Kernel;
use cube_artifact::{CompileOptions, Target};
use cube_backend_interp::{Arg, Find, Options, Program, Schedule, run};
use cube_driver::stages;
use std::ops::ControlFlow;

/// The arguments of its launch.
pub(crate) fn arguments(kernel: &Kernel) -> Vec<Arg> {
    let buffer = |data: &crate::kernels::Data| match data.shape {
        Some([rows, columns]) => Arg::Tensor {
            bytes: data.bytes.clone(),
            initialised: true,
            shape: vec![rows, columns],
            strides: vec![columns, 1],
        },
        None => Arg::Buffer { bytes: data.bytes.clone(), initialised: true },
    };
    let scalars = kernel.scalars.iter().map(|s| Arg::Scalar(u64::from(*s)));
    kernel.buffers.iter().map(buffer).chain(scalars).collect()
}

/// Runs a kernel once; gives its buffers.
fn execute(program: &Program, kernel: &Kernel, schedule: Schedule) -> Result<Vec<Arg>, String> {
    execute_with(program, kernel, schedule, kernel.plane_dim)
}

/// The same with planes of another size.
pub(crate) fn execute_with(
    program: &Program,
    kernel: &Kernel,
    schedule: Schedule,
    plane_dim: u32,
) -> Result<Vec<Arg>, String> {
    let mut args = arguments(kernel);
    let options = Options { find: Find::FAULTS, max_steps: 1 << 26, plane_dim, schedule, ..Options::default() };
    let outcome = run(program, &mut args, [kernel.cubes, 1, 1], &options).map_err(|f| f.to_string())?;
    match outcome.findings.first() {
        Some(finding) => Err(format!("a finding in a kernel without faults: {finding}")),
        None => Ok(args),
    }
}

pub(crate) fn difference(before: &[Arg], after: &[Arg]) -> Option<String> {
    for (number, (one, other)) in before.iter().zip(after).enumerate() {
        let (Some(one), Some(other)) = (one.bytes(), other.bytes()) else { continue };
        if let Some(at) = one.iter().zip(other).position(|(a, b)| a != b) {
            return Some(format!("byte {at} of argument {number} is {:#04x} instead of {:#04x}", other[at], one[at]));
        }
    }
    None
}

/// Runs the kernel after every pass up to level legal and compares; gives the number of passes.
///
/// # Errors
/// The first pass that changes the result, or what does not compile or run.
pub fn validate(kernel: &Kernel, seed: u64) -> Result<usize, String> {
    let mut reference: Option<Vec<Arg>> = None;
    let mut wrong = None;
    let mut passes = 0;
    let request = CompileOptions::default();
    let mut before = String::new();
    let visited = stages(kernel.text.as_bytes(), &Target::cpu(), &request, &mut |stage| {
        let Some(source) = stage.kernel() else {
            wrong = Some(format!("there is no kernel after {}", stage.pass));
            return ControlFlow::Break(());
        };
        let program = Program::decode(source, &[]).map_err(|d| d.message);
        // Each stage runs in an order of its own: no order may show.
        let schedule = if passes == 0 { Schedule::InOrder } else { Schedule::Shuffled(seed + passes as u64) };
        let after = program.and_then(|program| execute(&program, kernel, schedule));
        let found = match (after, &reference) {
            (Err(why), _) => Some(why),
            (Ok(after), None) => {
                reference = Some(after);
                None
            }
            (Ok(after), Some(first)) => difference(first, &after),
        };
        if let Some(what) = found {
            let text =
                if passes == 0 { kernel.text.clone() } else { format!("{before}\n// after\n{}", stage.module.print()) };
            wrong = Some(format!("after pass {passes}, {}: {what}\n{text}", stage.pass));
            return ControlFlow::Break(());
        }
        before = stage.module.print();
        passes += 1;
        ControlFlow::Continue(())
    });
    visited.map_err(|e| format!("{e}\n{}", kernel.text))?;
    match wrong {
        Some(wrong) => Err(wrong),
        None => Ok(passes),
    }
}
