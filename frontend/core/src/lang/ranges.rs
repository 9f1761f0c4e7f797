//! What `for` goes through: ranges, and the items of things that the host knows.
use super::flow::{Counted, Iterate};
use super::ops;
use super::value::{CubePrimitive, Operand, Val};
use crate::ir::{self, Lit, Raw, with};

/// `a..b`, `a..=b`, and the same with a step.
#[derive(Clone)]
pub struct Range<T> {
    start: Val<T>,
    end: Val<T>,
    step: Option<Val<T>>,
    inclusive: bool,
    reversed: bool,
}

/// A range as the macro writes it.
pub fn range<A: Operand, B: Operand<T = A::T>>(start: A, end: B, inclusive: bool) -> Range<A::T> {
    Range { start: start.val(), end: end.val(), step: None, inclusive, reversed: false }
}

/// `range(a, b)` and `range_stepped(a, b, step)`, as the language has them.
pub mod range_stepped {
    use super::*;
    /// The twin.
    pub fn expand<T: CubePrimitive>(start: Val<T>, end: Val<T>, step: Val<T>) -> Range<T> {
        Range { start, end, step: Some(step), inclusive: false, reversed: false }
    }
}

/// The values from `start` to below `end`, each `step` after the one before; down where `step` is negative.
pub fn range_stepped<T: super::math::Int>(start: T, end: T, step: T) -> impl Iterator<Item = T> {
    let (a, b, s) = (super::math::as_i128(start), super::math::as_i128(end), super::math::as_i128(step));
    let mut at = a;
    std::iter::from_fn(move || {
        let more = if s < 0 { at > b } else { at < b };
        (more && s != 0).then(|| {
            let item = T::from_int(at as i64);
            at += s;
            item
        })
    })
}

impl<T: CubePrimitive> Range<T> {
    /// Each `step`th value.
    pub fn __expand_step_by_method(self, step: Val<usize>) -> Self {
        let step = super::cast::convert(step.raw, T::elem(), 0);
        Range { step: Some(Val::new(step)), ..self }
    }

    /// From the last value to the first.
    pub fn __expand_rev_method(self) -> Self {
        Range { reversed: !self.reversed, ..self }
    }

    fn known(&self) -> Option<Vec<i128>> {
        let int = |v: &Val<T>| v.constant().and_then(Lit::int);
        let (start, end) = (int(&self.start)?, int(&self.end)?);
        let step = match &self.step {
            Some(step) => int(step)?,
            None => 1,
        };
        if step == 0 {
            ir::fail("a step of 0 never ends: give another");
            return Some(Vec::new());
        }
        let (mut at, mut found) = (start, Vec::new());
        let end = if self.inclusive { end + step.signum() } else { end };
        while if step > 0 { at < end } else { at > end } {
            found.push(at);
            at += step;
            if found.len() > MOST_TURNS {
                ir::fail(format!("this loop has more than {MOST_TURNS} turns: leave `#[unroll]` out"));
                return Some(Vec::new());
            }
        }
        if self.reversed {
            found.reverse();
        }
        Some(found)
    }
}

/// Turns that are unrolled at most.
const MOST_TURNS: usize = 65_536;

impl<T: CubePrimitive> Iterate for Range<T> {
    type Item = Val<T>;

    fn counted(&self) -> Option<Counted<Val<T>>> {
        let ty = self.start.ty();
        let one = Raw::Const(Lit::Int(1), ty);
        let step_lit = self.step.as_ref().map(|s| s.constant().and_then(Lit::int));
        let down = matches!(step_lit, Some(Some(s)) if s < 0);
        let position = with(|b| b.position());
        if down || self.reversed {
            // Counted upwards from 0, and turned round in each turn.
            let (start, end) = (self.start.raw, self.end.raw);
            let size = match step_lit {
                Some(Some(s)) => Raw::Const(Lit::Int(s.abs()), ty),
                Some(None) => self.step.as_ref().map_or(one, |s| s.raw),
                None => one,
            };
            let (high, low) = if down { (start, end) } else { (end, start) };
            let empty = ops::compare("le", high, low, position);
            let distance = ops::binary("sub", high, low, position);
            let extra = if self.inclusive { one } else { Raw::Const(Lit::Int(0), ty) };
            let distance = ops::binary("add", distance, extra, position);
            let rounded = ops::binary("sub", ops::binary("add", distance, size, position), one, position);
            let count = ops::binary("div", rounded, size, position);
            let empty = if self.inclusive { ops::compare("lt", high, low, position) } else { empty };
            let count = super::math::choose(empty, Raw::Const(Lit::Int(0), ty), count);
            let last = ops::binary("sub", count, one, position);
            return Some(Counted {
                from: Raw::Const(Lit::Int(0), ty),
                to: count,
                step: one,
                item: Box::new(move |k| {
                    let value = if down {
                        ops::binary("sub", start, ops::binary("mul", k, size, position), position)
                    } else {
                        let k = ops::binary("sub", last, k, position);
                        ops::binary("add", start, ops::binary("mul", k, size, position), position)
                    };
                    Val::new(value)
                }),
            });
        }
        let to = if self.inclusive { ops::binary("add", self.end.raw, one, position) } else { self.end.raw };
        Some(Counted { from: self.start.raw, to, step: self.step.as_ref().map_or(one, |s| s.raw), item: Box::new(Val::new) })
    }

    fn items(self) -> Option<Vec<Val<T>>> {
        let ty = self.start.ty();
        Some(self.known()?.into_iter().map(|v| Val::new(Raw::Const(Lit::wrapped(v, T::elem()), ty))).collect())
    }
}

/// The items of something of the host.
pub struct HostItems<I>(I);

/// Goes through something of the host, one turn after the other.
pub fn host_iter<I: IntoIterator>(items: I) -> HostItems<I> {
    HostItems(items)
}

impl<I: IntoIterator> Iterate for HostItems<I> {
    type Item = I::Item;
    fn counted(&self) -> Option<Counted<I::Item>> {
        None
    }
    fn items(self) -> Option<Vec<I::Item>> {
        Some(self.0.into_iter().collect())
    }
}
