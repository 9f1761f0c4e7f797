//! Checks that LLVM kept barriers and plane operations in convergent control flow.
//!
//! Calls of barriers and plane operations are marked convergent, so no LLVM pass is allowed to put them under an
//! additional branch. The analysis of this module verifies the result of LLVM's O3 pipeline. The backend reports an
//! error if O3 has moved a barrier or a plane operation under a divergent branch. Attributes of the calls state which
//! operations were under a divergent branch before. The analysis follows divergent values
//! from positions, atomics and shuffles through operands, loads and phis. If units leave a loop in different iterations,
//! the values of the loop are divergent after the loop. The result of a call that the backend does not list counts as
//! divergent. The call also counts as a barrier if it has LLVM's attribute `convergent`. The analysis uses control
//! dependence (Ferrante et al., 1987). A branch controls a block if all paths from one side of the branch reach the block,
//! and some path from the other side does not. `graph.rs` has the algorithms; the cost is near linear.
use super::graph::{Graph, Join};
use cube_ir::SessionError;
use inkwell::{
    attributes::{Attribute, AttributeLoc},
    basic_block::BasicBlock,
    context::Context,
    module::Module,
    values::{
        AsValueRef, BasicValue, BasicValueEnum, CallSiteValue, FunctionValue, InstructionOpcode as Opcode,
        InstructionValue, PhiValue,
    },
};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The calls whose results differ between units, and the calls at which units wait for each other. A call is recognised
/// by a prefix of its name. The results of LLVM's target-independent intrinsics depend only on the operands.
#[derive(Clone, Copy, Debug)]
pub struct Convergence {
    /// The prefix of the target's intrinsics. An intrinsic with this prefix that is in none of the lists counts as
    /// divergent.
    pub target: &'static str,
    /// Calls whose results are equal in all units if the operands are equal. Units do not synchronise at these calls.
    pub uniform: &'static [&'static str],
    /// Calls that return a position of the unit; the position differs between the lanes of a plane.
    pub positions: &'static [&'static str],
    /// Calls that exchange values between lanes; the results differ from lane to lane.
    pub shuffles: &'static [&'static str],
    /// Votes, whose results are equal in all lanes of a plane but can differ between planes.
    pub votes: &'static [&'static str],
    /// Barriers of a cube.
    pub barriers: &'static [&'static str],
    /// Plane operations.
    pub planes: &'static [&'static str],
}

impl Convergence {
    // Whether a list contains a call. Inline assembly has an empty name and counts as listed, because the backend emits
    // only assembly that copies its operand.
    fn lists(&self, name: &str) -> bool {
        let all = [self.uniform, self.positions, self.shuffles, self.votes, self.barriers, self.planes];
        let listed = all.into_iter().flatten().any(|word| name.starts_with(word));
        // The first part of the target's prefix is that of all intrinsics.
        let all_intrinsics = self.target.split_inclusive('.').next().unwrap_or(self.target);
        listed || name.is_empty() || (name.starts_with(all_intrinsics) && !name.starts_with(self.target))
    }
}

/// A kind of operation for which units wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A barrier of a cube, which is misplaced under a branch that is not uniform in the cube.
    Barrier,
    /// A plane operation, which is misplaced under a branch that is not uniform in the plane.
    Plane,
}

impl Kind {
    const ALL: [Kind; 2] = [Kind::Barrier, Kind::Plane];

    /// The attribute of a call that states where the call was before LLVM's passes: [`CONVERGED`] or [`DIVERGENT`].
    fn attribute(self) -> &'static str {
        match self {
            Kind::Barrier => "cube-barrier-control-flow",
            Kind::Plane => "cube-plane-control-flow",
        }
    }

    fn prefixes(self, calls: &Convergence) -> &'static [&'static str] {
        match self {
            Kind::Barrier => calls.barriers,
            Kind::Plane => calls.planes,
        }
    }
}

const CONVERGED: &str = "converged";
const DIVERGENT: &str = "divergent";

/// The kernels with a misplaced operation, by the kind of the operation.
pub(crate) type Misplaced = BTreeSet<(Kind, String)>;

/// Marks each barrier and plane operation with an attribute that states whether the operation is misplaced. LLVM's passes
/// copy the attribute with the call. Returns the kernels that have misplaced operations before LLVM's passes. Such an
/// operation is valid: it has a mask of its lanes as an operand.
pub(crate) fn mark(context: &Context, module: &Module<'_>, calls: &Convergence) -> Misplaced {
    let mut misplaced = BTreeSet::new();
    for (kind, flow, function) in flows(module, calls) {
        for (call, divergent) in flow.collectives(kind) {
            if divergent {
                misplaced.insert((kind, name_of(function)));
            }
            let value = if divergent { DIVERGENT } else { CONVERGED };
            let attribute = context.create_string_attribute(kind.attribute(), value);
            call.add_attribute(AttributeLoc::Function, attribute);
        }
    }
    misplaced
}

/// A kernel in which LLVM's passes moved a barrier or a plane operation to divergent control flow, after [`mark`]. LLVM can
/// also replace a call by another call without the attribute. Such a call is accepted if `before` contains the kernel.
pub(crate) fn moved(module: &Module<'_>, calls: &Convergence, before: &Misplaced) -> Option<String> {
    flows(module, calls).find_map(|(kind, flow, function)| {
        let name = name_of(function);
        let is_moved =
            |call: CallSiteValue<'_>| match call.get_string_attribute(AttributeLoc::Function, kind.attribute()) {
                Some(place) => place.get_string_value().to_bytes() == CONVERGED.as_bytes(),
                None => !before.contains(&(kind, name.clone())),
            };
        flow.collectives(kind).into_iter().any(|(call, divergent)| divergent && is_moved(call)).then_some(name)
    })
}

/// Removes the attributes that [`mark`] added.
pub(crate) fn unmark(module: &Module<'_>) {
    let blocks = module.get_functions().flat_map(|function| function.get_basic_block_iter());
    for call in blocks.flat_map(|block| block.get_instructions()).filter_map(|i| CallSiteValue::try_from(i).ok()) {
        Kind::ALL.iter().for_each(|kind| call.remove_string_attribute(AttributeLoc::Function, kind.attribute()));
    }
}

// The control flow of each function that has operations of a kind, for each kind.
fn flows<'a, 'c>(
    module: &'a Module<'c>,
    calls: &'a Convergence,
) -> impl Iterator<Item = (Kind, Flow<'c, 'a>, FunctionValue<'c>)> + 'a {
    Kind::ALL.into_iter().flat_map(move |kind| {
        let has_collectives = move |f: &FunctionValue<'c>| {
            f.get_basic_block_iter().flat_map(|block| block.get_instructions()).any(|i| is_collective(i, kind, calls))
        };
        let functions = module.get_functions().filter(has_collectives);
        functions.map(move |f| (kind, Flow::of(f, kind == Kind::Plane, calls), f))
    })
}

fn name_of(function: FunctionValue<'_>) -> String {
    function.get_name().to_string_lossy().into_owned()
}

/// The error for a kernel in which LLVM moved a convergent operation.
pub(crate) fn moved_error(kernel: &str) -> SessionError {
    SessionError::from(cube_ir::diagnostic!(CUBE0413.moved { kernel }))
}

type Key = usize;

fn key(instruction: InstructionValue<'_>) -> Key {
    instruction.as_value_ref() as usize
}

/// The control flow of a function, and the values that differ between units.
struct Flow<'c, 'a> {
    blocks: Vec<Vec<InstructionValue<'c>>>,
    graph: Graph,
    number: HashMap<BasicBlock<'c>, usize>,
    /// The block of each instruction.
    block_of: HashMap<Key, usize>,
    /// Whether the analysis treats a value that is uniform in a plane as uniform, although the value can
    /// differ between planes.
    of_plane: bool,
    calls: &'a Convergence,
    divergent_values: HashSet<Key>,
    /// Blocks that end in a divergent branch.
    branches: Vec<usize>,
}

impl<'c, 'a> Flow<'c, 'a> {
    // Each divergent instruction is followed to its users once, and each branch to the joins of its paths once.
    fn of(function: FunctionValue<'c>, of_plane: bool, calls: &'a Convergence) -> Self {
        let blocks = function.get_basic_blocks();
        let number: HashMap<BasicBlock<'c>, usize> = blocks.iter().enumerate().map(|(i, b)| (*b, i)).collect();
        let next =
            blocks.iter().map(|b| b.get_terminator().map(|t| successors(t, &number)).unwrap_or_default()).collect();
        let blocks: Vec<Vec<_>> = blocks.iter().map(|b| b.get_instructions().collect()).collect();
        let graph = Graph::new(next);
        let block_of = blocks.iter().enumerate().flat_map(|(at, all)| all.iter().map(move |i| (key(*i), at))).collect();
        let mut flow = Flow {
            blocks,
            graph,
            number,
            block_of,
            of_plane,
            calls,
            divergent_values: HashSet::new(),
            branches: vec![],
        };
        flow.follow();
        flow
    }

    fn follow(&mut self) {
        let mut users: HashMap<Key, Vec<InstructionValue<'c>>> = HashMap::new();
        let mut open = Vec::new();
        for instruction in self.blocks.iter().flatten() {
            if self.is_divergence_source(*instruction) {
                open.push(*instruction);
            }
            let values = (0..instruction.get_num_operands()).filter_map(|n| instruction.get_operand(n)?.value());
            for value in values.filter_map(|v| v.as_instruction_value()) {
                users.entry(key(value)).or_default().push(*instruction);
            }
        }
        while let Some(instruction) = open.pop() {
            if !self.divergent_values.insert(key(instruction)) {
                continue;
            }
            open.extend(users.get(&key(instruction)).into_iter().flatten().filter(|user| self.propagates(**user)));
            let at = self.block_of[&key(instruction)];
            if self.graph.next[at].len() > 1 && self.blocks[at].last() == Some(&instruction) {
                self.branches.push(at);
                open.extend(self.joined_differently(at));
                open.extend(self.used_after_repetition(at, &users));
            }
        }
    }

    // Whether the result of an instruction differs between units even for uniform operands.
    fn is_divergence_source(&self, i: InstructionValue<'c>) -> bool {
        let by_name = callee_name(i).is_some_and(|name| {
            let is = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
            is(self.calls.positions)
                || is(self.calls.shuffles)
                || (is(self.calls.votes) && !self.of_plane)
                || !self.calls.lists(&name)
        });
        by_name || matches!(i.get_opcode(), Opcode::AtomicRMW | Opcode::AtomicCmpXchg)
    }

    // Whether the result of an instruction differs if an operand differs.
    fn propagates(&self, i: InstructionValue<'c>) -> bool {
        let vote = callee_name(i).is_some_and(|name| self.calls.votes.iter().any(|word| name.starts_with(word)));
        !(vote && self.of_plane)
    }

    // The phis that join disjoint paths from a branch with different values.
    fn joined_differently(&self, branch: usize) -> Vec<InstructionValue<'c>> {
        let mut found = Vec::new();
        let between = self.graph.between(branch);
        for Join { at, from } in self.graph.joins(branch) {
            for phi in self.blocks[at].iter().map_while(|i| PhiValue::try_from(*i).ok()) {
                let incoming = (0..phi.count_incoming()).filter_map(|n| phi.get_incoming(n));
                let ways = incoming.filter(|(_, block)| from.contains(&self.number[block]));
                // A phi with equal values on all paths does not differ.
                let values: HashSet<Key> = ways.map(|(value, _)| self.value_after(branch, &between, value)).collect();
                if values.len() > 1 {
                    found.push(phi.as_instruction());
                }
            }
        }
        found
    }

    // The value that a phi after a branch has on all paths from the branch, if it is a value from before the branch;
    // otherwise `value` itself. LLVM creates such phis when it moves equal instructions of two predecessors to one block:
    // another branch reaches this block with other values. `between` are the blocks after the branch.
    fn value_after(&self, branch: usize, between: &HashSet<usize>, value: BasicValueEnum<'c>) -> Key {
        let own = value.as_value_ref() as Key;
        let mut origins = HashSet::new();
        let (mut open, mut seen) = (vec![value], HashSet::from([own]));
        while let Some(value) = open.pop() {
            let at = value.as_instruction_value().map(|i| (i, self.block_of[&key(i)]));
            match at.filter(|(_, at)| between.contains(at)) {
                None => _ = origins.insert(value.as_value_ref() as Key),
                Some((instruction, _)) => {
                    let Ok(phi) = PhiValue::try_from(instruction) else { return own };
                    let incoming = (0..phi.count_incoming()).filter_map(|n| phi.get_incoming(n));
                    let after = incoming.filter(|(_, block)| {
                        let from = self.number[block];
                        from == branch || between.contains(&from)
                    });
                    open.extend(after.map(|(value, _)| value).filter(|value| seen.insert(value.as_value_ref() as Key)));
                }
            }
        }
        match origins.len() {
            1 => origins.into_iter().next().unwrap_or(own),
            _ => own,
        }
    }

    // The instructions after a loop that use a value of the loop, if units leave the loop at `branch` in different
    // iterations. The value differs between units, even if it is uniform in each iteration.
    fn used_after_repetition(
        &self,
        branch: usize,
        users: &HashMap<Key, Vec<InstructionValue<'c>>>,
    ) -> Vec<InstructionValue<'c>> {
        let repeated = self.graph.repeated(branch);
        let values = repeated.iter().flat_map(|at| &self.blocks[*at]);
        let all = values.filter_map(|value| users.get(&key(*value))).flatten().copied();
        all.filter(|user| !repeated.contains(&self.block_of[&key(*user)]) && self.propagates(*user)).collect()
    }

    // The barriers or plane operations, each with whether it is control-dependent on a divergent branch.
    fn collectives(&self, kind: Kind) -> Vec<(CallSiteValue<'c>, bool)> {
        let decided = self.graph.decided_by(&self.branches);
        let with_place = |(at, block): (usize, &Vec<InstructionValue<'c>>)| {
            let collectives = block.iter().filter(|i| is_collective(**i, kind, self.calls));
            let calls = collectives.filter_map(|i| CallSiteValue::try_from(*i).ok());
            calls.map(|call| (call, decided.contains(&at))).collect::<Vec<_>>()
        };
        self.blocks.iter().enumerate().flat_map(with_place).collect()
    }
}

// Whether an instruction is an operation of the kind, or can be one.
fn is_collective(i: InstructionValue<'_>, kind: Kind, calls: &Convergence) -> bool {
    callee_name(i).is_some_and(|name| {
        let is_named = kind.prefixes(calls).iter().any(|prefix| name.starts_with(prefix));
        is_named || !calls.lists(&name) && is_convergent(i)
    })
}

fn successors(end: InstructionValue<'_>, number: &HashMap<BasicBlock<'_>, usize>) -> Vec<usize> {
    (0..end.get_num_operands()).filter_map(|n| end.get_operand(n)?.block().map(|b| number[&b])).collect()
}

// Whether LLVM's attribute `convergent` marks a call or the function that it calls.
fn is_convergent(i: InstructionValue<'_>) -> bool {
    let kind = Attribute::get_named_enum_kind_id("convergent");
    let Ok(call) = CallSiteValue::try_from(i) else { return false };
    call.get_enum_attribute(AttributeLoc::Function, kind).is_some()
        || call.get_called_fn_value().is_some_and(|f| f.get_enum_attribute(AttributeLoc::Function, kind).is_some())
}

// The name of the function that an instruction calls.
pub(crate) fn callee_name(i: InstructionValue<'_>) -> Option<String> {
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
