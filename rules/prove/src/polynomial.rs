//! Sums, differences and products as polynomials with integer coefficients. Equal polynomials are equal in every
//! commutative ring, and therefore in the integers modulo 2^n for every n.
use cube_rules::{Instance, Op, Term};
use cube_semantics::{IntOp, Number, ints::signed};
use std::collections::BTreeMap;

/// Each key is a product, as the ordered list of its variables. The value of a key is the coefficient of the
/// product.
type Polynomial = BTreeMap<Vec<usize>, i128>;

// Maximum number of terms of one polynomial.
const MAX_TERMS: usize = 256;

/// Whether both sides of the instance are equal polynomials. If the polynomials are equal, the sides are
/// equal even without the guard.
pub fn is_identity(instance: &Instance) -> bool {
    match (polynomial(&instance.pattern), polynomial(&instance.replacement)) {
        (Some(left), Some(right)) => left == right,
        _ => false,
    }
}

fn polynomial(term: &Term) -> Option<Polynomial> {
    match term {
        Term::Variable(index) => Some(Polynomial::from([(vec![*index], 1)])),
        // A constant has the width of its type. Only small constants are the same number in every width.
        Term::Constant(bits, Number::Int(width)) => {
            let number = i128::from(signed(*bits, *width));
            (number.abs() < 64).then(|| clean(Polynomial::from([(vec![], number)])))
        }
        Term::Constant(..) => None,
        Term::Computed(inner) => polynomial(inner),
        Term::Apply { op: Op::Int(op), args, .. } => {
            let [a, b] = args.as_slice() else { return None };
            let (a, b) = (polynomial(a)?, polynomial(b)?);
            match op {
                IntOp::Add => sum(a, &b, 1),
                IntOp::Sub => sum(a, &b, -1),
                IntOp::Mul => product(&a, &b),
                _ => None,
            }
        }
        Term::Apply { .. } => None,
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
