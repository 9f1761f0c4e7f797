//! Tests one pass of a pipeline: compares the results of the source kernel and of the module after the pass, in the
//! interpreter.
use cube_artifact::{CompileOptions, Target};
use cube_backend_interp::{Arg, Find, Options, Program, run};
use cube_dialect::kernels_of;
use cube_driver::{Stage, stages};
use cube_ir::{OwnedModule, Session};
use std::ops::ControlFlow;

/// A launch: the arguments, and the cubes along x.
pub type Launch = (Vec<Arg>, u32);

fn interpreted(stage: &Stage<'_, '_>, launch: &Launch) -> Result<Vec<Vec<u8>>, String> {
    let program = Program::decode(stage.kernel().ok_or("the stage has no kernel")?, &[]).map_err(|d| d.message)?;
    launched(&program, launch, 1 << 26)
}

/// The buffers after a launch, or its first finding.
fn launched(program: &Program, launch: &Launch, max_steps: u64) -> Result<Vec<Vec<u8>>, String> {
    let mut args = launch.0.clone();
    let options = Options { find: Find::FAULTS, max_steps, ..Options::default() };
    let outcome = run(program, &mut args, [launch.1, 1, 1], &options).map_err(|fault| fault.to_string())?;
    match outcome.findings.first() {
        Some(finding) => Err(format!("a finding: {finding}")),
        None => Ok(args.iter().filter_map(|arg| arg.bytes().map(<[u8]>::to_vec)).collect()),
    }
}

/// The buffers of the module's first kernel after each launch, or the first finding of the launch. Panics if the kernel
/// cannot be decoded. A launch of more than 2^20 steps, for example after an inserted bug, is a finding.
pub fn results(module: &OwnedModule<'_>, launches: &[Launch]) -> Vec<Result<Vec<Vec<u8>>, String>> {
    let program = Program::decode(kernels_of(module.op())[0], &[]).unwrap_or_else(|d| panic!("{}", d.message));
    launches.iter().map(|launch| launched(&program, launch, 1 << 20)).collect()
}

/// The module of `text`, and the module after `pipeline`. Panics if the pipeline fails.
pub fn before_and_after<'s>(session: &'s Session, text: &str, pipeline: &str) -> [OwnedModule<'s>; 2] {
    let before = session.parse(text.as_bytes(), "k.mlir").unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let mut after = before.duplicate();
    after.run(pipeline).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    [before, after]
}

/// The interpreter's results for the source kernel, and for each stage of the CPU's pipeline that `selects` selects.
/// Each list has one entry for each launch. Panics if the kernel cannot run.
pub fn results_of(
    text: &str,
    launches: &[Launch],
    selects: &dyn Fn(&Stage<'_, '_>) -> bool,
) -> Vec<(String, Vec<Vec<Vec<u8>>>)> {
    let mut all = Vec::new();
    let visited = stages(text.as_bytes(), &Target::cpu(), &CompileOptions::default(), &mut |stage| {
        if stage.number == 0 || selects(stage) {
            let of = |launch| interpreted(stage, launch).unwrap_or_else(|why| panic!("{why}\n{text}"));
            all.push((stage.module.print(), launches.iter().map(of).collect()));
        }
        ControlFlow::Continue(())
    });
    visited.unwrap_or_else(|why| panic!("{why}\n{text}"));
    all
}

/// Returns whether the pass `pass` of the CPU's pipeline changes the kernel. Panics with the kernel's text and the
/// launch if the pass changes the result of the kernel.
pub fn pass_changes(pass: &str, text: &str, launches: &[Launch]) -> bool {
    pass_changes_for(&Target::cpu(), pass, text, launches)
}

/// Like [`pass_changes`], for a pass of the pipeline of any target. The pass must run before phase `lower`, because the
/// interpreter runs modules of phase `lower` only for the CPU.
pub fn pass_changes_for(target: &Target, pass: &str, text: &str, launches: &[Launch]) -> bool {
    let (mut before, mut expected, mut changed, mut seen) = (String::new(), vec![], false, false);
    let visited = stages(text.as_bytes(), target, &CompileOptions::default(), &mut |stage| {
        let results = |stage: &Stage<'_, '_>| -> Vec<_> {
            launches
                .iter()
                .map(|launch| interpreted(stage, launch).unwrap_or_else(|why| panic!("{why}\n{text}")))
                .collect()
        };
        let now = stage.module.print();
        if stage.number == 0 {
            expected = results(stage);
        }
        if stage.pass == pass {
            (seen, changed) = (true, now != before);
            if let Some(n) = expected.iter().zip(results(stage)).position(|(a, b)| *a != b) {
                panic!("launch {n} of {} cubes: the result differs after the pass:\n{text}\n{now}", launches[n].1);
            }
            return ControlFlow::Break(());
        }
        before = now;
        ControlFlow::Continue(())
    });
    visited.unwrap_or_else(|why| panic!("{why}\n{text}"));
    assert!(seen, "the pipeline has no pass {pass}");
    changed
}
