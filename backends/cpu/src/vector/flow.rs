//! Branches: kept where all lanes decide alike, else both sides run under masks.
use super::compute::may_run_for_nobody;
use super::form::*;
use super::state::{At, Vectors};
use cube_ir::access::access_of;
use cube_ir::ops::{arith, scf};
use cube_ir::{AttrExt, Block, Builder, Dialect, Op, Type, TypeExt, Val, upstream::IntCmp};

/// What a piece of code gives: for each result a form for each group that runs.
pub(super) type Ends<'p> = Vec<Vec<Form<'p>>>;

/// A piece of code that can be written at several places.
type Side<'f, 'r, 'p> = &'f mut dyn FnMut(&mut Vectors<'r, 'p>, &At<'p>) -> Ends<'p>;

/// Largest branch that runs without a jump around it.
const LIGHT: usize = 12;

/// Whether a branch is so small that lanes that do not take it may go through it.
pub(super) fn is_light(op: Op<'_>) -> bool {
    let inside = op.walk();
    let fine = |op: &Op<'_>| {
        let memory = op.is_of(Dialect::Memref)
            && access_of(*op).is_some_and(|access| !access.kind.is_atomic())
            && op.operands().all(|v| v.ty().element().is_scalar() && v.ty().elements().is_none());
        op.is(scf::IF) || op.is(scf::YIELD) || memory || may_run_for_nobody(*op)
    };
    op.is(scf::IF) && inside.len() <= LIGHT && inside.iter().all(fine)
}

impl<'r, 'p> Vectors<'r, 'p> {
    pub(super) fn branch(&mut self, at: &At<'p>, op: Op<'p>) {
        let blocks: Vec<Block<'p>> = op.regions().filter_map(|r| r.first_block()).collect();
        let conditions = at.parts.iter().map(|part| self.form(op.operand(0), *part)).collect();
        let types: Vec<Type<'p>> = op.results().map(|r| r.ty()).collect();
        let below = self.below(at, op.operand(0));
        let choice = Choice { conditions, types, light: is_light(op), has_else: blocks.len() > 1, below };
        let ends = self.choose(at, choice, &mut |me, at| me.side(at, blocks[0]), &mut |me, at| {
            blocks.get(1).map_or_else(Vec::new, |block| me.side(at, *block))
        });
        self.give(at, op, ends);
    }

    pub(super) fn switch(&mut self, at: &At<'p>, op: Op<'p>) {
        let blocks: Vec<Block<'p>> = op.regions().filter_map(|r| r.first_block()).collect();
        let cases = op.attr("cases").and_then(|c| c.as_i64_array()).unwrap_or_default();
        let ends = self.case(at, op, &cases, &blocks, 0);
        self.give(at, op, ends);
    }

    // The cases from `number` on; the first region is that of no case.
    fn case(&mut self, at: &At<'p>, op: Op<'p>, cases: &[i64], blocks: &[Block<'p>], number: usize) -> Ends<'p> {
        let Some(case) = cases.get(number) else { return self.side(at, blocks[0]) };
        let argument = op.operand(0);
        let mut known: Vec<(Form<'p>, Form<'p>)> = Vec::new();
        let conditions: Vec<Form<'p>> = at
            .parts
            .iter()
            .map(|part| {
                let form = self.form(argument, *part);
                if let Some(same) = known.iter().find(|k| k.0 == form) {
                    return same.1;
                }
                let equal = |value: Val<'p>| at.b.cmpi(IntCmp::Eq, value, at.b.int(value.ty(), *case));
                let condition = match form {
                    Form::Same(value) => Form::Same(equal(value)),
                    _ => Form::Lanes(equal(self.group.spread(at.b, form, argument.ty()))),
                };
                known.push((form, condition));
                condition
            })
            .collect();
        let types: Vec<Type<'p>> = op.results().map(|r| r.ty()).collect();
        let choice = Choice { conditions, types, light: false, has_else: true, below: Vec::new() };
        self.choose(at, choice, &mut |me, at| me.side(at, blocks[number + 1]), &mut |me, at| {
            me.case(at, op, cases, blocks, number + 1)
        })
    }

    fn side(&mut self, at: &At<'p>, block: Block<'p>) -> Ends<'p> {
        self.block(at, block);
        let ends: Vec<Val<'p>> = block.terminator().map(|t| t.operands().collect()).unwrap_or_default();
        ends.into_iter().map(|value| at.parts.iter().map(|part| self.form(value, *part)).collect()).collect()
    }

    fn give(&mut self, at: &At<'p>, op: Op<'p>, ends: Ends<'p>) {
        for (result, forms) in op.results().zip(ends) {
            for (part, form) in at.parts.clone().into_iter().zip(forms) {
                self.set(at, result, part, form);
            }
        }
    }

    fn choose(&mut self, at: &At<'p>, choice: Choice<'p>, yes: Side<'_, 'r, 'p>, no: Side<'_, 'r, 'p>) -> Ends<'p> {
        let conditions = &choice.conditions;
        if let Form::Same(condition) = conditions[0]
            && conditions.iter().all(|c| *c == conditions[0])
        {
            return self.joint(at, condition, &choice.types, yes, no);
        }
        if conditions.iter().all(|c| matches!(c, Form::Same(_))) {
            // Each group decides for itself.
            let mut ends: Ends<'p> = vec![Vec::new(); choice.types.len()];
            for (i, part) in at.parts.iter().enumerate() {
                let below = choice.below.get(i).map(|one| vec![one.clone()]).unwrap_or_default();
                let alone = Choice { conditions: vec![conditions[i]], below, ..choice.clone() };
                let given = self.choose(&at.only(*part), alone, yes, no);
                ends.iter_mut().zip(given).for_each(|(all, one)| all.extend(one));
            }
            return ends;
        }
        let full = at.parts.iter().all(|part| at.masks[*part].is_none());
        let decided_first = full && !choice.below.is_empty();
        if choice.light && !decided_first {
            return self.flat(at, &choice, yes, no);
        }
        if !full {
            return self.parted(at, &choice, yes, no);
        }
        // The common case is that all lanes go one way.
        let b = at.b;
        let decisions: Vec<Val<'p>> = match decided_first {
            true => choice.below.iter().flatten().map(|said| self.said_of_all(b, *said)).collect(),
            false => conditions.iter().map(|c| all(b, self.flags(b, *c))).collect(),
        };
        let all_do = decisions.into_iter().reduce(|x, y| b.andi(x, y)).expect("a group runs");
        let base = |said: &Said<'p>| if let Said::Below(step, _) = said { Some(step.base) } else { None };
        let fits: Vec<Val<'p>> = choice.below.iter().flatten().filter_map(base).collect();
        // What both sides of this branch give is `yes` once as it is and once under masks.
        let shared = std::cell::RefCell::new((yes, no));
        let inside = |at: &At<'p>| At { fits: at.fits.iter().chain(&fits).copied().collect(), ..at.clone() };
        self.joint(at, all_do, &choice.types, &mut |me, at| (shared.borrow_mut().0)(me, &inside(at)), &mut |me, at| {
            let mut sides = shared.borrow_mut();
            let (yes, no) = &mut *sides;
            let at = At { rare: decided_first, ..at.clone() };
            match choice.light {
                true => me.flat(&at, &choice, &mut **yes, &mut **no),
                false => me.parted(&at, &choice, &mut **yes, &mut **no),
            }
        })
    }

    // What a condition says, for each group that runs, where that can be asked of all lanes at once; else nothing.
    fn below(&self, at: &At<'p>, condition: Val<'p>) -> Vec<Vec<Said<'p>>> {
        let one = |part: &usize| {
            let mut said = Vec::new();
            self.said(condition, *part, &mut said)?;
            Some(said)
        };
        at.parts.iter().map(one).collect::<Option<_>>().unwrap_or_default()
    }

    fn said(&self, condition: Val<'p>, part: usize, said: &mut Vec<Said<'p>>) -> Option<()> {
        const ULT: i64 = IntCmp::Ult as i64;
        const UGT: i64 = IntCmp::Ugt as i64;
        if let Form::Same(same) = self.form(condition, part) {
            said.push(Said::Same(same));
            return Some(());
        }
        if let Some(and) = condition.def_of(arith::ANDI) {
            return [0, 1].into_iter().try_for_each(|i| self.said(and.operand(i), part, said));
        }
        let compare = condition.def_of(arith::CMPI)?;
        let (index, limit) = match compare.attr("predicate")?.as_int()? {
            ULT => (compare.operand(0), compare.operand(1)),
            UGT => (compare.operand(1), compare.operand(0)),
            _ => return None,
        };
        match (self.form(index, part), self.form(limit, part)) {
            (Form::Step(step), Form::Same(limit))
                if step.step > 0 && step.narrow.is_none() && index.ty().bits() == Some(32) =>
            {
                said.push(Said::Below(step, limit));
                Some(())
            }
            _ => None,
        }
    }

    // Whether it is so for all lanes.
    fn said_of_all(&self, b: Builder<'p>, said: Said<'p>) -> Val<'p> {
        let (step, limit) = match said {
            Said::Same(value) => return value,
            Said::Below(step, limit) => (step, limit),
        };
        // That of the last lane, in 64 bits, where nothing wraps.
        let i64t = b.cx().int(64);
        let last = b.int(i64t, step.step * (i64::from(self.group.lanes) - 1));
        let index = b.addi(b.cast(arith::EXTUI, step.base, i64t), last);
        b.cmpi(IntCmp::Ult, index, b.cast(arith::EXTUI, limit, i64t))
    }

    fn flags(&self, b: Builder<'p>, condition: Form<'p>) -> Val<'p> {
        self.group.spread(b, condition, b.cx().int(1))
    }

    // A branch that all running lanes take alike.
    fn joint(
        &mut self,
        at: &At<'p>,
        condition: Val<'p>,
        types: &[Type<'p>],
        yes: Side<'_, 'r, 'p>,
        no: Side<'_, 'r, 'p>,
    ) -> Ends<'p> {
        let b = at.b;
        // What the sides give is known once they are written; then they move to where it can be given.
        let draft = b.if_else(condition, &[], |_| vec![], |_| vec![]);
        let blocks: Vec<Block<'p>> = draft.regions().filter_map(|r| r.first_block()).collect();
        let inside = [0, 1].map(|i| Builder::before(blocks[i].terminator().expect("just made")));
        let first = yes(self, &at.to(inside[0]));
        let second = no(self, &at.to(inside[1]));
        if types.is_empty() || self.failed {
            // After a mistake nothing is kept of what is written; what asks for it finds a value of each.
            return first;
        }
        // Values to give, and for each result and group where its form comes from.
        let mut given: Vec<[Val<'p>; 2]> = Vec::new();
        let mut forms: Vec<Vec<(usize, Kind)>> = Vec::new();
        for (k, ty) in types.iter().enumerate() {
            let mut row: Vec<(usize, Kind)> = Vec::new();
            for i in 0..at.parts.len() {
                let two = [first[k][i], second[k][i]];
                if let Some(same) = (0..i).find(|j| [first[k][*j], second[k][*j]] == two) {
                    row.push(row[same]);
                    continue;
                }
                let (values, kind) = match two {
                    [Form::Same(x), Form::Same(y)] => ([x, y], Kind::Same),
                    [Form::Step(x), Form::Step(y)] if x.step == y.step && x.narrow.is_none() && y.narrow.is_none() => {
                        ([x.base, y.base], Kind::Step(x.step))
                    }
                    _ => ([0, 1].map(|s| self.group.spread(inside[s], two[s], *ty)), Kind::Lanes),
                };
                row.push((given.len(), kind));
                given.push(values);
            }
            forms.push(row);
        }
        let types: Vec<Type<'p>> = given.iter().map(|v| v[0].ty()).collect();
        let [yes, no] = [0, 1].map(|s| given.iter().map(|v| v[s]).collect::<Vec<_>>());
        let new = b.if_else(condition, &types, |_| yes, |_| no);
        for (from, to) in blocks.into_iter().zip(new.regions().filter_map(|r| r.first_block())) {
            from.splice_before(to.terminator().expect("just made"));
        }
        self.run.erase(draft);
        let form = |(n, kind): &(usize, Kind)| kind.form(new.result(*n));
        forms.iter().map(|row| row.iter().map(form).collect()).collect()
    }

    // Both sides without a jump, each under its mask.
    fn flat(&mut self, at: &At<'p>, choice: &Choice<'p>, yes: Side<'_, 'r, 'p>, no: Side<'_, 'r, 'p>) -> Ends<'p> {
        let b = at.b;
        let flags: Vec<Val<'p>> = choice.conditions.iter().map(|c| self.flags(b, *c)).collect();
        let under = |flags: &[Val<'p>]| {
            let mut side = at.to(b);
            for (part, flag) in at.parts.iter().zip(flags) {
                side.masks[*part] = Some(both(b, at.masks[*part], *flag));
            }
            At { some: false, ..side }
        };
        let taken = under(&flags);
        let first = yes(self, &taken);
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

    // A side that only computes asks for no mask.
    fn drop_unused(&mut self, side: &At<'p>, flags: &[Val<'p>]) {
        let masks = side.parts.iter().filter_map(|part| side.masks[*part]).filter(|mask| !flags.contains(mask));
        for op in masks.filter_map(|mask| mask.def()).filter(|op| op.is_unused() && op.block().is_some()) {
            self.run.erase(op);
        }
    }

    fn merge(
        &self,
        b: Builder<'p>,
        choice: &Choice<'p>,
        flags: &[Val<'p>],
        first: &Ends<'p>,
        second: &Ends<'p>,
    ) -> Ends<'p> {
        let mut ends = Vec::new();
        for (k, ty) in choice.types.iter().enumerate() {
            let one = |i: usize| match (first[k][i], second[k][i]) {
                (x, y) if x == y => x,
                (x, y) => {
                    let flags = self.group.of_lines(b, flags[i], *ty);
                    Form::Lanes(b.select(flags, self.group.spread(b, x, *ty), self.group.spread(b, y, *ty)))
                }
            };
            ends.push((0..flags.len()).map(one).collect());
        }
        ends
    }

    // Each group for itself; each side runs where some lane takes it.
    fn parted(&mut self, at: &At<'p>, choice: &Choice<'p>, yes: Side<'_, 'r, 'p>, no: Side<'_, 'r, 'p>) -> Ends<'p> {
        let b = at.b;
        let mut ends: Ends<'p> = vec![Vec::new(); choice.types.len()];
        for (i, part) in at.parts.iter().enumerate() {
            let flags = self.flags(b, choice.conditions[i]);
            let mut given: Vec<Ends<'p>> = Vec::new();
            let sides: [(Val<'p>, Side<'_, 'r, 'p>); 2] = [(flags, &mut *yes), (not(b, flags), &mut *no)];
            for (number, (flags, side)) in sides.into_iter().enumerate() {
                if number == 1 && !choice.has_else {
                    continue;
                }
                let mask = both(b, at.masks[*part], flags);
                let types = choice.types.clone();
                let group = self.group;
                let alone = at.alone(b, *part, Some(mask));
                given.push(self.joint(&alone, any(b, mask), &choice.types, side, &mut |_, at| {
                    types.iter().map(|ty| vec![Form::Lanes(at.b.zero(group.vector(at.b, *ty)))]).collect()
                }));
            }
            let empty = Vec::new();
            let one = self.merge(b, choice, &[flags], &given[0], given.get(1).unwrap_or(&empty));
            ends.iter_mut().zip(one).for_each(|(all, one)| all.extend(one));
        }
        ends
    }
}

fn not<'p>(b: Builder<'p>, flags: Val<'p>) -> Val<'p> {
    b.xori(flags, b.int(flags.ty(), 1))
}

/// A branch.
#[derive(Clone)]
struct Choice<'p> {
    /// For each group that runs.
    conditions: Vec<Form<'p>>,
    /// What units get.
    types: Vec<Type<'p>>,
    light: bool,
    has_else: bool,
    /// For each group that runs what the conditions say, all of it.
    below: Vec<Vec<Said<'p>>>,
}

/// What a condition says of a group.
#[derive(Clone, Copy)]
enum Said<'p> {
    /// A condition that is the same for all lanes.
    Same(Val<'p>),
    /// What grows from lane to lane is below a limit.
    Below(Step<'p>, Val<'p>),
}

/// How a form is carried by a value.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Same,
    Step(i64),
    Lanes,
}

impl Kind {
    pub fn form<'p>(self, value: Val<'p>) -> Form<'p> {
        match self {
            Kind::Same => Form::Same(value),
            Kind::Step(step) => Form::steps(value, step),
            Kind::Lanes => Form::Lanes(value),
        }
    }
}
