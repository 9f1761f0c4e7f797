//! NVIDIA GPUs: masks of the active lanes of a plane under divergent control flow.
//!
//! Divergent lanes need not run in lockstep, so each names the lanes that it waits for by a mask. The mask of a branch's
//! block is a ballot before the branch, one for each arm. The mask of a loop is a ballot of its active lanes about another
//! iteration. All lanes of the enclosing mask reach such a ballot.
use cube_ir::ops::{nvvm, scf};
use cube_ir::{AttrExt, Block, Builder, Op, Val, upstream::IntCmp};
use cube_passes::analysis::uniformity::{Uniform, Uniformity};
use cube_to_llvm::memory;
use std::collections::HashMap;

/// All lanes take part; those that do not exist are not waited for (PTX ISA 9.0, section 9.7.9.6, shfl.sync).
const ALL_LANES: i64 = -1;

/// The active lanes at each operation of a kernel.
pub(super) struct ActiveMasks<'p> {
    kernel: Op<'p>,
    uniformity: Uniformity<'p>,
    masks: HashMap<Block<'p>, Option<Val<'p>>>,
    /// For each divergent loop, the cell with the mask of the lanes that continue.
    cells: HashMap<Op<'p>, Val<'p>>,
}

impl<'p> ActiveMasks<'p> {
    pub fn new(kernel: Op<'p>, uniformity: Uniformity<'p>) -> Self {
        ActiveMasks { kernel, uniformity, masks: HashMap::new(), cells: HashMap::new() }
    }

    /// The active lanes of an operation, as a number with a bit for each; `None` if all existing lanes are active.
    pub fn of(&mut self, op: Op<'p>) -> Option<Val<'p>> {
        self.of_block(op.block()?)
    }

    fn of_block(&mut self, block: Block<'p>) -> Option<Val<'p>> {
        if let Some(known) = self.masks.get(&block) {
            return *known;
        }
        let parent = block.parent().filter(|parent| *parent != self.kernel)?;
        let divergent = block.terminator().is_some_and(|end| self.uniformity.reached_by(end) > Uniform::Plane);
        let mask = match divergent {
            true => {
                let outer = self.of(parent);
                self.inside(parent, block, outer)
            }
            false => None,
        };
        self.masks.insert(block, mask);
        mask
    }

    // The mask of a block of `parent`, to which the lanes `outer` come.
    fn inside(&mut self, parent: Op<'p>, block: Block<'p>, outer: Option<Val<'p>>) -> Option<Val<'p>> {
        let b = Builder::before(parent);
        let number = parent.regions().position(|r| r.first_block() == Some(block)).unwrap_or(0);
        match parent.kind() {
            scf::IF => {
                let yes = parent.operand(0);
                Some(ballot(b, outer, if number == 0 { yes } else { not(b, yes) }))
            }
            scf::INDEX_SWITCH => {
                let cases = parent.attr("cases").and_then(|c| c.as_i64_array()).unwrap_or_default();
                let value = parent.operand(0);
                let is = |case: &i64| b.cmpi(IntCmp::Eq, value, b.int(value.ty(), *case));
                let takes = match number.checked_sub(1) {
                    Some(case) => is(&cases[case]),
                    // The first region is that of no case.
                    None => cases.iter().map(|case| not(b, is(case))).reduce(|x, y| b.andi(x, y))?,
                };
                Some(ballot(b, outer, takes))
            }
            scf::FOR | scf::WHILE => {
                let cell = self.cell(parent, outer);
                let first = Builder::before(block.first()?);
                Some(memory::load(first, b.cx().int(32), cell, first.int(b.cx().index(), 0)))
            }
            _ => outer,
        }
    }

    // The cell that holds the mask of the active lanes at the start of each iteration.
    fn cell(&mut self, looped: Op<'p>, outer: Option<Val<'p>>) -> Val<'p> {
        if let Some(cell) = self.cells.get(&looped) {
            return *cell;
        }
        let b = Builder::before(looped);
        let word = b.cx().int(32);
        let start = self.kernel.body().and_then(|body| body.first()).map_or(b, Builder::before);
        let cell = memory::alloca(start, memory::type_of(b.cx(), 1, word, false));
        self.cells.insert(looped, cell);
        let put = |b: Builder<'p>, mask| _ = memory::store(b, mask, cell, b.int(b.cx().index(), 0));
        let here = |b: Builder<'p>| memory::load(b, word, cell, b.int(b.cx().index(), 0));
        let ends: Vec<Op<'p>> = looped.regions().filter_map(|r| r.first_block()?.terminator()).collect();
        if looped.is(scf::WHILE) {
            put(b, ballot(b, outer, b.int(b.cx().int(1), 1)));
            let b = Builder::before(ends[0]);
            put(b, ballot(b, Some(here(b)), ends[0].operand(0)));
        } else {
            let [lower, upper, step] = [0, 1, 2].map(|i| looped.operand(i));
            let below = if looped.attr("unsignedCmp").is_some() { IntCmp::Ult } else { IntCmp::Slt };
            put(b, ballot(b, outer, b.cmpi(below, lower, upper)));
            // The counter is below the end, so that what is left has no sign.
            let b = Builder::before(ends[0]);
            let counter = looped.body().map_or(lower, |body| body.arg(0));
            let again = b.cmpi(IntCmp::Ugt, b.subi(upper, counter), step);
            put(b, ballot(b, Some(here(b)), again));
        }
        cell
    }
}

fn not<'p>(b: Builder<'p>, value: Val<'p>) -> Val<'p> {
    b.xori(value, b.int(b.cx().int(1), 1))
}

/// The lanes among `active` whose value is true.
pub(super) fn ballot<'p>(b: Builder<'p>, active: Option<Val<'p>>, value: Val<'p>) -> Val<'p> {
    let kind = b.cx().parse_attr("#nvvm<vote_sync_kind ballot>").expect("nvvm is loaded");
    let active = or_all_lanes(b, active);
    b.op(nvvm::VOTE_SYNC).operands(&[active, value]).attr("kind", kind).result(b.cx().int(32)).value()
}

/// A mask for those that wait for each other.
pub(super) fn or_all_lanes<'p>(b: Builder<'p>, active: Option<Val<'p>>) -> Val<'p> {
    active.unwrap_or_else(|| b.int(b.cx().int(32), ALL_LANES))
}
