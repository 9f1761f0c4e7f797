//! Tests the level checks for the pipelines of every target, for backends that do not use LLVM, and for
//! invalid step lists.

use super::*;
use crate::compile::{has_form, request_of};
use crate::instrumentation::NoInstrumentation;
use crate::open::open;
use crate::runner::run_phases;
use cube_backend::{Emitted, OutputForm};
use cube_ir::{Dialect, OwnedModule, Session};
use cube_passes::{
    legalize, levels,
    levels::{Contract, Types},
    phases::{step, upstream},
};
use std::ops::ControlFlow;

/// A backend without pipeline steps.
#[derive(Clone, Copy)]
struct Plain {
    produces: Level,
    lower: &'static [Step],
    contracts: &'static [Contract],
}

static PLAIN: Plain = Plain { produces: Level::Legal, lower: &[], contracts: &[] };
static PLAIN_TO_LLVM: Plain = Plain { produces: Level::Llvm, lower: &[], contracts: &[] };

impl Backend for Plain {
    fn name(&self) -> &'static str {
        "plain"
    }

    fn summary(&self) -> &'static str {
        "for tests"
    }

    fn chips(&self) -> Vec<String> {
        vec![self.default_chip()]
    }

    fn default_chip(&self) -> String {
        "generic".into()
    }

    fn target(&self, chip: &str) -> Option<cube_target::Target> {
        Some(cube_target::Target::minimal(self.name(), chip))
    }

    fn lower(&self, _: &cube_target::Target) -> &'static [Step] {
        self.lower
    }

    fn contracts(&self) -> &'static [Contract] {
        self.contracts
    }

    fn produces(&self) -> Level {
        self.produces
    }

    fn emit(&self, _: &OwnedModule<'_>, _: &str, _: OutputForm) -> Result<Emitted, SessionError> {
        Err(SessionError::from(cube_ir::Message::from("no code [CUBE0410]")))
    }

    fn forms(&self) -> &'static [OutputForm] {
        &[OutputForm::Code]
    }
}

const KERNEL: &[u8] = b"cube.kernel @k(%x: !cube.array<i32>) cube_dim(4) {
  %i = cube.topology absolute_pos
  cube.store %i, %x[%i] : i32, !cube.array<i32>
  cube.return
}";

fn lowered(backend: &'static Plain) -> Result<String, SessionError> {
    crate::register();
    let (session, options) = (Session::new(), CompileOptions::default());
    let pipeline = Pipeline::of(backend, cube_target::Target::minimal("plain", "generic"), false)?;
    let mut state = open(&session, KERNEL, &pipeline, &options)?;
    let _ = run_phases(&session, &mut state, &pipeline, &request_of(&options)?, &mut NoInstrumentation)?;
    Ok(state.module.print())
}

#[test]
fn a_backend_of_level_legal_gets_the_kernel_with_its_structure() {
    let text = lowered(&PLAIN).unwrap_or_else(|e| panic!("{e:?}"));
    assert!(text.contains("cube.kernel @k") && text.contains("scf.if") && text.contains("memref.store"), "{text}");
}

#[test]
fn a_backend_that_leaves_an_undeclared_level_is_refused() {
    let error = lowered(&PLAIN_TO_LLVM).unwrap_err();
    assert_eq!(error.diagnostics[0].code.as_deref(), Some("CUBE0361"), "{error:?}");
    assert_eq!(
        error.diagnostics[0].message,
        "phase lower of the pipeline for plain:generic declares level llvm, but its steps produce level legal; declare level legal, or add the step that produces llvm"
    );
}

#[test]
fn misordered_backend_step_is_rejected_when_the_pipeline_is_built() {
    let error = built(&Plain { produces: Level::Legal, lower: &LATE, contracts: &[] });
    assert_eq!(
        (error.0.as_str(), error.1.as_str()),
        (
            "CUBE0360",
            "phase lower of the pipeline for plain:generic is invalid: pass expand-checks requires level flat, but the preceding pass buffers-to-memref produces level legal; put expand-checks before buffers-to-memref"
        )
    );
}

const LATE: [Step; 1] = [step(&legalize::expand_checks::PASS, "", "too late")];

const TO_DEVICE: [Step; 1] = [upstream("canonicalize", "builtin.module", "to its own form").producing(Level::Device)];

fn built(backend: &Plain) -> (String, String) {
    // Backends live as long as the program.
    let backend: &'static Plain = Box::leak(Box::new(Plain { ..*backend }));
    let error = Pipeline::of(backend, cube_target::Target::minimal("plain", "generic"), false).map(drop).unwrap_err();
    let first = &error.diagnostics[0];
    (first.code.clone().unwrap_or_default(), first.message.clone())
}

#[test]
fn a_level_of_the_target_needs_a_contract() {
    let (code, message) = built(&Plain { produces: Level::Device, lower: &TO_DEVICE, contracts: &[] });
    assert_eq!(code, "CUBE0363");
    assert!(message.ends_with("no contract for this level; add a contract to its `contracts`"), "{message}");
}

#[test]
fn a_backend_without_llvm_is_held_to_the_contract_of_its_device_level() {
    const NO_BRANCH: Contract = Contract {
        level: Level::Device,
        ops: &[
            levels::LEGAL[0],
            levels::LEGAL[1],
            levels::LEGAL[2],
            &[levels::Allowed::All(cube_ir::Dialect::Arith), levels::Allowed::One(cube_ir::ops::scf::YIELD)],
        ],
        no_types: &[],
        meaning: "no branches",
    };
    const ALL: [&[levels::Allowed]; levels::LEGAL.len() + 1] = levels::and(levels::LEGAL, &[]);
    const BRANCHES: Contract =
        Contract { level: Level::Device, ops: &ALL, no_types: &[Types::Of(Dialect::Cube)], meaning: "branches" };
    const fn plain(contracts: &'static [Contract]) -> Plain {
        Plain { produces: Level::Device, lower: &TO_DEVICE, contracts }
    }
    static FITS: Plain = plain(&[BRANCHES]);
    static LACKS: Plain = plain(&[NO_BRANCH]);
    let text = lowered(&FITS).unwrap_or_else(|e| panic!("{e:?}"));
    assert!(text.contains("scf.if"), "{text}");
    let error = lowered(&LACKS).unwrap_err();
    assert_eq!(error.diagnostics[0].code.as_deref(), Some("CUBE0331"), "{error:?}");
    assert!(
        error.diagnostics[0].message.contains("'scf.if' does not belong to level device (no branches)"),
        "{error:?}"
    );
}

/// An instrumentation that ends a run at the first pass.
struct StopAtFirstPass;

impl crate::PassInstrumentation for StopAtFirstPass {
    fn after(&mut self, _: &crate::PassInfo<'_>, _: &OwnedModule<'_>) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

#[test]
fn partially_lowered_module_is_rejected_by_code_generation() {
    let (driver, options) = (crate::Driver, CompileOptions::default());
    let error = driver.compile_instrumented(KERNEL, &Target::cpu(), &options, &mut StopAtFirstPass).unwrap_err();
    assert_eq!(error.diagnostics[0].code.as_deref(), Some("CUBE0364"), "{error:?}");
    assert!(driver.compile_to(KERNEL, &Target::cpu(), &options, "lower", &mut StopAtFirstPass).is_err());
}

/// Every pipeline of the driver, with and without debug information.
fn pipelines() -> Vec<Pipeline> {
    let mut all = Vec::new();
    for backend in crate::BACKENDS {
        for chip in backend.chips() {
            for debug in [false, true] {
                let target = backend.target(&chip).unwrap_or_else(|| panic!("{} {chip}", backend.name()));
                all.push(Pipeline::of(*backend, target, debug).unwrap_or_else(|e| panic!("{e:?}")));
            }
        }
    }
    all
}

#[test]
fn every_pipeline_and_subpipeline_keeps_the_level_order() {
    let all = pipelines();
    assert!(all.len() > 2 * crate::BACKENDS.len());
    for pipeline in &all {
        let names: Vec<&str> = pipeline.phases.iter().map(|phase| phase.name).collect();
        assert_eq!(names, Pipeline::phase_names().collect::<Vec<_>>());
        for (i, from) in [None].into_iter().chain(names.iter().copied().map(Some)).enumerate() {
            for to in names.iter().copied().skip(i) {
                let part = pipeline.part(from, Some(to)).unwrap();
                let before = i.checked_sub(1).map_or(Level::Source, |at| pipeline.phases[at].produces);
                let mut reached = Reached::input(before);
                for phase in &part {
                    reached = cube_passes::order::follow(&phase.steps, reached).unwrap_or_else(|e| panic!("{e}"));
                    assert_eq!(reached.level, phase.produces, "{} of {}", phase.name, pipeline.target.name());
                }
                let text = Pipeline::text(&part, &Request::default());
                cube_passes::register();
                cube_ir::check_pipeline(&text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
            }
        }
    }
}

#[test]
fn steps_move_with_their_levels_or_not_at_all() {
    // The same lists with two exchanged neighbours of different levels are refused. The check therefore covers each
    // change of level.
    for pipeline in pipelines() {
        let steps: Vec<Step> = pipeline.phases.iter().flat_map(|phase| phase.steps.iter().copied()).collect();
        for at in 1..steps.len() {
            let (Some(before), Some(step)) = (steps[at - 1].own(), steps[at].own()) else { continue };
            let changes = before.produces != Level::Any && !before.takes(before.produces);
            if !changes || step.needs.contains(&Level::Any) || before.needs.iter().any(|level| step.takes(*level)) {
                continue;
            }
            let mut moved = steps.clone();
            moved.swap(at - 1, at);
            let error = cube_passes::order::follow(&moved, Reached::input(Level::Source)).unwrap_err();
            assert_eq!(error.pass, step.name);
            assert_eq!(error.fix, format!("put {} after {}", step.name, before.name));
        }
    }
}

#[test]
fn a_debugger_gets_the_variables_and_not_the_motion() {
    let target = Target { backend: "cpu".into(), chip: None };
    let options = CompileOptions { debug: true, ..Default::default() };
    let names = |p: Pipeline| -> Vec<&str> { p.phases.iter().flat_map(|p| p.steps.iter().map(|s| s.name())).collect() };
    let (debug, usual) =
        (names(Pipeline::requested(&target, &options).unwrap()), names(Pipeline::for_target(&target).unwrap()));
    for left_out in [
        "cse",
        "loop-invariant-code-motion",
        "tighten-loop-bounds",
        "unroll-and-jam-units",
        "version-loops",
        "hoist-loads",
    ] {
        assert!(usual.contains(&left_out) && !debug.contains(&left_out), "{left_out}");
    }
    let at = |name: &str| debug.iter().position(|step| *step == name).unwrap();
    assert_eq!(at("preserve-debug-variables"), at("specialize") + 1);
    assert_eq!(debug.last(), Some(&"attach-debug-info"));
    assert_eq!(debug[at("buffers-to-memref") + 1], "fix-plane-dim", "no clean-up at the end of legalize");
    assert!(!usual.contains(&"preserve-debug-variables") && !usual.contains(&"attach-debug-info"));
}

#[test]
fn subpipeline_begins_with_its_guards() {
    let pipeline = Pipeline::for_target(&Target { backend: "cpu".into(), chip: None }).unwrap();
    let first = |from: &str| -> Vec<String> {
        let part = pipeline.part(Some(from), None).unwrap();
        part.first().map_or(vec![], |p| p.steps.iter().take(2).map(|s| s.nested(&Request::default())).collect())
    };
    for from in ["specialize", "layout", "optimize"] {
        assert_eq!(first(from), ["check-size{resumed=true}", "normalize-wide-loops"], "{from}");
    }
    assert_eq!(first("legalize")[0], "check-size{resumed=true}");
    assert!(first("lower").is_empty());
}

#[test]
fn unsupported_output_form_is_rejected_before_compilation() {
    let backend = PLAIN;
    assert!(has_form(&backend, OutputForm::Code).is_ok());
    let error = has_form(&backend, OutputForm::Llvm).unwrap_err();
    assert_eq!(error.diagnostics[0].code.as_deref(), Some("CUBE0508"));
    assert_eq!(error.diagnostics[0].message, "target plain cannot produce llvm; choose one of code");
}

#[test]
fn every_dialect_that_a_pass_can_create_operations_of_is_known() {
    // The bridge loads no dialect for an unknown name.
    for pass in crate::passes() {
        for dialect in pass.dialects {
            assert!(cube_ir::Dialect::named(dialect).is_some(), "{} declares the dialect {dialect}", pass.name);
        }
    }
    let bridge = include_str!("../../dialects/bridge/cpp/Bridge.cpp");
    let (_, list) = bridge.rsplit_once("  insertOneOf<").expect("the list");
    let (list, _) = list.split_once(">(registry, name)").expect("its end");
    let count = list.split(',').count();
    // All dialects except builtin, which is always loaded.
    assert_eq!(count, cube_ir::Dialect::all().count() - 1, "{list}");
}

/// The code of a kernel at level legal. The module contains the description of one chip, and the backend receives the
/// name of another chip.
fn emitted(backend: &str, described: &str, named: &str, source: &[u8]) -> Vec<u8> {
    emitted_for(&cube_target::Target::known(backend, described).expect("a chip of the table"), named, source)
}

fn emitted_for(target: &cube_target::Target, named: &str, source: &[u8]) -> Vec<u8> {
    crate::register();
    let session = Session::new();
    let mut module = session.parse(source, "<input>").unwrap_or_else(|e| panic!("{e:?}"));
    cube_dialect::set_target(module.op(), target);
    let phases = "builtin.module(phase-specialize,phase-layout,phase-optimize,phase-legalize)";
    module.run(phases).unwrap_or_else(|e| panic!("{e:?}"));
    let backend = crate::BACKENDS.iter().find(|own| own.name() == target.backend).expect("a backend");
    backend.emit(&module, named, OutputForm::Code).unwrap_or_else(|e| panic!("{e:?}")).code
}

#[test]
fn code_is_written_for_the_chip_that_the_module_describes() {
    // The second word of a SPIR-V module is its version.
    let version = |described| emitted("spirv", described, "vulkan1.1", KERNEL)[4..8].to_vec();
    assert_eq!((version("vulkan1.1"), version("vulkan1.3")), (vec![0, 3, 1, 0], vec![0, 6, 1, 0]));
    let halves = b"cube.kernel @k(%x: !cube.array<f16>) cube_dim(4) {
  %i = cube.topology absolute_pos
  %h = arith.constant 1.5 : f16
  cube.store %h, %x[%i] : f16, !cube.array<f16>
  cube.return
}";
    let text = String::from_utf8(emitted("wgsl", "core-f16", "core", halves)).unwrap();
    assert!(text.contains("enable f16;"), "{text}");
}

/// The steps of a reduction combine lanes at half the width of a plane, then at a quarter, and so on.
#[test]
fn reductions_have_the_steps_of_the_described_plane_width() {
    let sum = b"cube.kernel @k(%x: !cube.array<f32>) cube_dim(32) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %s = cube.plane_reduce addf %v : f32
  cube.store %s, %x[%i] : f32, !cube.array<f32>
  cube.return
}";
    let code = |backend: &str, chip: &str, widths: &[u32]| {
        let mut target = cube_target::Target::known(backend, chip).expect("a chip of the table");
        (target.planes.widths, target.planes.width) = (widths.to_vec(), widths[0]);
        emitted_for(&target, chip, sum)
    };
    let wgsl = |widths: &[u32]| String::from_utf8(code("wgsl", "core-subgroups", widths)).expect("text");
    let (all, few) = (wgsl(&[32, 64, 128]), wgsl(&[8, 16]));
    assert!(all.contains("half = 64u;") && all.contains("min(lane + half, 127u)"), "{all}");
    assert!(few.contains("half = 8u;") && few.contains("min(lane + half, 15u)"), "{few}");
    // The low half of an instruction's first word is its number: 345 is OpGroupNonUniformShuffle.
    let shuffles = |widths: &[u32]| {
        let words = code("spirv", "vulkan1.3-full", widths);
        let words: Vec<u32> = words.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        let (mut at, mut count) = (5, 0);
        while at < words.len() {
            count += usize::from(words[at] & 0xffff == 345);
            at += (words[at] >> 16) as usize;
        }
        count
    };
    // A reduction has one shuffle per step, and one shuffle that distributes the sum.
    assert_eq!([shuffles(&[32, 64, 128]), shuffles(&[8, 16]), shuffles(&[4])], [8, 5, 3]);
}

#[test]
fn descriptions_with_the_same_name_have_separate_attributes() {
    crate::register();
    let session = Session::new();
    let core = cube_target::Target::known("wgsl", "core").expect("a chip of the table");
    let other = cube_target::Target { access_bits: 2 * core.access_bits, ..core.clone() };
    assert_eq!(core.name(), other.name());
    for target in [&core, &other, &core, &other] {
        let module = session.parse(b"module {}", "<input>").unwrap_or_else(|e| panic!("{e:?}"));
        cube_dialect::set_target(module.op(), target);
        assert_eq!(cube_dialect::attached_target(module.op()).as_deref(), Some(target));
    }
}
