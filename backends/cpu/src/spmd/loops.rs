//! Vectorises loops. If all lanes have the same trip count, the loop is kept. If the trip counts differ, the loop runs
//! until the last lane is done.
use super::flow::CarriedForm;
use super::form::{self, *};
use super::state::{EmitContext, SpmdEmitter};
use cube_ir::ops::vector::CombiningKind;
use cube_ir::ops::{arith, scf};
use cube_ir::{Block, Builder, Op, Type, TypeExt, Val, upstream::IntCmp};
use cube_passes::analysis::uniformity::Uniform;
use std::cell::RefCell;

/// Maximum number of operations in a body that is emitted a second time, without masks, for the iterations
/// common to all lanes.
const PEEL_OPS: usize = 96;

/// A value that a loop carries.
#[derive(Clone, Copy)]
struct Carried<'p> {
    value: Val<'p>,
    kind: CarriedForm,
    /// Whether all groups share one uniform value.
    shared: bool,
}

impl<'p> SpmdEmitter<'_, 'p> {
    // The form in which a loop carries `value`. If the step can stay constant, `start` and `next` are the first and the
    // next value.
    fn carried(
        &self,
        at: &EmitContext<'p>,
        value: Val<'p>,
        start: Option<Val<'p>>,
        next: Option<Val<'p>>,
    ) -> Carried<'p> {
        let level = self.uniformity.level_of(value);
        let shared = level == Uniform::Cube;
        if level <= Uniform::Plane {
            return Carried { value, kind: CarriedForm::Uniform, shared };
        }
        let step = |part: &usize| match start.map(|start| self.form(start, *part)) {
            Some(ValueForm::Affine(Affine { step, narrow: None, .. })) => Some(step),
            _ => None,
        };
        let first = at.parts.first().and_then(step);
        let lasts = next.is_some_and(|next| self.keeps_step(next, value));
        match first.filter(|first| lasts && at.parts.iter().all(|part| step(part) == Some(*first))) {
            Some(step) => Carried { value, kind: CarriedForm::Affine(step), shared },
            None => Carried { value, kind: CarriedForm::Varying, shared },
        }
    }

    // Whether `next` is `value` plus a uniform value.
    fn keeps_step(&self, next: Val<'p>, value: Val<'p>) -> bool {
        let same = |v: Val<'p>| self.uniformity.level_of(v) <= Uniform::Plane;
        next == value
            || next.def().is_some_and(|op| {
                let adds = op.is(arith::ADDI) || op.is(arith::SUBI);
                adds && same(op.operand(1)) && self.keeps_step(op.operand(0), value)
                    || op.is(arith::ADDI) && same(op.operand(0)) && self.keeps_step(op.operand(1), value)
            })
    }

    // The SSA values of all carried values: all groups of the first value precede those of the second.
    fn pack(&self, at: &EmitContext<'p>, carried: &[Carried<'p>], values: &[Val<'p>]) -> Vec<Val<'p>> {
        let mut all = Vec::new();
        for (c, value) in carried.iter().zip(values) {
            let parts = if c.shared { &at.parts[..1] } else { &at.parts[..] };
            for part in parts {
                let form = self.form(*value, *part);
                all.push(match (c.kind, form) {
                    (CarriedForm::Uniform, form) => self.one(at.b, form, value.ty(), at.masks[*part]),
                    (CarriedForm::Affine(_), ValueForm::Affine(step)) => step.base,
                    _ => self.group.broadcast(at.b, form, value.ty()),
                });
            }
        }
        all
    }

    fn unpack(&mut self, at: &EmitContext<'p>, carried: &[Carried<'p>], values: &[Val<'p>]) {
        let mut values = values.iter();
        for c in carried {
            let shared = if c.shared { values.next() } else { None };
            for part in &at.parts {
                let value = shared.or_else(|| values.next()).expect("as packed");
                self.values.insert((c.value, *part), c.kind.form(*value));
            }
        }
    }

    pub(super) fn counted(&mut self, at: &EmitContext<'p>, op: Op<'p>) {
        let bounds = |this: &Self, part: usize| [0, 1, 2].map(|i| this.form(op.operand(i), part));
        let first = bounds(self, at.parts[0]);
        let same = |bounds: &[ValueForm<'p>; 3]| bounds.iter().all(|f| matches!(f, ValueForm::Uniform(_)));
        if same(&first) && at.parts.iter().all(|part| bounds(self, *part) == first) {
            return self.alike(at, op);
        }
        for part in at.parts.clone() {
            match same(&bounds(self, part)) {
                true => self.alike(&at.only(part), op),
                false => self.until_last(&at.only(part), op, part),
            }
        }
    }

    fn alike(&mut self, at: &EmitContext<'p>, op: Op<'p>) {
        let body = op.body().expect("loops have a body");
        let starts: Vec<Val<'p>> = op.operands().skip(3).collect();
        let ends: Vec<Val<'p>> = ends_of(body);
        let carried: Vec<Carried<'p>> =
            (0..starts.len()).map(|k| self.carried(at, body.arg(k + 1), Some(starts[k]), Some(ends[k]))).collect();
        let bounds = [0, 1, 2].map(|i| self.one(at.b, self.form(op.operand(i), at.parts[0]), op.operand(i).ty(), None));
        let packed = self.pack(at, &carried, &starts);
        let types: Vec<Type<'p>> = packed.iter().map(|v| v.ty()).collect();
        let mut arguments = vec![body.arg(0).ty()];
        arguments.extend(&types);
        let mut spec = at.b.op(scf::FOR).operands(&bounds).operands(&packed).results(&types);
        for (name, value) in op.attrs() {
            spec = spec.attr(name, value);
        }
        let (this, carried_inside) = (&mut *self, &carried);
        let loop_op = spec
            .body(&arguments, move |b, args| {
                let inside = at.to(b);
                inside
                    .parts
                    .iter()
                    .for_each(|part| _ = this.values.insert((body.arg(0), *part), ValueForm::Uniform(args[0])));
                this.unpack(&inside, carried_inside, &args[1..]);
                this.block(&inside, body);
                let packed = this.pack(&inside, carried_inside, &ends);
                b.op(scf::YIELD).operands(&packed).build();
            })
            .build();
        let results: Vec<Val<'p>> = loop_op.results().collect();
        let given: Vec<Carried<'p>> =
            carried.iter().zip(op.results()).map(|(c, result)| Carried { value: result, ..*c }).collect();
        self.unpack(at, &given, &results);
    }

    // Emits a loop with different trip counts. Lanes that are done are inactive until the last lane is done.
    fn until_last(&mut self, at: &EmitContext<'p>, op: Op<'p>, part: usize) {
        let b = at.b;
        let ty = op.operand(0).ty();
        let unit_step = cube_passes::analysis::constants::int_of(op.operand(2)) == Some(1);
        if !unit_step {
            op.error(cube_ir::diagnostic!(CUBE0344.step));
            self.failed.set(true);
            return;
        }
        let body = op.body().expect("loops have a body");
        let mask = at.masks[part];
        let first = self.form(op.operand(0), part);
        let [from, to] = [0, 1].map(|i| self.broadcast(b, op.operand(i), part));
        let less = if op.attr("unsignedCmp").is_some() { IntCmp::Ult } else { IntCmp::Slt };
        let trip_counts = b.select(b.cmpi(less, from, to), b.subi(to, from), b.zero(from.ty()));
        let trip_counts = mask.map_or(trip_counts, |mask| b.select(mask, trip_counts, b.zero(trip_counts.ty())));
        let most = form::reduce(b, CombiningKind::Maxui, trip_counts);
        let inside = op.walk();
        let is_loop = |op: &&Op<'p>| op.is(scf::FOR) || op.is(scf::WHILE);
        let peels = mask.is_none() && inside.len() <= PEEL_OPS && inside.iter().filter(is_loop).count() == 1;
        let starts: Vec<Val<'p>> = op.operands().skip(3).collect();
        let ends = ends_of(body);
        let carried: Vec<Carried<'p>> =
            (0..starts.len()).map(|k| self.carried(at, body.arg(k + 1), Some(starts[k]), Some(ends[k]))).collect();
        let mut packed = self.pack(at, &carried, &starts);
        let types: Vec<Type<'p>> = packed.iter().map(|v| v.ty()).collect();
        let mut begin = b.zero(ty);
        let counter = |this: &mut Self, b: Builder<'p>, iteration: Val<'p>| {
            let form = this.sum(b, first, ValueForm::Uniform(iteration), ty);
            this.values.insert((body.arg(0), part), form);
        };
        if peels {
            let least = form::reduce(b, CombiningKind::Minui, trip_counts);
            let mut arguments = vec![ty];
            arguments.extend(&types);
            let (this, carried, ends) = (&mut *self, &carried, &ends);
            let loop_op = count(b, [begin, least], ty, &packed, &types)
                .body(&arguments, move |b, args| {
                    let inside = at.to(b);
                    counter(this, inside.b, args[0]);
                    this.unpack(&inside, carried, &args[1..]);
                    this.block(&inside, body);
                    let packed = this.pack(&inside, carried, ends);
                    b.op(scf::YIELD).operands(&packed).build();
                })
                .build();
            packed = loop_op.results().collect();
            begin = least;
        }
        // The last value of each lane; an earlier loop supplies this value.
        let last: Vec<Val<'p>> = carried
            .iter()
            .zip(&packed)
            .map(|(c, value)| self.group.broadcast(b, c.kind.form(*value), c.value.ty()))
            .collect();
        let known = packed.len();
        packed.extend(last);
        let types: Vec<Type<'p>> = packed.iter().map(|v| v.ty()).collect();
        let mut arguments = vec![ty];
        arguments.extend(&types);
        let (this, carried_inside) = (&mut *self, &carried);
        let loop_op = count(b, [begin, most], ty, &packed, &types)
            .body(&arguments, move |b, args| {
                let inside = at.to(b);
                let iteration = this.group.broadcast(inside.b, ValueForm::Uniform(args[0]), ty);
                let on = inside.b.cmpi(IntCmp::Ult, iteration, trip_counts);
                let inside = inside.alone(b, part, Some(on));
                let b = inside.b;
                counter(this, b, args[0]);
                let (values, last) = args[1..].split_at(known);
                this.unpack(&inside, carried_inside, values);
                this.block(&inside, body);
                let mut packed = this.pack(&inside, carried_inside, &ends);
                let mut kept = Vec::new();
                for (k, c) in carried_inside.iter().enumerate() {
                    let on = this.group.of_lines(b, on, c.value.ty());
                    let new = this.broadcast(b, ends[k], part);
                    kept.push(b.select(on, new, last[k]));
                    if c.kind == CarriedForm::Varying {
                        packed[k] = kept[k];
                    }
                }
                packed.extend(kept);
                b.op(scf::YIELD).operands(&packed).build();
            })
            .build();
        for (k, result) in op.results().enumerate() {
            self.set(at, result, part, ValueForm::Varying(loop_op.result(known + k)));
        }
    }

    pub(super) fn conditional(&mut self, at: &EmitContext<'p>, op: Op<'p>) {
        let before = op.regions().next().and_then(|r| r.first_block()).expect("a while has two blocks");
        let condition = before.terminator().expect("it ends in a condition").operand(0);
        match self.uniformity.level_of(condition) {
            Uniform::Cube => self.decided(at, op),
            Uniform::Plane => at.parts.clone().into_iter().for_each(|part| self.decided(&at.only(part), op)),
            Uniform::Unit => at.parts.clone().into_iter().for_each(|part| self.while_any(&at.only(part), op, part)),
        }
    }

    // The values that a while loop passes to its condition and to its body.
    fn both_ways(&self, at: &EmitContext<'p>, op: Op<'p>) -> While<'p> {
        let blocks: Vec<Block<'p>> = op.regions().filter_map(|r| r.first_block()).collect();
        let (before, after) = (blocks[0], blocks[1]);
        let (decision, next) = (ends_of(before), ends_of(after));
        let starts: Vec<Val<'p>> = op.operands().collect();
        // An argument of the second block is a value that the first block passes on.
        let origin = |value: Val<'p>| match value.block_arg() {
            Some((block, k)) if block == after => decision[k + 1],
            _ => value,
        };
        let carried: Vec<Carried<'p>> = before
            .args()
            .enumerate()
            .map(|(k, arg)| {
                let plain = next[k].def().and_then(|add| {
                    let passed = add.operands().position(|v| origin(v) == arg)?;
                    let other = add.operands().nth(1 - passed.min(1))?;
                    let adds = add.is(arith::ADDI) || add.is(arith::SUBI) && passed == 0;
                    (adds && self.uniformity.level_of(other) <= Uniform::Plane).then_some(arg)
                });
                let stays = (origin(next[k]) == arg).then_some(arg);
                self.carried(at, arg, Some(starts[k]), plain.or(stays))
            })
            .collect();
        let passed = after
            .args()
            .enumerate()
            .map(|(k, arg)| {
                let from = carried.iter().find(|c| c.value == decision[k + 1]);
                let plain = self.carried(at, arg, None, None);
                match from {
                    Some(Carried { kind: CarriedForm::Affine(step), .. }) if plain.kind == CarriedForm::Varying => {
                        Carried { kind: CarriedForm::Affine(*step), ..plain }
                    }
                    _ => plain,
                }
            })
            .collect();
        While { before, after, starts, decision, next, carried, passed }
    }

    fn decided(&mut self, at: &EmitContext<'p>, op: Op<'p>) {
        let w = self.both_ways(at, op);
        let packed = self.pack(at, &w.carried, &w.starts);
        let into: Vec<Type<'p>> = packed.iter().map(|v| v.ty()).collect();
        let on = self.types(at, &w.passed);
        let this = RefCell::new(&mut *self);
        let loop_op =
            at.b.op(scf::WHILE)
                .operands(&packed)
                .results(&on)
                .body(&into, |b, args| {
                    let mut this = this.borrow_mut();
                    let inside = at.to(b);
                    this.unpack(&inside, &w.carried, args);
                    this.block(&inside, w.before);
                    let part = inside.parts[0];
                    let form = this.form(w.decision[0], part);
                    let mut given = vec![this.one(inside.b, form, w.decision[0].ty(), inside.masks[part])];
                    given.extend(this.pack(&inside, &w.passed, &w.decision[1..]));
                    b.op(scf::CONDITION).operands(&given).build();
                })
                .body(&on, |b, args| {
                    let mut this = this.borrow_mut();
                    let inside = at.to(b);
                    this.unpack(&inside, &w.passed, args);
                    this.block(&inside, w.after);
                    let packed = this.pack(&inside, &w.carried, &w.next);
                    b.op(scf::YIELD).operands(&packed).build();
                })
                .build();
        let results: Vec<Val<'p>> = loop_op.results().collect();
        let given: Vec<Carried<'p>> =
            w.passed.iter().zip(op.results()).map(|(c, result)| Carried { value: result, ..*c }).collect();
        self.unpack(at, &given, &results);
    }

    // Emits a loop that runs while at least one lane continues. A lane that is done keeps its last values.
    fn while_any(&mut self, at: &EmitContext<'p>, op: Op<'p>, part: usize) {
        let (b, group) = (at.b, self.group);
        let w = self.both_ways(at, op);
        let start = at.masks[part].unwrap_or_else(|| group.flags(b, |_| true));
        let packed = self.pack(at, &w.carried, &w.starts);
        let zeros: Vec<Val<'p>> = op.results().map(|r| b.zero(group.vector(b, r.ty()))).collect();
        let (carries, keeps) = (packed.len(), zeros.len());
        let first: Vec<Val<'p>> = [start].into_iter().chain(packed).chain(zeros).collect();
        let into: Vec<Type<'p>> = first.iter().map(|v| v.ty()).collect();
        let passed = self.types(at, &w.passed);
        let mut on = vec![into[0]];
        on.extend(&passed);
        on.extend(&into[1 + carries..]);
        let this = RefCell::new(&mut *self);
        let loop_op = b
            .op(scf::WHILE)
            .operands(&first)
            .results(&on)
            .body(&into, |b, args| {
                let mut this = this.borrow_mut();
                let inside = at.alone(b, part, Some(args[0]));
                this.unpack(&inside, &w.carried, &args[1..1 + carries]);
                this.block(&inside, w.before);
                let b = inside.b;
                let flags = this.broadcast(b, w.decision[0], part);
                let continues = both(b, Some(args[0]), flags);
                let mut given = vec![any(b, continues), continues];
                given.extend(this.pack(&inside, &w.passed, &w.decision[1..]));
                for (k, last) in args[1 + carries..].iter().enumerate() {
                    let value = w.decision[1 + k];
                    let on = group.of_lines(b, args[0], value.ty());
                    given.push(b.select(on, this.broadcast(b, value, part), *last));
                }
                b.op(scf::CONDITION).operands(&given).build();
            })
            .body(&on, |b, args| {
                let mut this = this.borrow_mut();
                let inside = at.alone(b, part, Some(args[0]));
                this.unpack(&inside, &w.passed, &args[1..args.len() - keeps]);
                this.block(&inside, w.after);
                let mut given = vec![args[0]];
                given.extend(this.pack(&inside, &w.carried, &w.next));
                given.extend(&args[args.len() - keeps..]);
                b.op(scf::YIELD).operands(&given).build();
            })
            .build();
        let first = loop_op.results().len() - keeps;
        for (k, result) in op.results().enumerate() {
            self.set(at, result, part, ValueForm::Varying(loop_op.result(first + k)));
        }
    }

    fn types(&self, at: &EmitContext<'p>, carried: &[Carried<'p>]) -> Vec<Type<'p>> {
        let mut types = Vec::new();
        for c in carried {
            let ty = c.value.ty();
            let ty = if c.kind == CarriedForm::Varying { self.group.vector(at.b, ty) } else { ty };
            types.extend(std::iter::repeat_n(ty, if c.shared { 1 } else { at.parts.len() }));
        }
        types
    }
}

/// The parts of a while loop.
struct While<'p> {
    before: Block<'p>,
    after: Block<'p>,
    starts: Vec<Val<'p>>,
    decision: Vec<Val<'p>>,
    next: Vec<Val<'p>>,
    carried: Vec<Carried<'p>>,
    passed: Vec<Carried<'p>>,
}

fn ends_of<'p>(block: Block<'p>) -> Vec<Val<'p>> {
    block.terminator().map(|t| t.operands().collect()).unwrap_or_default()
}

// A loop that counts iterations.
fn count<'p, 'f>(
    b: Builder<'p>,
    [from, to]: [Val<'p>; 2],
    ty: Type<'p>,
    packed: &[Val<'p>],
    types: &[Type<'p>],
) -> cube_ir::OpSpec<'p, 'f> {
    let one = b.int(ty, 1);
    let spec = b.op(scf::FOR).operands(&[from, to, one]).operands(packed).results(types);
    if ty.is_int() { spec.attr("unsignedCmp", b.cx().unit_attr()) } else { spec }
}
