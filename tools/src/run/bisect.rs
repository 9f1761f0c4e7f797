//! Finds the pass that changed the kernel's result. The interpreter runs the kernel after every pass, and the first
//! different result identifies the pass. `semantics/tables/tolerance.toml` has the tolerance of each pass. After Cube's
//! last pass, LLVM's passes are bisected in the same way, but the CPU runs the kernel.
use super::args::Args;
use super::backends;
use super::failure::Failure;
use super::interpret::{self, Kernel};
use super::launch;
use super::llvm;
use crate::say;
use cube_artifact::{Artifact, CompileError, Target};
use cube_backend_cpu::lanes_of;
use cube_backend_interp::{Judge, Verdict};
use cube_driver::{Stage, compile_in_stages};
use cube_passes::legalize::expand_math;
use cube_runtime::ErrorKind;
use cube_runtime::hostdata::HostArray;
use std::ops::ControlFlow;
use std::path::Path;

/// The state of the search after a stage of the pipeline.
struct Walk<'a> {
    args: &'a Args,
    judge: Judge,
    before: String,
    /// The comparison of the results for the module `before`.
    verdict: String,
    end: Result<(), Failure>,
    /// The passes that ran since the last interpreted stage.
    not_interpreted: Vec<&'static str>,
    /// Whether the interpreter cannot run the remaining stages of the pipeline.
    ended: bool,
}

/// The compiled code and its results on the CPU.
pub struct Compiled {
    pub artifact: Artifact,
    pub buffers: Vec<Option<HostArray>>,
}

/// Runs the kernel after every pass in the interpreter, then the compiled code on the CPU. The error
/// describes the first different result. `None` if the bisection ends before the kernel is compiled.
pub fn bisect(args: &Args, kernel: &Kernel<'_>) -> Result<Option<Compiled>, Failure> {
    let options = interpret::options(args)?;
    let arguments = interpret::arguments(kernel.values, &[]);
    let judge = Judge::new(arguments, kernel.count, options, &kernel.request.params).in_ring(args.ring);
    let mut walk = Walk {
        args,
        judge,
        before: String::new(),
        verdict: String::new(),
        end: Ok(()),
        not_interpreted: vec![],
        ended: false,
    };
    let compiled =
        compile_in_stages(kernel.source, &Target::cpu(), kernel.request, &mut |stage| match walk.stage(stage) {
            Ok(()) if walk.ended => ControlFlow::Break(()),
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => {
                walk.end = Err(failure);
                ControlFlow::Break(())
            }
        })?;
    walk.end?;
    let Some(artifact) = compiled else { return Ok(None) };
    match on_cpu(kernel, &walk.judge, &artifact)? {
        Ok(buffers) => {
            say::print("cpu                       same\nno pass changes the result\n");
            Ok(Some(Compiled { artifact, buffers }))
        }
        Err(what) => {
            let differs = |artifact: &Artifact| on_cpu(kernel, &walk.judge, artifact).map(|result| result.is_err());
            let found = llvm::first(kernel, &args.bisect_folder, &what, &differs)?;
            Err(CompileError::from(found).into())
        }
    }
}

impl Walk<'_> {
    fn stage(&mut self, stage: &Stage<'_, '_>) -> Result<(), Failure> {
        let after = stage.module.print();
        if self.args.ring && stage.is_after(&expand_math::PASS) {
            say::print("values in the ring end here, because the kernel uses the bits of floats\n");
            self.ended = true;
            return Ok(());
        }
        // The same text has the same result.
        if self.not_interpreted.is_empty() && after == self.before {
            say::print(&format!("{:25} {}\n", stage.pass, self.verdict));
            return Ok(());
        }
        // All stages run with the plane size that the CPU backend selects, because the compiled kernel uses this
        // size. After the kernel has become a function, the plane size of the previous stage remains.
        if let Some(kernel) = cube_dialect::kernels_of(stage.module.op()).first() {
            self.judge.planes(lanes_of(kernel.op()));
        }
        let verdict = match self.judge.stage(stage.pass, stage.module.op()).map_err(interpret::fault)? {
            Verdict::Reference(outcome) => {
                if let Err(faults) = interpret::findings(&outcome) {
                    say::print("warning: the kernel has undefined behaviour, so passes may change its result:\n");
                    faults.report();
                }
                "reference".to_string()
            }
            Verdict::Same => "same".into(),
            Verdict::Within => "same within the tolerances of semantics/tables/tolerance.toml".into(),
            Verdict::Differs(what) => return Err(self.named(stage, &after, &what)),
            // For every operation of a kernel at a level above `lower`, the interpreter has a rule or a reason why it
            // has none.
            Verdict::NotInterpreted(why) if !stage.lowers => {
                return Err(interpret::error(why).into());
            }
            Verdict::NotInterpreted(why) => {
                self.not_interpreted.push(stage.pass);
                say::print(&format!("{:25} not looked at: {}\n", stage.pass, why.message));
                return Ok(());
            }
        };
        say::print(&format!("{:25} {verdict}\n", stage.pass));
        self.not_interpreted.clear();
        self.before = after;
        self.verdict = if verdict == "reference" { "same".into() } else { verdict };
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
            return CompileError::from(cube_artifact::diagnostic!(CUBE0603.folder { folder: folder.display(), error }))
                .into();
        }
        let or_before = match self.not_interpreted.as_slice() {
            [] => String::new(),
            not_interpreted => {
                format!(", or a preceding pass that could not be checked ({}),", not_interpreted.join(", "))
            }
        };
        CompileError::from(cube_artifact::diagnostic!(CUBE0720.pass {
            pass: stage.pass,
            number: stage.number,
            phase: stage.phase,
            unseen: or_before,
            what,
            folder: folder.display(),
            again
        }))
        .into()
    }
}

// The processor's results, or their difference from the interpreter's.
type Compared = Result<Vec<Option<HostArray>>, String>;

fn on_cpu(kernel: &Kernel<'_>, judge: &Judge, artifact: &Artifact) -> Result<Compared, Failure> {
    let (device, _) = backends::open("cpu")?;
    match launch::launch(&*device, artifact, kernel.values.to_vec(), kernel.count, false) {
        Ok(launched) => Ok(match judge.compare(&interpret::results(&launched.buffers)) {
            None => Ok(launched.buffers),
            Some(what) => Err(what),
        }),
        Err(Failure::Runtime(error)) if error.kind == ErrorKind::Fault => {
            Ok(Err(format!("the code faults: {}", error.message)))
        }
        Err(other) => Err(other),
    }
}
