//! Queries about floats in SMT-LIB, which z3 decides. A float is a bit-vector, because z3's theory of floats has only
//! one NaN. Negation, absolute value and `copysign` change a bit. All other operations use the theory of floats.
use crate::integers::counterexample;
use crate::smt::{self, Answer, TIME, WORK, bit, call, literal};
use cube_rules::{Flags, Instance, Op, Term};
use cube_semantics::{Conversion, FloatOp, FloatPredicate, Number};
use easy_smt::{Context, ContextBuilder, Response, SExpr};

// Maximum work for f32 and f64, in which a product of two operands is often too difficult.
const REDUCED_WORK: &str = "rlimit=6000000";

/// Asks z3 whether both sides of an instance are equal for all values. `flags` contains only `nnan`, `ninf` and `nsz`.
///
/// # Errors
/// A counterexample that Cube's semantics confirm, or a case in which the semantics and the translation to
/// SMT-LIB differ.
pub fn check(instance: &Instance, flags: Flags) -> Result<Answer, String> {
    match solve(instance, flags) {
        Err(error) => Ok(Answer::Unknown(format!("z3 does not answer: {error}"))),
        Ok(None) => Ok(Answer::Unknown("an operation has no translation to SMT-LIB".into())),
        Ok(Some((Response::Unsat, _))) => Ok(Answer::Proven),
        Ok(Some((Response::Unknown, _))) => Ok(Answer::Unknown("z3 needs more work".into())),
        Ok(Some((Response::Sat, values))) => {
            crate::floats::compare(instance, flags, &values).map_err(|what| format!("{what} (by z3)"))?;
            let (left, right) = (instance.pattern.value(&values), instance.replacement.value(&values));
            Err(format!("z3 and the semantics disagree: {}", counterexample(instance, &values, left, right)))
        }
    }
}

fn solve(instance: &Instance, flags: Flags) -> std::io::Result<Option<(Response, Vec<u64>)>> {
    let is_narrow = instance.types[0].bits() <= 16;
    let work = if is_narrow { WORK } else { REDUCED_WORK };
    let mut cx = ContextBuilder::new().solver("z3").solver_args(["-smt2", "-in", work, TIME]).build()?;
    cx.set_logic("QF_BVFP")?;
    let mut names = Vec::new();
    for (index, variable) in instance.variables.iter().enumerate() {
        let sort = cx.bit_vec_sort(cx.numeral(variable.ty.bits()));
        names.push(cx.declare_const(format!("v{index}"), sort)?);
    }
    let mut sides = [&instance.pattern, &instance.replacement].map(|side| {
        let mut encoder = Encoder { cx: &cx, names: &names, flags, poison: Vec::new(), is_optional: false };
        encoder.term(side).map(|value| (value, encoder.poison))
    });
    let [Some((left, before)), Some((right, after))] = sides.each_mut().map(Option::take) else { return Ok(None) };
    if let Some(guard) = &instance.guard {
        let mut encoder =
            Encoder { cx: &cx, names: &names, flags: Flags::NONE, poison: Vec::new(), is_optional: false };
        let Some(guard) = encoder.term(guard) else { return Ok(None) };
        let holds = cx.eq(guard, literal(&cx, 1, 1));
        cx.assert(holds)?;
    }
    let Some(equal) = equality(&cx, instance, left, right, flags) else { return Ok(None) };
    let target_is_wrong = any(&cx, &[after.as_slice(), &[call(&cx, "not", &[equal])]].concat());
    let refuted = call(&cx, "and", &[call(&cx, "not", &[any(&cx, &before)]), target_is_wrong]);
    cx.assert(refuted)?;
    let response = cx.check()?;
    let mut values = Vec::new();
    if response == Response::Sat && !names.is_empty() {
        for (_, value) in cx.get_value(names.clone())? {
            values.push(smt::number(&cx, value));
        }
    }
    Ok(Some((response, values)))
}

fn any(cx: &Context, conditions: &[SExpr]) -> SExpr {
    conditions.iter().fold(cx.atom("false"), |all, one| call(cx, "or", &[all, *one]))
}

// Equal bits, two NaNs, or two zeros if their sign has no meaning.
fn equality(cx: &Context, instance: &Instance, left: SExpr, right: SExpr, flags: Flags) -> Option<SExpr> {
    let same = cx.eq(left, right);
    let Term::Apply { to, .. } = &instance.pattern else { return None };
    if !to.is_float() {
        return Some(same);
    }
    let both = |test: &str| Some(call(cx, "and", &[class(cx, test, left, *to)?, class(cx, test, right, *to)?]));
    let mut equal = call(cx, "or", &[same, both("fp.isNaN")?]);
    if flags.has(Flags::NSZ) {
        equal = call(cx, "or", &[equal, both("fp.isZero")?]);
    }
    Some(equal)
}

// The number of bits of the exponent and of the significand with its hidden bit.
fn format(ty: Number) -> Option<[u32; 2]> {
    match ty {
        Number::F16 => Some([5, 11]),
        Number::BF16 => Some([8, 8]),
        Number::F32 => Some([8, 24]),
        Number::F64 => Some([11, 53]),
        _ => None,
    }
}

fn to_fp(cx: &Context, ty: Number, args: &[SExpr]) -> Option<SExpr> {
    let [exponent, significand] = format(ty)?.map(|bits| cx.atom(bits.to_string()));
    let head = cx.list(vec![cx.atom("_"), cx.atom("to_fp"), exponent, significand]);
    Some(cx.list([&[head], args].concat()))
}

fn class(cx: &Context, test: &str, bits: SExpr, ty: Number) -> Option<SExpr> {
    Some(call(cx, test, &[to_fp(cx, ty, &[bits])?]))
}

struct Encoder<'c> {
    cx: &'c Context,
    names: &'c [SExpr],
    flags: Flags,
    /// The conditions under which the flags make the term poison.
    poison: Vec<SExpr>,
    /// Whether the term is an arm of a select, whose poison counts only if the arm is selected.
    is_optional: bool,
}

impl Encoder<'_> {
    // The bits of a term.
    fn term(&mut self, term: &Term) -> Option<SExpr> {
        match term {
            Term::Variable(index) => Some(self.names[*index]),
            Term::Constant(bits, ty) => Some(literal(self.cx, *bits, ty.bits())),
            Term::Computed(inner) => self.term(inner),
            Term::Apply { op, from, to, args } => {
                self.is_optional |= *op == Op::Select && self.flags != Flags::NONE;
                let args = args.iter().map(|arg| self.term(arg)).collect::<Option<Vec<_>>>()?;
                let result = match op {
                    Op::Float(op) => self.float(*op, *from, &args)?,
                    Op::CompareFloats(predicate) => self.compare(*predicate, *from, &args)?,
                    Op::Convert(Conversion::Float) => self.convert(*from, *to, &args)?,
                    _ => smt::operation(self.cx, *op, *from, *to, &args)?,
                };
                if op.has_fast_math_flags() {
                    if self.is_optional {
                        return None;
                    }
                    for (flag, test) in [(Flags::NNAN, "fp.isNaN"), (Flags::NINF, "fp.isInfinite")] {
                        if self.flags.has(flag) {
                            for (bits, ty) in args.iter().map(|arg| (*arg, *from)).chain([(result, *to)]) {
                                self.poison.push(class(self.cx, test, bits, ty)?);
                            }
                        }
                    }
                }
                Some(result)
            }
        }
    }

    fn convert(&self, from: Number, to: Number, args: &[SExpr]) -> Option<SExpr> {
        let number = to_fp(self.cx, from, &[*args.first()?])?;
        let result = to_fp(self.cx, to, &[self.cx.atom("RNE"), number])?;
        Some(call(self.cx, "fp.to_ieee_bv", &[result]))
    }

    fn compare(&self, predicate: FloatPredicate, ty: Number, args: &[SExpr]) -> Option<SExpr> {
        use FloatPredicate as P;
        let [a, b] = [to_fp(self.cx, ty, &[*args.first()?])?, to_fp(self.cx, ty, &[*args.get(1)?])?];
        let test = |name: &str| call(self.cx, name, &[a, b]);
        let unordered = any(self.cx, &[call(self.cx, "fp.isNaN", &[a]), call(self.cx, "fp.isNaN", &[b])]);
        let not = |condition: SExpr| call(self.cx, "not", &[condition]);
        let or = |condition: SExpr| any(self.cx, &[unordered, condition]);
        let condition = match predicate {
            P::False => self.cx.atom("false"),
            P::True => self.cx.atom("true"),
            P::Oeq => test("fp.eq"),
            P::Ogt => test("fp.gt"),
            P::Oge => test("fp.geq"),
            P::Olt => test("fp.lt"),
            P::Ole => test("fp.leq"),
            P::One => not(or(test("fp.eq"))),
            P::Ord => not(unordered),
            P::Ueq => or(test("fp.eq")),
            P::Ugt => or(test("fp.gt")),
            P::Uge => or(test("fp.geq")),
            P::Ult => or(test("fp.lt")),
            P::Ule => or(test("fp.leq")),
            P::Une => not(test("fp.eq")),
            P::Uno => unordered,
        };
        Some(bit(self.cx, condition))
    }

    fn float(&self, op: FloatOp, ty: Number, args: &[SExpr]) -> Option<SExpr> {
        use FloatOp as F;
        let (cx, width) = (self.cx, ty.bits());
        let sign = literal(cx, 1 << (width - 1), width);
        let rest = literal(cx, (1 << (width - 1)) - 1, width);
        let numbers = args.iter().map(|arg| to_fp(cx, ty, &[*arg])).collect::<Option<Vec<_>>>()?;
        let rounded = |name: &str, mode: &str| {
            let all = [&[cx.atom(mode)], numbers.as_slice()].concat();
            Some(call(cx, "fp.to_ieee_bv", &[call(cx, name, &all)]))
        };
        let integral = |mode: &str| rounded("fp.roundToIntegral", mode);
        let is = |test: &str| Some(bit(cx, call(cx, test, &[*numbers.first()?])));
        match (op, args) {
            (F::Add, _) => rounded("fp.add", "RNE"),
            (F::Sub, _) => rounded("fp.sub", "RNE"),
            (F::Mul, _) => rounded("fp.mul", "RNE"),
            (F::Div, _) => rounded("fp.div", "RNE"),
            (F::Fma, _) => rounded("fp.fma", "RNE"),
            (F::Sqrt, _) => rounded("fp.sqrt", "RNE"),
            (F::Floor, _) => integral("RTN"),
            (F::Ceil, _) => integral("RTP"),
            (F::Trunc, _) => integral("RTZ"),
            (F::Round, _) => integral("RNA"),
            (F::RoundEven, _) => integral("RNE"),
            (F::Neg, [a]) => Some(call(cx, "bvxor", &[*a, sign])),
            (F::Abs, [a]) => Some(call(cx, "bvand", &[*a, rest])),
            (F::CopySign, [a, b]) => {
                let parts = [call(cx, "bvand", &[*a, rest]), call(cx, "bvand", &[*b, sign])];
                Some(call(cx, "bvor", &parts))
            }
            (F::IsNan, _) => is("fp.isNaN"),
            (F::IsInf, _) => is("fp.isInfinite"),
            (F::IsNormal, _) => is("fp.isNormal"),
            (F::Maximum | F::Minimum | F::MaxNum | F::MinNum, [a, b]) => {
                let is_nan = |number: SExpr| call(cx, "fp.isNaN", &[number]);
                let (x, y) = (numbers[0], numbers[1]);
                // Numbers that compare equal have the same bits, or are zeros: -0 is less than 0.
                let (test, zeros) =
                    if matches!(op, F::Maximum | F::MaxNum) { ("fp.gt", "bvand") } else { ("fp.lt", "bvor") };
                let equal = call(cx, zeros, &[*a, *b]);
                let chosen = cx.ite(call(cx, test, &[y, x]), *b, equal);
                let chosen = cx.ite(call(cx, test, &[x, y]), *a, chosen);
                Some(if matches!(op, F::Maximum | F::Minimum) {
                    cx.ite(is_nan(x), *a, cx.ite(is_nan(y), *b, chosen))
                } else {
                    cx.ite(is_nan(x), *b, cx.ite(is_nan(y), *a, chosen))
                })
            }
            _ => None,
        }
    }
}
