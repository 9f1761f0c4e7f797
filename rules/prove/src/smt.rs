//! Queries about integers as bit-vectors in SMT-LIB, which z3 decides.
use crate::integers::counterexample;
use cube_rules::{Instance, Op, Term};
use cube_semantics::{Conversion, IntOp, IntPredicate, Number};
use easy_smt::{Context, ContextBuilder, Response, SExpr};

/// The result of a query.
pub enum Answer {
    /// Both sides of the instance are equal for all values that the guard allows.
    Proven,
    /// No answer: z3 is not installed or exceeded its limit, or an operation has no bit-vector form.
    Unknown(String),
}

/// Maximum work of one query in z3's resource unit. The limit is not a time, because a time limit could change the
/// answer on a slow machine. The maximum work corresponds to about 20 seconds.
pub const WORK: &str = "rlimit=60000000";

/// Time limit in seconds. The time limit is for parts of z3 that do not count their work.
pub const TIME: &str = "-T:600";

/// Whether the program z3 is installed.
pub fn is_installed() -> bool {
    std::process::Command::new("z3").arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Asks z3 whether an instance is correct.
///
/// # Errors
/// A counterexample that Cube's semantics confirm, or a case in which the semantics and the translation to
/// SMT-LIB differ.
pub fn check(instance: &Instance) -> Result<Answer, String> {
    let question = || -> std::io::Result<Option<(Response, Vec<u64>)>> {
        let mut cx = ContextBuilder::new().solver("z3").solver_args(["-smt2", "-in", WORK, TIME]).build()?;
        cx.set_logic("QF_BV")?;
        let mut names = Vec::new();
        for (index, variable) in instance.variables.iter().enumerate() {
            let sort = cx.bit_vec_sort(cx.numeral(variable.ty.bits()));
            names.push(cx.declare_const(format!("v{index}"), sort)?);
        }
        let sides = [&instance.pattern, &instance.replacement].map(|side| translate(&cx, side, &names));
        let guard = instance.guard.as_ref().map(|guard| translate(&cx, guard, &names));
        let ([Some(left), Some(right)], Some(guard)) = (sides, guard.map_or(Some(None), |guard| guard.map(Some)))
        else {
            return Ok(None);
        };
        if let Some(guard) = guard {
            let holds = cx.eq(guard, cx.binary(1, 1u8));
            cx.assert(holds)?;
        }
        let differ = cx.distinct(left, right);
        cx.assert(differ)?;
        let response = cx.check()?;
        let mut values = Vec::new();
        if response == Response::Sat && !names.is_empty() {
            for (_, value) in cx.get_value(names.clone())? {
                values.push(number(&cx, value));
            }
        }
        Ok(Some((response, values)))
    };
    match question() {
        Err(error) => Ok(Answer::Unknown(format!("z3 does not answer: {error}"))),
        Ok(None) => Ok(Answer::Unknown("an operation has no bit-vector form".into())),
        Ok(Some((Response::Unsat, _))) => Ok(Answer::Proven),
        Ok(Some((Response::Unknown, _))) => Ok(Answer::Unknown(format!("z3 needs more work than {WORK}"))),
        Ok(Some((Response::Sat, values))) => {
            let (left, right) = (instance.pattern.value(&values), instance.replacement.value(&values));
            let what = counterexample(instance, &values, left, right);
            Err(if left == right {
                format!("z3 and the semantics disagree: {what}")
            } else {
                format!("{what} (by z3)")
            })
        }
    }
}

pub(crate) fn number(cx: &Context, value: SExpr) -> u64 {
    let text = cx.display(value).to_string();
    let (digits, radix) =
        if let Some(hex) = text.strip_prefix("#x") { (hex, 16) } else { (text.trim_start_matches("#b"), 2) };
    u64::from_str_radix(digits, radix).unwrap_or(0)
}

fn translate(cx: &Context, term: &Term, names: &[SExpr]) -> Option<SExpr> {
    Some(match term {
        Term::Variable(index) => names[*index],
        Term::Constant(bits, ty) => literal(cx, *bits, ty.bits()),
        Term::Computed(inner) => translate(cx, inner, names)?,
        Term::Apply { op, from, to, args } => {
            let args = args.iter().map(|arg| translate(cx, arg, names)).collect::<Option<Vec<_>>>()?;
            operation(cx, *op, *from, *to, &args)?
        }
    })
}

pub(crate) fn literal(cx: &Context, bits: u64, width: u32) -> SExpr {
    cx.atom(format!("#b{:0width$b}", bits, width = width as usize))
}

pub(crate) fn call(cx: &Context, name: &str, args: &[SExpr]) -> SExpr {
    cx.list([&[cx.atom(name)], args].concat())
}

pub(crate) fn bit(cx: &Context, condition: SExpr) -> SExpr {
    cx.ite(condition, literal(cx, 1, 1), literal(cx, 0, 1))
}

fn indexed(cx: &Context, name: &str, indices: &[u32], arg: SExpr) -> SExpr {
    let words: Vec<SExpr> = indices.iter().map(|i| cx.atom(i.to_string())).collect();
    let head = cx.list([&[cx.atom("_"), cx.atom(name)], words.as_slice()].concat());
    cx.list(vec![head, arg])
}

pub(crate) fn operation(cx: &Context, op: Op, from: Number, to: Number, args: &[SExpr]) -> Option<SExpr> {
    match (op, args) {
        (Op::Int(op), _) => integer(cx, op, from.bits(), args),
        (Op::CompareInts(predicate), [a, b]) => {
            use IntPredicate as P;
            let name = match predicate {
                P::Eq => "=",
                P::Ne => "distinct",
                P::Slt => "bvslt",
                P::Sle => "bvsle",
                P::Sgt => "bvsgt",
                P::Sge => "bvsge",
                P::Ult => "bvult",
                P::Ule => "bvule",
                P::Ugt => "bvugt",
                P::Uge => "bvuge",
            };
            Some(bit(cx, call(cx, name, &[*a, *b])))
        }
        (Op::Splat, [a]) => Some(*a),
        (Op::Select, [c, a, b]) => Some(cx.ite(cx.eq(*c, literal(cx, 1, 1)), *a, *b)),
        (Op::Convert(conversion), [a]) => {
            let (f, t) = (from.bits(), to.bits());
            Some(match conversion {
                Conversion::Truncate => indexed(cx, "extract", &[t - 1, 0], *a),
                Conversion::ZeroExtend => indexed(cx, "zero_extend", &[t - f], *a),
                Conversion::SignExtend => indexed(cx, "sign_extend", &[t - f], *a),
                Conversion::Bits => *a,
                _ => return None,
            })
        }
        _ => None,
    }
}

fn integer(cx: &Context, op: IntOp, width: u32, args: &[SExpr]) -> Option<SExpr> {
    let (a, b) = (*args.first()?, args.get(1).copied());
    let zero = literal(cx, 0, width);
    let binary = |name: &str| b.map(|b| call(cx, name, &[a, b]));
    let choose = |name: &str, x: SExpr, y: SExpr| Some(cx.ite(binary(name)?, x, y));
    let by_zero = |name: &str, otherwise: SExpr| Some(cx.ite(cx.eq(b?, zero), otherwise, binary(name)?));
    // The shift amount is taken modulo the width.
    let shift = |name: &str| {
        let amount = if width.is_power_of_two() {
            call(cx, "bvand", &[b?, literal(cx, u64::from(width - 1), width)])
        } else {
            call(cx, "bvurem", &[b?, literal(cx, u64::from(width), width)])
        };
        Some(call(cx, name, &[a, amount]))
    };
    let wide = |extend: &str| {
        let product = call(cx, "bvmul", &[indexed(cx, extend, &[width], a), indexed(cx, extend, &[width], b?)]);
        Some(indexed(cx, "extract", &[2 * width - 1, width], product))
    };
    let carry = || {
        let sum = call(cx, "bvadd", &[indexed(cx, "zero_extend", &[1], a), indexed(cx, "zero_extend", &[1], b?)]);
        Some(indexed(cx, "extract", &[width, width], sum))
    };
    let bit_of = |index: u32| indexed(cx, "extract", &[index, index], a);
    let is_set = |index: u32| cx.eq(bit_of(index), literal(cx, 1, 1));
    let first_of = |order: Vec<u32>| {
        // The position of the first set bit, in the given order.
        let all = literal(cx, u64::from(width) & cube_semantics::ints::mask(width), width);
        let found = order.iter().enumerate().rev();
        found.fold(all, |rest, (zeros, index)| cx.ite(is_set(*index), literal(cx, zeros as u64, width), rest))
    };
    match op {
        IntOp::Add => binary("bvadd"),
        IntOp::Sub => binary("bvsub"),
        IntOp::Mul => binary("bvmul"),
        IntOp::And => binary("bvand"),
        IntOp::Or => binary("bvor"),
        IntOp::Xor => binary("bvxor"),
        IntOp::TotalDivU => by_zero("bvudiv", a),
        IntOp::TotalDivS => by_zero("bvsdiv", a),
        IntOp::TotalRemU => by_zero("bvurem", zero),
        IntOp::TotalRemS => by_zero("bvsrem", zero),
        IntOp::TotalShl => shift("bvshl"),
        IntOp::TotalShrU => shift("bvlshr"),
        IntOp::TotalShrS => shift("bvashr"),
        IntOp::MinU => choose("bvult", a, b?),
        IntOp::MaxU => choose("bvult", b?, a),
        IntOp::MinS => choose("bvslt", a, b?),
        IntOp::MaxS => choose("bvslt", b?, a),
        IntOp::MulHighU => wide("zero_extend"),
        IntOp::MulHighS => wide("sign_extend"),
        IntOp::Carry => carry(),
        IntOp::AddSatU => {
            let all = literal(cx, cube_semantics::ints::mask(width), width);
            Some(cx.ite(cx.eq(carry()?, literal(cx, 1, 1)), all, binary("bvadd")?))
        }
        IntOp::SubSatU => Some(cx.ite(binary("bvult")?, zero, binary("bvsub")?)),
        IntOp::Abs => Some(cx.ite(call(cx, "bvslt", &[a, zero]), call(cx, "bvneg", &[a]), a)),
        IntOp::TrailingZeros if width > 1 => Some(first_of((0..width).collect())),
        IntOp::LeadingZeros if width > 1 => Some(first_of((0..width).rev().collect())),
        IntOp::CountOnes if width > 1 => Some((0..width).fold(zero, |sum, index| {
            call(cx, "bvadd", &[sum, indexed(cx, "zero_extend", &[width - 1], bit_of(index))])
        })),
        IntOp::ReverseBits if width > 1 => {
            Some((1..width).fold(bit_of(0), |bits, index| call(cx, "concat", &[bits, bit_of(index)])))
        }
        _ => None,
    }
}
