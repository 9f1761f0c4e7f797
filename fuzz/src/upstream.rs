//! Runs MLIR's own passes, in random order, on Cube's operations. No pass is allowed to change the meaning of a
//! kernel.
//!
//! The declared effects and interfaces of the dialect's operations keep upstream passes correct. A load does not move
//! across a barrier, and a plane operation does not move out of a branch. A memory cell becomes an SSA value only if
//! no other unit accesses the cell.
use crate::kernels::Kernel;
use crate::validate::{difference, execute_with};
use crate::values::random;
use cube_artifact::{CompileOptions, Target};
use cube_backend_interp::{Program, Schedule};
use cube_dialect::kernels_of;
use cube_driver::{Driver, NoInstrumentation};
use cube_ir::{Session, SessionError};

/// MLIR passes that accept a module of any dialect. Passes that use the ranges of loop counters run between
/// `widen-counters` and `narrow-counters`, as in Cube's pipeline. `scf-for-loop-range-folding` is omitted, because it
/// moves sums and products of a counter into its bounds without regard to overflow.
pub const PASSES: &[&str] = &[
    "canonicalize",
    "canonicalize{region-simplify=aggressive}",
    "canonicalize{top-down=false}",
    "cse",
    "sccp",
    "symbol-dce",
    "inline",
    "loop-invariant-code-motion",
    "loop-invariant-subset-hoisting",
    "control-flow-sink",
    "sroa",
    "int-range-optimizations",
    "arith-unsigned-when-equivalent",
    "remove-dead-values",
    "topological-sort",
    "scf-for-loop-canonicalization",
    "strip-debuginfo",
];

/// MLIR passes that treat the bounds of unsigned loops as signed numbers.
const READ_RANGES: &[&str] = &["int-range-optimizations", "arith-unsigned-when-equivalent"];

/// Number of passes that a test runs on one kernel.
const STEPS: usize = 6;

/// The kernel to which the passes apply: the source kernel (`None`), or the kernel after a phase of Cube.
const STARTS: [Option<&str>; 3] = [None, Some("specialize"), Some("optimize")];

/// Runs six passes on the kernel, chosen by `seed`; returns their names.
///
/// # Errors
/// A pass fails or changes the interpreter's result. The error contains the module before and after the pass.
pub fn check_mlir_passes(kernel: &Kernel, seed: u64) -> Result<Vec<&'static str>, String> {
    let mut state = seed ^ 0x7_ea5e;
    let start = STARTS[(random(&mut state) % STARTS.len() as u64) as usize];
    let source = match start {
        None => kernel.text.clone(),
        Some(phase) => Driver
            .compile_to(
                kernel.text.as_bytes(),
                &Target::cpu(),
                &CompileOptions::default(),
                phase,
                &mut NoInstrumentation,
            )
            .map_err(|e| format!("{e}\n{}", kernel.text))?,
    };
    cube_driver::register();
    let session = Session::new();
    let mut module =
        session.parse(source.as_bytes(), "kernel.mlir").map_err(|e| format!("{}\n{source}", messages_of(&e)))?;
    let run = |module: &cube_ir::OwnedModule<'_>, schedule| {
        let kernels = kernels_of(module.op());
        let kernel_op = kernels.first().ok_or("no kernel is left")?;
        let program = Program::decode(*kernel_op, &[]).map_err(|d| d.message)?;
        execute_with(&program, kernel, schedule, kernel.plane_dim)
    };
    let reference = run(&module, Schedule::InOrder).map_err(|why| format!("before any pass: {why}\n{source}"))?;
    let mut passes = Vec::new();
    for step in 0..STEPS {
        let pass = PASSES[(random(&mut state) % PASSES.len() as u64) as usize];
        passes.push(pass);
        let before = module.print();
        let report = |what: String, after: String| {
            format!("from {}, passes {passes:?}: {what}\n{before}\n// after\n{after}", start.unwrap_or("source"))
        };
        let pipeline = match READ_RANGES.contains(&pass) {
            true => format!("builtin.module(cube.kernel(widen-counters),{pass},cube.kernel(narrow-counters))"),
            false => format!("builtin.module({pass})"),
        };
        if let Err(error) = module.run(&pipeline) {
            return Err(report(messages_of(&error), String::new()));
        }
        let after = run(&module, Schedule::Shuffled(seed + step as u64));
        let wrong = match after {
            Err(why) => Some(why),
            Ok(after) => difference(&reference, &after),
        };
        if let Some(what) = wrong {
            return Err(report(what, module.print()));
        }
    }
    Ok(passes)
}

fn messages_of(error: &SessionError) -> String {
    error.diagnostics.iter().map(|d| format!("{:?} {}", d.location, d.message)).collect::<Vec<_>>().join("; ")
}
