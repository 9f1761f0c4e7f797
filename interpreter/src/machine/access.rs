//! Loads, stores, atomics, slices, and properties of buffers.
use super::state::{Machine, Unit};
use crate::memory::{Buffer, copy_to_overlaps};
use crate::program::{AtomicKind, Inst, Measure};
use crate::shape::LaneKind;
use cube_artifact::prints::split_placeholders;
use cube_semantics::ints::{mask, signed};
use cube_target::Element;

/// Limit on the number of texts that a launch prints.
const MAX_PRINTED: usize = 1 << 16;

/// A line of a buffer: the index of the line, and whether the index is in bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct AddressedLine {
    pub buffer: usize,
    pub line: u64,
    pub inside: bool,
}

/// The line of memory that an access addresses.
#[inline(always)]
pub(super) fn addressed_line(buffers: &[Buffer], slots: &[u64], inst: &Inst, slice: bool) -> AddressedLine {
    let (index, buffer) = (slots[inst.a as usize], slots[inst.b as usize] as usize);
    let lines = buffers.get(buffer).map_or(0, |b| b.lines);
    if !slice {
        return AddressedLine { buffer, line: index, inside: index < lines };
    }
    let (start, limit) = (slots[inst.b as usize + 1], slots[inst.b as usize + 3]);
    let line = start.wrapping_add(index);
    AddressedLine { buffer, line, inside: index < limit && line < lines }
}

/// The first slot of a line of local memory.
#[inline(always)]
pub(super) fn local_at(buffer: &Buffer, line: u64, base: u32) -> usize {
    base as usize + line as usize * buffer.line
}

#[inline(always)]
pub(super) fn load(buffers: &[Buffer], slots: &mut [u64], inst: &Inst, slice: bool, bool: bool) {
    let addressed = addressed_line(buffers, slots, inst, slice);
    let out = inst.dst as usize..(inst.dst + inst.lanes) as usize;
    if !addressed.inside {
        slots[out].fill(0);
        return;
    }
    let buffer = &buffers[addressed.buffer];
    if let Some(base) = buffer.local {
        let from = local_at(buffer, addressed.line, base);
        return slots.copy_within(from..from + inst.lanes as usize, inst.dst as usize);
    }
    let first = addressed.line as usize * buffer.line;
    for (i, out) in slots[out].iter_mut().enumerate() {
        let value = buffer.get(first + i);
        *out = if bool { u64::from(value != 0) } else { value };
    }
}

#[inline(always)]
pub(super) fn store(buffers: &mut [Buffer], slots: &mut [u64], inst: &Inst, slice: bool) {
    let addressed = addressed_line(buffers, slots, inst, slice);
    if !addressed.inside {
        return;
    }
    let buffer = &mut buffers[addressed.buffer];
    if let Some(base) = buffer.local {
        let to = local_at(buffer, addressed.line, base);
        return slots.copy_within(inst.c as usize..(inst.c + inst.lanes) as usize, to);
    }
    let first = addressed.line as usize * buffer.line;
    for (i, value) in slots[inst.c as usize..(inst.c + inst.lanes) as usize].iter().enumerate() {
        buffer.set(first + i, *value);
    }
    if !buffer.overlaps.is_empty() {
        let bytes = first * buffer.size..(first + inst.lanes as usize) * buffer.size;
        copy_to_overlaps(buffers, addressed.buffer, &bytes);
    }
}

/// The first slot of the line of local memory that an access addresses, or `None` if the access is out of
/// bounds.
#[inline(always)]
pub(super) fn local_line(buffers: &[Buffer], slots: &[u64], inst: &Inst) -> Option<usize> {
    let (index, lines) = (slots[inst.a as usize], buffers[inst.imm as usize].lines);
    (index < lines).then(|| inst.b as usize + index as usize * inst.lanes as usize)
}

#[inline(always)]
pub(super) fn load_local(buffers: &[Buffer], slots: &mut [u64], inst: &Inst) {
    match local_line(buffers, slots, inst) {
        Some(from) => slots.copy_within(from..from + inst.lanes as usize, inst.dst as usize),
        None => slots[inst.dst as usize..(inst.dst + inst.lanes) as usize].fill(0),
    }
}

#[inline(always)]
pub(super) fn store_local(buffers: &[Buffer], slots: &mut [u64], inst: &Inst) {
    if let Some(to) = local_line(buffers, slots, inst) {
        slots.copy_within(inst.c as usize..(inst.c + inst.lanes) as usize, to);
    }
}

pub(super) fn atomic(buffers: &mut [Buffer], slots: &mut [u64], inst: &Inst, kind: AtomicKind, slice: bool) {
    let addressed = addressed_line(buffers, slots, inst, slice);
    let gives = !matches!(kind, AtomicKind::Store);
    if !addressed.inside {
        if gives {
            slots[inst.dst as usize] = 0;
        }
        return;
    }
    let buffer = &mut buffers[addressed.buffer];
    let local = buffer.local.map(|base| local_at(buffer, addressed.line, base));
    let old = match local {
        Some(at) => slots[at],
        None => buffer.get(addressed.line as usize),
    };
    let value = slots[inst.c as usize];
    let new = match kind {
        AtomicKind::Load => None,
        AtomicKind::Store => Some(value),
        AtomicKind::Rmw(f) => Some(f(old, value, inst.imm)),
        AtomicKind::Cas => (slots[inst.imm as usize] == old).then_some(value),
    };
    if let Some(new) = new {
        match local {
            Some(at) => slots[at] = new,
            None => {
                buffer.set(addressed.line as usize, new);
                let bytes = addressed.line as usize * buffer.size..(addressed.line as usize + 1) * buffer.size;
                copy_to_overlaps(buffers, addressed.buffer, &bytes);
            }
        }
    }
    if gives {
        slots[inst.dst as usize] = old;
    }
}

pub(super) fn slice(slots: &mut [u64], inst: &Inst, of_slice: bool) {
    let (start, end) = (slots[inst.b as usize], slots[inst.c as usize]);
    let at = inst.a as usize;
    let (before, limit) = if of_slice { (slots[at + 1], slots[at + 3]) } else { (0, u64::MAX) };
    let count = end.saturating_sub(start);
    let made = [slots[at], before.wrapping_add(start), count, count.min(limit.saturating_sub(start))];
    slots[inst.dst as usize..inst.dst as usize + 4].copy_from_slice(&made);
}

pub(super) fn measure(buffers: &[Buffer], slots: &mut [u64], inst: &Inst, what: Measure) {
    let buffer = buffers.get(slots[inst.a as usize] as usize);
    let dim = slots[inst.b as usize] as usize;
    let of = |list: fn(&Buffer) -> &Vec<u64>| buffer.and_then(|b| list(b).get(dim).copied()).unwrap_or(0);
    let word = |v: u64| v & mask(32);
    let value = match what {
        Measure::Len => buffer.map_or(0, Buffer::len),
        Measure::BufferLen => buffer.map_or(0, |b| b.lines),
        Measure::SliceBufferLen => {
            let (start, limit) = (slots[inst.a as usize + 1], slots[inst.a as usize + 3]);
            limit.min(buffer.map_or(0, |b| b.lines).saturating_sub(start))
        }
        Measure::Rank => buffer.map_or(0, |b| b.shape.len() as u64),
        Measure::Shape => of(|b| &b.shape),
        Measure::Stride => of(|b| &b.strides),
        Measure::Coordinate => {
            // Divisions follow the dialect: x / 0 = x, x % 0 = 0.
            let (stride, extent) = (word(of(|b| &b.strides)), word(of(|b| &b.shape)));
            let along = slots[inst.c as usize].checked_div(stride).unwrap_or(slots[inst.c as usize]);
            along.checked_rem(extent).unwrap_or(0)
        }
    };
    slots[inst.dst as usize] = value & mask(inst.imm);
}

impl Machine<'_> {
    pub(super) fn print(&mut self, unit: &Unit, inst: &Inst) {
        let entry = &self.program.prints[inst.imm as usize];
        if self.printed.len() >= MAX_PRINTED && !entry.fails {
            return;
        }
        let mut values = entry.values.iter();
        let (mut out, (parts, rest)) = (String::new(), split_placeholders(&entry.text));
        for (part, unsigned) in parts {
            out.push_str(part);
            if let Some((at, lanes, kind)) = values.next() {
                let bits = |at: u32| unit.slots[at as usize];
                let show = |at| match kind {
                    LaneKind::Int(2..) if unsigned => bits(at).to_string(),
                    kind => value_text(bits(at), *kind, self.program.ring),
                };
                let lanes: Vec<String> = (*at..at + lanes).map(show).collect();
                match lanes.as_slice() {
                    [one] => out.push_str(one),
                    all => out.push_str(&format!("[{}]", all.join(", "))),
                }
            }
        }
        out.push_str(rest);
        match entry.fails {
            true => _ = self.stopped.get_or_insert(out),
            false => self.printed.push(out),
        }
    }
}

/// The text of a value. Integers have their sign, and floats have enough digits to distinguish f32 or f64
/// values.
pub(crate) fn value_text(bits: u64, kind: LaneKind, in_ring: bool) -> String {
    match kind {
        LaneKind::Int(1) => (bits != 0).to_string(),
        LaneKind::Int(width) => signed(bits, width).to_string(),
        _ if in_ring && kind.is_float() => format!("{bits} (in the ring)"),
        LaneKind::Float(Element::F64) => f64::from_bits(bits).to_string(),
        kind if kind.is_float() => kind.number().map_or(0.0, |number| number.to_double(bits) as f32).to_string(),
        _ => bits.to_string(),
    }
}
