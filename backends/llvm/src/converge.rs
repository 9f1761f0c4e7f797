//! Whether LLVM left barriers and operations of planes where all units come.
//!
//! Such calls are marked convergent, so that no pass may put one under a branch that it was not under. This holds LLVM to it: a
//! kernel in which no call stands under a branch that units decide differently must have none after O3 either. What differs is
//! followed from positions, atomics and shuffles through operands, loads and joins of branches; a branch decides about a block
//! if all ways go there from one side of it and not from the other (control dependence, Ferrante et al., 1987).
use cube_ir::SessionError;
use inkwell::{
    basic_block::BasicBlock,
    module::Module,
    values::{AsValueRef, BasicValue, FunctionValue, InstructionOpcode as Opcode, InstructionValue, PhiValue},
};
use std::collections::{HashMap, HashSet};

/// Whose position a unit knows.
const POSITIONS: &[&str] =
    &["llvm.nvvm.read.ptx.sreg.tid", "llvm.nvvm.read.ptx.sreg.laneid", "llvm.amdgcn.workitem.id", "llvm.amdgcn.mbcnt"];
/// What gives each lane a value of its own.
const SHUFFLES: &[&str] = &["llvm.nvvm.shfl", "llvm.amdgcn.ds.bpermute", "llvm.amdgcn.update.dpp"];
/// What all lanes of a plane agree on, but planes do not.
const VOTES: &[&str] = &["llvm.nvvm.vote", "llvm.amdgcn.ballot"];
/// Where all units of a cube meet.
const BARRIERS: &[&str] = &["llvm.nvvm.barrier", "llvm.amdgcn.s.barrier"];
/// Where the lanes of a plane meet.
const PLANES: &[&str] = &["llvm.nvvm.shfl", "llvm.nvvm.vote", "llvm.nvvm.bar.warp", "llvm.amdgcn.ballot"];

/// A kernel in which a barrier stands under a branch that not all units decide alike, and one in which an operation of planes
/// does, by their names.
pub(crate) fn divergent(module: &Module<'_>) -> [Option<String>; 2] {
    [(false, BARRIERS), (true, PLANES)].map(|(of_plane, calls)| {
        let mut with_body = module.get_functions().filter(|f| f.count_basic_blocks() > 0);
        let found = with_body.find(|f| Flow::of(*f, of_plane).strays(calls));
        found.map(|f| f.get_name().to_string_lossy().into_owned())
    })
}

/// What is said of a kernel that LLVM has broken so.
pub(crate) fn moved(kernel: &str) -> SessionError {
    let message = format!(
        "LLVM's optimiser put a barrier or plane operation of {kernel} under a branch that units decide differently, so that they could wait for ever; please report the kernel, and compile another form of it meanwhile"
    );
    SessionError::new("CUBE0413", message)
}

type Key = usize;

fn key(instruction: InstructionValue<'_>) -> Key {
    instruction.as_value_ref() as usize
}

/// The control flow of a function, and which values differ between units.
struct Flow<'c> {
    blocks: Vec<Vec<InstructionValue<'c>>>,
    next: Vec<Vec<usize>>,
    /// Whether what lanes of a plane agree on counts as the same for all.
    of_plane: bool,
    differs: HashSet<Key>,
}

impl<'c> Flow<'c> {
    fn of(function: FunctionValue<'c>, of_plane: bool) -> Self {
        let blocks = function.get_basic_blocks();
        let number: HashMap<BasicBlock<'c>, usize> = blocks.iter().enumerate().map(|(i, b)| (*b, i)).collect();
        let next =
            blocks.iter().map(|b| b.get_terminator().map(|t| successors(t, &number)).unwrap_or_default()).collect();
        let blocks = blocks.iter().map(|b| b.get_instructions().collect()).collect();
        let mut flow = Flow { blocks, next, of_plane, differs: HashSet::new() };
        while flow.grow(&number) {}
        flow
    }

    // Adds what differs because of what is known to differ.
    fn grow(&mut self, number: &HashMap<BasicBlock<'c>, usize>) -> bool {
        let before = self.differs.len();
        for at in 0..self.blocks.len() {
            for instruction in self.blocks[at].clone() {
                if !self.differs.contains(&key(instruction)) && self.is_different(instruction, at, number) {
                    self.differs.insert(key(instruction));
                }
            }
        }
        self.differs.len() > before
    }

    fn is_different(&self, i: InstructionValue<'c>, at: usize, number: &HashMap<BasicBlock<'c>, usize>) -> bool {
        if let Some(name) = called(i) {
            let is = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
            if is(POSITIONS) || is(SHUFFLES) || is(VOTES) {
                return !(self.of_plane && is(VOTES));
            }
        }
        match i.get_opcode() {
            Opcode::AtomicRMW | Opcode::AtomicCmpXchg => true,
            Opcode::Phi => self.takes_different(i) || self.joins_different_ways(i, at, number),
            _ => self.takes_different(i),
        }
    }

    fn takes_different(&self, i: InstructionValue<'c>) -> bool {
        let values = (0..i.get_num_operands()).filter_map(|n| i.get_operand(n)?.value());
        values.filter_map(|v| v.as_instruction_value()).any(|v| self.differs.contains(&key(v)))
    }

    // Whether a branch that units decide differently leads to a phi on ways that have no block in common.
    fn joins_different_ways(
        &self,
        phi: InstructionValue<'c>,
        at: usize,
        number: &HashMap<BasicBlock<'c>, usize>,
    ) -> bool {
        let Ok(phi) = PhiValue::try_from(phi) else { return false };
        let comes_from: Vec<_> = (0..phi.count_incoming())
            .filter_map(|n| phi.get_incoming(n).map(|(value, block)| (number[&block], value.as_value_ref() as Key)))
            .collect();
        self.branches().any(|branch| {
            // Ways that bring one value make no difference.
            let ways = comes_from.iter().filter(|(from, _)| *from == branch || self.leads(branch, *from, at));
            let values: HashSet<Key> = ways.map(|(_, value)| *value).collect();
            let others = (0..self.blocks.len()).filter(|other| *other != branch && *other != at);
            values.len() > 1 && others.into_iter().all(|other| self.leads(branch, at, other))
        })
    }

    // Whether some way from the end of `branch` to `to` does not go through `avoid`.
    fn leads(&self, branch: usize, to: usize, avoid: usize) -> bool {
        self.next[branch].iter().any(|next| self.reach(*next, Some(avoid)).contains(&to))
    }

    // Blocks whose end units decide differently.
    fn branches(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.blocks.len()).filter(|at| {
            let end = self.blocks[*at].last().filter(|_| self.next[*at].len() > 1);
            end.is_some_and(|end| self.takes_different(*end))
        })
    }

    // The blocks that a way from `from` leads to, itself too; no way goes through `avoid`.
    fn reach(&self, from: usize, avoid: Option<usize>) -> HashSet<usize> {
        let (mut seen, mut open) = (HashSet::new(), vec![from]);
        while let Some(at) = open.pop() {
            if Some(at) != avoid && seen.insert(at) {
                open.extend(&self.next[at]);
            }
        }
        seen
    }

    // Whether one of these calls stands where a branch that units decide differently decides whether it runs.
    fn strays(&self, calls: &[&str]) -> bool {
        let meets = |i: &InstructionValue<'c>| called(*i).is_some_and(|name| calls.iter().any(|c| name.starts_with(c)));
        let places = (0..self.blocks.len()).filter(|at| self.blocks[*at].iter().any(meets));
        let branches: HashSet<usize> = self.branches().collect();
        places.into_iter().any(|place| !self.deciders(place).is_disjoint(&branches))
    }

    // The blocks whose ends decide whether `place` runs, at once or through another.
    fn deciders(&self, place: usize) -> HashSet<usize> {
        let (mut found, mut open) = (HashSet::new(), vec![place]);
        while let Some(place) = open.pop() {
            let direct = (0..self.blocks.len()).filter(|at| self.decides(*at, place));
            open.extend(direct.filter(|at| found.insert(*at)).collect::<Vec<_>>());
        }
        found
    }

    // Whether all ways from one of the next blocks go through `place`, and not all from another.
    fn decides(&self, branch: usize, place: usize) -> bool {
        let always =
            |next: &usize| *next == place || !self.reach(*next, Some(place)).iter().any(|at| self.next[*at].is_empty());
        self.next[branch].iter().any(always) && !self.next[branch].iter().all(always)
    }
}

fn successors(end: InstructionValue<'_>, number: &HashMap<BasicBlock<'_>, usize>) -> Vec<usize> {
    (0..end.get_num_operands()).filter_map(|n| end.get_operand(n)?.block().map(|b| number[&b])).collect()
}

// The name of the function that an instruction calls.
fn called(i: InstructionValue<'_>) -> Option<String> {
    if i.get_opcode() != Opcode::Call {
        return None;
    }
    let callee = i.get_operand(i.get_num_operands().checked_sub(1)?)?.value()?;
    let pointer = callee.is_pointer_value().then(|| callee.into_pointer_value())?;
    Some(pointer.get_name().to_string_lossy().into_owned())
}

#[cfg(test)]
#[path = "tests/converge.rs"]
mod tests;
