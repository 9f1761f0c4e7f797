//! The form of a 32-bit index: a sum of products of values that the analysis does not look into.
//!
//! ```text
//! (p / w) * w + p % w     is p, where w is not 0
//! (p << 2) + 3 - p        is 3 p + 3
//! ```
//!
//! Wrap-around is part of the form: sums and products of 32-bit numbers are those of the ring of integers modulo 2^32, so an
//! equality of two forms holds for every value, also where a term passes 2^31 or 2^32 - 1. Division is not of the ring: the
//! quotient `x / n` is a value of its own, and `x % n` is `x - (x / n) * n` where `n` is not 0. In the kernel language `x % 0` is 0
//! and `x / 0` is `x`, so that the form holds only for divisors other than 0, which [`Affine::nonzero`] names.
//! A question looks at a bounded number of operations, and a form has a bounded number of terms.
use super::constants::int_of;
use cube_ir::ops::{arith, cube};
use cube_ir::{TypeExt, Val};
use std::collections::BTreeMap;

/// Operations that are looked at for one form.
const FUEL: u32 = 64;

/// Terms that a form may have.
const MAX_TERMS: usize = 16;

/// A value that a form does not look into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Atom<'p> {
    /// The result of an operation, or an argument.
    Value(Val<'p>),
    /// The unsigned quotient of two values.
    Quotient(Val<'p>, Val<'p>),
}

/// A sum of products modulo 2^32.
#[derive(Clone, Debug)]
pub struct Affine<'p> {
    atoms: Vec<Atom<'p>>,
    /// The factor of each product; a product is the sorted numbers of its atoms, and the empty one is 1. No factor is 0.
    terms: BTreeMap<Vec<usize>, u32>,
    /// Divisors for which the form is wrong if they are 0.
    nonzero: Vec<Val<'p>>,
}

type Terms = BTreeMap<Vec<usize>, u32>;

impl<'p> Affine<'p> {
    /// The form of a 32-bit integer; `None` for other types, and where it has too many terms.
    pub fn of(value: Val<'p>) -> Option<Self> {
        let mut form = Affine { atoms: vec![], terms: Terms::new(), nonzero: vec![] };
        form.terms = form.terms_of(value, &mut FUEL.clone())?;
        // A product that fell out needs no divisor, but the value that it fell out of did.
        Some(form)
    }

    /// The factor of a single value, 0 where the form does not have it.
    pub fn factor(&self, value: Val<'p>) -> u32 {
        let number = self.atoms.iter().position(|atom| *atom == Atom::Value(value));
        number.and_then(|n| self.terms.get(&vec![n])).copied().unwrap_or(0)
    }

    /// The number that is added.
    pub fn constant(&self) -> u32 {
        self.terms.get(&vec![]).copied().unwrap_or(0)
    }

    /// Whether the form is exactly this value.
    pub fn is_value(&self, value: Val<'p>) -> bool {
        self.terms.len() == 1 && self.factor(value) == 1
    }

    /// The divisors that must not be 0 for the form to hold.
    pub fn nonzero(&self) -> &[Val<'p>] {
        &self.nonzero
    }

    fn atom(&mut self, atom: Atom<'p>) -> Terms {
        let number = self.atoms.iter().position(|known| *known == atom).unwrap_or_else(|| {
            self.atoms.push(atom);
            self.atoms.len() - 1
        });
        Terms::from([(vec![number], 1)])
    }

    fn terms_of(&mut self, value: Val<'p>, fuel: &mut u32) -> Option<Terms> {
        if value.ty().bits() != Some(32) || !value.ty().is_scalar() || !value.ty().is_int() {
            return None;
        }
        if let Some(known) = int_of(value) {
            return Some(constant(known as u32));
        }
        let Some(op) = value.def().filter(|op| op.operands().len() == 2) else {
            return Some(self.atom(Atom::Value(value)));
        };
        let Some(left) = fuel.checked_sub(1) else { return Some(self.atom(Atom::Value(value))) };
        *fuel = left;
        let (x, y) = (op.operand(0), op.operand(1));
        match op.kind() {
            arith::ADDI => sum(self.terms_of(x, fuel)?, &self.terms_of(y, fuel)?, 1),
            arith::SUBI => sum(self.terms_of(x, fuel)?, &self.terms_of(y, fuel)?, u32::MAX),
            arith::MULI => product(&self.terms_of(x, fuel)?, &self.terms_of(y, fuel)?),
            // Shifts of the dialect count modulo 32.
            cube::SHL if int_of(y).is_some() => {
                let factor = 1u32 << (int_of(y)? as u32 % 32);
                product(&self.terms_of(x, fuel)?, &constant(factor))
            }
            cube::DIVUI => Some(self.atom(Atom::Quotient(x, y))),
            cube::REMUI => {
                if !self.nonzero.contains(&y) {
                    self.nonzero.push(y);
                }
                let quotient = self.atom(Atom::Quotient(x, y));
                let multiple = product(&quotient, &self.terms_of(y, fuel)?)?;
                sum(self.terms_of(x, fuel)?, &multiple, u32::MAX)
            }
            _ => Some(self.atom(Atom::Value(value))),
        }
    }
}

fn constant(number: u32) -> Terms {
    Terms::from([(vec![], number)]).into_iter().filter(|(_, n)| *n != 0).collect()
}

// x + factor * y
fn sum(mut x: Terms, y: &Terms, factor: u32) -> Option<Terms> {
    for (atoms, own) in y {
        let now = x.entry(atoms.clone()).or_insert(0);
        *now = now.wrapping_add(own.wrapping_mul(factor));
    }
    x.retain(|_, factor| *factor != 0);
    (x.len() <= MAX_TERMS).then_some(x)
}

fn product(x: &Terms, y: &Terms) -> Option<Terms> {
    let mut all = Terms::new();
    for (left, a) in x {
        let mut row = Terms::new();
        for (right, b) in y {
            let mut atoms = [left.as_slice(), right.as_slice()].concat();
            atoms.sort_unstable();
            row.insert(atoms, a.wrapping_mul(*b));
        }
        all = sum(all, &row, 1)?;
    }
    Some(all)
}
