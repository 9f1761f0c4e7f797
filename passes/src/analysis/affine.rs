//! The affine form of an index: a sum of products of values that are opaque to the analysis.
//!
//! ```text
//! (p / w) * w + p % w     is p, where w is not 0
//! (p << 2) + 3 - p        is 3 p + 3
//! ```
//!
//! Affine forms model wrap-around: sums and products of `n`-bit numbers are computed in the ring of integers modulo
//! 2^n. If two forms are equal, their values are therefore equal even if a term exceeds `2^32 - 1`. A truncation is a
//! ring homomorphism, so the analysis also derives the form of an `arith.trunci`. A zero- or sign-extended sum is an
//! opaque value.
//!
//! Division is not an operation of the ring. The quotient `x / n` is an opaque value, and `x % n` is `x - (x / n) * n`
//! for nonzero `n`. In the kernel language `x % 0` is 0 and `x / 0` is `x`, so a form with a division is valid only for
//! nonzero divisors. [`Affine::nonzero`] lists the divisors of a form, and [`Affine::where_zero`] returns the form for
//! a zero divisor. The divisions of `arith` are undefined for a zero divisor. A query visits a bounded number of
//! operations, and a form has a bounded number of terms.
use super::{constants::int_of, ranges};
use cube_dialect::ops;
use cube_dialect::topology::Group;
use cube_ir::ops::{arith, cube};
use cube_ir::upstream::IntCmp;
use cube_ir::{AttrExt, Op, TypeExt, Val};
use std::collections::BTreeMap;

/// Maximum number of operations that the analysis visits to compute one affine form.
const FUEL: u32 = 64;

/// Maximum number of terms of an affine form.
const MAX_TERMS: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Divisor<'p> {
    Value(Val<'p>),
    /// A constant divisor other than 0.
    Number(u64),
}

/// A value that is opaque to the analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Atom<'p> {
    /// The result of an operation, or a block argument.
    Value(Val<'p>),
    /// The unsigned quotient of two values.
    Quotient(Val<'p>, Divisor<'p>),
}

impl<'p> Atom<'p> {
    /// The value that the atom equals, or `None` for a quotient.
    fn value(self) -> Option<Val<'p>> {
        match self {
            Atom::Value(value) => Some(value),
            Atom::Quotient(..) => None,
        }
    }
}

/// A sum of products modulo a power of two.
#[derive(Clone, Debug)]
pub struct Affine<'p> {
    bits: u32,
    atoms: Vec<Atom<'p>>,
    /// The factor of each product, which is never zero. The key of a product is the sorted list of the indices of its
    /// factors in `atoms`; the empty key is the constant 1.
    terms: BTreeMap<Vec<usize>, u64>,
    /// Divisors that must not be 0, because the form is wrong otherwise.
    nonzero: Vec<Val<'p>>,
    /// A value that is assumed to be 0.
    zero: Option<Val<'p>>,
}

/// One product in the sum of an affine form. The operands of a quotient cannot be read as factors of the product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product<'p> {
    /// The constant factor of the product.
    pub factor: u64,
    /// The other factors. The product that represents the constant term has no other factors.
    atoms: Vec<Atom<'p>>,
}

impl<'p> Product<'p> {
    /// The values whose product, times the constant factor, is this product. `None` if a factor is a quotient.
    pub fn values(&self) -> Option<Vec<Val<'p>>> {
        self.atoms.iter().map(|atom| atom.value()).collect()
    }

    /// Whether the product is computed from a value for which `holds` is true: a factor, or an operand of a quotient.
    pub fn depends_on(&self, holds: impl Fn(Val<'p>) -> bool) -> bool {
        self.atoms.iter().any(|atom| match *atom {
            Atom::Value(value) | Atom::Quotient(value, Divisor::Number(_)) => holds(value),
            Atom::Quotient(dividend, Divisor::Value(divisor)) => holds(dividend) || holds(divisor),
        })
    }
}

type Terms = BTreeMap<Vec<usize>, u64>;

impl<'p> Affine<'p> {
    /// The affine form of an integer of up to 64 bits, or `None` for other types and for forms with too many
    /// terms.
    pub fn of(value: Val<'p>) -> Option<Self> {
        Self::with(value, None)
    }

    /// The affine form of `value` under the assumption that `zero` is 0.
    pub fn where_zero(value: Val<'p>, zero: Val<'p>) -> Option<Self> {
        Self::with(value, Some(zero))
    }

    fn with(value: Val<'p>, zero: Option<Val<'p>>) -> Option<Self> {
        let bits = width(value)?;
        let mut form = Affine { bits, atoms: vec![], terms: Terms::new(), nonzero: vec![], zero };
        form.terms = form.terms_of(value, &mut FUEL.clone())?;
        // A product that cancelled out needs no divisor. Its divisor stays in `nonzero`, because the value that was
        // simplified depends on it.
        Some(form)
    }

    /// The factor of a value in the form, or 0 if the form does not contain the value.
    pub fn factor(&self, value: Val<'p>) -> u64 {
        let number = self.atoms.iter().position(|atom| *atom == Atom::Value(value));
        number.and_then(|n| self.terms.get(&vec![n])).copied().unwrap_or(0)
    }

    /// The constant summand.
    pub fn constant(&self) -> u64 {
        self.terms.get(&vec![]).copied().unwrap_or(0)
    }

    /// Whether the form consists of exactly `value`.
    pub fn is_value(&self, value: Val<'p>) -> bool {
        self.single() == Some(value)
    }

    /// The value that the form equals, or `None` if the form is not a single value.
    pub fn single(&self) -> Option<Val<'p>> {
        match self.factors()?.as_slice() {
            [(value, 1)] => Some(*value),
            _ => None,
        }
    }

    /// The constant that the form equals, or `None` if the form is not a constant.
    pub fn number(&self) -> Option<u64> {
        self.terms.keys().all(Vec::is_empty).then(|| self.constant())
    }

    /// The values with their factors, if the form is a sum of multiples of values without a constant.
    pub fn factors(&self) -> Option<Vec<(Val<'p>, u64)>> {
        let value = |(atoms, factor): (&Vec<usize>, &u64)| match atoms.as_slice() {
            [one] => Some((self.atoms[*one].value()?, *factor)),
            _ => None,
        };
        self.terms.iter().map(value).collect()
    }

    /// The products in the sum of the form.
    pub fn products(&self) -> Vec<Product<'p>> {
        let product = |(atoms, factor): (&Vec<usize>, &u64)| Product {
            factor: *factor,
            atoms: atoms.iter().map(|atom| self.atoms[*atom]).collect(),
        };
        self.terms.iter().map(product).collect()
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

    // The form of a value with at least as many bits as the ring. Of a wider value only the lowest bits count.
    fn terms_of(&mut self, value: Val<'p>, fuel: &mut u32) -> Option<Terms> {
        let own = width(value)?;
        if self.zero == Some(value) {
            return Some(Terms::new());
        }
        if let Some(known) = int_of(value) {
            return Some(self.number_terms(known as u64));
        }
        let itself = Atom::Value(value);
        let Some(op) = value.def().filter(|op| op.regions().len() == 0) else { return Some(self.atom(itself)) };
        let Some(left) = fuel.checked_sub(1) else { return Some(self.atom(itself)) };
        *fuel = left;
        let operand = |n: usize| op.operand(n);
        match op.kind() {
            ops::Topology::KIND => match cube_dim(op) {
                Some(units) => Some(self.number_terms(units)),
                None => Some(self.atom(itself)),
            },
            arith::ADDI => {
                let x = self.terms_of(operand(0), fuel)?;
                let y = self.terms_of(operand(1), fuel)?;
                self.sum(x, &y, 1)
            }
            arith::SUBI => {
                let x = self.terms_of(operand(0), fuel)?;
                let y = self.terms_of(operand(1), fuel)?;
                self.sum(x, &y, u64::MAX)
            }
            // A product with the factor 0 is 0. The other factor needs no form.
            arith::MULI if op.operands().any(|v| self.zero == Some(v)) => Some(Terms::new()),
            arith::MULI => {
                let x = self.terms_of(operand(0), fuel)?;
                let y = self.terms_of(operand(1), fuel)?;
                self.product(&x, &y)
            }
            // The dialect takes shift amounts modulo the width.
            cube::SHL if int_of(operand(1)).is_some() => {
                let factor = 1u64 << (int_of(operand(1))? as u64 % u64::from(own));
                let x = self.terms_of(operand(0), fuel)?;
                let factor = self.number_terms(factor);
                self.product(&x, &factor)
            }
            cube::SHRUI if int_of(operand(1)).is_some() => {
                let divisor = 1u64 << (int_of(operand(1))? as u64 % u64::from(own));
                self.quotient(operand(0), Divisor::Number(divisor), fuel)
            }
            // The lowest bits are the remainder of a division by a power of two.
            arith::ANDI if mask(op).is_some() => self.remainder(operand(0), Divisor::Number(mask(op)? + 1), fuel),
            arith::ORI => self.disjoint(op, fuel),
            cube::DIVUI | arith::DIVUI => match self.divisor(operand(1)) {
                Some(divisor) => self.quotient(operand(0), divisor, fuel),
                None => self.terms_of(operand(0), fuel),
            },
            cube::REMUI | arith::REMUI => match self.divisor(operand(1)) {
                Some(divisor) => {
                    if op.is(cube::REMUI) {
                        self.must_not_be_zero(divisor);
                    }
                    self.remainder(operand(0), divisor, fuel)
                }
                None => Some(Terms::new()),
            },
            arith::SELECT => match self.chosen(op) {
                Some(arm) => self.terms_of(arm, fuel),
                None => Some(self.atom(itself)),
            },
            arith::TRUNCI => self.terms_of(operand(0), fuel),
            arith::EXTUI | arith::EXTSI if width(operand(0)).is_some_and(|bits| bits >= self.bits) => {
                self.terms_of(operand(0), fuel)
            }
            _ => Some(self.atom(itself)),
        }
    }

    // The divisor as a constant or a value; `None` if it is 0.
    fn divisor(&self, value: Val<'p>) -> Option<Divisor<'p>> {
        match int_of(value) {
            Some(number) => match cut(number as u64, width(value).unwrap_or(64)) {
                0 => None,
                number => Some(Divisor::Number(number)),
            },
            None if self.zero == Some(value) => None,
            None => Some(Divisor::Value(value)),
        }
    }

    fn must_not_be_zero(&mut self, divisor: Divisor<'p>) {
        if let Divisor::Value(value) = divisor
            && !self.nonzero.contains(&value)
        {
            self.nonzero.push(value);
        }
    }

    fn quotient(&mut self, x: Val<'p>, divisor: Divisor<'p>, fuel: &mut u32) -> Option<Terms> {
        if divisor == Divisor::Number(1) {
            return self.terms_of(x, fuel);
        }
        Some(self.atom(Atom::Quotient(x, divisor)))
    }

    // x - (x / n) * n
    fn remainder(&mut self, x: Val<'p>, divisor: Divisor<'p>, fuel: &mut u32) -> Option<Terms> {
        let by = match divisor {
            Divisor::Value(value) => self.terms_of(value, fuel)?,
            Divisor::Number(number) => self.number_terms(number),
        };
        let quotient = self.quotient(x, divisor, fuel)?;
        let multiple = self.product(&quotient, &by)?;
        let x = self.terms_of(x, fuel)?;
        self.sum(x, &multiple, u64::MAX)
    }

    // `x | y` is `x + y` if all products of `x` are multiples of a power of two and `y` is below this power.
    fn disjoint(&mut self, op: Op<'p>, fuel: &mut u32) -> Option<Terms> {
        for (high, low) in [(0, 1), (1, 0)] {
            let (high, low) = (op.operand(high), op.operand(low));
            let x = self.terms_of(high, fuel)?;
            let free = x.values().map(|factor| factor.trailing_zeros()).min().unwrap_or(64);
            if width(low) == Some(32) && self.bits == 32 && ranges::largest(low) >> free.min(63) == 0 {
                let y = self.terms_of(low, fuel)?;
                return self.sum(x, &y, 1);
            }
        }
        Some(self.atom(Atom::Value(op.result(0))))
    }

    // For a select whose condition compares a number with 0: the arm for a number other than 0.
    fn chosen(&mut self, op: Op<'p>) -> Option<Val<'p>> {
        let compared = op.operand(0).def_of(arith::CMPI)?;
        let arms = match arith::Cmpi::of(compared)?.predicate()? {
            IntCmp::Ne => (1, 2),
            IntCmp::Eq => (2, 1),
            _ => return None,
        };
        let tested = (0..2).find(|n| int_of(compared.operand(1 - n)) == Some(0)).map(|n| compared.operand(n))?;
        if self.zero == Some(tested) {
            return Some(op.operand(arms.1));
        }
        self.must_not_be_zero(Divisor::Value(tested));
        Some(op.operand(arms.0))
    }

    fn number_terms(&self, number: u64) -> Terms {
        Terms::from([(vec![], cut(number, self.bits))]).into_iter().filter(|(_, n)| *n != 0).collect()
    }

    // x + factor * y
    fn sum(&self, mut x: Terms, y: &Terms, factor: u64) -> Option<Terms> {
        for (atoms, own) in y {
            let now = x.entry(atoms.clone()).or_insert(0);
            *now = cut(now.wrapping_add(own.wrapping_mul(factor)), self.bits);
        }
        x.retain(|_, factor| *factor != 0);
        (x.len() <= MAX_TERMS).then_some(x)
    }

    fn product(&self, x: &Terms, y: &Terms) -> Option<Terms> {
        let mut all = Terms::new();
        for (left, a) in x {
            let mut row = Terms::new();
            for (right, b) in y {
                let mut atoms = [left.as_slice(), right.as_slice()].concat();
                atoms.sort_unstable();
                row.insert(atoms, a.wrapping_mul(*b));
            }
            all = self.sum(all, &row, 1)?;
        }
        Some(all)
    }
}

// The width in bits of a scalar integer of up to 64 bits.
fn width(value: Val<'_>) -> Option<u32> {
    let ty = value.ty();
    ty.bits().filter(|bits| (2..=64).contains(bits) && ty.is_scalar() && ty.is_int())
}

fn cut(number: u64, bits: u32) -> u64 {
    number & (u64::MAX >> (64 - bits))
}

// The constant mask of an `andi`, if it is 2^n - 1 with `n` above 0 and below the width.
fn mask(op: Op<'_>) -> Option<u64> {
    let bits = width(op.operand(1))?;
    let mask = cut(int_of(op.operand(1))? as u64, bits);
    (mask != 0 && mask != cut(u64::MAX, bits) && (mask + 1).is_power_of_two()).then_some(mask)
}

// The cube dim along an axis, if the operation reads it.
fn cube_dim(op: Op<'_>) -> Option<u64> {
    let topology = ops::Topology::of(op)?.kind().topology();
    if topology.group != Group::CubeDim {
        return None;
    }
    let kernel = op.ancestors().find_map(ops::Kernel::of)?;
    let dim = <[i32; 3]>::try_from(kernel.cube_dim()?.as_i32_array()?).ok()?;
    let units = |axis: usize| u64::try_from(dim[axis]).ok().filter(|units| *units > 0);
    match topology.axis {
        Some(axis) => units(axis),
        None => Some(units(0)? * units(1)? * units(2)?),
    }
}
