//! Vectorises branches. If all lanes take the same arm, the branch is kept. If the lanes take different arms, both arms
//! run under masks.
use super::compute::is_safe_without_active_lanes;
use super::form::*;
use super::state::{EmitContext, SpmdEmitter};
use cube_ir::access::access_of;
use cube_ir::ops::{arith, scf};
use cube_ir::{AttrExt, Block, Builder, Dialect, Op, Type, TypeExt, Val, upstream::IntCmp};

/// The results of a region: for each result, its representation in each active group.
pub(super) type BranchResults<'p> = Vec<Vec<ValueForm<'p>>>;

/// The function that emits an arm. The emitter can call the function several times for one branch.
type EmitArm<'f, 'r, 'p> = &'f mut dyn FnMut(&mut SpmdEmitter<'r, 'p>, &EmitContext<'p>) -> BranchResults<'p>;

/// Maximum number of operations in an arm that is executed without a jump around it, even if no lane is
/// active.
const LIGHT: usize = 12;

/// Whether a branch is so small that inactive lanes can run through it.
pub(super) fn is_light(op: Op<'_>) -> bool {
    let inside = op.walk();
    let is_cheap = |op: &Op<'_>| {
        let memory = op.is_of(Dialect::Memref)
            && access_of(*op).is_some_and(|access| !access.kind.is_atomic())
            && op.operands().all(|v| v.ty().element().is_scalar() && v.ty().elements().is_none());
        op.is(scf::IF) || op.is(scf::YIELD) || memory || is_safe_without_active_lanes(*op)
    };
    op.is(scf::IF) && inside.len() <= LIGHT && inside.iter().all(is_cheap)
}

impl<'r, 'p> SpmdEmitter<'r, 'p> {
    pub(super) fn branch(&mut self, at: &EmitContext<'p>, op: Op<'p>) {
        let blocks: Vec<Block<'p>> = op.regions().filter_map(|r| r.first_block()).collect();
        let conditions = at.parts.iter().map(|part| self.form(op.operand(0), *part)).collect();
        let types: Vec<Type<'p>> = op.results().map(|r| r.ty()).collect();
        let known_bounds = self.known_bounds(at, op.operand(0));
        let choice = Branch { conditions, types, light: is_light(op), has_else: blocks.len() > 1, known_bounds };
        let ends =
            self.emit_branch(at, choice, &mut |emitter, at| emitter.emit_arm(at, blocks[0]), &mut |emitter, at| {
                blocks.get(1).map_or_else(Vec::new, |block| emitter.emit_arm(at, *block))
            });
        self.set_results(at, op, ends);
    }

    pub(super) fn switch(&mut self, at: &EmitContext<'p>, op: Op<'p>) {
        let blocks: Vec<Block<'p>> = op.regions().filter_map(|r| r.first_block()).collect();
        let cases = op.attr("cases").and_then(|c| c.as_i64_array()).unwrap_or_default();
        let ends = self.case(at, op, &cases, &blocks, 0);
        self.set_results(at, op, ends);
    }

    // The cases from `number` on; the first region is the default.
    fn case(
        &mut self,
        at: &EmitContext<'p>,
        op: Op<'p>,
        cases: &[i64],
        blocks: &[Block<'p>],
        number: usize,
    ) -> BranchResults<'p> {
        let Some(case) = cases.get(number) else { return self.emit_arm(at, blocks[0]) };
        let argument = op.operand(0);
        let mut known: Vec<(ValueForm<'p>, ValueForm<'p>)> = Vec::new();
        let conditions: Vec<ValueForm<'p>> = at
            .parts
            .iter()
            .map(|part| {
                let form = self.form(argument, *part);
                if let Some(same) = known.iter().find(|k| k.0 == form) {
                    return same.1;
                }
                let equal = |value: Val<'p>| at.b.cmpi(IntCmp::Eq, value, at.b.int(value.ty(), *case));
                let condition = match form {
                    ValueForm::Uniform(value) => ValueForm::Uniform(equal(value)),
                    _ => ValueForm::Varying(equal(self.group.broadcast(at.b, form, argument.ty()))),
                };
                known.push((form, condition));
                condition
            })
            .collect();
        let types: Vec<Type<'p>> = op.results().map(|r| r.ty()).collect();
        let choice = Branch { conditions, types, light: false, has_else: true, known_bounds: Vec::new() };
        self.emit_branch(at, choice, &mut |emitter, at| emitter.emit_arm(at, blocks[number + 1]), &mut |emitter, at| {
            emitter.case(at, op, cases, blocks, number + 1)
        })
    }

    fn emit_arm(&mut self, at: &EmitContext<'p>, block: Block<'p>) -> BranchResults<'p> {
        self.block(at, block);
        let ends: Vec<Val<'p>> = block.terminator().map(|t| t.operands().collect()).unwrap_or_default();
        ends.into_iter().map(|value| at.parts.iter().map(|part| self.form(value, *part)).collect()).collect()
    }

    fn set_results(&mut self, at: &EmitContext<'p>, op: Op<'p>, ends: BranchResults<'p>) {
        for (result, forms) in op.results().zip(ends) {
            for (part, form) in at.parts.clone().into_iter().zip(forms) {
                self.set(at, result, part, form);
            }
        }
    }

    fn emit_branch(
        &mut self,
        at: &EmitContext<'p>,
        choice: Branch<'p>,
        then_arm: EmitArm<'_, 'r, 'p>,
        no: EmitArm<'_, 'r, 'p>,
    ) -> BranchResults<'p> {
        let conditions = &choice.conditions;
        if let ValueForm::Uniform(condition) = conditions[0]
            && conditions.iter().all(|c| *c == conditions[0])
        {
            return self.emit_uniform(at, condition, &choice.types, then_arm, no);
        }
        if conditions.iter().all(|c| matches!(c, ValueForm::Uniform(_))) {
            // Each group has a separate branch.
            let mut ends: BranchResults<'p> = vec![Vec::new(); choice.types.len()];
            for (i, part) in at.parts.iter().enumerate() {
                let known_bounds = choice.known_bounds.get(i).map(|one| vec![one.clone()]).unwrap_or_default();
                let branch = Branch { conditions: vec![conditions[i]], known_bounds, ..choice.clone() };
                let results = self.emit_branch(&at.only(*part), branch, then_arm, no);
                ends.iter_mut().zip(results).for_each(|(all, one)| all.extend(one));
            }
            return ends;
        }
        let full = at.parts.iter().all(|part| at.masks[*part].is_none());
        let decided_first = full && !choice.known_bounds.is_empty();
        if choice.light && !decided_first {
            return self.emit_both_arms(at, &choice, then_arm, no);
        }
        if !full {
            return self.emit_divergent(at, &choice, then_arm, no);
        }
        // Usually all lanes take the same arm.
        let b = at.b;
        let decisions: Vec<Val<'p>> = match decided_first {
            true => choice.known_bounds.iter().flatten().map(|known| self.holds_for_all(b, *known)).collect(),
            false => conditions.iter().map(|c| all(b, self.flags(b, *c))).collect(),
        };
        let all_do = decisions.into_iter().reduce(|x, y| b.andi(x, y)).expect("a group runs");
        let base = |known: &KnownBound<'p>| if let KnownBound::Below(step, _) = known { Some(step.base) } else { None };
        let no_wrap: Vec<Val<'p>> = choice.known_bounds.iter().flatten().filter_map(base).collect();
        // Both arms emit `then_arm`: unmasked when all lanes agree, masked otherwise.
        let shared = std::cell::RefCell::new((then_arm, no));
        let inside = |at: &EmitContext<'p>| EmitContext {
            no_wrap: at.no_wrap.iter().chain(&no_wrap).copied().collect(),
            ..at.clone()
        };
        self.emit_uniform(
            at,
            all_do,
            &choice.types,
            &mut |emitter, at| (shared.borrow_mut().0)(emitter, &inside(at)),
            &mut |emitter, at| {
                let mut sides = shared.borrow_mut();
                let (then_arm, no) = &mut *sides;
                let at = EmitContext { cold: decided_first, ..at.clone() };
                match choice.light {
                    true => emitter.emit_both_arms(&at, &choice, &mut **then_arm, &mut **no),
                    false => emitter.emit_divergent(&at, &choice, &mut **then_arm, &mut **no),
                }
            },
        )
    }

    // For each active group, the bounds that a condition implies. The list is empty if a bound cannot be tested once
    // for all lanes.
    fn known_bounds(&self, at: &EmitContext<'p>, condition: Val<'p>) -> Vec<Vec<KnownBound<'p>>> {
        let one = |part: &usize| {
            let mut known = Vec::new();
            self.known(condition, *part, &mut known)?;
            Some(known)
        };
        at.parts.iter().map(one).collect::<Option<_>>().unwrap_or_default()
    }

    fn known(&self, condition: Val<'p>, part: usize, known: &mut Vec<KnownBound<'p>>) -> Option<()> {
        if let ValueForm::Uniform(same) = self.form(condition, part) {
            known.push(KnownBound::Uniform(same));
            return Some(());
        }
        if let Some(and) = condition.def_of(arith::ANDI) {
            return [0, 1].into_iter().try_for_each(|i| self.known(and.operand(i), part, known));
        }
        let compare = condition.def_of(arith::CMPI)?;
        let (index, limit) = match arith::Cmpi::of(compare)?.predicate()? {
            IntCmp::Ult => (compare.operand(0), compare.operand(1)),
            IntCmp::Ugt => (compare.operand(1), compare.operand(0)),
            _ => return None,
        };
        match (self.form(index, part), self.form(limit, part)) {
            (ValueForm::Affine(step), ValueForm::Uniform(limit))
                if step.step > 0 && step.narrow.is_none() && index.ty().bits() == Some(32) =>
            {
                known.push(KnownBound::Below(step, limit));
                Some(())
            }
            _ => None,
        }
    }

    // Whether the bound holds for all lanes.
    fn holds_for_all(&self, b: Builder<'p>, known: KnownBound<'p>) -> Val<'p> {
        let (step, limit) = match known {
            KnownBound::Uniform(value) => return value,
            KnownBound::Below(step, limit) => (step, limit),
        };
        // The value of the last lane, in 64 bits, so that the sum cannot wrap.
        let i64t = b.cx().int(64);
        let last = b.int(i64t, step.step * (i64::from(self.group.lanes) - 1));
        let index = b.addi(b.cast(arith::EXTUI, step.base, i64t), last);
        b.cmpi(IntCmp::Ult, index, b.cast(arith::EXTUI, limit, i64t))
    }

    fn flags(&self, b: Builder<'p>, condition: ValueForm<'p>) -> Val<'p> {
        self.group.broadcast(b, condition, b.cx().int(1))
    }

    // A branch with a uniform condition.
    fn emit_uniform(
        &mut self,
        at: &EmitContext<'p>,
        condition: Val<'p>,
        types: &[Type<'p>],
        then_arm: EmitArm<'_, 'r, 'p>,
        no: EmitArm<'_, 'r, 'p>,
    ) -> BranchResults<'p> {
        let b = at.b;
        // The results of the arms are known after both arms are emitted. Their code then moves into a branch with
        // results.
        let draft = b.if_else(condition, &[], |_| vec![], |_| vec![]);
        let blocks: Vec<Block<'p>> = draft.regions().filter_map(|r| r.first_block()).collect();
        let inside = [0, 1].map(|i| Builder::before(blocks[i].terminator().expect("just made")));
        let first = then_arm(self, &at.to(inside[0]));
        let second = no(self, &at.to(inside[1]));
        if types.is_empty() || self.failed.get() {
            // After an error the results are dropped; placeholders keep later code valid.
            return first;
        }
        // The values to yield, and the source of the form for each result and group.
        let mut results: Vec<[Val<'p>; 2]> = Vec::new();
        let mut forms: Vec<Vec<(usize, CarriedForm)>> = Vec::new();
        for (k, ty) in types.iter().enumerate() {
            let mut row: Vec<(usize, CarriedForm)> = Vec::new();
            for i in 0..at.parts.len() {
                let two = [first[k][i], second[k][i]];
                if let Some(same) = (0..i).find(|j| [first[k][*j], second[k][*j]] == two) {
                    row.push(row[same]);
                    continue;
                }
                let (values, kind) = match two {
                    [ValueForm::Uniform(x), ValueForm::Uniform(y)] => ([x, y], CarriedForm::Uniform),
                    [ValueForm::Affine(x), ValueForm::Affine(y)]
                        if x.step == y.step && x.narrow.is_none() && y.narrow.is_none() =>
                    {
                        ([x.base, y.base], CarriedForm::Affine(x.step))
                    }
                    _ => ([0, 1].map(|s| self.group.broadcast(inside[s], two[s], *ty)), CarriedForm::Varying),
                };
                row.push((results.len(), kind));
                results.push(values);
            }
            forms.push(row);
        }
        let types: Vec<Type<'p>> = results.iter().map(|v| v[0].ty()).collect();
        let [then_arm, no] = [0, 1].map(|s| results.iter().map(|v| v[s]).collect::<Vec<_>>());
        let new = b.if_else(condition, &types, |_| then_arm, |_| no);
        for (from, to) in blocks.into_iter().zip(new.regions().filter_map(|r| r.first_block())) {
            from.splice_before(to.terminator().expect("just made"));
        }
        self.run.erase(draft);
        let form = |(n, kind): &(usize, CarriedForm)| kind.form(new.result(*n));
        forms.iter().map(|row| row.iter().map(form).collect()).collect()
    }

    // Emits both arms without a jump, each under its mask.
    fn emit_both_arms(
        &mut self,
        at: &EmitContext<'p>,
        choice: &Branch<'p>,
        then_arm: EmitArm<'_, 'r, 'p>,
        no: EmitArm<'_, 'r, 'p>,
    ) -> BranchResults<'p> {
        let b = at.b;
        let flags: Vec<Val<'p>> = choice.conditions.iter().map(|c| self.flags(b, *c)).collect();
        let under = |flags: &[Val<'p>]| {
            let mut side = at.to(b);
            for (part, flag) in at.parts.iter().zip(flags) {
                side.masks[*part] = Some(both(b, at.masks[*part], *flag));
            }
            EmitContext { any_active: false, ..side }
        };
        let taken = under(&flags);
        let first = then_arm(self, &taken);
        let mut second = Vec::new();
        if choice.has_else {
            let others: Vec<Val<'p>> = flags.iter().map(|flag| not(b, *flag)).collect();
            let left = under(&others);
            second = no(self, &left);
            self.drop_unused(&left, &flags);
        }
        self.drop_unused(&taken, &flags);
        self.merge(b, choice, &flags, &first, &second)
    }

    // Erases the masks that the arm does not use: an arm that only computes needs no mask.
    fn drop_unused(&mut self, side: &EmitContext<'p>, flags: &[Val<'p>]) {
        let masks = side.parts.iter().filter_map(|part| side.masks[*part]).filter(|mask| !flags.contains(mask));
        for op in masks.filter_map(|mask| mask.def()).filter(|op| op.is_unused() && op.block().is_some()) {
            self.run.erase(op);
        }
    }

    fn merge(
        &self,
        b: Builder<'p>,
        choice: &Branch<'p>,
        flags: &[Val<'p>],
        first: &BranchResults<'p>,
        second: &BranchResults<'p>,
    ) -> BranchResults<'p> {
        let mut ends = Vec::new();
        for (k, ty) in choice.types.iter().enumerate() {
            let one = |i: usize| match (first[k][i], second[k][i]) {
                (x, y) if x == y => x,
                (x, y) => {
                    let flags = self.group.of_lines(b, flags[i], *ty);
                    ValueForm::Varying(b.select(
                        flags,
                        self.group.broadcast(b, x, *ty),
                        self.group.broadcast(b, y, *ty),
                    ))
                }
            };
            ends.push((0..flags.len()).map(one).collect());
        }
        ends
    }

    // Emits one group at a time; an arm runs if at least one lane takes it.
    fn emit_divergent(
        &mut self,
        at: &EmitContext<'p>,
        choice: &Branch<'p>,
        then_arm: EmitArm<'_, 'r, 'p>,
        no: EmitArm<'_, 'r, 'p>,
    ) -> BranchResults<'p> {
        let b = at.b;
        let mut ends: BranchResults<'p> = vec![Vec::new(); choice.types.len()];
        for (i, part) in at.parts.iter().enumerate() {
            let flags = self.flags(b, choice.conditions[i]);
            let mut results: Vec<BranchResults<'p>> = Vec::new();
            let sides: [(Val<'p>, EmitArm<'_, 'r, 'p>); 2] = [(flags, &mut *then_arm), (not(b, flags), &mut *no)];
            for (number, (flags, side)) in sides.into_iter().enumerate() {
                if number == 1 && !choice.has_else {
                    continue;
                }
                let mask = both(b, at.masks[*part], flags);
                let types = choice.types.clone();
                let group = self.group;
                let branch = at.alone(b, *part, Some(mask));
                results.push(self.emit_uniform(&branch, any(b, mask), &choice.types, side, &mut |_, at| {
                    types.iter().map(|ty| vec![ValueForm::Varying(at.b.zero(group.vector(at.b, *ty)))]).collect()
                }));
            }
            let empty = Vec::new();
            let one = self.merge(b, choice, &[flags], &results[0], results.get(1).unwrap_or(&empty));
            ends.iter_mut().zip(one).for_each(|(all, one)| all.extend(one));
        }
        ends
    }
}

fn not<'p>(b: Builder<'p>, flags: Val<'p>) -> Val<'p> {
    b.xori(flags, b.int(flags.ty(), 1))
}

#[derive(Clone)]
struct Branch<'p> {
    /// The condition of each active group.
    conditions: Vec<ValueForm<'p>>,
    /// The types of a unit's results.
    types: Vec<Type<'p>>,
    light: bool,
    has_else: bool,
    /// The bounds that the conditions imply, for each active group.
    known_bounds: Vec<Vec<KnownBound<'p>>>,
}

/// A property of all lanes of a group that a condition implies.
#[derive(Clone, Copy)]
enum KnownBound<'p> {
    /// A uniform condition.
    Uniform(Val<'p>),
    /// An affine value is below a limit.
    Below(Affine<'p>, Val<'p>),
}

/// The representation of a unit's value that a loop or branch passes as an SSA value.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum CarriedForm {
    Uniform,
    Affine(i64),
    Varying,
}

impl CarriedForm {
    pub fn form<'p>(self, value: Val<'p>) -> ValueForm<'p> {
        match self {
            CarriedForm::Uniform => ValueForm::Uniform(value),
            CarriedForm::Affine(step) => ValueForm::affine(value, step),
            CarriedForm::Varying => ValueForm::Varying(value),
        }
    }
}
