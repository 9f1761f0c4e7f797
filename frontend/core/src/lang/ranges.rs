//! Values over which a `for` loop can iterate: ranges and host iterators.
use super::flow::{Counted, Iterate};
use super::ops;
use super::value::{CubePrimitive, Operand, Val};
use crate::ir::{self, Elem, Lit, Raw};

/// `a..b` or `a..=b`, with an optional step.
#[derive(Clone)]
pub struct Range<T> {
    start: Val<T>,
    end: Val<T>,
    step: Option<Val<T>>,
    inclusive: bool,
    reversed: bool,
}

/// Creates the range for `a..b` or `a..=b` in generated code.
pub fn bounds<A: Operand, B: Operand<T = A::T>>(start: A, end: B, inclusive: bool) -> Range<A::T> {
    Range { start: start.val(), end: end.val(), step: None, inclusive, reversed: false }
}

/// `range(a, b)`.
pub mod range {
    use super::*;
    /// The expansion.
    pub fn range<T: CubePrimitive>(start: Val<T>, end: Val<T>) -> Range<T> {
        Range { start, end, step: None, inclusive: false, reversed: false }
    }
}

/// `range_stepped(a, b, step)`.
pub mod range_stepped {
    use super::*;
    /// The expansion.
    pub fn range_stepped<T: CubePrimitive>(start: Val<T>, end: Val<T>, step: Val<T>) -> Range<T> {
        Range { start, end, step: Some(step), inclusive: false, reversed: false }
    }
}

/// The values `start..end`.
pub fn range<T: super::math::Int>(start: T, end: T) -> impl Iterator<Item = T> {
    range_stepped(start, end, T::from_int(1))
}

/// The values from `start` to `end` (exclusive) in steps of `step`. The step can be negative. A step of 0
/// gives no values.
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
    /// Every `step`th value.
    pub fn __expand_step_by_method(self, step: Val<usize>) -> Self {
        if self.reversed {
            ir::fail("`.rev().step_by(n)` is not supported; write `range_stepped(last, first - 1, -n)`");
        }
        let step = super::cast::convert(step.raw, T::elem(), 0);
        Range { step: Some(Val::new(step)), ..self }
    }

    /// The values in reverse order.
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
            ir::fail("a range with step 0 does not end; use another step");
            return Some(Vec::new());
        }
        let (mut at, mut found) = (start, Vec::new());
        let end = if self.inclusive { end + step.signum() } else { end };
        while if step > 0 { at < end } else { at > end } {
            found.push(at);
            at += step;
            if found.len() > MAX_UNROLLED {
                ir::fail(format!("this loop has more than {MAX_UNROLLED} iterations; remove `#[unroll]`"));
                return Some(Vec::new());
            }
        }
        if self.reversed {
            found.reverse();
        }
        Some(found)
    }
}

impl<T: CubePrimitive> Range<T> {
    /// The bounds of a loop whose counter is the iteration number, for any step and order. The loop's body computes
    /// the range's value from the iteration number.
    fn numbered(&self, step: Raw) -> Counted<Val<T>> {
        let position = crate::ir::position();
        let elem = T::elem();
        let count_elem = unsigned(elem);
        let (start, end) = (self.start.raw, self.end.raw);
        let binary = |op, a, b| ops::binary(op, a, b, position);
        let compare = |op, a, b| ops::compare(op, a, b, position);
        let counting = |raw| super::cast::convert(raw, count_elem, position);
        let zero = Raw::Const(Lit::Int(0), self.start.ty());
        let down = if elem.is_signed() {
            compare("lt", step, zero)
        } else {
            Raw::Const(Lit::Bool(false), self.start.ty().with(Elem::Bool))
        };
        let size = counting(super::math::choose(down, binary("sub", zero, step), step));
        let (high, low) = (super::math::choose(down, start, end), super::math::choose(down, end, start));
        let empty = compare(if self.inclusive { "lt" } else { "le" }, high, low);
        let empty = binary("bitor", empty, compare("eq", step, zero));
        let (one, none) = (Raw::Const(Lit::Int(1), self.start.ty().with(count_elem)), counting(zero));
        let distance = binary("sub", counting(high), counting(low));
        let distance = if self.inclusive { distance } else { binary("sub", distance, one) };
        let last = binary("div", distance, size);
        let count = super::math::choose(empty, none, binary("add", last, one));
        let reversed = self.reversed;
        Counted {
            from: none,
            to: count,
            step: one,
            item: Box::new(move |k| {
                let k = if reversed { ops::binary("sub", last, k, position) } else { k };
                let k = super::cast::convert(k, elem, position);
                Val::new(ops::binary("add", start, ops::binary("mul", k, step, position), position))
            }),
        }
    }
}

/// The unsigned type with the same width as `elem`.
fn unsigned(elem: Elem) -> Elem {
    match elem {
        Elem::I8 => Elem::U8,
        Elem::I16 => Elem::U16,
        Elem::I32 => Elem::U32,
        Elem::I64 => Elem::U64,
        other => other,
    }
}

/// An integer type that contains all values of `elem` and one larger value. The result is `None` for 64-bit
/// types.
fn wider(elem: Elem) -> Option<Elem> {
    match elem {
        Elem::I8 | Elem::I16 => Some(Elem::I32),
        Elem::U8 | Elem::U16 => Some(Elem::U32),
        Elem::I32 => Some(Elem::I64),
        Elem::U32 => Some(Elem::U64),
        _ => None,
    }
}

/// Maximum number of unrolled iterations of a loop.
const MAX_UNROLLED: usize = 65_536;

impl<T: CubePrimitive> Iterate for Range<T> {
    type Item = Val<T>;

    fn counted(&self) -> Option<Counted<Val<T>>> {
        let elem = T::elem();
        let step = self.step.as_ref().map_or(Raw::Const(Lit::Int(1), self.start.ty()), |s| s.raw);
        let known = Val::<T>::new(step).constant().and_then(Lit::int);
        let upwards = known.map_or(!elem.is_signed(), |s| s > 0);
        if !upwards || self.reversed {
            return Some(self.numbered(step));
        }
        if !self.inclusive {
            return Some(Counted { from: self.start.raw, to: self.end.raw, step, item: Box::new(Val::new) });
        }
        // The exclusive bound of `a..=b` can exceed the range of the type. Unless `a` is the smallest number, the loop
        // counts from `a - 1` to `b`, and an item is the counter plus 1. Otherwise the counter has a wider type.
        let int = |v: &Val<T>| v.constant().and_then(Lit::int);
        let fits = |number: i128| Lit::wrapped(number, elem).int() == Some(number);
        let position = crate::ir::position();
        let wide = match (int(&self.start), int(&self.end), wider(elem)) {
            (_, Some(last), _) if fits(last + 1) => elem,
            (Some(first), ..) if fits(first - 1) => {
                let one = Raw::Const(Lit::Int(1), self.start.ty());
                let from = Raw::Const(Lit::wrapped(first - 1, elem), self.start.ty());
                let item = Box::new(move |k| Val::new(ops::binary("add", k, one, position)));
                return Some(Counted { from, to: self.end.raw, step, item });
            }
            (_, _, Some(wide)) => wide,
            (_, _, None) => return Some(self.numbered(step)),
        };
        let widened = |raw| super::cast::convert(raw, wide, position);
        let one = Raw::Const(Lit::Int(1), self.start.ty().with(wide));
        let to = ops::binary("add", widened(self.end.raw), one, position);
        let item = Box::new(move |k| Val::new(super::cast::convert(k, elem, position)));
        Some(Counted { from: widened(self.start.raw), to, step: widened(step), item })
    }

    fn items(self) -> Option<Vec<Val<T>>> {
        let ty = self.start.ty();
        Some(self.known()?.into_iter().map(|v| Val::new(Raw::Const(Lit::wrapped(v, T::elem()), ty))).collect())
    }
}

/// The items of a host iterator.
pub struct HostItems<I>(I);

/// Makes a `for` loop over a host iterator an unrolled loop.
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
