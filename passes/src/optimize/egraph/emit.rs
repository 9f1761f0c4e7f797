//! Emits operations for the chosen terms.
use super::ingest::{Id, Window, constant_of, operation_of};
use super::promises::Promises;
use cube_dialect::{arith_float_predicate, arith_int_predicate, operation_with};
use cube_ir::ops::{arith, vector};
use cube_ir::{Builder, Cx, Op, OpKind, Run, Type, Val};
use cube_rules::graph::{Chosen, Node, NodeKind};
use cube_rules::{Flags, Op as Term};
use cube_semantics::{Conversion, Meaning, Number};
use egg::Language;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A plan for the chosen terms, all of which can be emitted.
pub struct Plan<'w, 'p> {
    window: &'w Window<'p>,
    chosen: &'w Chosen,
    values: HashMap<Id, Val<'p>>,
    promises: Promises<'p>,
}

/// The MLIR operation for a term; `None` for terms that no operation represents.
fn kind_of(op: Term, from: Number, to: Number) -> Option<OpKind> {
    match op {
        Term::Int(int) => operation_with(Meaning::Int(int)),
        Term::Float(float) => operation_with(Meaning::Float(float)),
        Term::Convert(Conversion::Float) if from.bits() < to.bits() => Some(arith::EXTF),
        Term::Convert(Conversion::Float) if from.bits() > to.bits() => Some(arith::TRUNCF),
        Term::Convert(Conversion::Float) | Term::View => None,
        Term::Convert(conversion) => operation_with(Meaning::Convert(conversion)),
        Term::CompareInts(_) => Some(arith::CMPI),
        Term::CompareFloats(_) => Some(arith::CMPF),
        Term::Select => Some(arith::SELECT),
        Term::Splat => Some(vector::BROADCAST),
        Term::Function(function) => operation_of(function),
    }
}

fn type_of<'p>(cx: Cx<'p>, ty: Number, lanes: u32) -> Type<'p> {
    let element = match ty {
        Number::Int(bits) => cx.int(bits),
        Number::Float(element) => cube_dialect::type_of(cx, element),
    };
    if lanes == 0 { element } else { cx.vector(lanes.into(), element) }
}

impl<'w, 'p> Plan<'w, 'p> {
    /// Checks that each chosen term can be emitted before the first root (a result used outside the window)
    /// that uses the term.
    ///
    /// # Errors
    /// The error is the reason, worded as a clause of a sentence.
    pub fn of(window: &'w Window<'p>, chosen: &'w Chosen) -> Result<Plan<'w, 'p>, &'static str> {
        for node in chosen.nodes.values() {
            if let NodeKind::Apply(op, _) = node.head.kind
                && op != Term::View
                && kind_of(op, node.head.from.number(), node.head.to.number()).is_none()
            {
                return Err("no operation writes a chosen term");
            }
        }
        let places: HashMap<Op<'p>, usize> = match window.first.block() {
            Some(block) => block.ops().into_iter().enumerate().map(|(place, op)| (op, place)).collect(),
            None => return Err("the operations are outside a block"),
        };
        let mut ready = BTreeMap::new();
        for root in &window.roots {
            let leaf = |number: u32| {
                let value = window.leaves.get(number as usize)?;
                // Values that are defined outside the block dominate it.
                Some(value.def().and_then(|op| places.get(&op)).map_or(0, |place| place + 1))
            };
            let needed = location_of(window.graph.class(root.id), chosen, &leaf, &mut ready);
            let place = places.get(&root.op).copied().unwrap_or(0);
            if needed.is_none_or(|needed| needed > place) {
                return Err("a term of the choice is computed after its use");
            }
        }
        Ok(Plan { window, chosen, values: HashMap::new(), promises: Promises::of(window, chosen) })
    }

    /// Emits the chosen terms, and replaces the results of the roots.
    pub fn replace(mut self, run: &mut Run<'p>) {
        let window = self.window;
        let mut done: HashMap<Id, Vec<(Op<'p>, Val<'p>)>> = HashMap::new();
        let mut passed = 0;
        for root in &window.roots {
            // Operations before the root can be reused.
            while passed < window.ops.len() {
                let (op, id) = window.ops[passed];
                done.entry(window.graph.class(id)).or_default().push((op, op.result(0)));
                passed += 1;
                if op == root.op {
                    break;
                }
            }
            let class = window.graph.class(root.id);
            let value = self.value(run.before(root.op).with_location(root.op.location()), class, &done);
            if let Some(value) = value
                && value != root.op.result(0)
            {
                root.op.result(0).replace_all_uses(value);
            }
        }
        let mut dead: HashSet<Op<'p>> = HashSet::new();
        for (op, id) in window.ops.iter().rev() {
            if op.result(0).uses().iter().all(|(user, _)| dead.contains(user)) {
                dead.insert(*op);
                run.erase(*op);
            } else {
                // Flags such as `nsw` were valid only for the uses of the operation before the replacement.
                self.promises.set(window.graph.class(*id), *op);
            }
        }
    }

    fn value(&mut self, b: Builder<'p>, class: Id, done: &HashMap<Id, Vec<(Op<'p>, Val<'p>)>>) -> Option<Val<'p>> {
        if let Some(value) = self.values.get(&class) {
            return Some(*value);
        }
        let node = self.chosen.nodes.get(&class)?;
        let value = match node.head.kind {
            NodeKind::Leaf(number) => self.window.leaves.get(number as usize).copied()?,
            NodeKind::Constant(bits) => self.constant(bits, node)?,
            NodeKind::Apply(Term::View, _) => self.value(b, *node.children().first()?, done)?,
            NodeKind::Apply(op, flags) => {
                let mut args = Vec::with_capacity(3);
                for child in node.children() {
                    args.push(self.value(b, *child, done)?);
                }
                let own = done.get(&class).into_iter().flatten().find(|(own, _)| is_same(*own, op, flags, &args));
                match own {
                    Some((_, value)) => *value,
                    None => {
                        let types = [node.head.from.number(), node.head.to.number()];
                        let value = operation(b, op, types, node.head.lanes, flags, &args)?;
                        value.def().into_iter().for_each(|op| self.promises.set(class, op));
                        value
                    }
                }
            }
        };
        self.values.insert(class, value);
        Some(value)
    }

    // The constant is emitted before the first operation of the window's block, so that the whole window can use it.
    fn constant(&self, bits: u64, node: &Node) -> Option<Val<'p>> {
        let first = self.window.first;
        let b = Builder::before(first).with_location(first.location());
        constant(b, bits, node.head.to.number(), node.head.lanes)
    }
}

/// A constant with the given bits: a scalar if `lanes` is 0, otherwise a vector of equal elements.
pub(crate) fn constant<'p>(b: Builder<'p>, bits: u64, number: Number, lanes: u32) -> Option<Val<'p>> {
    let ty = type_of(b.cx(), number, lanes);
    Some(match number {
        Number::Int(width) => b.int(ty, cube_semantics::ints::signed(bits, width)),
        Number::Float(_) => b.float(ty, number.to_double(bits)),
    })
}

// The position after the last operation whose value a class needs.
fn location_of(
    class: Id,
    chosen: &Chosen,
    leaf: &dyn Fn(u32) -> Option<usize>,
    ready: &mut BTreeMap<Id, usize>,
) -> Option<usize> {
    if let Some(place) = ready.get(&class) {
        return Some(*place);
    }
    let node = chosen.nodes.get(&class)?;
    let mut place = match node.head.kind {
        NodeKind::Leaf(number) => leaf(number)?,
        _ => 0,
    };
    for child in node.children() {
        place = place.max(location_of(*child, chosen, leaf, ready)?);
    }
    ready.insert(class, place);
    Some(place)
}

// Whether an operation of the window already computes a term of these operands.
fn is_same(own: Op<'_>, op: Term, flags: Flags, args: &[Val<'_>]) -> bool {
    let same = |(value, other): (Val<'_>, &Val<'_>)| {
        value == *other || constant_of(value).is_some_and(|constant| constant_of(*other) == Some(constant))
    };
    super::ingest::term_of(own) == Some((op, flags))
        && own.operands().len() == args.len()
        && own.operands().zip(args).all(same)
}

/// Emits the operation of a term.
pub(crate) fn operation<'p>(
    b: Builder<'p>,
    op: Term,
    [from, to]: [Number; 2],
    lanes: u32,
    flags: Flags,
    args: &[Val<'p>],
) -> Option<Val<'p>> {
    let kind = kind_of(op, from, to)?;
    let ty = type_of(b.cx(), to, lanes);
    let mut spec = b.op(kind).operands(args).result(ty);
    spec = match op {
        Term::CompareInts(predicate) => spec.attr("predicate", arith_int_predicate(predicate).attr(b.cx())),
        Term::CompareFloats(predicate) => spec.attr("predicate", arith_float_predicate(predicate).attr(b.cx())),
        _ => spec,
    };
    if flags != Flags::NONE {
        spec = spec.attr("fastmath", super::ingest::fastmath_of(flags).attr(b.cx()));
    }
    Some(spec.value())
}
