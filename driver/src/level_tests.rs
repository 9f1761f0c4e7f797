//! Tests that each pass produces the level that it declares: by the operations that each pass can create, and on a
//! kernel that every pass of the phase `lower` changes.
use super::*;
use crate::compile::request_of;
use crate::instrumentation::{PassInfo, PassInstrumentation};
use crate::open::open;
use crate::runner::run_phases;
use cube_ir::{Dialect, OpKind, OwnedModule, Pass, Session};
use cube_passes::levels::{self, CONTRACTS, OF_BACKENDS};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Dialects from which passes take attributes only: the memory spaces of `gpu`.
const ATTRIBUTES_ONLY: [&str; 1] = ["gpu"];

/// A kernel with shared and local memory, barriers, operations of planes, atomics, a 16-bit float, a division, and a
/// loop that can run forever.
const KERNEL: &[u8] = b"cube.kernel @k(%x: !cube.array<f32>, %n: !cube.array<i32>, %h: !cube.array<f16>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %unit = cube.topology unit_pos
  %lane = cube.topology unit_pos_plane
  %first = arith.constant 0 : i32
  %shared = cube.alloc : !cube.shared<64 x f32>
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  cube.store %v, %shared[%unit] : f32, !cube.shared<64 x f32>
  cube.sync cube
  %w = cube.load %shared[%lane] : !cube.shared<64 x f32> -> f32
  %sum = cube.plane_reduce addf %w : f32
  cube.store %sum, %x[%i] : f32, !cube.array<f32>
  %old = cube.atomic_rmw addi %lane, %n[%first] : i32, !cube.array<i32>
  %q = cube.divui %old, %unit : i32
  cube.store %q, %n[%i] : i32, !cube.array<i32>
  %g = cube.load %h[%i] : !cube.array<f16> -> f16
  %g2 = arith.mulf %g, %g : f16
  cube.store %g2, %h[%i] : f16, !cube.array<f16>
  cube.return
}";

/// Checks the module behind each pass against the contract of the pass's level, also in release builds.
struct ContractCheck {
    backend: &'static dyn Backend,
    lowers: usize,
    seen: BTreeSet<&'static str>,
    wrong: Vec<String>,
    /// The module behind the last pass, and the number of edits at that time.
    last: (String, u64),
    /// The number of passes of Cube that made no edit.
    idle: usize,
}

impl PassInstrumentation for ContractCheck {
    fn after(&mut self, info: &PassInfo<'_>, module: &OwnedModule<'_>) -> ControlFlow<()> {
        let now = (module.print_with_locations(), cube_ir::edits());
        if now.1 == self.last.1 && info.step.is_some_and(|step| step.own().is_some()) {
            self.idle += 1;
            if now.0 != self.last.0 {
                self.wrong.push(format!("{} changed the module without an edit", info.pass));
            }
        }
        self.last = now;
        let contract = match info.number > self.lowers {
            true => contract(self.backend, info.level),
            false => CONTRACTS.iter().find(|contract| contract.level == info.level),
        };
        let contract = contract.unwrap_or_else(|| panic!("level {:?} behind {}", info.level, info.pass));
        if let Err(error) = module.check(|root| levels::check(root, contract)) {
            self.wrong.push(format!("{} behind {}: {error:?}", self.backend.name(), info.pass));
        }
        self.seen.insert(info.level.name());
        ControlFlow::Continue(())
    }
}

#[test]
fn kernel_after_each_pass_has_the_level_of_the_pass() {
    crate::register();
    for backend in crate::BACKENDS {
        // The default chips of WGSL and SPIR-V have no f16.
        let chip = match backend.name() {
            "wgsl" => "core-f16-subgroups".into(),
            "spirv" => "vulkan1.3-full".into(),
            _ => backend.default_chip(),
        };
        for debug in [false, true] {
            let target = backend.target(&chip).unwrap_or_else(|| panic!("{chip}"));
            let pipeline = Pipeline::of(*backend, target, debug).unwrap();
            let options = CompileOptions { debug, ..Default::default() };
            let session = Session::new();
            let mut opened = open(&session, KERNEL, &pipeline, &options).unwrap();
            let lowers = pipeline.shared_steps();
            let (seen, wrong, last) = (BTreeSet::new(), Vec::new(), (String::new(), u64::MAX));
            let mut behind = ContractCheck { backend: *backend, lowers, seen, wrong, last, idle: 0 };
            let ran = run_phases(&session, &mut opened, &pipeline, &request_of(&options).unwrap(), &mut behind);
            assert!(ran.is_ok() && behind.wrong.is_empty(), "{:?} {:#?}", ran.err(), behind.wrong);
            assert!(behind.idle > 5, "{} passes of Cube made no edit", behind.idle);
            let levels = pipeline.phases.iter().flat_map(|phase| phase.steps.iter()).map(Step::produces);
            let declared: BTreeSet<_> = levels.filter(|level| *level != Level::Any).map(Level::name).collect();
            assert!(declared.is_subset(&behind.seen), "{} {declared:?} {:?}", backend.name(), behind.seen);
        }
    }
}

#[test]
fn a_backend_replaces_no_contract_of_a_shared_level_but_the_last() {
    for backend in crate::BACKENDS {
        for contract in backend.contracts() {
            let own = OF_BACKENDS.contains(&contract.level) || contract.level == Level::Llvm;
            assert!(own, "{} replaces the contract of level {}", backend.name(), contract.level.name());
            let casts = contract.allows(cube_ir::ops::builtin::UNREALIZED_CONVERSION_CAST);
            assert!(contract.level != Level::Llvm || !casts, "{}", backend.name());
        }
    }
}

/// Whether a contract allows an operation of a dialect.
fn allows_one(contract: &levels::Contract, dialect: Dialect) -> bool {
    OpKind::all().any(|kind| kind.dialect() == Some(dialect) && contract.allows(kind))
}

#[test]
fn level_of_a_pass_allows_its_output_dialects() {
    let shared = |level| CONTRACTS.iter().find(move |contract| contract.level == level).into_iter().collect::<Vec<_>>();
    let of_backends = |pass: &Pass, level| -> Vec<_> {
        let owns = |b: &&&'static dyn Backend| {
            let target = b.target(&b.default_chip()).expect("the default chip");
            b.lower(&target).iter().any(|step| step.own().is_some_and(|own| std::ptr::eq(own, pass)))
        };
        crate::BACKENDS.iter().filter(owns).filter_map(|b| contract(*b, level)).collect()
    };
    let mut checked = 0;
    for pass in crate::passes() {
        // A pass with the output level `Any` keeps each level that it accepts.
        let levels = if pass.produces == Level::Any { pass.needs.to_vec() } else { vec![pass.produces] };
        for level in levels.into_iter().filter(|level| *level != Level::Any) {
            let mut contracts = of_backends(pass, level);
            if contracts.is_empty() {
                contracts = shared(level);
            }
            assert!(!contracts.is_empty(), "no contract for level {} of {}", level.name(), pass.name);
            for contract in contracts {
                for dialect in pass.dialects.iter().filter(|dialect| !ATTRIBUTES_ONLY.contains(dialect)) {
                    let of = Dialect::named(dialect).expect("a dialect of the tree");
                    let place = (pass.name, level.name());
                    assert!(allows_one(contract, of), "{place:?}: the level allows no operation of {dialect}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 50, "{checked}");
}
