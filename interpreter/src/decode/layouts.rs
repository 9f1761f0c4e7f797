//! Evaluates layouts by their definition. The coordinates of an index are computed by division and remainder, every
//! predicate is evaluated, and no expression is simplified. The layout algebra is shared with the compiler. The
//! interpreter does not use the arithmetic that passes derive from layouts.
use super::decoder::{Decoder, error};
use crate::program::{Code, Fn2};
use crate::shape::{LaneKind, Space};
use cube_dialect::Bounds;
use cube_ir::{AttrExt, Diagnostic, Op, OpKind, Severity, TypeExt, diagnostic, location_of};
use cube_layout_dialect::{Index, Leaf, Num, Refusal, Shape, access_of, digits, leaves, ops};
use cube_semantics::{IntPredicate, ints};

type DecodeResult = Result<(), Diagnostic>;
type Slot = Result<u32, Diagnostic>;

/// An index out of bounds of every buffer, because lengths are u32.
const BEYOND: u64 = 1 << 32;

fn refused(refusal: Refusal<'_>) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(Severity::Error, refusal.message, location_of(refusal.op.location()));
    if let Some(witness) = refusal.witness {
        diagnostic.message = format!("{}; {witness}", diagnostic.message);
    }
    diagnostic
}

/// Operations that define layouts and views. Operations that define layouts emit no code, because the
/// operations that use the layouts evaluate them.
pub fn no_code<'p>(_: &mut Decoder<'p>, _: Op<'p>) -> DecodeResult {
    Ok(())
}

/// Emits 64-bit arithmetic for one operation.
struct Emitter<'d, 'p> {
    d: &'d mut Decoder<'p>,
    op: Op<'p>,
}

impl<'p> Emitter<'_, 'p> {
    fn number(&mut self, n: u64) -> Slot {
        self.d.constant(self.op, n)
    }

    fn binary(&mut self, f: Fn2, x: u32, y: u32) -> Slot {
        let at = self.d.slots(self.op, 1)?;
        self.d.emit(Code::Map2(f), at, [x, y, 0], 1, 64)?;
        Ok(at)
    }

    fn index_slot(&mut self, at: Index<'p>) -> Slot {
        match at {
            Index::Known(n) => self.number(n),
            Index::Value(value) => self.d.slot_of(self.op, value),
        }
    }

    // The result is at most `BEYOND`, so that a product with an index does not overflow.
    fn num(&mut self, num: Num<'p>) -> Slot {
        let limit = self.number(BEYOND)?;
        let value = match num {
            Num::Known(n) => return self.number(n.min(BEYOND)),
            Num::Times(times, value) => {
                let (value, times) = (self.d.slot_of(self.op, value)?, self.number(times.min(BEYOND))?);
                self.binary(ints::mul, value, times)?
            }
            Num::CeilDiv(value, by) => {
                let (value, less, by) = (self.d.slot_of(self.op, value)?, self.number(by - 1)?, self.number(by)?);
                let up = self.binary(ints::add, value, less)?;
                self.binary(ints::divu, up, by)?
            }
        };
        self.binary(ints::minu, value, limit)
    }

    fn digits(&mut self, leaves: &[Leaf<'p>], index: u32) -> Result<Vec<u32>, Diagnostic> {
        let mut rest = index;
        let mut digits = Vec::new();
        for (number, leaf) in leaves.iter().enumerate() {
            if number + 1 == leaves.len() {
                digits.push(rest);
                break;
            }
            let extent = self.num(leaf.extent)?;
            digits.push(self.binary(ints::remu, rest, extent)?);
            rest = self.binary(ints::divu, rest, extent)?;
        }
        Ok(digits)
    }

    fn offset(&mut self, shape: &Shape<'p>, at: Index<'p>) -> Slot {
        let (leaves, index) = (leaves(shape), self.index_slot(at)?);
        let mut sum = self.number(0)?;
        for (leaf, digit) in leaves.iter().zip(self.digits(&leaves, index)?) {
            let stride = self.num(leaf.stride)?;
            let part = self.binary(ints::mul, digit, stride)?;
            sum = self.binary(ints::addu_sat, sum, part)?;
        }
        Ok(sum)
    }

    fn size(&mut self, shape: &Shape<'p>) -> Slot {
        let limit = self.number(BEYOND)?;
        let mut size = self.number(1)?;
        for leaf in leaves(shape) {
            let extent = self.num(leaf.extent)?;
            let product = self.binary(ints::mul, size, extent)?;
            // The product of 2^32 and 2^32 wraps to 0. Bit 32 of both numbers is set only in this case.
            let both = self.binary(ints::and, size, extent)?;
            let wrapped = self.binary(ints::and, both, limit)?;
            let product = self.binary(ints::or, product, wrapped)?;
            size = self.binary(ints::minu, product, limit)?;
        }
        Ok(size)
    }

    fn swizzled(&mut self, swizzle: cube_algebra::Swizzle, offset: u32) -> Slot {
        if swizzle.bits() == 0 {
            return Ok(offset);
        }
        let mask = self.number((1 << swizzle.bits()) - 1)?;
        let (base, far) = (u64::from(swizzle.base()), u64::from(swizzle.shift().unsigned_abs()));
        let (from, to) = if swizzle.shift() >= 0 { (base + far, base) } else { (base, base + far) };
        let (from, to) = (self.number(from)?, self.number(to)?);
        let low = self.binary(ints::shru, offset, from)?;
        let part = self.binary(ints::and, low, mask)?;
        let moved = self.binary(ints::shl, part, to)?;
        self.binary(ints::xor, offset, moved)
    }
}

/// `layout.load`, `layout.store`
pub fn access<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let access = access_of(op).ok_or_else(|| error(op, diagnostic!(CUBE0700.no_access)))?;
    let view = d.layouts.accessed(op).map_err(refused)?;
    let count = view.count().ok_or_else(|| error(op, diagnostic!(CUBE0335.run_time)))?;
    let buffer = d.slot_of_buffer(op, view.buffer)?;
    let held = buffer.shape.held.ok_or_else(|| error(op, diagnostic!(CUBE0700.no_view)))?;
    let value = match access.value {
        Some(_) => d.operand(op, 0)?,
        None => d.define(op, op.result(0))?,
    };
    if count.checked_mul(held.line.into()) != Some(value.shape.lanes().into()) {
        return Err(error(op, diagnostic!(CUBE0335.leaves { lanes: value.shape.lanes(), count })));
    }
    let promised = access.bounds.map_or(!d.checked, |b| b == Bounds::Inbounds);
    // The attribute `inbounds` does not apply to the part of a ragged tile outside of its view. Predicates disable this
    // part.
    let checked = !promised || !view.axes.is_empty();
    let mut m = Emitter { d, op };
    let mut sum = m.number(view.base)?;
    let mut inside = m.number(1)?;
    for fixed in &view.fixed {
        let part = m.offset(&fixed.shape, fixed.at)?;
        sum = m.binary(ints::addu_sat, sum, part)?;
        let (index, size) = (m.index_slot(fixed.at)?, m.size(&fixed.shape)?);
        let below = m.binary(IntPredicate::Ult.function(), index, size)?;
        inside = m.binary(ints::and, inside, below)?;
    }
    let beyond = m.number(BEYOND)?;
    for index in 0..count {
        let mut offset = sum;
        for (digit, stride) in digits(&view.shape, index).unwrap_or_default() {
            let (digit, stride) = (m.number(digit)?, m.num(stride)?);
            let part = m.binary(ints::mul, digit, stride)?;
            offset = m.binary(ints::addu_sat, offset, part)?;
        }
        let mut there = inside;
        for axis in &view.axes {
            let mut coordinate = m.number(axis.base)?;
            for (fixed, shape) in view.fixed.iter().zip(&axis.fixed) {
                let part = m.offset(shape, fixed.at)?;
                coordinate = m.binary(ints::addu_sat, coordinate, part)?;
            }
            let part = m.offset(&axis.shape, Index::Known(index))?;
            coordinate = m.binary(ints::addu_sat, coordinate, part)?;
            let extent = m.num(axis.extent)?;
            let below = m.binary(IntPredicate::Ult.function(), coordinate, extent)?;
            there = m.binary(ints::and, there, below)?;
        }
        let offset = m.swizzled(view.swizzle, offset)?;
        let small = m.binary(IntPredicate::Ult.function(), offset, beyond)?;
        there = m.binary(ints::and, there, small)?;
        let line = match promised && view.axes.is_empty() {
            true => offset,
            false => {
                let line = m.d.slots(op, 1)?;
                m.d.emit(Code::Choose, line, [there, offset, beyond], 1, 0)?;
                line
            }
        };
        let lanes = value.at + index as u32 * held.line;
        move_line(m.d, &buffer, [line, lanes, held.line], checked, access.value.is_some())?;
    }
    Ok(())
}

fn move_line<'p>(
    d: &mut Decoder<'p>,
    buffer: &super::decoder::Slot,
    [line, lanes, count]: [u32; 3],
    checked: bool,
    store: bool,
) -> DecodeResult {
    let held = buffer.shape.held;
    if let Some((base, number)) = d.locals.get(&buffer.at).copied() {
        return match store {
            true => d.emit(Code::StoreLocal { checked }, 0, [line, base, lanes], count, number),
            false => d.emit(Code::LoadLocal { checked }, lanes, [line, base, 0], count, number),
        }
        .map(|_| ());
    }
    let slice = held.is_some_and(|held| held.space == Space::Slice);
    match store {
        true => d.emit(Code::Store { checked, slice }, 0, [line, buffer.at, lanes], count, 0),
        false => {
            let bool = held.is_some_and(|held| held.element == LaneKind::Int(1));
            d.emit(Code::Load { checked, slice, bool }, lanes, [line, buffer.at, 0], count, 0)
        }
    }
    .map(|_| ())
}

/// `layout.crd2idx`
pub fn crd2idx<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let (value, fixed) = d.layouts.coordinate(op).map_err(refused)?;
    let mut m = Emitter { d, op };
    let mut sum = m.number(value.base)?;
    for fixed in fixed {
        let part = m.offset(&fixed.shape, fixed.at)?;
        sum = m.binary(ints::add, sum, part)?;
    }
    let offset = m.swizzled(value.swizzle, sum)?;
    u32_of(m, offset)
}

fn u32_of<'p>(mut m: Emitter<'_, 'p>, wide: u32) -> DecodeResult {
    let mask = m.number(u64::from(u32::MAX))?;
    let low = m.binary(ints::and, wide, mask)?;
    let op = m.op;
    m.d.alias(op, op.result(0), low)
}

/// `layout.idx2crd`
pub fn idx2crd<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let shape = d.layouts.layout(op.operand(1), op).map_err(refused)?.shape;
    let leaves = leaves(&shape);
    if leaves.len() != op.results().len() {
        return Err(error(op, diagnostic!(CUBE0176.count { given: op.results().len(), leaves: leaves.len() })));
    }
    let index = d.operand(op, 0)?.at;
    let digits = Emitter { d: &mut *d, op }.digits(&leaves, index)?;
    for (result, digit) in op.results().zip(digits) {
        d.alias(op, result, digit)?;
    }
    Ok(())
}

/// `layout.size`
pub fn size<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let is_view = op.operand(0).ty().view_line().is_some();
    let shape = match is_view {
        true => d.layouts.view(op.operand(0), op).map_err(refused)?.shape,
        false => d.layouts.layout(op.operand(0), op).map_err(refused)?.shape,
    };
    let mode = op.attr("mode").and_then(|a| a.as_int()).and_then(|m| usize::try_from(m).ok());
    let part = mode.map_or(Some(shape.clone()), |m| shape.children().get(m).cloned());
    let part = part.ok_or_else(|| error(op, diagnostic!(CUBE0333.no_mode)))?;
    let mut m = Emitter { d, op };
    let size = m.size(&part)?;
    u32_of(m, size)
}

/// The rules of the layout dialect.
pub const RULES: &[(OpKind, crate::rules::rule::Rule)] = {
    use crate::rules::rule::Rule::Emit as E;
    &[
        (ops::Constant::KIND, E(no_code)),
        (ops::Make::KIND, E(no_code)),
        (ops::Coalesce::KIND, E(no_code)),
        (ops::Filter::KIND, E(no_code)),
        (ops::RightInverse::KIND, E(no_code)),
        (ops::LeftInverse::KIND, E(no_code)),
        (ops::Complement::KIND, E(no_code)),
        (ops::Compose::KIND, E(no_code)),
        (ops::LogicalDivide::KIND, E(no_code)),
        (ops::ZippedDivide::KIND, E(no_code)),
        (ops::TiledDivide::KIND, E(no_code)),
        (ops::FlatDivide::KIND, E(no_code)),
        (ops::LogicalProduct::KIND, E(no_code)),
        (ops::BlockedProduct::KIND, E(no_code)),
        (ops::RakedProduct::KIND, E(no_code)),
        (ops::MakeTv::KIND, E(no_code)),
        (ops::Slice::KIND, E(no_code)),
        (ops::View::KIND, E(no_code)),
        (ops::Crd2idx::KIND, E(crd2idx)),
        (ops::Idx2crd::KIND, E(idx2crd)),
        (ops::Size::KIND, E(size)),
        (ops::Load::KIND, E(access)),
        (ops::Store::KIND, E(access)),
    ]
};
