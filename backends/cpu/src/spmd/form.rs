//! The representation of one unit's value for a group of lanes: uniform, affine or varying.
//!
//! Examples of the three representations in a plane of 32 lanes, where `%n` is an argument, `%u` is `unit_pos` and `%v`
//! is loaded:
//!
//! ```text
//! of one unit                      | form    | of the group
//! %a = arith.addi %n, %n : i32     | uniform | %a = arith.addi %n, %n : i32
//! %i = arith.index_castui %u       | affine  | base %c0, step 1: no operation at all
//! %v = memref.load %x[%i]          | varying | %v = vector.load %x[%c0] : ..., vector<32xi32>
//! %b = arith.addi %v, %a : i32     | varying | %as = vector.broadcast %a; %b = arith.addi %v, %as : vector<32xi32>
//! memref.store %n, %x[%w]          |         | vector.scatter %x[%c0] [%w], %mask, %ns, where %w is %v as index
//! ```
//!
//! A uniform value is [`ValueForm::Uniform`], an affine value [`ValueForm::Affine`], and a varying value
//! [`ValueForm::Varying`].
use super::group::Group;
use cube_ir::ops::vector::CombiningKind;
use cube_ir::ops::{arith, math, vector};
use cube_ir::{AttrExt, Attribute, Builder, DYNAMIC, Type, TypeExt, Val};

/// The representation of a value.
#[derive(Clone, Copy, PartialEq)]
pub enum ValueForm<'p> {
    /// One value for all lanes.
    Uniform(Val<'p>),
    /// A value that grows by a constant from lane to lane.
    Affine(Affine<'p>),
    /// A vector. One value per lane; if the value is a line, the numbers of a line are adjacent.
    Varying(Val<'p>),
}

/// `base + step * lane`, in the type of `base`; the sum can wrap in this type.
#[derive(Clone, Copy, PartialEq)]
pub struct Affine<'p> {
    pub base: Val<'p>,
    pub step: i64,
    /// The integer from which an index was converted, if that integer can wrap.
    pub narrow: Option<NarrowIndex<'p>>,
}

/// The integer from which an index was converted.
#[derive(Clone, Copy, PartialEq)]
pub struct NarrowIndex<'p> {
    /// The value of the first lane.
    pub base: Val<'p>,
    /// Whether the number does not wrap between the first lane and the last.
    pub no_wrap: Val<'p>,
}

impl<'p> ValueForm<'p> {
    /// `base + step * lane`.
    pub fn affine(base: Val<'p>, step: i64) -> Self {
        if step == 0 {
            return ValueForm::Uniform(base);
        }
        ValueForm::Affine(Affine { base, step, narrow: None })
    }
}

impl Group {
    /// The type of a vector with one `ty` per lane.
    pub fn vector<'p>(self, b: Builder<'p>, ty: Type<'p>) -> Type<'p> {
        b.cx().vector(u64::from(self.lanes) * ty.element_count(), ty.element())
    }

    /// The value as a vector; `ty` is the type of the value in one unit.
    pub fn broadcast<'p>(self, b: Builder<'p>, form: ValueForm<'p>, ty: Type<'p>) -> Val<'p> {
        match form {
            ValueForm::Varying(value) => value,
            ValueForm::Uniform(value) => match ty.lanes() {
                None => b.cast(vector::BROADCAST, value, self.vector(b, ty)),
                Some(n) => {
                    let all = u64::from(self.lanes) * n;
                    shuffle(b, value, value, &(0..all).map(|i| (i % n) as i64).collect::<Vec<_>>())
                }
            },
            ValueForm::Affine(Affine { base, step, narrow: None }) => {
                let all = b.cast(vector::BROADCAST, base, self.vector(b, ty));
                b.addi(all, self.numbers(b, ty, |lane| lane.wrapping_mul(step)))
            }
            ValueForm::Affine(Affine { step, narrow: Some(narrow), .. }) => {
                let number = narrow.base.ty();
                let lanes = self.broadcast(b, ValueForm::affine(narrow.base, step), number);
                b.cast(arith::INDEX_CASTUI, lanes, self.vector(b, ty))
            }
        }
    }

    /// A constant vector of elements of type `ty`.
    pub fn numbers<'p>(self, b: Builder<'p>, ty: Type<'p>, number: impl Fn(i64) -> i64) -> Val<'p> {
        let bits = if ty.is_int() { ty.bits().unwrap_or(64).min(64) } else { 64 };
        let fitting = |n: i64| (n << (64 - bits)) >> (64 - bits);
        let numbers = (0..i64::from(self.lanes)).map(|lane| fitting(number(lane)));
        constant(b, numbers, self.vector(b, ty))
    }

    /// A constant vector of bools.
    pub fn flags<'p>(self, b: Builder<'p>, flag: impl Fn(u32) -> bool) -> Val<'p> {
        let flags = (0..self.lanes).map(|lane| i64::from(flag(lane)));
        constant(b, flags, b.cx().vector(u64::from(self.lanes), b.cx().int(1)))
    }

    /// A mask of lanes, expanded so that each element of a lane's line has the lane's flag.
    pub fn of_lines<'p>(self, b: Builder<'p>, mask: Val<'p>, line: Type<'p>) -> Val<'p> {
        match line.lanes() {
            None => mask,
            Some(n) => {
                let all = u64::from(self.lanes) * n;
                shuffle(b, mask, mask, &(0..all).map(|i| (i / n) as i64).collect::<Vec<_>>())
            }
        }
    }

    /// The value of a lane whose number is a constant.
    pub fn lane<'p>(self, b: Builder<'p>, vector: Val<'p>, lane: i64, ty: Type<'p>) -> Val<'p> {
        match ty.lanes() {
            None => extract(b, vector, lane),
            Some(n) => {
                let n = n as i64;
                shuffle(b, vector, vector, &(lane * n..lane * n + n).collect::<Vec<_>>())
            }
        }
    }

    /// The value of the lane with number `lane`, an index.
    pub fn lane_at<'p>(self, b: Builder<'p>, vector: Val<'p>, lane: Val<'p>, ty: Type<'p>) -> Val<'p> {
        let Some(n) = ty.lanes() else { return extract_at(b, vector, lane) };
        let first = b.muli(lane, b.int(lane.ty(), n as i64));
        let number = |k: u64| extract_at(b, vector, b.addi(first, b.int(lane.ty(), k as i64)));
        let numbers: Vec<Val<'p>> = (0..n).map(number).collect();
        b.op(vector::FROM_ELEMENTS).operands(&numbers).result(ty).value()
    }

    /// A copy of the vector with `value` in the lane whose number is `lane`, an index.
    pub fn with_lane_at<'p>(self, b: Builder<'p>, vector: Val<'p>, lane: Val<'p>, value: Val<'p>) -> Val<'p> {
        let Some(n) = value.ty().lanes() else { return insert_at(b, value, vector, lane) };
        let first = b.muli(lane, b.int(lane.ty(), n as i64));
        (0..n).fold(vector, |all, k| {
            insert_at(b, extract(b, value, k as i64), all, b.addi(first, b.int(lane.ty(), k as i64)))
        })
    }

    /// The first active lane of a mask as an index; the last lane if the mask is empty.
    pub fn first_of<'p>(self, b: Builder<'p>, mask: Val<'p>) -> Val<'p> {
        let word = b.cx().int(self.lanes);
        let bits = extract(b, b.cast(vector::BITCAST, mask, b.cx().vector(1, word)), 0);
        let first = b.cast(math::CTTZ, bits, word);
        let last = b.int(word, i64::from(self.lanes) - 1);
        b.cast(arith::INDEX_CASTUI, b.minui(first, last), b.cx().index())
    }
}

fn constant<'p>(b: Builder<'p>, numbers: impl Iterator<Item = i64>, ty: Type<'p>) -> Val<'p> {
    let numbers: Vec<Attribute<'p>> = numbers.map(|number| b.cx().int_attr(ty.element(), number)).collect();
    let value = b.cx().elements_attr(ty, &numbers).expect("one number for each lane");
    b.op(arith::CONSTANT).attr("value", value).result(ty).value()
}

/// `vector.shuffle`.
pub(super) fn shuffle<'p>(b: Builder<'p>, first: Val<'p>, second: Val<'p>, numbers: &[i64]) -> Val<'p> {
    let ty = b.cx().vector(numbers.len() as u64, first.ty().element());
    b.op(vector::SHUFFLE).operands(&[first, second]).attr("mask", b.cx().i64_array(numbers)).result(ty).value()
}

/// `size` elements of a vector, starting at element `from`.
pub(super) fn part<'p>(b: Builder<'p>, vector: Val<'p>, from: u64, size: u64) -> Val<'p> {
    shuffle(b, vector, vector, &(from..from + size).map(|n| n as i64).collect::<Vec<_>>())
}

/// `vector.extract` at a constant position.
pub(super) fn extract<'p>(b: Builder<'p>, vector: Val<'p>, at: i64) -> Val<'p> {
    let position = b.cx().i64_array(&[at]);
    b.op(vector::EXTRACT).operands(&[vector]).attr("static_position", position).result(vector.ty().element()).value()
}

fn extract_at<'p>(b: Builder<'p>, vector: Val<'p>, at: Val<'p>) -> Val<'p> {
    let position = b.cx().i64_array(&[DYNAMIC]);
    let spec = b.op(vector::EXTRACT).operands(&[vector, at]).attr("static_position", position);
    spec.result(vector.ty().element()).value()
}

fn insert_at<'p>(b: Builder<'p>, value: Val<'p>, vector: Val<'p>, at: Val<'p>) -> Val<'p> {
    let position = b.cx().i64_array(&[DYNAMIC]);
    let spec = b.op(vector::INSERT).operands(&[value, vector, at]).attr("static_position", position);
    spec.result(vector.ty()).value()
}

/// Whether any lane of a mask is set.
pub(super) fn any<'p>(b: Builder<'p>, mask: Val<'p>) -> Val<'p> {
    reduce(b, CombiningKind::Or, mask)
}

/// Whether all lanes of a mask are set.
pub(super) fn all<'p>(b: Builder<'p>, mask: Val<'p>) -> Val<'p> {
    reduce(b, CombiningKind::And, mask)
}

/// `vector.reduction` of integers.
pub(super) fn reduce<'p>(b: Builder<'p>, kind: CombiningKind, vector: Val<'p>) -> Val<'p> {
    vector::Reduction::make(b, kind, vector, None).result(vector.ty().element()).value()
}

/// The conjunction of a mask and a condition; the condition can be undefined in inactive lanes.
pub(super) fn both<'p>(b: Builder<'p>, mask: Option<Val<'p>>, condition: Val<'p>) -> Val<'p> {
    match mask {
        None => condition,
        Some(mask) => b.select(mask, condition, b.int(condition.ty(), 0)),
    }
}

/// A power of two that provably divides an integer, at most 2^16.
pub(super) fn divisor(value: Val<'_>) -> u64 {
    fn of(value: Val<'_>, fuel: &mut u32) -> u64 {
        const MAX_STEP: u64 = 1 << 16;
        let Some(left) = fuel.checked_sub(1) else { return 1 };
        *fuel = left;
        let Some(op) = value.def() else { return 1 };
        match op.kind() {
            arith::CONSTANT => match op.attr("value").and_then(|v| v.as_int()) {
                Some(0) => MAX_STEP,
                Some(n) => 1 << n.trailing_zeros().min(16),
                None => 1,
            },
            arith::ADDI | arith::SUBI => of(op.operand(0), fuel).min(of(op.operand(1), fuel)),
            arith::MULI => of(op.operand(0), fuel).saturating_mul(of(op.operand(1), fuel)).min(MAX_STEP),
            arith::EXTUI | arith::TRUNCI | arith::INDEX_CAST | arith::INDEX_CASTUI => of(op.operand(0), fuel),
            _ => 1,
        }
    }
    of(value, &mut 32)
}
