//! The cost profile of a kernel at level legal, whose math functions and checks are expanded.
//!
//! The profile has the counts of operations of each block, the accesses, and the integers that decide addresses,
//! branches and trip counts ([`cube_artifact::cost`]). LLVM changes the code later: it folds address arithmetic and
//! unrolls loops. The counts are therefore estimates. The cost is linear in the number of operations.
mod classes;
mod nodes;

use crate::Pipeline;
use crate::compile::{request_of, to_error, to_the_end, with_session};
use crate::instrumentation::{PassInfo, PassInstrumentation};
use crate::open::open;
use crate::runner::run_phases;
use cube_artifact::cost::{Access, AccessKind, Block, BlockKind, Memory, Profile};
use cube_artifact::{Artifact, CompileError, CompileOptions, Target};
use cube_dialect::{KernelFacts, element_bytes, kernels_of, memory_of, ops, target_of};
use cube_ir::access::access_of;
use cube_ir::ops::{cube, scf};
use cube_ir::{Level, MemRef, Op, OwnedModule, TypeExt, Val, location_of};
use cube_passes::analysis::registers::estimate;
use nodes::Nodes;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Collects the cost profile of the kernel while the passes run.
#[derive(Default)]
pub struct CostCollector {
    /// The profile; `None` before level legal, and for a chip without a described board.
    pub profile: Option<Profile>,
}

impl PassInstrumentation for CostCollector {
    fn each_pass(&self) -> bool {
        false
    }

    fn after(&mut self, info: &PassInfo<'_>, module: &OwnedModule<'_>) -> ControlFlow<()> {
        if info.level == Level::Legal && info.ends_phase {
            self.profile = kernels_of(module.op()).first().and_then(|kernel| profile_of(*kernel));
        }
        ControlFlow::Continue(())
    }

    fn done(&mut self, artifact: &Artifact) {
        if let Some(profile) = &mut self.profile {
            profile.shared_bytes = artifact.shared_bytes;
            profile.params.clone_from(&artifact.params);
        }
    }
}

impl crate::Driver {
    /// Compiles a kernel, and returns the artifact with the kernel's cost profile. The profile is `None` for a chip
    /// without a described board ([`cube_target::Target::machine`]), for example a CPU.
    ///
    /// # Errors
    /// Returns the errors of [`Driver::compile_with_report`](crate::Driver::compile_with_report).
    pub fn compile_with_profile(
        &self,
        source: &[u8],
        target: &Target,
        options: &CompileOptions,
    ) -> Result<(Artifact, Option<Profile>), CompileError> {
        let mut collector = CostCollector::default();
        let (artifact, _) = self.compile_instrumented(source, target, options, &mut collector)?;
        Ok((artifact, collector.profile))
    }

    /// The kernel's cost profile from the phases up to level legal, without code generation. The profile is `None` as for
    /// [`Driver::compile_with_profile`](crate::Driver::compile_with_profile).
    pub(crate) fn profile_only(
        &self,
        source: &[u8],
        target: &Target,
        options: &CompileOptions,
    ) -> Result<Option<Profile>, CompileError> {
        let profile = with_session(|session| {
            let pipeline = Pipeline::requested(target, options)?;
            let legal = pipeline.phases.iter().find(|phase| phase.produces == Level::Legal);
            let Some(legal) = legal.filter(|_| pipeline.target.machine.is_some()) else { return Ok(None) };
            let part = pipeline.clone().until(legal.name)?;
            let mut state = open(session, source, &pipeline, options)?;
            let mut collector = CostCollector::default();
            to_the_end(run_phases(session, &mut state, &part, &request_of(options)?, &mut collector)?)?;
            if let (Some(profile), Some(launch)) = (&mut collector.profile, state.launch_info) {
                (profile.shared_bytes, profile.params) = (launch.shared_bytes, launch.signature.params);
            }
            Ok(collector.profile)
        });
        profile.map_err(to_error)
    }
}

/// The profile of a kernel at level legal. `None` if the target has no described board.
fn profile_of(kernel: ops::Kernel<'_>) -> Option<Profile> {
    let target = target_of(kernel.op());
    let machine = target.machine.clone()?;
    let facts = kernel.facts();
    let resident_planes = target.resident_planes?;
    let planes = resident_planes * machine.schedulers;
    let mut builder = Builder::new(kernel, &facts, target.planes.width);
    builder.ops(kernel.block()?, 0);
    Some(Profile {
        kernel: facts.name.into(),
        // The launch interface is known to the driver, which adds the parameters.
        params: vec![],
        cube_dim: facts.cube_dim,
        plane_dim: target.planes.width,
        cube_count: facts.cube_count.map(|counts| counts.map(String::from)),
        registers: estimate(kernel.op()),
        register_file: target.registers? * planes * target.planes.width,
        // The bytes are read from the artifact, because later passes can allocate more shared memory.
        shared_bytes: 0,
        resident_planes,
        costs: target.costs.clone(),
        latencies: target.latencies.clone(),
        nodes: builder.nodes.nodes,
        blocks: builder.blocks,
        accesses: builder.accesses,
        machine,
    })
}

struct Builder<'p> {
    nodes: Nodes<'p>,
    blocks: Vec<Block>,
    accesses: Vec<Access>,
    /// The allocations of shared memory, with their numbers.
    shared: HashMap<Val<'p>, u32>,
    /// Steps of a plane operation that combines all lanes.
    steps: u32,
}

impl<'p> Builder<'p> {
    fn new(kernel: ops::Kernel<'p>, facts: &KernelFacts<'p>, lanes: u32) -> Self {
        Builder {
            nodes: Nodes::new(kernel, facts.cube_dim, lanes),
            blocks: vec![Block::default()],
            accesses: vec![],
            shared: HashMap::new(),
            steps: lanes.max(2).ilog2(),
        }
    }

    fn ops(&mut self, of: cube_ir::Block<'p>, block: u32) {
        for op in of.ops() {
            self.op(op, block);
        }
    }

    fn region(&mut self, op: Op<'p>, region: usize, parent: u32, kind: BlockKind) -> u32 {
        let block = self.blocks.len() as u32;
        self.blocks.push(Block { parent, kind, location: location(op), ..Block::default() });
        if let (BlockKind::Loop { .. }, Some(body)) = (kind, op.body()) {
            self.nodes.counter(body.arg(0), block);
        }
        if let Some(inner) = op.regions().nth(region).and_then(|region| region.first_block()) {
            self.ops(inner, block);
        }
        block
    }

    fn op(&mut self, op: Op<'p>, block: u32) {
        match op.kind() {
            scf::FOR => {
                let [from, to, step] = [0, 1, 2].map(|n| self.nodes.of(op.operand(n)));
                let bits = op.operand(0).ty().bits().unwrap_or(64) as u8;
                let signed = op.attr("unsignedCmp").is_none();
                let own = self.region(op, 0, block, BlockKind::Loop { from, to, step, bits, signed });
                // The sum, the comparison and the branch of a counter. LLVM unrolls most loops four times.
                *self.blocks[own as usize].counts.entry(cube_target::CostClass::AddInt).or_default() += 1;
            }
            scf::IF => {
                let condition = self.nodes.of(op.operand(0));
                self.blocks[block as usize].others += 1;
                for (region, truth) in [(0, true), (1, false)] {
                    if op.regions().nth(region).and_then(|region| region.first_block()).is_some() {
                        self.region(op, region, block, BlockKind::Arm(condition, truth));
                    }
                }
                self.nodes.joined(op, condition);
            }
            scf::WHILE => {
                let before = self.region(op, 0, block, BlockKind::While);
                self.region(op, 1, before, BlockKind::Arm(self.nodes.unknown(), true));
            }
            // The arms of a switch. The number of executions of each arm is unknown.
            _ if op.regions().len() > 0 => {
                let condition = self.nodes.unknown();
                for region in 0..op.regions().len() {
                    self.region(op, region, block, BlockKind::Arm(condition, true));
                }
            }
            cube::SYNC => self.blocks[block as usize].barriers += 1,
            _ if self.access(op, block) => {}
            _ => {
                self.nodes.define(op);
                let own = &mut self.blocks[block as usize];
                for (class, count) in classes::of(op) {
                    *own.counts.entry(class).or_default() += count;
                }
                own.others += classes::plane_instructions(op, self.steps);
            }
        }
    }

    // Adds the access of an operation. Returns whether the operation is an access.
    fn access(&mut self, op: Op<'p>, block: u32) -> bool {
        let Some(access) = access_of(op) else { return false };
        let Some(memory) = MemRef::of(access.buffer.ty()) else { return false };
        let element = memory.line.element_count() * element_bytes(memory.line).unwrap_or(4);
        let ty = access.ty().unwrap_or(memory.line);
        let bytes = ty.element_count() * element_bytes(ty).unwrap_or(4);
        let index = match access.index() {
            Some(index) => self.nodes.of(index),
            None => self.nodes.unknown(),
        };
        let kind = match access.kind {
            kind if kind.is_atomic() => AccessKind::Atomic,
            kind if kind.writes() => AccessKind::Store,
            _ => AccessKind::Load,
        };
        let number = self.shared.len() as u32;
        let memory = match memory_of(access.buffer) {
            cube_dialect::Memory::Global => Memory::Global(self.nodes.argument_name(access.buffer)),
            cube_dialect::Memory::Shared => Memory::Shared(*self.shared.entry(access.buffer).or_insert(number)),
            cube_dialect::Memory::Local(_) => Memory::Local,
            cube_dialect::Memory::Unknown => Memory::Global(String::new()),
        };
        let (bytes, element, location) = (bytes as u32, element as u32, location(op));
        self.accesses.push(Access { block, memory, kind, bytes, index, element, location });
        true
    }
}

fn location(op: Op<'_>) -> String {
    location_of(op.location()).map_or(String::new(), |at| format!("{}:{}", at.line, at.column))
}
