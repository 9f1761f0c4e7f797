//! Sums, differences and products as polynomials with integer coefficients. Equal polynomials are equal in every
//! commutative ring, and therefore in the integers modulo 2^n for every n.
use cube_rules::{Instance, Op, Term};
use cube_semantics::{IntOp, IntPredicate, Number, ints::signed};
use std::collections::BTreeMap;

/// Each key is a product, as the ordered list of its variables. The value of a key is the coefficient of the
/// product.
type Polynomial = BTreeMap<Vec<usize>, i128>;

// Maximum number of terms of one polynomial.
const MAX_TERMS: usize = 256;

/// Whether both sides of the instance are equal polynomials. A signed quotient is a variable of the polynomials. A
/// signed remainder is `x - x / y * y`, if the guard states that `y` is not 0: this is the definition of the remainder
/// for integers, and it also holds modulo 2^n. The comparison uses no other part of the guard.
pub fn is_identity(instance: &Instance) -> bool {
    let mut ring = Ring { instance, quotients: Vec::new() };
    match (ring.polynomial(&instance.pattern), ring.polynomial(&instance.replacement)) {
        (Some(left), Some(right)) => left == right,
        _ => false,
    }
}

struct Ring<'i> {
    instance: &'i Instance,
    /// The operands of the quotients. The variable of a quotient has a number above those of the instance.
    quotients: Vec<&'i [Term]>,
}

impl<'i> Ring<'i> {
    fn polynomial(&mut self, term: &'i Term) -> Option<Polynomial> {
        match term {
            Term::Variable(index) => Some(Polynomial::from([(vec![*index], 1)])),
            // A constant has the width of its type. Only a small constant is the same number in every width.
            Term::Constant(bits, Number::Int(width)) => {
                let number = i128::from(signed(*bits, *width));
                (number.abs() < 64).then(|| clean(Polynomial::from([(vec![], number)])))
            }
            Term::Constant(..) => None,
            Term::Computed(inner) => self.polynomial(inner),
            Term::Apply { op: Op::Int(IntOp::TotalDivS), args, .. } => Some(self.quotient(args)),
            Term::Apply { op: Op::Int(IntOp::TotalRemS), args, .. } => {
                let [x, y] = args.as_slice() else { return None };
                if !is_nonzero(self.instance.guard.as_ref()?, y) {
                    return None;
                }
                let (x, y) = (self.polynomial(x)?, self.polynomial(y)?);
                sum(x, &product(&self.quotient(args), &y)?, -1)
            }
            Term::Apply { op: Op::Int(op), args, .. } => {
                let [a, b] = args.as_slice() else { return None };
                let (a, b) = (self.polynomial(a)?, self.polynomial(b)?);
                match op {
                    IntOp::Add => sum(a, &b, 1),
                    IntOp::Sub => sum(a, &b, -1),
                    IntOp::Mul => product(&a, &b),
                    _ => None,
                }
            }
            // Each element of a vector satisfies the same equation.
            Term::Apply { op: Op::Splat, args, .. } => self.polynomial(args.first()?),
            Term::Apply { .. } => None,
        }
    }

    fn quotient(&mut self, operands: &'i [Term]) -> Polynomial {
        let known = self.quotients.iter().position(|known| *known == operands);
        let place = known.unwrap_or_else(|| {
            self.quotients.push(operands);
            self.quotients.len() - 1
        });
        Polynomial::from([(vec![self.instance.variables.len() + place], 1)])
    }
}

// Whether a guard, or a part of its conjunction, states that a term is not 0.
fn is_nonzero(guard: &Term, term: &Term) -> bool {
    let Term::Apply { op, args, .. } = guard else { return false };
    match (op, args.as_slice()) {
        (Op::Int(IntOp::And), parts) => parts.iter().any(|part| is_nonzero(part, term)),
        (Op::CompareInts(IntPredicate::Ne), [own, Term::Constant(0, _)]) => own == term,
        _ => false,
    }
}

fn clean(mut all: Polynomial) -> Polynomial {
    all.retain(|_, coefficient| *coefficient != 0);
    all
}

fn sum(mut a: Polynomial, b: &Polynomial, sign: i128) -> Option<Polynomial> {
    for (variables, coefficient) in b {
        let place = a.entry(variables.clone()).or_default();
        *place = place.checked_add(coefficient.checked_mul(sign)?)?;
    }
    Some(clean(a))
}

fn product(a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
    let mut all = Polynomial::new();
    for (x, m) in a {
        for (y, n) in b {
            let mut variables = [x.as_slice(), y.as_slice()].concat();
            variables.sort_unstable();
            let place = all.entry(variables).or_default();
            *place = place.checked_add(m.checked_mul(*n)?)?;
        }
    }
    (all.len() <= MAX_TERMS).then(|| clean(all))
}
