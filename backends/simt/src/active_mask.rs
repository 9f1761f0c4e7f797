//! Masks of the active lanes of a plane under divergent control flow.
//!
//! Divergent lanes do not always run in lockstep. A plane operation therefore has a mask operand with the lanes that
//! participate. For an arm of a branch, the mask is a ballot before the branch. For a loop, the mask is a ballot of the
//! lanes that continue with another iteration. All lanes of the enclosing mask participate in the ballot of a branch or
//! loop. If the hardware provides a mask of the executing lanes, the code needs no ballots and reads that mask at the
//! plane operation ([`Lanes::executing`]).
use crate::lanes::Lanes;
use cube_ir::ops::scf;
use cube_ir::{AttrExt, Block, Builder, Failed, Op, Val, upstream::IntCmp};
use cube_passes::analysis::uniformity::{Uniform, Uniformity};
use cube_to_llvm::memory;
use std::collections::HashMap;

/// The active lanes at each operation of a kernel.
pub(super) struct ActiveMasks<'l, 'p, L> {
    lanes: &'l L,
    kernel: Op<'p>,
    uniformity: Uniformity<'p>,
    masks: HashMap<Block<'p>, Option<Val<'p>>>,
    /// For each divergent loop, the memory that holds the mask of the lanes that continue.
    cells: HashMap<Op<'p>, Val<'p>>,
}

impl<'l, 'p, L: Lanes> ActiveMasks<'l, 'p, L> {
    pub fn new(lanes: &'l L, kernel: Op<'p>, uniformity: Uniformity<'p>) -> Self {
        ActiveMasks { lanes, kernel, uniformity, masks: HashMap::new(), cells: HashMap::new() }
    }

    /// The active lanes of an operation, as an integer with one bit per lane; `None` if all existing lanes are active.
    ///
    /// # Errors
    /// Reports an error if `op` is inside a divergent operation that the analysis does not know.
    pub fn of(&mut self, op: Op<'p>) -> Result<Option<Val<'p>>, Failed> {
        let Some(block) = op.block() else { return Ok(None) };
        if self.diverges(block)
            && let Some(mask) = self.lanes.executing(Builder::before(op))
        {
            return Ok(Some(mask));
        }
        self.of_block(block)
    }

    /// Whether only some lanes of a plane can reach a block.
    fn diverges(&self, block: Block<'p>) -> bool {
        block.terminator().is_some_and(|end| self.uniformity.reached_by(end) > Uniform::Plane)
            && block.parent().is_some_and(|parent| parent != self.kernel)
    }

    fn of_block(&mut self, block: Block<'p>) -> Result<Option<Val<'p>>, Failed> {
        if let Some(known) = self.masks.get(&block) {
            return Ok(*known);
        }
        let Some(parent) = block.parent().filter(|parent| *parent != self.kernel) else { return Ok(None) };
        let mask = match self.diverges(block) {
            true => {
                let outer = self.of_block(parent.block().ok_or(Failed)?)?;
                Some(self.mask_of_block(parent, block, outer)?)
            }
            false => None,
        };
        self.masks.insert(block, mask);
        Ok(mask)
    }

    // The mask of a block of `parent`; the lanes `outer` reach `parent`.
    fn mask_of_block(&mut self, parent: Op<'p>, block: Block<'p>, outer: Option<Val<'p>>) -> Result<Val<'p>, Failed> {
        let b = Builder::before(parent);
        let number = parent.regions().position(|r| r.first_block() == Some(block)).unwrap_or(0);
        Ok(match parent.kind() {
            scf::IF => {
                let yes = parent.operand(0);
                self.lanes.ballot(b, outer, if number == 0 { yes } else { not(b, yes) })
            }
            scf::INDEX_SWITCH => {
                let cases = parent.attr("cases").and_then(|c| c.as_i64_array()).unwrap_or_default();
                let value = parent.operand(0);
                let is = |case: &i64| b.cmpi(IntCmp::Eq, value, b.int(value.ty(), *case));
                let takes = match number.checked_sub(1) {
                    Some(case) => is(&cases[case]),
                    // The first region is the default, for values that match no case.
                    None => {
                        let others = cases.iter().map(|case| not(b, is(case))).reduce(|x, y| b.andi(x, y));
                        others.unwrap_or_else(|| b.int(b.cx().int(1), 1))
                    }
                };
                self.lanes.ballot(b, outer, takes)
            }
            scf::FOR | scf::WHILE => {
                let cell = self.cell(parent, outer);
                let first = Builder::before(block.first().ok_or(Failed)?);
                memory::load(first, self.lanes.mask(first), cell, first.int(b.cx().index(), 0))
            }
            _ => {
                parent.error(cube_ir::diagnostic!(CUBE0341.around));
                return Err(Failed);
            }
        })
    }

    // The cell that holds the mask of the active lanes at the start of each iteration.
    fn cell(&mut self, loop_op: Op<'p>, outer: Option<Val<'p>>) -> Val<'p> {
        if let Some(cell) = self.cells.get(&loop_op) {
            return *cell;
        }
        let b = Builder::before(loop_op);
        let word = self.lanes.mask(b);
        let start = self.kernel.body().and_then(|body| body.first()).map_or(b, Builder::before);
        let cell = memory::alloca(start, memory::type_of(b.cx(), 1, word, false));
        self.cells.insert(loop_op, cell);
        let store = |b: Builder<'p>, mask| _ = memory::store(b, mask, cell, b.int(b.cx().index(), 0));
        let load = |b: Builder<'p>| memory::load(b, word, cell, b.int(b.cx().index(), 0));
        let ballot = |b, active, value| self.lanes.ballot(b, active, value);
        let ends: Vec<Op<'p>> = loop_op.regions().filter_map(|r| r.first_block()?.terminator()).collect();
        if loop_op.is(scf::WHILE) {
            store(b, ballot(b, outer, b.int(b.cx().int(1), 1)));
            let b = Builder::before(ends[0]);
            store(b, ballot(b, Some(load(b)), ends[0].operand(0)));
        } else {
            let [lower, upper, step] = [0, 1, 2].map(|i| loop_op.operand(i));
            let below = if loop_op.attr("unsignedCmp").is_some() { IntCmp::Ult } else { IntCmp::Slt };
            store(b, ballot(b, outer, b.cmpi(below, lower, upper)));
            // The counter is below the end, so the difference is not negative.
            let b = Builder::before(ends[0]);
            let counter = loop_op.body().map_or(lower, |body| body.arg(0));
            let continues = b.cmpi(IntCmp::Ugt, b.subi(upper, counter), step);
            store(b, ballot(b, Some(load(b)), continues));
        }
        cell
    }
}

fn not<'p>(b: Builder<'p>, value: Val<'p>) -> Val<'p> {
    b.xori(value, b.int(b.cx().int(1), 1))
}
