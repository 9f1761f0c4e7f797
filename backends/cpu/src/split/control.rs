//! Splits control flow around barriers: carried values and results that differ between units are stored in memory.
//!
//! ```mlir
//! %s = scf.for ... iter_args(%a = %z) {      loop over units { store %z, %A[unit] }
//!   f(%a); cube.sync; g                      scf.for ... { loop over units { f(load %A[unit]) }
//!   scf.yield %b                                           loop over units { g; store %b, %A[unit] } }
//! }
//! use %s                                     loop over units { use(load %A[unit]) }
//! ```
use super::state::{Segment, Split, ValueStorage};
use cube_ir::ops::scf;
use cube_ir::{Block, Builder, Failed, Op, Type, Val};

/// The operands of a block's terminator that are stored in memory instead of passed as values.
#[derive(Default)]
pub(super) struct LeavingValues<'p> {
    /// The original terminator of the block; its operands change during the split.
    pub end: Option<Op<'p>>,
    /// For each stored value: its operand number in the block's terminator, and its memory.
    pub stores: Vec<(usize, Val<'p>)>,
    /// For each entry of `stores` in the body of an `scf.for`: the body argument with the value of the
    /// current iteration. The list is empty for other blocks.
    pub body_arguments: Vec<Val<'p>>,
}

/// Blocks to split.
type Parts<'p> = Vec<(Block<'p>, LeavingValues<'p>)>;

impl<'r, 'p> Split<'r, 'p> {
    /// Recreates the operation if a result or a carried value differs between units, and ends the open
    /// segment.
    pub(super) fn rebuild(&mut self, op: Op<'p>, open: &mut Option<Segment<'p>>) -> Result<Parts<'p>, Failed> {
        let parts = match op.kind() {
            scf::IF | scf::INDEX_SWITCH => self.branch(op),
            scf::FOR => self.counted(op, open),
            scf::WHILE => self.conditional(op, open),
            _ => {
                op.error(cube_ir::diagnostic!(CUBE0341.around));
                return Err(Failed);
            }
        };
        *open = None;
        Ok(parts)
    }

    // Separates values by uniformity: the numbers of the uniform values, and the other values with their new storage.
    fn sort(&mut self, values: &[Val<'p>]) -> (Vec<usize>, Vec<(usize, Val<'p>)>) {
        let (mut same, mut own) = (Vec::new(), Vec::new());
        for (k, value) in values.iter().enumerate() {
            match self.is_uniform(*value) {
                true => same.push(k),
                false => own.push((k, self.allocate_storage(*value))),
            }
        }
        (same, own)
    }

    fn initial(&mut self, op: Op<'p>, open: &mut Option<Segment<'p>>, stores: &[(Val<'p>, Val<'p>)]) {
        for (value, memory) in stores {
            let segment = self.ensure(open, op);
            self.store_unit(Builder::before(segment.end), *value, *memory);
        }
    }

    fn branch(&mut self, op: Op<'p>) -> Parts<'p> {
        let results: Vec<Val<'p>> = op.results().collect();
        let (same, own) = self.sort(&results);
        let blocks: Vec<Block<'p>> = op.regions().filter_map(|r| r.first_block()).collect();
        if own.is_empty() {
            return blocks.into_iter().map(|b| (b, LeavingValues::default())).collect();
        }
        let types = pick(&results, &same).iter().map(|v| v.ty()).collect::<Vec<_>>();
        let mut spec = Builder::before(op).op(op.kind()).operands(&[op.operand(0)]).results(&types);
        for (name, value) in op.attrs() {
            spec = spec.attr(name, value);
        }
        for block in &blocks {
            let kept = pick(&end_of(*block), &same);
            spec = spec.body(&[], move |b, _| {
                b.op(scf::YIELD).operands(&kept).build();
            });
        }
        let new = spec.build();
        self.take_over(op, new, &same);
        let leave =
            |old: Block<'p>| LeavingValues { end: old.terminator(), stores: own.clone(), body_arguments: vec![] };
        new.regions().filter_map(|r| r.first_block()).zip(blocks.into_iter().map(leave)).collect()
    }

    fn counted(&mut self, op: Op<'p>, open: &mut Option<Segment<'p>>) -> Parts<'p> {
        let body = op.body().expect("loops have a body");
        let carried: Vec<Val<'p>> = body.args().skip(1).collect();
        let starts: Vec<Val<'p>> = op.operands().skip(3).collect();
        let (same, own) = self.sort(&carried);
        if own.is_empty() {
            return vec![(body, LeavingValues::default())];
        }
        // The results of the loop are the values that it carries.
        for (k, memory) in &own {
            self.storage.insert(op.result(*k), ValueStorage::Array(*memory));
            self.defining_segment.insert(op.result(*k), None);
        }
        let first: Vec<_> = own.iter().map(|(k, memory)| (starts[*k], *memory)).collect();
        self.initial(op, open, &first);
        let kept = pick(&starts, &same);
        let types: Vec<Type<'p>> = kept.iter().map(|v| v.ty()).collect();
        let mut arguments = vec![body.arg(0).ty()];
        arguments.extend(&types);
        let bounds: Vec<Val<'p>> = (0..3).map(|i| op.operand(i)).collect();
        let mut spec = Builder::before(op).op(scf::FOR).operands(&bounds).operands(&kept).results(&types);
        for (name, value) in op.attrs() {
            spec = spec.attr(name, value);
        }
        let yields = pick(&end_of(body), &same);
        let new = spec
            .body(&arguments, move |b, _| {
                b.op(scf::YIELD).operands(&yields).build();
            })
            .build();
        let block = new.body().expect("just made");
        body.arg(0).replace_all_uses(block.arg(0));
        for (i, k) in same.iter().enumerate() {
            body.arg(1 + k).replace_all_uses(block.arg(1 + i));
        }
        self.take_over(op, new, &same);
        let before = own.iter().map(|(k, _)| carried[*k]).collect();
        vec![(block, LeavingValues { end: body.terminator(), stores: own, body_arguments: before })]
    }

    fn conditional(&mut self, op: Op<'p>, open: &mut Option<Segment<'p>>) -> Parts<'p> {
        let blocks: Vec<Block<'p>> = op.regions().filter_map(|r| r.first_block()).collect();
        let (before, after) = (blocks[0], blocks[1]);
        let (carried, passed): (Vec<_>, Vec<_>) = (before.args().collect(), after.args().collect());
        let (same_before, own_before) = self.sort(&carried);
        let (same_after, own_after) = self.sort(&passed);
        let (decision, yielded) = (end_of(before), end_of(after));
        for (k, memory) in &own_after {
            self.storage.insert(op.result(*k), ValueStorage::Array(*memory));
            self.defining_segment.insert(op.result(*k), None);
        }
        let starts: Vec<Val<'p>> = op.operands().collect();
        let first: Vec<_> = own_before.iter().map(|(k, memory)| (starts[*k], *memory)).collect();
        self.initial(op, open, &first);
        let types = |values: Vec<Val<'p>>| values.iter().map(|v| v.ty()).collect::<Vec<_>>();
        let (types_before, types_after) = (types(pick(&carried, &same_before)), types(pick(&passed, &same_after)));
        let mut forwarded = vec![decision[0]];
        forwarded.extend(pick(&decision[1..], &same_after));
        let kept = pick(&yielded, &same_before);
        let new = Builder::before(op)
            .op(scf::WHILE)
            .operands(&pick(&starts, &same_before))
            .results(&types_after)
            .body(&types_before, move |b, _| {
                b.op(scf::CONDITION).operands(&forwarded).build();
            })
            .body(&types_after, move |b, _| {
                b.op(scf::YIELD).operands(&kept).build();
            })
            .build();
        let blocks: Vec<Block<'p>> = new.regions().filter_map(|r| r.first_block()).collect();
        for (old, new, same) in [(before, blocks[0], &same_before), (after, blocks[1], &same_after)] {
            for (i, k) in same.iter().enumerate() {
                old.arg(*k).replace_all_uses(new.arg(i));
            }
        }
        self.take_over(op, new, &same_after);
        // The first operand of the terminator is the condition.
        let at_decision = own_after.into_iter().map(|(k, memory)| (1 + k, memory)).collect();
        vec![
            (blocks[0], LeavingValues { end: before.terminator(), stores: at_decision, body_arguments: vec![] }),
            (blocks[1], LeavingValues { end: after.terminator(), stores: own_before, body_arguments: vec![] }),
        ]
    }

    // Moves the bodies and the uniform results of `old` to `new`.
    fn take_over(&mut self, old: Op<'p>, new: Op<'p>, same: &[usize]) {
        let blocks = |op: Op<'p>| op.regions().filter_map(|r| r.first_block()).collect::<Vec<_>>();
        for (from, to) in blocks(old).into_iter().zip(blocks(new)) {
            from.splice_before(to.terminator().expect("just made"));
        }
        for (i, k) in same.iter().enumerate() {
            old.result(*k).replace_all_uses(new.result(i));
        }
        self.run.erase(old);
    }
}

fn pick<'p>(values: &[Val<'p>], numbers: &[usize]) -> Vec<Val<'p>> {
    numbers.iter().map(|k| values[*k]).collect()
}

fn end_of<'p>(block: Block<'p>) -> Vec<Val<'p>> {
    block.terminator().map(|t| t.operands().collect()).unwrap_or_default()
}
