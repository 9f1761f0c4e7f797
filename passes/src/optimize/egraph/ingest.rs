//! Converts operations to terms.
use crate::analysis::ranges;
use cube_dialect::{element_of, float_predicate, int_predicate, ops};
use cube_ir::ops::arith::{self, FastMathFlags};
use cube_ir::ops::{math, scf, vector};
use cube_ir::{AttrExt, Block, Dialect, Op, OpKind, Type, TypeExt, Val};
pub use cube_rules::Op as Term;
use cube_rules::graph::{Graph, Head, NodeKind, OwnRules};
use cube_rules::{Domain, Flags, Function, Interval};
use cube_semantics::convert::of_double;
use cube_semantics::ints::mask;
use cube_semantics::{Conversion, IntOp, Meaning, Number};
use cube_target::Target;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// The identifier of a class in the e-graph.
pub type Id = egg::Id;

/// A window: operations of one block, represented as terms of an e-graph.
pub struct Window<'p> {
    /// The terms.
    pub graph: Graph,
    /// The operations of the window, in program order. Operations of enclosing blocks come first.
    pub ops: Vec<(Op<'p>, Id)>,
    /// The first operation in the window's own block.
    pub first: Op<'p>,
    /// The operations whose results are used outside the window.
    pub roots: Vec<Root<'p>>,
    /// The values of the leaves, indexed by leaf number.
    pub leaves: Vec<Val<'p>>,
    /// The class of each value, before classes were merged.
    pub known: HashMap<Val<'p>, Id>,
    /// The number of operations outside the window that can still be added to the e-graph.
    context: u32,
    /// The number of operations that the bounds analysis can still visit for values that only operations
    /// outside the window use.
    fuel: u32,
}

/// Maximum number of operations outside a window that the rules can match. The matched operations are in enclosing
/// blocks, or earlier in the same block.
const CONTEXT: u32 = 64;

/// An operation whose result is used outside the window.
pub struct Root<'p> {
    /// The operation.
    pub op: Op<'p>,
    /// The class of the result.
    pub id: Id,
}

/// Returns the element type and the number of lanes (0 for a scalar), or `None` for a type that terms cannot
/// have.
pub fn number_of(ty: Type<'_>) -> Option<(Number, u32)> {
    let lanes = match ty.lanes() {
        Some(lanes) => u32::try_from(lanes).ok().filter(|lanes| *lanes > 0)?,
        None if ty.is_scalar() => 0,
        None => return None,
    };
    let element = ty.element();
    if element.is_index() {
        return None;
    }
    let number = Number::named(element_of(element)?.ir())?;
    let known = matches!(number, Number::Int(_)) || number.format().is_some();
    known.then_some((number, lanes))
}

/// The operation of a term, the element types of its operands and its result, and the number of lanes.
pub(crate) type Parts = (Term, [Number; 2], u32);

fn parts(op: Op<'_>) -> Option<Parts> {
    parts_with(op, total)
}

/// The operation of a term that refines an operation: for all operands for which the operation is defined, the results
/// are equal. An operation that is equivalent to the term can therefore replace the operation.
pub(crate) fn refined_parts(op: Op<'_>) -> Option<Parts> {
    parts_with(op, |_, int, _| match int {
        IntOp::Shl => Some(IntOp::TotalShl),
        IntOp::ShrU => Some(IntOp::TotalShrU),
        IntOp::ShrS => Some(IntOp::TotalShrS),
        IntOp::DivU => Some(IntOp::TotalDivU),
        IntOp::RemU => Some(IntOp::TotalRemU),
        IntOp::DivS => Some(IntOp::TotalDivS),
        IntOp::RemS => Some(IntOp::TotalRemS),
        IntOp::CeilDivU | IntOp::CeilDivS | IntOp::FloorDivS => None,
        _ => Some(int),
    })
}

fn parts_with(op: Op<'_>, total: impl Fn(Op<'_>, IntOp, Number) -> Option<IntOp>) -> Option<Parts> {
    let known = [Dialect::Arith, Dialect::Math, Dialect::Cube].into_iter().any(|dialect| op.is_of(dialect));
    if !known && !op.is(vector::BROADCAST)
        || op.results().len() != 1
        || op.operands().len() == 0
        || op.regions().len() != 0
    {
        return None;
    }
    let (to, lanes) = number_of(op.result(0).ty())?;
    if op.is(vector::BROADCAST) {
        let is_splat = lanes != 0 && number_of(op.operand(0).ty())? == (to, 0);
        return is_splat.then_some((Term::Splat, [to, to], lanes));
    }
    let operand = |index: usize| number_of(op.operand(index).ty());
    if op.is(arith::SELECT) {
        let fits = operand(0)? == (Number::Int(1), lanes);
        return fits.then_some((Term::Select, [to, to], lanes));
    }
    let (from, others) = operand(0)?;
    if others != lanes || (1..op.operands().len()).any(|index| operand(index) != Some((from, lanes))) {
        return None;
    }
    let term = match cube_dialect::meaning_of(op.kind()) {
        Some(Meaning::Int(int)) => Term::Int(total(op, int, from)?),
        Some(Meaning::Float(float)) => Term::Float(float),
        Some(Meaning::CompareInts) => Term::CompareInts(int_predicate(op)?),
        Some(Meaning::CompareFloats) => Term::CompareFloats(float_predicate(op)?),
        Some(Meaning::Convert(conversion)) => {
            use Conversion as C;
            let has_value = matches!(
                conversion,
                C::Truncate | C::SignExtend | C::ZeroExtend | C::Float | C::OfSigned | C::OfUnsigned
            );
            // Terms have only the rounding to nearest even.
            if !has_value || op.attr("roundingmode").is_some() {
                return None;
            }
            Term::Convert(conversion)
        }
        Some(Meaning::IntPair(_)) => return None,
        None if let Some(cast) = ops::Cast::of(op) => Term::Convert(integer_conversion(cast, from, to)?),
        None => Term::Function(function_of(op.kind())?),
    };
    Some((term, [from, to], lanes))
}

// The conversion of a `cube.cast` between integers. `None` for a cast that clamps its operand or compares it with zero.
fn integer_conversion(cast: ops::Cast<'_>, from: Number, to: Number) -> Option<Conversion> {
    let (Number::Int(from), Number::Int(to)) = (from, to) else { return None };
    if cast.saturate().is_some() || to == 1 {
        return None;
    }
    match from.cmp(&to) {
        Ordering::Greater => Some(Conversion::Truncate),
        Ordering::Equal => None,
        Ordering::Less if from == 1 || cast.from_unsigned().is_some() => Some(Conversion::ZeroExtend),
        Ordering::Less => Some(Conversion::SignExtend),
    }
}

/// The function of each operation of `math` that can be a term.
const FUNCTIONS: &[(OpKind, Function)] = &[
    (math::EXP, Function::Exp),
    (math::EXP2, Function::Exp2),
    (math::EXPM1, Function::ExpM1),
    (math::LOG, Function::Log),
    (math::LOG2, Function::Log2),
    (math::LOG10, Function::Log10),
    (math::LOG1P, Function::Log1P),
    (math::SIN, Function::Sin),
    (math::COS, Function::Cos),
    (math::TAN, Function::Tan),
    (math::ATAN, Function::Atan),
    (math::ASIN, Function::Asin),
    (math::ACOS, Function::Acos),
    (math::ATAN2, Function::Atan2),
    (math::ASINH, Function::Asinh),
    (math::ACOSH, Function::Acosh),
    (math::ATANH, Function::Atanh),
    (math::SINH, Function::Sinh),
    (math::COSH, Function::Cosh),
    (math::TANH, Function::Tanh),
    (math::RSQRT, Function::Rsqrt),
    (math::CBRT, Function::Cbrt),
    (math::ERF, Function::Erf),
    (math::ERFC, Function::Erfc),
    (math::POWF, Function::Powf),
];

fn function_of(kind: OpKind) -> Option<Function> {
    FUNCTIONS.iter().find(|(own, _)| *own == kind).map(|(_, function)| *function)
}

/// The operation that computes a function.
pub fn operation_of(function: Function) -> Option<OpKind> {
    FUNCTIONS.iter().find(|(_, own)| *own == function).map(|(kind, _)| *kind)
}

// The equivalent total operation, if the constant operand makes the operation defined. Other partial operations are
// leaves.
fn total(op: Op<'_>, int: IntOp, ty: Number) -> Option<IntOp> {
    let constant = || constant_of(op.operand(1)).map(|(bits, ..)| bits);
    let below = || constant().is_some_and(|amount| amount < u64::from(ty.bits()));
    let some = || constant().is_some_and(|divisor| divisor != 0);
    let plain = || constant().is_some_and(|divisor| divisor != 0 && divisor != mask(ty.bits()));
    match int {
        IntOp::Shl => below().then_some(IntOp::TotalShl),
        IntOp::ShrU => below().then_some(IntOp::TotalShrU),
        IntOp::ShrS => below().then_some(IntOp::TotalShrS),
        IntOp::DivU => some().then_some(IntOp::TotalDivU),
        IntOp::RemU => some().then_some(IntOp::TotalRemU),
        IntOp::DivS => plain().then_some(IntOp::TotalDivS),
        IntOp::RemS => plain().then_some(IntOp::TotalRemS),
        IntOp::CeilDivU | IntOp::CeilDivS | IntOp::FloorDivS => None,
        _ => Some(int),
    }
}

/// The bits of a constant; for a vector of equal elements, the bits of one element.
pub fn constant_of(value: Val<'_>) -> Option<(u64, Number, u32)> {
    let op = value.def_of(arith::CONSTANT)?;
    let (ty, lanes) = number_of(value.ty())?;
    let attr = op.attr("value")?;
    let bits = match ty {
        Number::Int(bits) => attr.as_int()? as u64 & mask(bits),
        Number::Float(_) => {
            // A NaN constant does not become a term, so its bits do not change.
            let value = attr.as_float().filter(|value| !value.is_nan())?;
            of_double(value, ty)
        }
    };
    Some((bits, ty, lanes))
}

/// Each fast-math flag of `arith` with the flag of the rules.
const FLAGS: [(FastMathFlags, Flags); 7] = [
    (FastMathFlags::REASSOC, Flags::REASSOC),
    (FastMathFlags::NNAN, Flags::NNAN),
    (FastMathFlags::NINF, Flags::NINF),
    (FastMathFlags::NSZ, Flags::NSZ),
    (FastMathFlags::ARCP, Flags::ARCP),
    (FastMathFlags::CONTRACT, Flags::CONTRACT),
    (FastMathFlags::AFN, Flags::AFN),
];

/// The fast-math flags of an operation.
pub fn flags_of(op: Op<'_>) -> Flags {
    let Some(flags) = FastMathFlags::of(op.attr("fastmath")) else { return Flags::NONE };
    FLAGS.into_iter().filter(|(own, _)| flags.contains(*own)).fold(Flags::NONE, |all, (_, flag)| all | flag)
}

/// The flags of `arith` for flags of the rules.
pub fn fastmath_of(flags: Flags) -> FastMathFlags {
    FLAGS.into_iter().filter(|(_, own)| flags.has(*own)).fold(FastMathFlags::NONE, |all, (flag, _)| all.with(flag))
}

/// The operation of a term and its flags in the graph; `None` if the operation is not a term.
pub fn term_of(op: Op<'_>) -> Option<(Term, Flags)> {
    let (term, ..) = parts(op)?;
    Some((term, cube_rules::graph::flags_of_input(term, flags_of(op))))
}

/// Whether the operation can be a term.
pub fn is_term(op: Op<'_>) -> bool {
    parts(op).is_some()
}

/// The time of an operation on a target (`cube_rules::cost`). `None` for an operation that is not a term.
pub fn time_of(op: Op<'_>, target: &Target) -> Option<u64> {
    let (term, [from, to], lanes) = parts(op)?;
    let head = Head { kind: NodeKind::Apply(term, flags_of(op)), from: from.into(), to: to.into(), lanes };
    let mut constants = [false; 3];
    for (is_constant, value) in constants.iter_mut().zip(op.operands()) {
        *is_constant = constant_of(value).is_some();
    }
    Some(cube_rules::cost::cost(target, head, constants))
}

impl<'p> Window<'p> {
    /// Builds the terms of the operations of one block, in order, and of the operations that only these operations use.
    /// `None` for an empty list.
    ///
    /// If `explains` is true, the e-graph records why values in one class are equal.
    pub fn of(ops: &[Op<'p>], explains: bool, own: OwnRules) -> Option<Window<'p>> {
        let first = *ops.first()?;
        let graph = if explains { Graph::explaining() } else { Graph::default() }.with_rules(own);
        let mut window = Window {
            graph,
            ops: Vec::new(),
            first,
            roots: Vec::new(),
            leaves: Vec::new(),
            known: HashMap::new(),
            context: CONTEXT,
            fuel: ranges::FUEL,
        };
        let mut known: HashMap<Val<'p>, Id> = HashMap::new();
        for op in sources(ops, first).iter().chain(ops) {
            let Some((term, types, lanes)) = parts(*op) else { continue };
            let args: Option<Vec<Id>> = op.operands().map(|value| window.operand(value, &mut known, true)).collect();
            let Some(args) = args else { continue };
            let id = window.graph.apply(term, types, lanes, flags_of(*op), &args);
            known.insert(op.result(0), id);
            window.ops.push((*op, id));
        }
        let inside: HashSet<Op<'p>> = window.ops.iter().map(|(op, _)| *op).collect();
        let is_root = |op: Op<'p>| op.result(0).uses().iter().any(|(user, _)| !inside.contains(user));
        let roots = window.ops.iter().filter(|(op, _)| is_root(*op));
        window.roots = roots.map(|(op, id)| Root { op: *op, id: *id }).collect();
        window.known = known;
        Some(window)
    }

    // The visits for each operand of an operation in the window have a separate limit (`fuel`). Operands of context
    // operations share the limit of the window, because a context operation can be at the end of a long chain.
    fn operand(&mut self, value: Val<'p>, known: &mut HashMap<Val<'p>, Id>, inside: bool) -> Option<Id> {
        if let Some(id) = known.get(&value) {
            return Some(*id);
        }
        let id = match constant_of(value) {
            Some((bits, ty, lanes)) => self.graph.constant(bits, ty, lanes),
            None => {
                let (ty, lanes) = number_of(value.ty())?;
                let fuel = if inside { &mut ranges::FUEL.clone() } else { &mut self.fuel };
                let domain = domain_of(value, ty, lanes, fuel);
                let leaf = self.graph.leaf(ty, lanes, domain);
                self.leaves.push(value);
                self.look_into(value, leaf, known);
                leaf
            }
        };
        known.insert(value, id);
        Some(id)
    }

    // Adds an operation outside the window as context. The context operation is computed in any case, and its value
    // dominates the window. A float operation with flags remains a leaf: its value is also used outside, and a
    // rewritten form could have a different value.
    fn look_into(&mut self, value: Val<'p>, leaf: Id, known: &mut HashMap<Val<'p>, Id>) {
        let Some((op, (term, types, lanes))) = value.def().and_then(|op| Some((op, parts(op)?))) else { return };
        if flags_of(op) != Flags::NONE || self.context == 0 {
            return;
        }
        self.context -= 1;
        known.insert(value, leaf);
        let args: Option<Vec<Id>> = op.operands().map(|value| self.operand(value, known, false)).collect();
        if let Some(args) = args {
            self.graph.context(leaf, term, types, lanes, &args);
        }
    }
}

// The operations before the window whose results only the window uses, in program order. These operations are in the
// block of the window, or in a block around an `scf.if` that contains the window. An operation whose result the
// rewritten window does not use is erased. Operations outside a loop around the window are not included, because they
// are executed less often than the window.
fn sources<'p>(ops: &[Op<'p>], first: Op<'p>) -> Vec<Op<'p>> {
    let mut blocks: Vec<Block<'p>> = first.block().into_iter().collect();
    for op in first.ancestors().take_while(|op| op.is(scf::IF)) {
        blocks.extend(op.block());
    }
    let mut inside: HashSet<Op<'p>> = ops.iter().copied().collect();
    let (mut open, mut found) = (ops.to_vec(), Vec::new());
    while let Some(op) = open.pop() {
        for source in op.operands().filter_map(|value| value.def()) {
            let is_near = || source.block().is_some_and(|block| blocks.contains(&block));
            if found.len() < CONTEXT as usize
                && !inside.contains(&source)
                && is_term(source)
                && is_near()
                && source.result(0).uses().iter().all(|(user, _)| inside.contains(user))
            {
                inside.insert(source);
                found.push(source);
                open.push(source);
            }
        }
    }
    // Each operation was found after all of its users.
    found.reverse();
    found
}

// Bounds of a value in addition to the bounds of its operation.
pub(crate) fn domain_of(value: Val<'_>, ty: Number, lanes: u32, fuel: &mut u32) -> Domain {
    let all = Domain::of_type(ty);
    if lanes != 0 || !matches!(ty, Number::Int(32 | 64)) {
        return all;
    }
    let range =
        Interval { high: ranges::largest_within(value, fuel).unwrap_or(u64::MAX).min(all.range.high), ..all.range };
    Domain::new(range, ranges::step(value)).unwrap_or(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_function_of_the_rules_has_the_operation_of_its_name() {
        assert_eq!(FUNCTIONS.len(), Function::ALL.len());
        for function in Function::ALL {
            let kind = operation_of(*function).unwrap_or(OpKind::Unknown);
            assert_eq!(kind.name(), format!("math.{}", function.name()));
            assert_eq!(function_of(kind), Some(*function));
        }
    }
}
