//! The memory accesses that a barrier separates. A barrier has two segments: the accesses before the barrier, and the
//! accesses after the barrier.
//!
//! ```text
//! sync A          the segment after A: s[i]
//! store s[i]
//! sync B          the segments of B: s[i] before, s[j] and t[i] after
//! load s[j]
//! store t[i]
//! sync C          the segment before C: s[j] and t[i]
//! ```
//!
//! A segment ends at the next barrier on each path. A path leaves a loop or continues with the next iteration, and a
//! loop can have no iterations. The barrier itself does not end its segments, because callers ask for the order of
//! accesses without this barrier. In a loop with one barrier, both segments therefore contain all accesses of the loop.
//! A barrier of scope `storage` ends only the segments of global memory, and a barrier of scope `plane` ends no
//! segment.
//!
//! A phase is a segment after a barrier, but the barrier itself also ends the phase. All units of a cube are in the
//! same phase at a time. A phase records its accessed allocations of shared memory and the barriers at its end.
//!
//! All units must reach the barriers of the kernel together. Callers check this with `analysis/uniformity.rs`. An
//! unknown operation counts as opaque.
use cube_dialect::properties::{barrier_scope, is_cube_barrier, plane_result};
use cube_dialect::{Access, BufferKind, BufferType, Memory, Scope, access_of, memory_of, ops};
use cube_ir::ops::scf;
use cube_ir::properties::{EffectKind, Effects, is_convergent, is_terminator, own_effects};
use cube_ir::{Block, Op, Val};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Maximum number of accesses of a segment.
const MAX_ACCESSES: usize = 128;

/// The direction of a walk from a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// From the barrier back to the barriers before.
    Before,
    /// The code from the barrier to the next barriers.
    After,
}

/// The kind of memory of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Space {
    Global,
    Shared,
}

/// The accesses to global and shared memory on one side of a barrier.
#[derive(Default)]
pub struct Segment<'p> {
    /// Plain loads and stores, without duplicates.
    pub accesses: Vec<Access<'p>>,
    /// An atomic access.
    pub atomic: Option<Op<'p>>,
    /// An operation with unknown effects, or with an effect on memory or on the order of accesses that the analysis
    /// does not model.
    pub opaque: Option<Op<'p>>,
    /// Whether a path from the barrier reaches the start or the end of the kernel without another barrier.
    pub at_edge: bool,
}

impl<'p> Segment<'p> {
    /// Whether no unit accesses global or shared memory in the segment.
    pub fn is_empty(&self) -> bool {
        self.accesses.is_empty() && self.atomic.is_none() && self.opaque.is_none()
    }

    fn add(&mut self, access: Access<'p>) {
        if !self.accesses.iter().any(|known| known.op == access.op) {
            self.accesses.push(access);
        }
    }
}

/// The shared memory that units access between two barriers of scope `cube`.
#[derive(Default)]
pub struct Phase<'p> {
    /// The accessed allocations.
    pub buffers: HashSet<Val<'p>>,
    /// The barriers at the end of the phase, on all paths.
    pub ends: HashSet<Op<'p>>,
    /// An operation whose effects are not known, or that contains code that the analysis does not follow.
    pub opaque: Option<Op<'p>>,
}

/// Receives the operations of a segment.
trait Visitor<'p> {
    /// Visits an operation that is neither a barrier nor control flow of `scf`. `is_leaf` is false for an operation with
    /// regions, which the walk does not enter. `None` ends the walk without a result.
    fn plain(&mut self, op: Op<'p>, is_leaf: bool) -> Option<()>;

    /// Visits a barrier that ends the segment on a path.
    fn end(&mut self, _: Op<'p>) {}

    /// Visits an operation whose control flow is not known.
    fn opaque(&mut self, op: Op<'p>);

    /// Records that a path reaches the start or the end of the kernel.
    fn reach_edge(&mut self) {}
}

/// Computes segments of one kernel.
pub struct Segments<'p> {
    kernel: Op<'p>,
    removed: HashSet<Op<'p>>,
    /// The operations of each block that was visited. The list of a block is read once, because each barrier of the
    /// block needs it.
    blocks: HashMap<Block<'p>, Rc<[Op<'p>]>>,
    /// The position of each operation of these blocks.
    positions: HashMap<Op<'p>, usize>,
    /// The remaining number of operations that all walks together can visit.
    fuel: usize,
}

impl<'p> Segments<'p> {
    /// An analysis of a kernel. All segments together cost a small multiple of the size of the kernel.
    pub fn of(kernel: Op<'p>) -> Self {
        Segments {
            kernel,
            removed: HashSet::new(),
            blocks: HashMap::new(),
            positions: HashMap::new(),
            fuel: 4096 + 32 * kernel.walk().len(),
        }
    }

    fn ops(&mut self, block: Block<'p>) -> Rc<[Op<'p>]> {
        let (positions, read) = (&mut self.positions, || Rc::from(block.ops()));
        let new = !self.blocks.contains_key(&block);
        let ops = self.blocks.entry(block).or_insert_with(read).clone();
        if new {
            positions.extend(ops.iter().enumerate().map(|(position, op)| (*op, position)));
        }
        ops
    }

    /// Ignores a barrier in all later queries.
    pub fn remove(&mut self, barrier: Op<'p>) {
        self.removed.insert(barrier);
    }

    /// The segment on one side of a barrier. `None` if the segment is too large, or if the analysis has visited too many
    /// operations.
    pub fn around(&mut self, barrier: Op<'p>, side: Side) -> Option<Segment<'p>> {
        let mut found = Segment::default();
        for space in [Space::Global, Space::Shared] {
            let visitor = &mut OfSpace { space, found: &mut found };
            let mut walk = Walk { all: self, passed: Some(barrier), side, space, open: HashMap::new(), visitor };
            walk.leave(barrier)?;
        }
        (found.accesses.len() <= MAX_ACCESSES).then_some(found)
    }

    /// The phase after a barrier of scope `cube`, or after the start of the kernel. `None` if the analysis has visited
    /// too many operations.
    pub fn phase(&mut self, after: Option<Op<'p>>) -> Option<Phase<'p>> {
        let mut found = Phase::default();
        let (side, space, start) = (Side::After, Space::Shared, self.kernel.body());
        let mut walk = Walk { all: self, passed: None, side, space, open: HashMap::new(), visitor: &mut found };
        match (after, start) {
            (Some(barrier), _) => walk.leave(barrier)?,
            (None, Some(block)) => _ = walk.block(block)?,
            (None, None) => {}
        }
        Some(found)
    }
}

struct Walk<'a, 'p, V> {
    all: &'a mut Segments<'p>,
    /// A barrier that does not end the segment.
    passed: Option<Op<'p>>,
    side: Side,
    space: Space,
    /// The visited blocks. The flag states whether a path through the block has no barrier.
    open: HashMap<Block<'p>, bool>,
    visitor: &'a mut V,
}

impl<'p, V: Visitor<'p>> Walk<'_, 'p, V> {
    // Walks from a barrier outwards. `None` if the analysis gives up.
    fn leave(&mut self, barrier: Op<'p>) -> Option<()> {
        let mut at = barrier;
        loop {
            let Some(block) = at.block() else { return self.opaque(at) };
            let ops = self.all.ops(block);
            let position = *self.all.positions.get(&at)?;
            let rest = match self.side {
                Side::Before => &ops[..position],
                Side::After => &ops[position + 1..],
            };
            if !self.ops(rest)? {
                return Some(());
            }
            let parent = block.parent()?;
            match parent.kind() {
                ops::Kernel::KIND => {
                    self.visitor.reach_edge();
                    return Some(());
                }
                scf::IF | scf::INDEX_SWITCH => {}
                // Another iteration can precede or follow.
                scf::FOR | scf::WHILE => {
                    for block in parent.regions().flat_map(|region| region.blocks()) {
                        self.block(block)?;
                    }
                }
                _ => return self.opaque(parent),
            }
            at = parent;
        }
    }

    fn opaque(&mut self, op: Op<'p>) -> Option<()> {
        self.visitor.opaque(op);
        Some(())
    }

    // Walks a block from its start or end. Returns whether a path through the block has no barrier.
    fn block(&mut self, block: Block<'p>) -> Option<bool> {
        if let Some(open) = self.open.get(&block) {
            return Some(*open);
        }
        let ops = self.all.ops(block);
        let open = self.ops(&ops)?;
        self.open.insert(block, open);
        Some(open)
    }

    fn ops(&mut self, ops: &[Op<'p>]) -> Option<bool> {
        let count = ops.len();
        for n in 0..count {
            let op = match self.side {
                Side::Before => ops[count - 1 - n],
                Side::After => ops[n],
            };
            self.all.fuel = self.all.fuel.checked_sub(1)?;
            if !self.op(op)? {
                return Some(false);
            }
        }
        Some(true)
    }

    // Returns whether a path through the operation has no barrier.
    fn op(&mut self, op: Op<'p>) -> Option<bool> {
        if is_cube_barrier(op) {
            let ends = self.space == Space::Global || barrier_scope(op) == Some(Scope::Cube);
            let open = Some(op) == self.passed || self.all.removed.contains(&op) || !ends;
            if !open {
                self.visitor.end(op);
            }
            return Some(open);
        }
        let blocks: Vec<Block<'p>> = op.regions().flat_map(|region| region.blocks()).collect();
        match op.kind() {
            scf::IF | scf::INDEX_SWITCH => {
                // A region without a block does not execute code.
                let mut open = op.regions().any(|region| region.first_block().is_none());
                for block in blocks {
                    open |= self.block(block)?;
                }
                Some(open)
            }
            scf::FOR => {
                for block in blocks {
                    self.block(block)?;
                }
                Some(true)
            }
            // The first region runs at least once: before the second region, and after its last execution.
            scf::WHILE => {
                let [before, after] = blocks[..] else { return self.opaque(op).map(|()| true) };
                let open = self.block(before)?;
                self.block(after)?;
                Some(open)
            }
            _ => {
                self.visitor.plain(op, blocks.is_empty())?;
                Some(true)
            }
        }
    }
}

/// Collects the accesses of one space.
struct OfSpace<'a, 'p> {
    space: Space,
    found: &'a mut Segment<'p>,
}

impl<'p> Visitor<'p> for OfSpace<'_, 'p> {
    fn plain(&mut self, op: Op<'p>, is_leaf: bool) -> Option<()> {
        if let Some(access) = access_of(op) {
            let space = match memory_of(access.buffer) {
                Memory::Local(_) => return Some(()),
                Memory::Global => Space::Global,
                Memory::Shared => Space::Shared,
                Memory::Unknown => {
                    self.opaque(op);
                    return Some(());
                }
            };
            match op.kind() {
                _ if space != self.space => {}
                ops::Load::KIND | ops::Store::KIND => self.found.add(access),
                _ => _ = self.found.atomic.get_or_insert(op),
            }
        } else if !is_leaf || !is_transparent(op) {
            self.opaque(op);
        }
        (self.found.accesses.len() <= MAX_ACCESSES).then_some(())
    }

    fn opaque(&mut self, op: Op<'p>) {
        self.found.opaque.get_or_insert(op);
    }

    fn reach_edge(&mut self) {
        self.found.at_edge = true;
    }
}

impl<'p> Visitor<'p> for Phase<'p> {
    // An operation without regions and with known effects neither synchronises units nor calls other code. The
    // operation accesses an allocation only through an operand.
    fn plain(&mut self, op: Op<'p>, is_leaf: bool) -> Option<()> {
        let is_known = matches!(own_effects(op), Effects::Known(_)) || op.is(ops::RETURN) || is_scf_terminator(op);
        if !is_leaf || !is_known {
            self.opaque(op);
        }
        let shared = |buffer: Val<'p>| BufferType::of(buffer.ty()).is_some_and(|ty| ty.kind == BufferKind::Shared);
        self.buffers.extend(op.operands().filter(|operand| shared(*operand)));
        Some(())
    }

    fn end(&mut self, barrier: Op<'p>) {
        self.ends.insert(barrier);
    }

    fn opaque(&mut self, op: Op<'p>) {
        self.opaque.get_or_insert(op);
    }
}

// Whether an operation without regions neither accesses memory nor orders accesses. A barrier of scope `plane` orders
// accesses, but no pass removes the barrier, so its order is preserved.
fn is_transparent(op: Op<'_>) -> bool {
    if barrier_scope(op) == Some(Scope::Plane) {
        return true;
    }
    let Effects::Known(effects) = own_effects(op) else { return op.is(ops::RETURN) };
    let known = !is_convergent(op) || plane_result(op).is_some();
    let memory = effects.iter().any(|effect| match effect.kind {
        EffectKind::Alloc => false,
        EffectKind::Read => effect.is_of_memory(),
        EffectKind::Write | EffectKind::Free => true,
    });
    (known && !memory) || is_scf_terminator(op)
}

fn is_scf_terminator(op: Op<'_>) -> bool {
    is_terminator(op) && op.is_of(cube_ir::Dialect::Scf)
}
