//! Which pass changed what the kernel means: the interpreter runs the kernel after every pass, and the first result that
//! differs names the pass.
//!
//! Results are compared exactly with those before. Only the expansion of math functions may move floats, by `--ulp` (4 when
//! nothing is said), and what it gives is what the later passes are compared with.
use super::args::Args;
use super::backends;
use super::failure::Failure;
use super::interpret::{self, Kernel, Results};
use super::launch;
use super::values::Value;
use crate::say;
use cube_artifact::{Artifact, CompileError, Compiler, Target};
use cube_backend_interp::{Find, Options};
use cube_driver::{Driver, Stage, stages};
use cube_runtime::hostdata::{self, HostArray};
use std::ops::ControlFlow;
use std::path::Path;

/// The pass that may change floats a little.
const EXPANDS_MATH: &str = "expand-math";
/// How much, where `--ulp` does not say.
const MATH_ULP: u64 = 4;

/// What is known up to a stage.
struct Walk<'a> {
    args: &'a Args,
    artifact: &'a Artifact,
    kernel: &'a Kernel<'a>,
    reference: Option<Results>,
    before: String,
    end: Result<(), Failure>,
    /// Whether the rest of the pipeline cannot be looked at.
    ended: bool,
}

/// Runs the kernel after every pass, then the CPU's code, and fails with the first that differs.
pub fn bisect(args: &Args, artifact: &Artifact, kernel: &Kernel<'_>) -> Result<(), Failure> {
    let mut walk = Walk { args, artifact, kernel, reference: None, before: String::new(), end: Ok(()), ended: false };
    stages(kernel.source, &Target::cpu(), kernel.request, &mut |stage| match walk.stage(stage) {
        Ok(()) => ControlFlow::Continue(()),
        Err(failure) => {
            walk.end = Err(failure);
            ControlFlow::Break(())
        }
    })?;
    walk.end?;
    let Some(reference) = walk.reference else { return Ok(()) };
    if walk.ended {
        return Ok(());
    }
    let results = on_cpu(kernel)?;
    match difference(artifact, &reference, &results, 0)? {
        None => say::print("cpu                       same\nno pass changes the result\n"),
        Some(what) => {
            let message = format!(
                "the code of the CPU gives another result than the kernel at level legal: {what}; phase lower or LLVM changes it, see it with cubec --emit llvm"
            );
            return Err(CompileError::new("CUBE0720", message).into());
        }
    }
    Ok(())
}

impl Walk<'_> {
    fn stage(&mut self, stage: &Stage<'_, '_>) -> Result<(), Failure> {
        #[cfg(debug_assertions)]
        super::mutate::mutate(stage);
        let after = stage.module.print();
        if self.args.ring && stage.pass == EXPANDS_MATH {
            say::print("the ring ends here: floats are taken for their bits\n");
            self.ended = true;
            return Ok(());
        }
        if self.ended {
            return Ok(());
        }
        let program = interpret::decode(stage, self.kernel.request, self.args.ring)?;
        let find = if self.reference.is_none() { Find::FAULTS } else { Find::NOTHING };
        let options = Options { find, ..interpret::options(self.args)? };
        let (results, outcome) = interpret::execute(&program, self.kernel, &[], &options)?;
        if let Err(faults) = interpret::findings(&outcome) {
            say::print("warning: the kernel has undefined behaviour, so passes may change its result:\n");
            faults.report();
        }
        let told = match self.reference.take() {
            None => "reference",
            Some(reference) => match difference(self.artifact, &reference, &results, 0)? {
                None => "same",
                Some(what) if stage.pass != EXPANDS_MATH => return Err(self.named(stage, &after, &what)),
                Some(_) => {
                    let ulp = if self.args.ulp == 0 { MATH_ULP } else { self.args.ulp };
                    if let Some(what) = difference(self.artifact, &reference, &results, ulp)? {
                        return Err(self.named(stage, &after, &what));
                    }
                    "same within what math functions allow"
                }
            },
        };
        say::print(&format!("{:25} {told}\n", stage.pass));
        (self.reference, self.before) = (Some(results), after);
        Ok(())
    }

    // Writes the reproducer and names the pass.
    fn named(&self, stage: &Stage<'_, '_>, after: &str, what: &str) -> Failure {
        let folder = &self.args.bisect_folder;
        let again = format!("cube-opt {} --pass-pipeline='{}'", folder.join("before.mlir").display(), stage.pipeline);
        let files = [("before.mlir", self.before.as_str()), ("after.mlir", after), ("command.txt", again.as_str())];
        let written = std::fs::create_dir_all(folder).and_then(|()| {
            files.iter().try_for_each(|(name, text)| std::fs::write(Path::new(folder).join(name), format!("{text}\n")))
        });
        if let Err(error) = written {
            return CompileError::new("CUBE0603", format!("cannot write to {}: {error}", folder.display())).into();
        }
        let message = format!(
            "pass {} (number {} of the pipeline, phase {}) changes the result: {what}; the kernel before and after it is in {}; to repeat: {again}",
            stage.pass,
            stage.number,
            stage.phase,
            folder.display()
        );
        CompileError::new("CUBE0720", message).into()
    }
}

/// What differs, of the first buffer that does.
pub fn difference(
    artifact: &Artifact,
    one: &[Option<HostArray>],
    other: &[Option<HostArray>],
    ulp: u64,
) -> Result<Option<String>, Failure> {
    for (param, pair) in artifact.params.iter().zip(one.iter().zip(other)) {
        let (Some(one), Some(other)) = pair else { continue };
        let report = hostdata::compare(other, one, ulp)?;
        if !report.passes() {
            let at = report.worst.unwrap_or(0);
            let show = |array: &HostArray| array.show(at).unwrap_or_default();
            let what = format!(
                "{} of {} elements of {}, the worst [{at}]: {} instead of {}",
                report.count,
                report.total,
                param.name,
                show(other),
                show(one)
            );
            return Ok(Some(what));
        }
    }
    Ok(None)
}

fn on_cpu(kernel: &Kernel<'_>) -> Result<Results, Failure> {
    let (device, _) = backends::open("cpu")?;
    let artifact = Driver.compile(kernel.source, &Target::cpu(), kernel.request)?;
    let values: Vec<Value> = kernel.values.to_vec();
    Ok(launch::launch(&*device, &artifact, values, kernel.count, false)?.buffers)
}
