//! Shared state of the emitter: the insertion context, and the representation of each value.
use super::form::ValueForm;
use super::group::Group;
use cube_ir::{Block, Builder, Op, Run, Val};
use cube_passes::analysis::uniformity::Uniformity;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

/// Insertion point, groups and active masks of the code that is being emitted.
#[derive(Clone)]
pub(super) struct EmitContext<'p> {
    pub(super) b: Builder<'p>,
    /// Indices of the groups that execute the emitted code.
    pub(super) parts: Vec<usize>,
    /// The active lanes of each group; `None` if all are active.
    pub(super) masks: Vec<Option<Val<'p>>>,
    /// Whether at least one lane is known to be active.
    pub(super) any_active: bool,
    /// Bases of affine values that do not wrap between the first lane and the last.
    pub(super) no_wrap: Vec<Val<'p>>,
    /// Whether small code is preferred to fast code.
    pub(super) cold: bool,
}

impl<'p> EmitContext<'p> {
    pub(super) fn to(&self, b: Builder<'p>) -> Self {
        EmitContext { b: b.with_location(self.b.location()), ..self.clone() }
    }

    pub(super) fn at(&self, op: Op<'p>) -> Self {
        EmitContext { b: self.b.with_location(op.location()), ..self.clone() }
    }

    // The context with only one of the groups.
    pub(super) fn only(&self, part: usize) -> Self {
        let any_active = self.any_active && self.parts.len() == 1 || self.masks[part].is_none();
        EmitContext { parts: vec![part], any_active, ..self.clone() }
    }

    // Whether at least one lane of the only group is known to be active.
    pub(super) fn is_sure(&self) -> bool {
        self.any_active && self.parts.len() == 1
    }

    // The context with only one group, under a mask with at least one active lane.
    pub(super) fn alone(&self, b: Builder<'p>, part: usize, mask: Option<Val<'p>>) -> Self {
        let mut masks = self.masks.clone();
        masks[part] = mask;
        EmitContext {
            b: b.with_location(self.b.location()),
            parts: vec![part],
            masks,
            any_active: true,
            ..self.clone()
        }
    }
}

/// The emitter of vector code.
pub(crate) struct SpmdEmitter<'r, 'p> {
    pub(super) run: &'r mut Run<'p>,
    pub(super) group: Group,
    pub(super) uniformity: &'r Uniformity<'p>,
    /// The kernel's block; allocations are inserted at its start.
    pub(super) kernel: Block<'p>,
    pub(super) values: HashMap<(Val<'p>, usize), ValueForm<'p>>,
    /// The SSA value of each group's index.
    pub(super) numbers: Vec<Val<'p>>,
    /// The lanes with a unit, if some lanes have no unit.
    pub(super) present: Option<Val<'p>>,
    pub(super) failed: Cell<bool>,
    /// The vectorised operations, without nested operations.
    pub(super) ops: HashSet<Op<'p>>,
    /// Accesses whose elements are not adjacent, each with the verb of the remark ("reads" or "writes").
    pub(super) scattered: Vec<(Op<'p>, &'static str)>,
    /// The loops over groups.
    pub(super) written: Vec<Op<'p>>,
}

/// The condition under which groups with equal operands share the result of an operation.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Sharing {
    /// The groups never share the result, because each execution of the operation has a side effect.
    Never,
    /// The groups share the result if their masks are equal, because the operation depends on its mask.
    SameMask,
    /// The groups always share the result, because the operation only depends on its operands.
    Always,
}
