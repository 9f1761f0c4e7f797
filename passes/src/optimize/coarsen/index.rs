//! Run-time checks for array indices that are sums: wide accesses must be aligned and must not extend beyond
//! the buffer.
use super::plan::Plan;
use super::sum::{Index, Term};
use crate::analysis::affine::Affine;
use crate::analysis::constants::int_of;
use cube_ir::ops::{arith, scf};
use cube_ir::upstream::IntCmp;
use cube_ir::{Builder, Op, Val};

impl<'p> Plan<'p> {
    /// The index as a sum. `None` if a term varies between the elements of a unit and is not the counter of a shared
    /// loop.
    pub fn index(&self, index: Val<'p>) -> Option<Index<'p>> {
        let form = Affine::of(index).filter(|form| form.nonzero().is_empty())?;
        let (mut contains_position, mut rest) = (false, vec![]);
        for product in form.products() {
            let term = Term { values: product.values()?, factor: product.factor };
            let own = term.values.iter().any(|v| self.is_position(*v));
            let known = |v: &Val<'p>| self.loop_of(*v).is_some() || self.can_copy(*v, true);
            match term.values.len() {
                1 if own && term.factor == 1 => contains_position = true,
                n if !own && (n < 2 || n == 2 && term.factor == 1) => {
                    term.values.iter().all(known).then_some(())?;
                    rest.push(term);
                }
                _ => return None,
            }
        }
        Some(Index { contains_position, rest })
    }

    // The loop with the counter `value`, if all elements run this loop together.
    fn loop_of(&self, value: Val<'p>) -> Option<Op<'p>> {
        let (block, 0) = value.block_arg()? else { return None };
        block.parent().filter(|op| self.loops.contains(op))
    }

    // The values of a product that are not loop counters.
    fn fixed(&self, product: &Term<'p>) -> Vec<Val<'p>> {
        product.values.iter().copied().filter(|v| self.loop_of(*v).is_none()).collect()
    }

    /// Whether the kernel can check at run time that an index is a multiple of `lines` whenever the position
    /// is a multiple of `lines`.
    pub fn can_align(&self, index: &Index<'p>, lines: u64) -> bool {
        index.rest.iter().all(|p| p.factor.is_multiple_of(lines) || !self.fixed(p).is_empty())
    }

    /// For each product of the sum, emits the condition that the product without its loop counters is a
    /// multiple of `lines`.
    pub fn aligned(&self, b: Builder<'p>, index: &Index<'p>, lines: u64, top: Val<'p>) -> Vec<Val<'p>> {
        let unknown = index.rest.iter().filter(|p| !p.factor.is_multiple_of(lines));
        let aligned = |p: &Term<'p>| {
            let factor = b.int(top.ty(), p.factor as i64);
            let all = self.fixed(p).into_iter().fold(factor, |all, v| b.muli(all, self.copied(b, v, top)));
            b.cmpi(IntCmp::Eq, b.andi(all, b.int(top.ty(), lines as i64 - 1)), b.int(top.ty(), 0))
        };
        unknown.map(aligned).collect()
    }

    /// Emits the conditions under which an index is below `length` for all elements and iterations. Each product
    /// is below 2^32, so the sum is below 2^64. If the 64-bit sum is below the length, the 32-bit index does
    /// not wrap.
    pub fn inside(&self, b: Builder<'p>, index: &Index<'p>, length: Val<'p>, top: Val<'p>) -> Vec<Val<'p>> {
        let word = b.cx().int(64);
        let wide = |v: Val<'p>| b.cast(arith::EXTUI, v, word);
        let mut all = vec![];
        let mut sum = if index.contains_position { wide(top) } else { b.int(word, 0) };
        for product in &index.rest {
            let mut term = b.int(word, product.factor as i64);
            for value in &product.values {
                term = b.muli(term, wide(self.largest(b, *value, top)));
            }
            if product.values.len() + usize::from(product.factor > 1) > 1 {
                all.push(b.cmpi(IntCmp::Ult, term, b.int(word, 1 << 32)));
            }
            sum = b.addi(sum, term);
        }
        all.push(b.cmpi(IntCmp::Ult, sum, wide(length)));
        all
    }

    // The value, or the last value of a loop counter. A loop without iterations does not access memory.
    fn largest(&self, b: Builder<'p>, value: Val<'p>, top: Val<'p>) -> Val<'p> {
        let Some(loop_op) = self.loop_of(value) else { return self.copied(b, value, top) };
        let end = self.copied(b, loop_op.operand(1), top);
        let one = b.int(end.ty(), 1);
        b.subi(b.op(arith::MAXUI).operands(&[end, one]).result(end.ty()).value(), one)
    }

    /// Whether all elements of a unit run the same iterations of a loop. Every value of the loop counter must
    /// be below the upper bound of the loop in an unsigned comparison.
    pub fn runs_together(&self, op: Op<'p>) -> bool {
        if !op.is(scf::FOR) || op.operand(0).ty() != op.cx().int(32) {
            return false;
        }
        let from = int_of(op.operand(0));
        let rises = op.attr("unsignedCmp").is_some() || from.is_some_and(|from| from >= 0);
        rises && op.operands().take(3).all(|v| self.can_copy(v, true))
    }
}
