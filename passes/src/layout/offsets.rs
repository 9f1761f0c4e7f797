//! Emits the arithmetic that computes an offset from coordinates. The ranges of the coordinates simplify the
//! arithmetic.
use crate::analysis::ranges;
use cube_algebra::{Swizzle, coalesce};
use cube_dialect::target_of;
use cube_ir::OpKind;
use cube_ir::ops::{arith, cube};
use cube_ir::{Builder, Op, TypeExt, Val, upstream::IntCmp};
use cube_layout_dialect::{Index, Leaf, Num, Shape, known, leaves, shape_of, size};
use cube_target::{Element, Support};

/// A sum of u32 numbers: a constant plus an optional value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sum<'p> {
    pub value: Option<Val<'p>>,
    pub number: u64,
}

/// The arithmetic in which offsets are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    /// 32 bits without wrap-around: the access is declared `inbounds`, in a buffer of less than 2^32 lines.
    Promised,
    /// 32 bits, if the layout is too small to wrap while every coordinate is in its mode.
    Plain,
    /// 64 bits, saturating, because strides are not known.
    Wide,
    /// Saturating 32-bit arithmetic, for a chip without i64. The largest number represents every offset that is too
    /// large, and is out of bounds of every buffer. Each axis has fewer than 2^32 elements.
    Saturated,
}

impl Width {
    /// The arithmetic for sums with unknown strides, on the chip of the module.
    pub(super) fn of_unknown(op: Op<'_>) -> Width {
        match target_of(op).arithmetic(Element::I64) == Some(Support::Native) {
            true => Width::Wide,
            false => Width::Saturated,
        }
    }

    /// Whether this arithmetic is a possible result of [`Width::of_unknown`].
    pub(super) fn is_of_unknown(self) -> bool {
        matches!(self, Width::Wide | Width::Saturated)
    }
}

/// Emits index arithmetic at one insertion point.
#[derive(Clone, Copy)]
pub(super) struct Maker<'p> {
    /// The insertion point.
    pub b: Builder<'p>,
    /// The arithmetic of the sums.
    pub width: Width,
}

impl<'p> Maker<'p> {
    /// A constant with the same integer width as the sums.
    pub(super) fn number(self, n: u64) -> Val<'p> {
        let bits = if self.width == Width::Wide { 64 } else { 32 };
        let n = if self.width == Width::Saturated { n.min(self.most()) } else { n };
        self.b.int(self.b.cx().int(bits), if bits == 32 { i64::from(n as u32 as i32) } else { n as i64 })
    }

    fn index(self, at: Index<'p>) -> Val<'p> {
        match at {
            Index::Known(n) => self.number(n),
            Index::Value(value) if self.width == Width::Wide => self.b.cast(arith::EXTUI, value, self.b.cx().int(64)),
            Index::Value(value) => value,
        }
    }

    /// The upper limit of sums with unknown strides, which is out of bounds of every buffer and at least as large
    /// as every extent.
    fn most(self) -> u64 {
        if self.width == Width::Saturated { u64::from(u32::MAX) } else { 1 << 32 }
    }

    /// Emits a number of a layout (an extent or a stride) as a value. In 64-bit sums the value is at most 2^32,
    /// which is out of bounds of every buffer.
    pub(super) fn num(self, num: Num<'p>) -> Val<'p> {
        let extended = |value: Val<'p>| match self.width {
            Width::Wide => self.b.cast(arith::EXTUI, value, self.b.cx().int(64)),
            _ => value,
        };
        let capped = |value: Val<'p>| match self.width {
            Width::Wide => self.b.minui(value, self.number(1 << 32)),
            _ => value,
        };
        let most_factor = if self.width == Width::Wide { self.most() } else { 1 << 31 };
        match num {
            Num::Known(n) => self.number(n.min(self.most())),
            Num::Times(1, value) => extended(value),
            Num::Times(times, value) => capped(self.mul(extended(value), self.number(times.min(most_factor)))),
            Num::CeilDiv(value, by) => {
                let less = self.op(cube::SUBUI_SAT, extended(value), self.number(1));
                let down = self.op(cube::DIVUI, less, self.number(by));
                // The formula is wrong for a dividend of 0, whose quotient is 0.
                let some = self.b.cmpi(IntCmp::Ne, value, self.b.int(value.ty(), 0));
                let one = self.b.cast(arith::EXTUI, some, down.ty());
                self.b.addi(down, one)
            }
        }
    }

    fn op(self, kind: OpKind, x: Val<'p>, y: Val<'p>) -> Val<'p> {
        self.b.op(kind).operands(&[x, y]).result(x.ty()).value()
    }

    fn flagged(self, kind: OpKind, x: Val<'p>, y: Val<'p>) -> Val<'p> {
        let op = self.b.op(kind).operands(&[x, y]).result(x.ty());
        match self.width {
            Width::Promised => op.attr("overflowFlags", arith::IntegerOverflowFlags::NUW.attr(self.b.cx())).value(),
            _ => op.value(),
        }
    }

    pub(super) fn mul(self, x: Val<'p>, y: Val<'p>) -> Val<'p> {
        if self.width == Width::Saturated {
            let [product, fits] = self.product(x, y);
            return self.b.select(fits, product, self.number(self.most()));
        }
        self.flagged(arith::MULI, x, y)
    }

    /// The low 32 bits of a product, and whether the product fits in 32 bits.
    fn product(self, x: Val<'p>, y: Val<'p>) -> [Val<'p>; 2] {
        let both = self.b.op(arith::MULUI_EXTENDED).operands(&[x, y]).results(&[x.ty(), x.ty()]).build();
        [both.result(0), self.b.cmpi(IntCmp::Eq, both.result(1), self.number(0))]
    }

    fn add(self, x: Val<'p>, y: Val<'p>) -> Val<'p> {
        match self.width {
            Width::Wide | Width::Saturated => self.op(cube::ADDUI_SAT, x, y),
            _ => self.flagged(arith::ADDI, x, y),
        }
    }

    /// The coordinates of an index: one number per leaf (a mode without nested modes) of the shape. The number for the
    /// leftmost leaf varies fastest. The last number is the remaining quotient, because the index is less than the size
    /// of its mode. The number is `None` if a range proves that it is 0.
    pub(super) fn digits(self, leaves: &[Leaf<'p>], at: Index<'p>) -> Vec<Option<Val<'p>>> {
        let mut rest = self.index(at);
        let mut most = match at {
            Index::Known(n) => n,
            Index::Value(value) => ranges::largest(value),
        };
        let mut digits = Vec::with_capacity(leaves.len());
        for (number, leaf) in leaves.iter().enumerate() {
            let extent = leaf.extent.known();
            if extent == Some(1) || most == 0 {
                digits.push(None);
                continue;
            }
            if number + 1 == leaves.len() || extent.is_some_and(|extent| most < extent) {
                digits.push(Some(rest));
                most = 0;
                continue;
            }
            let by = self.num(leaf.extent);
            digits.push(Some(self.op(cube::REMUI, rest, by)));
            rest = self.op(cube::DIVUI, rest, by);
            most = extent.map_or(most, |extent| most / extent);
        }
        digits
    }

    /// The offset of a coordinate in a mode, or `None` if the offset is 0.
    pub(super) fn offset(self, shape: &Shape<'p>, at: Index<'p>) -> Option<Val<'p>> {
        let coalesced = known(shape).map(|layout| shape_of(&coalesce(&layout)));
        let leaves = leaves(coalesced.as_ref().unwrap_or(shape));
        let digits = self.digits(&leaves, at);
        let mut sum = None;
        for (leaf, digit) in leaves.iter().zip(digits) {
            let Some(digit) = digit.filter(|_| leaf.stride != Num::Known(0)) else { continue };
            let part = if leaf.stride == Num::Known(1) { digit } else { self.mul(digit, self.num(leaf.stride)) };
            sum = Some(sum.map_or(part, |sum| self.add(sum, part)));
        }
        sum
    }

    /// Adds a constant and the offsets of coordinates in their modes.
    pub(super) fn sum(self, parts: &[(Shape<'p>, Index<'p>)], number: u64) -> Sum<'p> {
        let mut value = None;
        for (shape, at) in parts {
            if let Some(part) = self.offset(shape, *at) {
                value = Some(value.map_or(part, |sum| self.add(sum, part)));
            }
        }
        Sum { value, number }
    }

    /// Adds a value to a sum.
    pub(super) fn with(self, sum: Sum<'p>, part: Val<'p>) -> Sum<'p> {
        Sum { value: Some(sum.value.map_or(part, |value| self.add(value, part))), ..sum }
    }

    /// Emits a sum plus the constant `more` as one value.
    pub(super) fn value(self, sum: Sum<'p>, more: u64) -> Val<'p> {
        let number = sum.number.saturating_add(more);
        match sum.value {
            None => self.number(number),
            Some(value) if number == 0 => value,
            Some(value) => self.add(value, self.number(number)),
        }
    }

    /// The swizzled offset, with the same width as `offset`.
    pub(super) fn swizzled(self, swizzle: Swizzle, offset: Val<'p>) -> Val<'p> {
        if swizzle.bits() == 0 {
            return offset;
        }
        let bits = offset.ty().bits().unwrap_or(32);
        let number = |n: u64| self.b.int(offset.ty(), if bits == 32 { i64::from(n as u32 as i32) } else { n as i64 });
        let mask = (1u64 << swizzle.bits()) - 1;
        let (base, far) = (swizzle.base(), swizzle.shift().unsigned_abs());
        let (source, target) = if swizzle.shift() >= 0 { (base + far, base) } else { (base, base + far) };
        // Bits above bit 31 of an offset are 0.
        if source >= bits || target >= bits {
            return offset;
        }
        let moved = match source.cmp(&target) {
            std::cmp::Ordering::Greater => {
                let low = self.b.shrui(offset, number(u64::from(source - target)));
                self.b.andi(low, number(mask << target))
            }
            _ => {
                let part = self.b.andi(offset, number(mask << source));
                self.b.shli(part, number(u64::from(target - source)))
            }
        };
        let turned = self.b.xori(offset, moved);
        if self.width != Width::Saturated {
            return turned;
        }
        // An offset outside every buffer keeps its value.
        let last = self.number(self.most());
        self.b.select(self.b.cmpi(IntCmp::Eq, offset, last), last, turned)
    }

    /// Emits the check that a coordinate is inside its mode, or returns `None` if the coordinate's range
    /// proves the condition.
    pub(super) fn inside(self, shape: &Shape<'p>, at: Index<'p>) -> Option<Val<'p>> {
        if super::proof::reach(at, size(shape)).is_some() {
            return None;
        }
        match size(shape) {
            Some(extent) if extent > u64::from(u32::MAX) => None,
            Some(extent) => {
                let plain = Maker { width: Width::Plain, ..self };
                Some(self.b.cmpi(IntCmp::Ult, plain.index(at), plain.number(extent)))
            }
            None if self.width == Width::Saturated => self.below_saturated(shape, at),
            None => {
                let wide = Maker { width: Width::Wide, ..self };
                let mut all = leaves(shape).into_iter().map(|leaf| (leaf.extent, wide.num(leaf.extent)));
                let (_, first) = all.next()?;
                let product = all.fold(first, |x, (extent, y)| wide.capped_product(x, extent, y));
                Some(self.b.cmpi(IntCmp::Ult, wide.index(at), product))
            }
        }
    }

    // The product of two 64-bit numbers that are at most 2^32, clamped to 2^32. `y` is the value of `extent`.
    fn capped_product(self, x: Val<'p>, extent: Num<'p>, y: Val<'p>) -> Val<'p> {
        let (b, most) = (self.b, self.number(1 << 32));
        let product = self.mul(x, y);
        let reaches_most = match extent {
            Num::Known(n) => n >= 1 << 32,
            Num::Times(times, _) => times > 1,
            Num::CeilDiv(..) => false,
        };
        // The product of 2^32 and 2^32 wraps to 0. Bit 32 of both operands is set only in this case.
        let product = if reaches_most { b.ori(product, b.andi(b.andi(x, y), most)) } else { product };
        b.minui(product, most)
    }

    // Whether an index is below the product of the extents. An index of 32 bits is below every product that does not
    // fit in 32 bits.
    fn below_saturated(self, shape: &Shape<'p>, at: Index<'p>) -> Option<Val<'p>> {
        let b = self.b;
        let extents: Vec<Val<'p>> = leaves(shape).iter().map(|leaf| self.num(leaf.extent)).collect();
        let (first, rest) = extents.split_first()?;
        let mut size = (*first, b.int(b.cx().int(1), 0));
        for extent in rest {
            let [product, fits] = self.product(size.0, *extent);
            // A product that overflowed is above every index, unless an extent is 0.
            let some = b.cmpi(IntCmp::Ne, *extent, self.number(0));
            let larger = b.xori(fits, b.int(fits.ty(), -1));
            size = (product, b.ori(larger, b.andi(size.1, some)));
        }
        Some(b.ori(b.cmpi(IntCmp::Ult, self.index(at), size.0), size.1))
    }
}
