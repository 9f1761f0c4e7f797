//! The memory that a region of code can write. The passes that move loads use this analysis.
//!
//! Two arguments can share memory, unless one of them has `cube.noalias` (docs/why/no-noalias.md). Shared and local
//! allocations do not overlap other memory. During a barrier, other units can change all memory that the kernel writes.
use cube_dialect::attributes::NOALIAS;
use cube_dialect::{BufferKind, BufferType, ops, ops::Kernel, properties::barrier_scope, shared_offset};
use cube_ir::{
    AttrExt, Op, OpKind, Val,
    access::all_accesses,
    properties::{Effect, EffectKind, Effects, is_convergent, is_pure, is_terminator, own_effects},
};
use std::collections::HashMap;

/// Whether the memory of two buffers can overlap.
pub fn may_share<'p>(x: Val<'p>, y: Val<'p>) -> bool {
    let kind = |buffer: Val<'p>| BufferType::of(buffer.ty()).map(|b| b.kind);
    x == y
        || overlap(x, y)
        || !(is_own(x) || is_own(y))
        || kind(x) == Some(BufferKind::Slice)
        || kind(y) == Some(BufferKind::Slice)
}

// Whether a pass assigned overlapping addresses to two allocations of shared memory.
fn overlap<'p>(x: Val<'p>, y: Val<'p>) -> bool {
    let bytes = |buffer: Val<'p>| {
        let (start, ty) = (shared_offset(buffer.def()?)?, BufferType::of(buffer.ty())?);
        Some((start, start.saturating_add(ty.lines()?.saturating_mul(ty.line_bytes().next_power_of_two()))))
    };
    matches!((bytes(x), bytes(y)), (Some((x, end_of_x)), Some((y, end_of_y))) if x < end_of_y && y < end_of_x)
}

// Whether the memory of `buffer` overlaps only slices of `buffer`.
fn is_own(buffer: Val<'_>) -> bool {
    let argument =
        buffer.block_arg().and_then(|(block, at)| Kernel::of(block.parent()?)?.arg_attrs()?.item(at)?.entry(NOALIAS));
    let kind = BufferType::of(buffer.ty()).map(|b| b.kind);
    argument.is_some() || matches!(kind, Some(BufferKind::Shared | BufferKind::Local))
}

/// The memory that a region of code can write. The construction takes linear time, and a query takes constant
/// time.
#[derive(Default)]
pub struct Writes<'p> {
    /// The first write to each buffer whose memory does not overlap another buffer.
    own: HashMap<Val<'p>, Op<'p>>,
    /// The first write to any buffer of `own`.
    any_own: Option<Op<'p>>,
    /// The first write to a buffer whose memory can overlap other buffers.
    shared: Option<Op<'p>>,
    /// The first write to a slice, whose memory can overlap every buffer.
    slice: Option<Op<'p>>,
    /// The first unknown operation.
    unknown: Option<Op<'p>>,
    /// The first convergent operation.
    convergent: Option<Op<'p>>,
}

impl<'p> Writes<'p> {
    /// The writes of an operation and of its nested operations, at level flat.
    pub fn of(root: Op<'p>) -> Self {
        let mut writes = Writes::default();
        root.walk().into_iter().for_each(|op| writes.note(op));
        writes
    }

    /// Adds the writes of one operation, without the writes of nested operations.
    pub fn note(&mut self, op: Op<'p>) {
        match all_accesses(op) {
            Some(all) if !all.is_empty() => {
                let written = all.iter().filter(|access| access.kind.writes());
                written.for_each(|access| self.add(op, access.buffer));
            }
            _ => {
                let is_known = op.kind() != OpKind::Unknown;
                if is_convergent(op) && is_known {
                    self.convergent.get_or_insert(op);
                }
                // Other units can write during a barrier. Callers must check for barriers with
                // `convergent_op`. An unknown operation can be a barrier.
                if barrier_scope(op).is_none() && (!is_known || !is_silent(op)) {
                    self.unknown.get_or_insert(op);
                }
            }
        }
    }

    /// Adds the writes of another region of code. The cost is linear in the number of buffers.
    pub fn merge(&mut self, other: &Writes<'p>) {
        for (buffer, op) in &other.own {
            self.own.entry(*buffer).or_insert(*op);
        }
        self.any_own = self.any_own.or(other.any_own);
        self.shared = self.shared.or(other.shared);
        self.slice = self.slice.or(other.slice);
        self.unknown = self.unknown.or(other.unknown);
        self.convergent = self.convergent.or(other.convergent);
    }

    fn add(&mut self, op: Op<'p>, buffer: Val<'p>) {
        // Memory that is not a buffer of the dialect can overlap any buffer.
        if BufferType::of(buffer.ty()).is_none() {
            self.unknown.get_or_insert(op);
        } else if is_slice(buffer) {
            self.slice.get_or_insert(op);
        } else if is_own(buffer) {
            self.own.entry(buffer).or_insert(op);
            self.any_own.get_or_insert(op);
        } else {
            self.shared.get_or_insert(op);
        }
    }

    /// An operation that can write `buffer`, or `None` if every operation leaves `buffer` unchanged.
    pub fn to(&self, buffer: Val<'p>) -> Option<Op<'p>> {
        let written = match is_slice(buffer) {
            true => self.shared.or(self.any_own),
            false if is_own(buffer) => self.own.get(&buffer).copied(),
            false => self.shared,
        };
        written.or(self.slice).or(self.unknown)
    }

    /// Whether the code writes no memory, exchanges no values between units and does not synchronise.
    pub fn is_empty(&self) -> bool {
        self.any_own.or(self.shared).or(self.slice).or(self.unknown).or(self.convergent).is_none()
    }

    /// The first operation at which units exchange values or synchronise.
    pub fn convergent_op(&self) -> Option<Op<'p>> {
        self.convergent
    }
}

fn is_slice(buffer: Val<'_>) -> bool {
    BufferType::of(buffer.ty()).is_none_or(|b| b.kind == BufferKind::Slice)
}

// Whether an operation without an access leaves all buffers of the kernel unchanged. The operations in its regions are
// examined separately. The effects of a print and of an iteration mark are on resources that a kernel cannot access.
fn is_silent(op: Op<'_>) -> bool {
    let silent = |effect: &Effect<'_>| match effect.kind {
        EffectKind::Read | EffectKind::Alloc => true,
        EffectKind::Write | EffectKind::Free => !effect.is_of_memory(),
    };
    match own_effects(op) {
        Effects::Known(effects) => effects.iter().all(silent),
        // The effects of a kernel are the effects of its body. The end of a kernel has no effect.
        Effects::Unknown => matches!(op.kind(), ops::KERNEL | ops::RETURN),
    }
}

/// Whether an operation is pure and has a result for all operands, so that a pass can speculate the operation.
pub fn is_total(op: Op<'_>) -> bool {
    is_pure(op) && !is_terminator(op)
}
