//! The test inserts a bug after each pass that changes a kernel, and the bisection must name this pass. The list of
//! passes comes from the pipeline and the registry, so this test fails for a new pass without an entry in this
//! file.
#![forbid(unsafe_code)]
use cube_artifact::{CompileOptions, Target};
use cube_backend_interp::Arg;
use cube_driver::{Pipeline, stages};
use cube_fuzz::mutate::{BUGS, Bug, mutate, sites};
use cube_fuzz::validate::{Launch, Walk, walk};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// A kernel that uses functions with exits, slices, local arrays, comptime parameters, tensors, and loops
/// with steps.
const SOURCE: &str = include_str!("mutations/source.mlir");
/// A kernel that uses barriers, plane operations, atomics and narrow floats.
const TOGETHER: &str = include_str!("mutations/together.mlir");
/// A kernel in which adjacent units sum adjacent rows, inside a bounds check.
const SUMS: &str = include_str!("mutations/sums.mlir");

/// A kernel with a loop to unroll, a loop of step 2, a comparison that range analysis decides, a rounding in two
/// steps, and an unused function.
const REST: &str = include_str!("mutations/rest.mlir");

/// A kernel with barriers under conditions that are only known at launch.
const AGREE: &str = include_str!("mutations/agree.mlir");

/// A kernel with loops that have no counter.
const LOOPS: &str = include_str!("mutations/loops.mlir");

/// A kernel with a zero-initialised local array that a loop overwrites.
const FILLS: &str = include_str!("mutations/fills.mlir");

/// Views under layouts.
const LAYOUTS: &str = include_str!("mutations/layouts.mlir");

/// A kernel with loop-invariant loads, and with atomics on shared memory.
const LOADS: &str = include_str!("mutations/loads.mlir");

/// A kernel that splits an index into row and column, and combines row and column to an index again.
const INDICES: &str = include_str!("mutations/indices.mlir");

/// A kernel with redundant loads and stores.
const MEMORY: &str = include_str!("mutations/memory.mlir");

/// A kernel whose shared arrays are used one after the other.
const SHARED: &str = include_str!("mutations/shared.mlir");

/// A kernel that loads tiles to shared memory in a loop.
const TILES: &str = include_str!("mutations/tiles.mlir");

/// All kernels of this test, each with the name of its constant in this file.
const KERNELS: &[(&str, &str)] = &[
    ("SOURCE", SOURCE),
    ("TOGETHER", TOGETHER),
    ("SUMS", SUMS),
    ("REST", REST),
    ("LAYOUTS", LAYOUTS),
    ("AGREE", AGREE),
    ("LOOPS", LOOPS),
    ("FILLS", FILLS),
    ("LOADS", LOADS),
    ("INDICES", INDICES),
    ("MEMORY", MEMORY),
    ("SHARED", SHARED),
    ("TILES", TILES),
];

/// The line number of [`PLANTED`] in this file.
const PLANTED_LINE: u32 = line!() + 3;

/// The kernel, the bug and its position, for each pass of the CPU's pipeline.
const PLANTED: &[(&str, &str, Bug, usize)] = &[
    ("mark-may-not-terminate", LOOPS, Bug::Predicate, 0),
    ("check-size", REST, Bug::Neighbour, 0),
    ("remove-dead-functions", REST, Bug::Neighbour, 0),
    ("structure-exits", SOURCE, Bug::Predicate, 1),
    ("normalize-wide-loops", SOURCE, Bug::Iterations, 0),
    ("inline", SOURCE, Bug::Operands, 0),
    ("specialize", SOURCE, Bug::Constant, 0),
    ("resolve-comptime", SOURCE, Bug::Stale, 1),
    ("unroll", REST, Bug::Stale, 2),
    ("sroa", SOURCE, Bug::Neighbour, 0),
    ("structured-mem2reg", SOURCE, Bug::Stale, 1),
    ("drop-fills", FILLS, Bug::Stale, 0),
    ("convert-if-to-select", MEMORY, Bug::Select, 0),
    ("eliminate-barriers", MEMORY, Bug::Neighbour, 1),
    ("plan-shared-memory", SHARED, Bug::Overlap, 0),
    ("egraph", AGREE, Bug::Exchanged, 5),
    ("drop-terminating-marks", LOOPS, Bug::Operands, 0),
    ("fold-layouts", LAYOUTS, Bug::Layout, 3),
    ("layout-widen", LAYOUTS, Bug::Layout, 1),
    ("prove-layouts", LAYOUTS, Bug::Layout, 1),
    ("resolve-layouts", LAYOUTS, Bug::Stale, 0),
    ("resolve-slices", SOURCE, Bug::Predicate, 3),
    ("canonicalize", SOURCE, Bug::Constant, 0),
    ("lower-buffer-metadata", SOURCE, Bug::Derived, 0),
    ("cse", SOURCE, Bug::Operands, 0),
    ("fast-division", SOURCE, Bug::Operands, 0),
    ("lower-print", REST, Bug::Neighbour, 0),
    ("simplify-indices", INDICES, Bug::Select, 0),
    ("reuse-accesses", MEMORY, Bug::Stale, 0),
    ("hoist-loads", LOADS, Bug::Early, 0),
    ("remove-checks", SOURCE, Bug::Unchecked, 0),
    ("widen-counters", SOURCE, Bug::Iterations, 0),
    ("fold-ranges", REST, Bug::Stale, 0),
    ("narrow-counters", SOURCE, Bug::Iterations, 0),
    ("loop-invariant-code-motion", SOURCE, Bug::Stale, 0),
    ("check-barrier-uniformity", AGREE, Bug::Stale, 0),
    ("expand-checks", SOURCE, Bug::Predicate, 0),
    ("normalize-loops", REST, Bug::Iterations, 0),
    ("expand-math", SOURCE, Bug::Float, 4),
    ("expand-integers", MEMORY, Bug::Select, 0),
    ("expand-lanes", SOURCE, Bug::Select, 1),
    ("expand-conversions", SOURCE, Bug::Sign, 1),
    ("expand-casts", REST, Bug::Operands, 0),
    ("buffers-to-memref", SOURCE, Bug::Neighbour, 0),
    ("fix-plane-dim", TOGETHER, Bug::Constant, 1),
    ("expand-atomics", LOADS, Bug::Neighbour, 0),
    ("expand-private-memory", TOGETHER, Bug::Constant, 1),
    ("prefetch-tiles", TILES, Bug::Iterations, 0),
    ("split-barrier-regions", LOADS, Bug::Iterations, 0),
    ("vectorize-spmd", TOGETHER, Bug::Shuffle, 8),
    ("order-signed-zeros", TOGETHER, Bug::Select, 0),
    ("promote-half-arithmetic", TOGETHER, Bug::Operands, 0),
    ("bf16-to-bits", TOGETHER, Bug::Constant, 2),
    ("emit-unit-loops", SUMS, Bug::Iterations, 0),
    ("atomics-to-llvm", TOGETHER, Bug::Atomic, 0),
    ("tighten-loop-bounds", SUMS, Bug::Iterations, 0),
    ("unroll-and-jam-units", SUMS, Bug::Iterations, 0),
    ("version-loops", SUMS, Bug::Predicate, 14),
    ("convert-vector-to-scf", TOGETHER, Bug::Shuffle, 8),
    ("convert-scf-to-cf", SUMS, Bug::Branch, 0),
    ("lower-loop-cancellation", LOOPS, Bug::Branch, 0),
    ("convert-vector-to-llvm", TOGETHER, Bug::Stale, 9),
    ("convert-math-to-llvm", SOURCE, Bug::Float, 3),
    ("finalize-memref-to-llvm", SUMS, Bug::Stale, 1),
    ("convert-arith-to-llvm", SOURCE, Bug::Predicate, 0),
    ("convert-cf-to-llvm", SUMS, Bug::Branch, 0),
    ("reconcile-unrealized-casts", SOURCE, Bug::Operands, 0),
];

/// Passes that change no kernel that the interpreter runs, with the reason.
const WITHOUT: &[(&str, &str)] = &[
    ("attach-target", "it writes an attribute of the module, which means nothing to the interpreter"),
    ("check-convergence", "it checks, and changes nothing"),
    ("check-level", "it checks, and changes nothing"),
    ("check-vectors", "it checks, and changes nothing"),
    (
        "coarsen",
        "the CPU's vectors are units already; fuzz/tests/passes/coarsen.rs holds and breaks it for chips that coarsen",
    ),
    (
        "stage-rows",
        "only for chips with planes of one width; fuzz/tests/passes/stage_rows.rs holds and breaks it for those",
    ),
    (
        "version-checks",
        "only for chips that schedule units in hardware; fuzz/tests/passes/version_checks.rs holds and breaks it for those",
    ),
    ("peel-loops", "it is in no pipeline; fuzz/tests/passes/peel_loops.rs holds and breaks it"),
    ("define-poison", "only of undefined values, which the interpreter reports as faults"),
    ("preserve-debug-variables", "only for a debugger; the interpreter runs what is compiled without it"),
    ("attach-debug-info", "only for a debugger; the interpreter runs what is compiled without it"),
    (
        "narrow-inclusive-loops",
        "only for chips without 64-bit integers; fuzz/tests/chips/narrow.rs holds and breaks it for those",
    ),
    ("narrow-integers", "only for chips without 64-bit integers; fuzz/tests/chips/narrow.rs holds it for those"),
    ("expand-missing", "the CPU has all that it writes out; fuzz/tests/chips.rs holds it for chips that lack it"),
    (
        "emulate-planes",
        "only for chips without subgroups; test/vulkan runs every plane operation of such chips on lavapipe",
    ),
    (
        "loop-cubes",
        "only of kernels that read their number of cubes; test/run/loop_cubes.mlir runs them on every backend",
    ),
    (
        "mark-overwritten",
        "only for chips with guards of the launch; fuzz/tests/passes/coarsen.rs runs the launches that it marks",
    ),
    ("narrow-floats-to-nvvm", "of GPUs only, whose lowering the interpreter does not run"),
    ("narrow-floats-to-rocdl", "of GPUs only, whose lowering the interpreter does not run"),
    ("lower-plane-ops-to-nvvm", "of GPUs only, whose lowering the interpreter does not run"),
    ("kernel-to-nvvm", "of GPUs only, whose lowering the interpreter does not run"),
    ("lower-plane-ops-to-rocdl", "of GPUs only, whose lowering the interpreter does not run"),
    ("kernel-to-rocdl", "of GPUs only, whose lowering the interpreter does not run"),
];

/// The path of this file, for messages.
const HERE: &str = "fuzz/tests/mutations.rs";

/// Passes of [`PLANTED`] that do not change the kernels of this test. For these passes, an inserted bug tests
/// only the comparison of results.
const IDLE: &[&str] = &["remove-dead-functions", "convert-vector-to-scf"];

fn arguments() -> Vec<Arg> {
    let buffer = |bytes: Vec<u8>| Arg::Buffer { bytes, initialised: true };
    let x = (0..70u32).flat_map(|i| (1.25 + (i * 37 % 11) as f32 * 0.375).to_le_bytes()).collect();
    let k = (0..70i32).flat_map(|i| (i * 29 % 23 - 7).to_le_bytes()).collect();
    let h = (0..70u32).flat_map(|i| (0x3c00 + (i * 53 % 640) as u16).to_le_bytes()).collect();
    let b = (0..70u32).flat_map(|i| (0x3f80 + (i * 41 % 97) as u16).to_le_bytes()).collect();
    let tensor = (0..24u32).flat_map(|i| (i as f32 * 0.5 - 3.0).to_le_bytes()).collect();
    let t = Arg::Tensor { bytes: tensor, initialised: true, shape: vec![4, 6], strides: vec![6, 1] };
    let out = || vec![0; 70 * 4];
    vec![buffer(x), buffer(k), buffer(h), buffer(b), t, buffer(out()), buffer(out()), Arg::Scalar(5), Arg::Scalar(3)]
}

fn launch(text: &str) -> Launch<'_> {
    Launch { text, args: arguments(), cubes: 2, plane_dim: 8, seed: None }
}

/// Inserts a bug after the first pass named `pass` and bisects. The result is `None` if the position `place` does
/// not exist. If `only` is true, the bisection ends after `pass`.
fn bisected(text: &str, pass: &str, how: Bug, site: usize, only: bool) -> Option<Result<Walk, String>> {
    let mut planted = None;
    let walk = walk(&launch(text), &mut |stage| {
        if stage.pass == pass && planted.is_none() {
            planted = Some(mutate(stage, how, site));
        } else if only && planted.is_some() {
            return ControlFlow::Break(());
        }
        if planted == Some(false) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    planted.filter(|done| *done).map(|_| walk)
}

fn in_pipeline() -> BTreeSet<&'static str> {
    let pipeline = Pipeline::for_target(&Target::cpu()).expect("the CPU has a pipeline");
    pipeline.phases.iter().flat_map(|phase| phase.steps.iter()).map(|step| step.name()).collect()
}

#[test]
fn every_pass_has_a_break_or_a_reason() {
    let actual = cube_driver::passes().map(|pass| pass.name);
    let all: BTreeSet<&str> = actual.chain(in_pipeline()).collect();
    let planted = PLANTED.iter().map(|(pass, ..)| *pass);
    let known: BTreeSet<&str> = planted.chain(WITHOUT.iter().map(|(pass, _)| *pass)).collect();
    let names = |passes: Vec<&&str>| passes.iter().map(|pass| **pass).collect::<Vec<_>>().join(",");
    let (new, gone) = (names(all.difference(&known).collect()), names(known.difference(&all).collect()));
    assert!(
        new.is_empty(),
        "{new}: neither a break nor a reason. Add a line for it to PLANTED ({HERE}:{PLANTED_LINE}), or to WITHOUT below \
         with the reason why it changes no kernel. The breaks that show are printed by\n  CUBE_FUZZ_ONLY={new} cargo \
         test -p cube-fuzz --test mutations -- --ignored --nocapture which_breaks_show\nNothing printed: no kernel of \
         KERNELS gives the pass anything to do, so add one (docs/add-a-pass.md, section 6)"
    );
    assert!(gone.is_empty(), "{gone}: the pass does not exist; remove its line from {HERE}:{PLANTED_LINE}");
    assert_eq!(known.len(), PLANTED.len() + WITHOUT.len(), "a pass is here twice");
}

/// The passes that change a kernel.
fn changing(text: &str) -> BTreeSet<String> {
    let mut changed = BTreeSet::new();
    let mut before = String::new();
    let visited = stages(text.as_bytes(), &Target::cpu(), &CompileOptions::default(), &mut |stage| {
        let after = stage.module.print();
        if before != after {
            changed.insert(stage.pass.to_string());
        }
        before = after;
        ControlFlow::Continue(())
    });
    visited.unwrap_or_else(|e| panic!("{e}"));
    changed
}

#[test]
fn a_pass_changes_a_kernel_here_or_has_a_reason() {
    let changed: BTreeSet<String> = KERNELS.iter().flat_map(|(_, text)| changing(text)).collect();
    for (pass, _) in WITHOUT {
        assert!(!changed.contains(*pass), "{pass} changes a kernel");
    }
    let idle: Vec<_> = PLANTED.iter().map(|(pass, ..)| *pass).filter(|pass| !changed.contains(*pass)).collect();
    assert_eq!(
        idle, IDLE,
        "passes that change none of KERNELS, on the left: their breaks show nothing of what they do. Add to a kernel below \
         fuzz/tests/mutations/ what the pass is for, or a separate kernel to KERNELS in {HERE}"
    );
}

#[test]
fn the_kernels_are_the_same_after_every_pass() {
    for (_, text) in KERNELS.iter().filter(|(_, text)| is_launched(text)) {
        let walk = walk(&launch(text), &mut |_| ControlFlow::Continue(())).unwrap_or_else(|why| panic!("{why}"));
        assert!(walk.change.is_none() && walk.not_interpreted.is_empty(), "{:?}", walk);
    }
}

/// Whether `CUBE_FUZZ_ONLY=PASS,PASS` selects the pass. Without this variable, all passes are selected.
fn is_selected(pass: &str) -> bool {
    std::env::var("CUBE_FUZZ_ONLY").map_or(true, |only| only.split(',').any(|name| name == pass))
}

/// Whether a bug of a selected pass is in the kernel. Without a selection, all kernels are launched.
fn is_launched(kernel: &str) -> bool {
    let all = std::env::var_os("CUBE_FUZZ_ONLY").is_none();
    all || PLANTED.iter().any(|(pass, text, ..)| *text == kernel && is_selected(pass))
}

#[test]
fn the_bisection_names_every_pass_that_is_broken() {
    let mut wrong = Vec::new();
    for (pass, text, how, site) in PLANTED.iter().filter(|(pass, ..)| is_selected(pass)) {
        let named = bisected(text, pass, *how, *site, false).map(|walk| walk.map(|w| w.change.map(|c| c.pass)));
        if named != Some(Ok(Some(pass))) {
            wrong.push(format!("{pass} broken by {how:?} {site}: {named:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} are not named:\n{}", wrong.len(), PLANTED.len(), wrong.join("\n"));
}

/// For each bug of [`BUGS`], the number of its positions after the first pass named `pass`.
fn positions(text: &str, pass: &str) -> Vec<usize> {
    let mut counts = Vec::new();
    let visited = stages(text.as_bytes(), &Target::cpu(), &CompileOptions::default(), &mut |stage| {
        if stage.pass != pass {
            return ControlFlow::Continue(());
        }
        counts = BUGS.iter().map(|how| sites(stage, *how).len()).collect();
        ControlFlow::Break(())
    });
    visited.unwrap_or_else(|e| panic!("{e}"));
    counts
}

/// Prints the bugs that can be detected after each pass, to choose entries for a new pass. Run this test with
/// `--ignored --nocapture` and `CUBE_FUZZ_ONLY=PASS,PASS`.
// This function is ignored because it checks nothing. The tests above check the chosen bugs. docs/add-a-pass.md runs this function.
#[test]
#[ignore = "a tool without checks: prints the inserted bugs that launches detect"]
fn which_breaks_show() {
    for pass in in_pipeline() {
        if !is_selected(pass) {
            continue;
        }
        for (name, text) in KERNELS.iter().filter(|(_, text)| changing(text).contains(pass)) {
            for (how, count) in BUGS.iter().zip(positions(text, pass)) {
                let shows = |site: &usize| match bisected(text, pass, *how, *site, true) {
                    Some(Ok(walk)) => walk.change.is_some_and(|change| change.pass == pass),
                    _ => false,
                };
                let places: Vec<usize> = (0..count.min(16)).filter(shows).take(2).collect();
                if !places.is_empty() {
                    println!("{pass} {name} {how:?} {places:?}");
                }
            }
        }
    }
}

#[test]
fn passes_of_the_tolerance_table_are_passes() {
    for (name, ..) in cube_backend_interp::tolerance::lines("pass") {
        assert!(cube_driver::passes().any(|pass| pass.name == name), "{name}");
    }
}
