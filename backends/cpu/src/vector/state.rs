//! What the passes over a kernel's operations share: where code is written, and what became of each value.
use super::form::Form;
use super::group::Group;
use cube_ir::{Block, Builder, Op, Run, Val};
use cube_passes::analysis::uniformity::Uniformity;
use std::collections::HashMap;

/// Where code is written.
#[derive(Clone)]
pub(super) struct At<'p> {
    pub(super) b: Builder<'p>,
    /// The groups that run here, by number.
    pub(super) parts: Vec<usize>,
    /// The lanes of each group that run here; `None` where all do.
    pub(super) masks: Vec<Option<Val<'p>>>,
    /// Whether some lane surely runs here.
    pub(super) some: bool,
    /// Bases of steps that do not wrap between the first lane and the last.
    pub(super) fits: Vec<Val<'p>>,
    /// Whether little code is worth more than fast code.
    pub(super) rare: bool,
}

impl<'p> At<'p> {
    pub(super) fn to(&self, b: Builder<'p>) -> Self {
        At { b: b.with_location(self.b.location()), ..self.clone() }
    }

    pub(super) fn at(&self, op: Op<'p>) -> Self {
        At { b: self.b.with_location(op.location()), ..self.clone() }
    }

    // Only one of the groups.
    pub(super) fn only(&self, part: usize) -> Self {
        let some = self.some && self.parts.len() == 1 || self.masks[part].is_none();
        At { parts: vec![part], some, ..self.clone() }
    }

    // Whether a lane of the group, which is the only one here, surely runs.
    pub(super) fn is_sure(&self) -> bool {
        self.some && self.parts.len() == 1
    }

    // Only one group, under a mask of which some lane is on.
    pub(super) fn alone(&self, b: Builder<'p>, part: usize, mask: Option<Val<'p>>) -> Self {
        let mut masks = self.masks.clone();
        masks[part] = mask;
        At { b: b.with_location(self.b.location()), parts: vec![part], masks, some: true, ..self.clone() }
    }
}

/// The writer.
pub(crate) struct Vectors<'r, 'p> {
    pub(super) run: &'r mut Run<'p>,
    pub(super) group: Group,
    pub(super) uniformity: &'r Uniformity<'p>,
    /// The kernel's block, at whose start memory is made.
    pub(super) kernel: Block<'p>,
    pub(super) values: HashMap<(Val<'p>, usize), Form<'p>>,
    /// The number of each group.
    pub(super) numbers: Vec<Val<'p>>,
    /// Lanes with a unit, where some have none.
    pub(super) present: Option<Val<'p>>,
    pub(super) failed: bool,
    /// Accesses of places that are not side by side, and what they do.
    pub(super) scattered: Vec<(Op<'p>, &'static str)>,
    /// The loops over groups.
    pub(super) written: Vec<Op<'p>>,
}

/// Which operands decide whether groups may share what an operation makes.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Share {
    /// It does something each time.
    Never,
    /// Its mask belongs to what it does.
    SameMask,
    /// It only computes.
    Always,
}
