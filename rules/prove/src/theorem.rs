//! Theorems about integers: sums, products, quotients and remainders modulo `B`, where `B` is any power of two.
//! The equation `x = q * y + r` with `0 <= r < y` defines the quotient and the remainder. For rules with
//! products and quotients, z3 decides formulas about integers quickly, whereas formulas about bit-vectors
//! take too long.
use crate::smt::{Answer, TIME, WORK};
use cube_rules::{Instance, Op, Term};
use cube_semantics::{IntOp, IntPredicate, Number, ints::mask};
use easy_smt::{Context, ContextBuilder, Response, SExpr};
use std::collections::HashMap;

/// Proves that both sides of an instance are equal for every width of at least 8 bits.
pub fn check(instance: &Instance) -> Answer {
    // For some formulas, z3 needs the inequalities of [`order_multiples`]. For others, z3 is faster without them. Both
    // forms are tried.
    let mut why = String::new();
    for ordered in [false, true] {
        match solve(instance, ordered) {
            Ok(Some(Response::Unsat)) => return Answer::Proven,
            Ok(Some(_)) => why = "z3 finds no proof over the integers".into(),
            Ok(None) => return Answer::Unknown("an operation has no form for integers".into()),
            Err(error) => why = format!("z3 does not answer: {error}"),
        }
    }
    Answer::Unknown(why)
}

// The work limit of the attempt without these inequalities, in which z3 decides a formula quickly or not at all.
const REDUCED_WORK: &str = "rlimit=20000000";

/// The query for an instance, without the constants that depend on its width.
pub fn text(instance: &Instance) -> String {
    fn term_text(term: &Term) -> String {
        match term {
            Term::Variable(index) => format!("v{index}"),
            Term::Computed(inner) => term_text(inner),
            Term::Constant(bits, Number::Int(width)) if *width > 1 && *bits == mask(*width) => "most".into(),
            Term::Constant(bits, Number::Int(width)) if *width > 1 && *bits == mask(*width) >> 1 => "half".into(),
            Term::Constant(bits, Number::Int(1)) => format!("{bits}:1"),
            Term::Constant(bits, _) => bits.to_string(),
            Term::Apply { op, args, .. } => {
                format!("({} {})", op.name(), args.iter().map(term_text).collect::<Vec<_>>().join(" "))
            }
        }
    }
    let guard = instance.guard.as_ref().map(term_text);
    let kinds: Vec<bool> = instance.variables.iter().map(|v| v.ty == Number::Int(1)).collect();
    format!("{} {} {guard:?} {kinds:?}", term_text(&instance.pattern), term_text(&instance.replacement))
}

fn solve(instance: &Instance, ordered: bool) -> std::io::Result<Option<Response>> {
    let mut cx = ContextBuilder::new()
        .solver("z3")
        .solver_args(["-smt2", "-in", if ordered { WORK } else { REDUCED_WORK }, TIME])
        .build()?;
    let half = cx.declare_const("H", cx.int_sort())?;
    let base = call(&cx, "*", &[cx.numeral(2), half]);
    let enough = call(&cx, ">=", &[half, cx.numeral(128)]);
    cx.assert(enough)?;
    let mut theorem =
        Theorem { cx, half, base, variables: vec![], names: 0, witnesses: HashMap::new(), multiples: Vec::new() };
    for variable in &instance.variables {
        let top = if variable.ty == Number::Int(1) { theorem.cx.numeral(2) } else { base };
        let name = theorem.fresh(Some(top))?;
        theorem.variables.push(name);
    }
    if let Some(guard) = &instance.guard {
        let Some(guard) = theorem.term(guard)? else { return Ok(None) };
        let holds = theorem.is_one(guard);
        theorem.cx.assert(holds)?;
    }
    let (left, right) = (theorem.term(&instance.pattern)?, theorem.term(&instance.replacement)?);
    let (Some(left), Some(right)) = (left, right) else { return Ok(None) };
    if ordered {
        theorem.order_multiples()?;
    }
    let differ = theorem.cx.distinct(left, right);
    theorem.cx.assert(differ)?;
    theorem.cx.check().map(Some)
}

fn call(cx: &Context, name: &str, args: &[SExpr]) -> SExpr {
    cx.list([&[cx.atom(name)], args].concat())
}

struct Theorem {
    cx: Context,
    half: SExpr,
    base: SExpr,
    variables: Vec<SExpr>,
    names: u32,
    /// Maps an operation and its two operands to the result and the quotient.
    witnesses: HashMap<(IntOp, SExpr, SExpr), (SExpr, SExpr)>,
    /// Each pair consists of a quotient by a divisor `d`, and of the factor `f` of a product `d * f`.
    multiples: Vec<(SExpr, SExpr)>,
}

impl Theorem {
    // A new number of at least 0. If `below` is given, it is the exclusive upper bound of the number.
    fn fresh(&mut self, below: Option<SExpr>) -> std::io::Result<SExpr> {
        let name = format!("n{}", self.names);
        self.names += 1;
        let number = self.cx.declare_const(name, self.cx.int_sort())?;
        let positive = call(&self.cx, ">=", &[number, self.cx.numeral(0)]);
        self.cx.assert(positive)?;
        if let Some(limit) = below {
            let below = call(&self.cx, "<", &[number, limit]);
            self.cx.assert(below)?;
        }
        Ok(number)
    }

    fn is_one(&self, term: SExpr) -> SExpr {
        self.cx.eq(term, self.cx.numeral(1))
    }

    fn bit(&self, condition: SExpr) -> SExpr {
        self.cx.ite(condition, self.cx.numeral(1), self.cx.numeral(0))
    }

    fn term(&mut self, term: &Term) -> std::io::Result<Option<SExpr>> {
        Ok(match term {
            Term::Variable(index) => Some(self.variables[*index]),
            Term::Computed(inner) => self.term(inner)?,
            Term::Constant(bits, Number::Int(1)) => Some(self.cx.numeral(*bits)),
            Term::Constant(bits, Number::Int(_)) if *bits < 128 => Some(self.cx.numeral(*bits)),
            Term::Constant(bits, Number::Int(width)) if *bits == mask(*width) => {
                Some(call(&self.cx, "-", &[self.base, self.cx.numeral(1)]))
            }
            Term::Constant(bits, Number::Int(width)) if *bits == mask(*width) >> 1 => {
                Some(call(&self.cx, "-", &[self.half, self.cx.numeral(1)]))
            }
            Term::Constant(..) => None,
            Term::Apply { op, from, args, .. } => {
                let mut numbers = Vec::new();
                for arg in args {
                    let Some(number) = self.term(arg)? else { return Ok(None) };
                    numbers.push(number);
                }
                self.operation(*op, *from, &numbers)?
            }
        })
    }

    fn operation(&mut self, op: Op, from: Number, args: &[SExpr]) -> std::io::Result<Option<SExpr>> {
        Ok(match (op, args) {
            (Op::Int(op), [a, b]) if from == Number::Int(1) => {
                let (x, y) = (self.is_one(*a), self.is_one(*b));
                let name = match op {
                    IntOp::And => "and",
                    IntOp::Or => "or",
                    IntOp::Xor => "distinct",
                    _ => return Ok(None),
                };
                Some(self.bit(call(&self.cx, name, &[x, y])))
            }
            (Op::Int(op), [a, b]) => self.integer(op, *a, *b)?,
            (Op::CompareInts(predicate), [a, b]) => {
                use IntPredicate as P;
                let name = match predicate {
                    P::Eq => "=",
                    P::Ne => "distinct",
                    P::Ult => "<",
                    P::Ule => "<=",
                    P::Ugt => ">",
                    P::Uge => ">=",
                    P::Slt | P::Sle | P::Sgt | P::Sge => return Ok(None),
                };
                Some(self.bit(call(&self.cx, name, &[*a, *b])))
            }
            (Op::Splat, [a]) => Some(*a),
            (Op::Select, [c, a, b]) => Some(self.cx.ite(self.is_one(*c), *a, *b)),
            _ => None,
        })
    }

    fn integer(&mut self, op: IntOp, a: SExpr, b: SExpr) -> std::io::Result<Option<SExpr>> {
        let below = call(&self.cx, "<", &[a, b]);
        Ok(match op {
            IntOp::Add => Some(self.witness(IntOp::Add, a, b)?.0),
            IntOp::Carry => Some(self.witness(IntOp::Add, a, b)?.1),
            IntOp::Sub => Some(self.witness(IntOp::Sub, a, b)?.0),
            IntOp::Mul => Some(self.witness(IntOp::Mul, a, b)?.0),
            IntOp::MulHighU => Some(self.witness(IntOp::Mul, a, b)?.1),
            IntOp::TotalRemU => Some(self.witness(IntOp::TotalDivU, a, b)?.0),
            IntOp::TotalDivU => Some(self.witness(IntOp::TotalDivU, a, b)?.1),
            IntOp::MinU => Some(self.cx.ite(below, a, b)),
            IntOp::MaxU => Some(self.cx.ite(below, b, a)),
            _ => None,
        })
    }

    // Remainder and quotient of a sum, a difference or a product by the base, or of one number by another.
    fn witness(&mut self, op: IntOp, a: SExpr, b: SExpr) -> std::io::Result<(SExpr, SExpr)> {
        if let Some(known) = self.witnesses.get(&(op, a, b)) {
            return Ok(*known);
        }
        let (rest, quotient) = (self.fresh(None)?, self.fresh(None)?);
        match op {
            IntOp::Mul => self.multiples.extend([(b, a), (a, b)]),
            IntOp::TotalDivU => self.multiples.push((b, quotient)),
            _ => {}
        }
        let (base, zero) = (self.base, self.cx.numeral(0));
        let cx = &self.cx;
        let whole = |sum: SExpr, by: SExpr| {
            let product = call(cx, "*", &[quotient, by]);
            let exact = cx.eq(sum, call(cx, "+", &[product, rest]));
            call(cx, "and", &[exact, call(cx, "<", &[rest, by])])
        };
        let facts = match op {
            IntOp::Add => whole(call(cx, "+", &[a, b]), base),
            IntOp::Mul => whole(call(cx, "*", &[a, b]), base),
            // a + B - b, whose quotient is 1 if the difference has no borrow.
            IntOp::Sub => whole(call(cx, "-", &[call(cx, "+", &[a, base]), b]), base),
            _ => {
                let none = call(cx, "and", &[cx.eq(quotient, a), cx.eq(rest, zero)]);
                cx.ite(cx.eq(b, zero), none, whole(a, b))
            }
        };
        self.cx.assert(facts)?;
        self.witnesses.insert((op, a, b), (rest, quotient));
        Ok((rest, quotient))
    }

    // Asserts that multiples of a number `b >= 0` are ordered like their factors: for m < n, m b + b <= n b. z3 does
    // not derive this fact. The assertions cover, for each b, each pair of factors, and each factor with each sum of
    // two other factors.
    fn order_multiples(&mut self) -> std::io::Result<()> {
        let cx = &mut self.cx;
        for (place, (number, one)) in self.multiples.iter().enumerate() {
            let others: Vec<SExpr> =
                self.multiples.iter().filter(|(b, q)| b == number && q != one).map(|m| m.1).collect();
            if self.multiples[..place].iter().filter(|(b, _)| b == number).count() > 4 {
                continue;
            }
            let mut all = others.clone();
            for (first, a) in others.iter().enumerate() {
                all.extend(others[first + 1..].iter().map(|b| call(cx, "+", &[*a, *b])));
            }
            for other in all {
                for [less, more] in [[*one, other], [other, *one]] {
                    let times = |q: SExpr| call(cx, "*", &[q, *number]);
                    let below = call(cx, "<=", &[call(cx, "+", &[times(less), *number]), times(more)]);
                    let ordered = call(cx, "=>", &[call(cx, "<", &[less, more]), below]);
                    cx.assert(ordered)?;
                }
            }
        }
        Ok(())
    }
}
