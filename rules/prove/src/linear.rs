//! Queries about integers of one width whose products, quotients and shifts have a constant operand. z3 decides these
//! queries as linear equations between integers, because bit-vector queries of 32 or 64 bits take too long. An example
//! of such a query is a division by a magic number.
use crate::integers::counterexample;
use crate::smt::{Answer, TIME, WORK, call};
use cube_rules::{Instance, Op, Term};
use cube_semantics::{Conversion, IntOp, IntPredicate, ints};
use easy_smt::{Context, ContextBuilder, Response, SExpr};

/// Whether a side of the instance has the upper half of a product by a constant. Bit-vectors or theorems decide the
/// other instances.
pub fn applies(instance: &Instance) -> bool {
    fn has_high(term: &Term) -> bool {
        match term {
            Term::Apply { op, args, .. } => {
                let is_high = matches!(op, Op::Int(IntOp::MulHighU | IntOp::MulHighS));
                is_high && args.iter().any(|arg| constant(arg).is_some()) || args.iter().any(has_high)
            }
            _ => false,
        }
    }
    has_high(&instance.pattern) || has_high(&instance.replacement)
}

// The value of a term without variables.
fn constant(term: &Term) -> Option<u64> {
    term.value(&[])
}

/// Asks z3 whether an instance is correct.
///
/// # Errors
/// A counterexample that Cube's semantics confirm, or a case in which the semantics and the equations differ.
pub fn check(instance: &Instance) -> Result<Answer, String> {
    match solve(instance) {
        Err(error) => Ok(Answer::Unknown(format!("z3 does not answer: {error}"))),
        Ok(None) => Ok(Answer::Unknown("an operation has no linear form".into())),
        Ok(Some((Response::Unsat, _))) => Ok(Answer::Proven),
        Ok(Some((Response::Unknown, _))) => Ok(Answer::Unknown(format!("z3 needs more work than {WORK}"))),
        Ok(Some((Response::Sat, values))) => {
            let (left, right) = (instance.pattern.value(&values), instance.replacement.value(&values));
            let what = counterexample(instance, &values, left, right);
            Err(match left == right {
                true => format!("z3 and the semantics disagree: {what}"),
                false => format!("{what} (by z3)"),
            })
        }
    }
}

fn solve(instance: &Instance) -> std::io::Result<Option<(Response, Vec<u64>)>> {
    let cx = ContextBuilder::new().solver("z3").solver_args(["-smt2", "-in", WORK, TIME]).build()?;
    let mut linear = Linear { cx, variables: Vec::new(), names: 0 };
    for variable in &instance.variables {
        let name = linear.below(1 << variable.ty.bits())?;
        linear.variables.push(name);
    }
    if let Some(guard) = &instance.guard {
        let Some(guard) = linear.term(guard)? else { return Ok(None) };
        let holds = linear.is_one(guard);
        linear.cx.assert(holds)?;
    }
    let sides = [linear.term(&instance.pattern)?, linear.term(&instance.replacement)?];
    let [Some(left), Some(right)] = sides else { return Ok(None) };
    let differ = linear.cx.distinct(left, right);
    linear.cx.assert(differ)?;
    let response = linear.cx.check()?;
    let mut values = Vec::new();
    if response == Response::Sat && !linear.variables.is_empty() {
        for (_, value) in linear.cx.get_value(linear.variables.clone())? {
            values.push(linear.cx.display(value).to_string().parse().unwrap_or(0));
        }
    }
    Ok(Some((response, values)))
}

struct Linear {
    cx: Context,
    variables: Vec<SExpr>,
    names: u32,
}

impl Linear {
    fn fresh(&mut self) -> std::io::Result<SExpr> {
        let name = format!("n{}", self.names);
        self.names += 1;
        self.cx.declare_const(name, self.cx.int_sort())
    }

    // A new number of at least 0, below `limit`.
    fn below(&mut self, limit: i128) -> std::io::Result<SExpr> {
        let number = self.fresh()?;
        let range = call(&self.cx, "<=", &[self.number(0), number, self.number(limit - 1)]);
        self.cx.assert(range)?;
        Ok(number)
    }

    fn number(&self, value: i128) -> SExpr {
        let size = self.cx.atom(value.unsigned_abs().to_string());
        if value < 0 { call(&self.cx, "-", &[size]) } else { size }
    }

    fn is_one(&self, term: SExpr) -> SExpr {
        self.cx.eq(term, self.number(1))
    }

    fn bit(&self, condition: SExpr) -> SExpr {
        self.cx.ite(condition, self.number(1), self.number(0))
    }

    // The quotient, rounded down, and the remainder of a number by a positive constant.
    fn divided(&mut self, number: SExpr, by: i128) -> std::io::Result<(SExpr, SExpr)> {
        let (quotient, rest) = (self.fresh()?, self.below(by)?);
        let product = call(&self.cx, "*", &[self.number(by), quotient]);
        let exact = self.cx.eq(number, call(&self.cx, "+", &[product, rest]));
        self.cx.assert(exact)?;
        Ok((quotient, rest))
    }

    // The signed number of a bit pattern.
    fn signed(&self, pattern: SExpr, bits: u32) -> SExpr {
        let is_positive = call(&self.cx, "<", &[pattern, self.number(1 << (bits - 1))]);
        self.cx.ite(is_positive, pattern, call(&self.cx, "-", &[pattern, self.number(1 << bits)]))
    }

    // The bit pattern of a number from -2^bits to 2^bits - 1.
    fn pattern(&self, number: SExpr, bits: u32) -> SExpr {
        let is_negative = call(&self.cx, "<", &[number, self.number(0)]);
        self.cx.ite(is_negative, call(&self.cx, "+", &[number, self.number(1 << bits)]), number)
    }

    fn term(&mut self, term: &Term) -> std::io::Result<Option<SExpr>> {
        if let Some(value) = constant(term) {
            return Ok(Some(self.number(value.into())));
        }
        let (op, from, to, args) = match term {
            Term::Variable(index) => return Ok(Some(self.variables[*index])),
            Term::Computed(inner) => return self.term(inner),
            Term::Constant(..) => return Ok(None),
            Term::Apply { op, from, to, args } => (*op, from.bits(), to.bits(), args),
        };
        let mut numbers = Vec::new();
        for arg in args {
            let Some(number) = self.term(arg)? else { return Ok(None) };
            numbers.push(number);
        }
        match (op, numbers.as_slice()) {
            (Op::Int(op), [a, b]) => {
                let constants = [constant(&args[0]), constant(&args[1])];
                if from == 1 { Ok(self.logic(op, *a, *b)) } else { self.integer(op, from, [*a, *b], constants) }
            }
            (Op::CompareInts(predicate), [a, b]) => {
                use IntPredicate as P;
                let name = match predicate {
                    P::Eq => "=",
                    P::Ne => "distinct",
                    P::Ult | P::Slt => "<",
                    P::Ule | P::Sle => "<=",
                    P::Ugt | P::Sgt => ">",
                    P::Uge | P::Sge => ">=",
                };
                let is_signed = matches!(predicate, P::Slt | P::Sle | P::Sgt | P::Sge);
                let [a, b] = [*a, *b].map(|side| if is_signed { self.signed(side, from) } else { side });
                Ok(Some(self.bit(call(&self.cx, name, &[a, b]))))
            }
            (Op::Splat, [a]) => Ok(Some(*a)),
            (Op::Select, [c, a, b]) => Ok(Some(self.cx.ite(self.is_one(*c), *a, *b))),
            (Op::Convert(Conversion::ZeroExtend), [a]) => Ok(Some(*a)),
            (Op::Convert(Conversion::SignExtend), [a]) => Ok(Some(self.pattern(self.signed(*a, from), to))),
            (Op::Convert(Conversion::Truncate), [a]) => Ok(Some(self.divided(*a, 1 << to)?.1)),
            _ => Ok(None),
        }
    }

    fn logic(&self, op: IntOp, a: SExpr, b: SExpr) -> Option<SExpr> {
        let name = match op {
            IntOp::And => "and",
            IntOp::Or => "or",
            IntOp::Xor => "xor",
            _ => return None,
        };
        Some(self.bit(call(&self.cx, name, &[self.is_one(a), self.is_one(b)])))
    }

    fn integer(
        &mut self,
        op: IntOp,
        bits: u32,
        [a, b]: [SExpr; 2],
        constants: [Option<u64>; 2],
    ) -> std::io::Result<Option<SExpr>> {
        let base = 1i128 << bits;
        let sum = |linear: &Linear, a: SExpr, b: SExpr| call(&linear.cx, "+", &[a, b]);
        // For a product: the constant, and the other factor.
        let factors = match constants {
            [_, Some(number)] => Some((number, a)),
            [Some(number), _] => Some((number, b)),
            _ => None,
        };
        let amount = constants[1].map(|amount| amount % u64::from(bits));
        Ok(match op {
            IntOp::Add => Some(self.divided(sum(self, a, b), base)?.1),
            IntOp::Carry => {
                let carries = call(&self.cx, ">=", &[sum(self, a, b), self.number(base)]);
                Some(self.bit(carries))
            }
            IntOp::Sub => {
                let difference = call(&self.cx, "-", &[a, b]);
                Some(self.divided(difference, base)?.1)
            }
            IntOp::Mul | IntOp::MulHighU => match factors {
                None => None,
                Some((number, other)) => {
                    let product = call(&self.cx, "*", &[self.number(number.into()), other]);
                    let (high, low) = self.divided(product, base)?;
                    Some(if op == IntOp::Mul { low } else { high })
                }
            },
            IntOp::MulHighS => match factors {
                None => None,
                Some((number, other)) => {
                    let number = self.number(ints::signed(number, bits).into());
                    let product = call(&self.cx, "*", &[number, self.signed(other, bits)]);
                    let high = self.divided(product, base)?.0;
                    Some(self.pattern(high, bits))
                }
            },
            IntOp::TotalDivU | IntOp::TotalRemU => match constants[1] {
                None => None,
                Some(0) => Some(if op == IntOp::TotalDivU { a } else { self.number(0) }),
                Some(number) => {
                    let (quotient, rest) = self.divided(a, number.into())?;
                    Some(if op == IntOp::TotalDivU { quotient } else { rest })
                }
            },
            IntOp::TotalDivS | IntOp::TotalRemS => match constants[1] {
                None => None,
                Some(0) => Some(if op == IntOp::TotalDivS { a } else { self.number(0) }),
                Some(number) => {
                    let (number, x) = (ints::signed(number, bits), self.signed(a, bits));
                    let is_negative = call(&self.cx, "<", &[x, self.number(0)]);
                    let size = self.cx.ite(is_negative, call(&self.cx, "-", &[x]), x);
                    let (quotient, rest) = self.divided(size, number.unsigned_abs().into())?;
                    let minus = |linear: &Linear, number: SExpr| call(&linear.cx, "-", &[number]);
                    let value = match (op, number < 0) {
                        (IntOp::TotalRemS, _) => self.cx.ite(is_negative, minus(self, rest), rest),
                        (_, false) => self.cx.ite(is_negative, minus(self, quotient), quotient),
                        (_, true) => self.cx.ite(is_negative, quotient, minus(self, quotient)),
                    };
                    Some(self.pattern(value, bits))
                }
            },
            IntOp::TotalShl => match amount {
                None => None,
                Some(amount) => {
                    let product = call(&self.cx, "*", &[self.number(1 << amount), a]);
                    Some(self.divided(product, base)?.1)
                }
            },
            IntOp::TotalShrU => match amount {
                None => None,
                Some(amount) => Some(self.divided(a, 1 << amount)?.0),
            },
            IntOp::TotalShrS => match amount {
                None => None,
                Some(amount) => {
                    let quotient = self.divided(self.signed(a, bits), 1 << amount)?.0;
                    Some(self.pattern(quotient, bits))
                }
            },
            // The lowest bits.
            IntOp::And => match factors.filter(|(number, _)| (number & number.wrapping_add(1)) == 0) {
                None => None,
                Some((number, other)) => Some(self.divided(other, i128::from(number) + 1)?.1),
            },
            // The complement.
            IntOp::Xor => match factors.filter(|(number, _)| i128::from(*number) == base - 1) {
                None => None,
                Some((_, other)) => Some(call(&self.cx, "-", &[self.number(base - 1), other])),
            },
            IntOp::MinU | IntOp::MaxU => {
                let less = call(&self.cx, if op == IntOp::MinU { "<" } else { ">=" }, &[a, b]);
                Some(self.cx.ite(less, a, b))
            }
            _ => None,
        })
    }
}
