//! Proofs about an access through a layout, from the ranges of its coordinates.
use super::lanes;
use crate::analysis::ranges;
use cube_algebra::{
    Composed, Layout,
    access::{largest_offset, touched_banks, touched_sectors, vector_width},
};
use cube_dialect::attributes::ALIGN;
use cube_dialect::{BufferKind, ops as cube_ops};
use cube_ir::{AttrExt, Op, TypeExt};
use cube_layout_dialect::{Index, Num, View, known, size};
use cube_target::SHARED_ALIGNMENT;
use std::fmt::Write;

/// The attribute with the proven properties of an access of the layout dialect. The attribute is only for readers of
/// the IR. Passes derive each property from the view ([`facts`]).
pub(super) const PROOF: &str = cube_dialect::attributes::LAYOUT_PROOF;

/// The proven properties of an access.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Proof {
    /// The number of lines that one access can load or store, which is a power of two.
    pub width: u64,
    /// Guaranteed alignment in bytes of every access of `width` lines.
    pub alignment: u64,
    /// Indices of the coordinates that can exceed their mode.
    pub partial: Vec<usize>,
    /// Indices of the axes along which a tile can extend beyond the tensor.
    pub ragged: Vec<usize>,
    /// An exclusive upper bound of all offsets, if every coordinate is inside its mode.
    pub below: Option<u64>,
    /// The number of 32-byte sectors that the first plane accesses, and the minimum number of sectors for the
    /// accessed bytes.
    pub sectors: Option<(u64, u64)>,
    /// The largest number of words in one bank that the first plane accesses at once, and the number of memory
    /// cycles.
    pub banks: Option<(u64, u64)>,
}

impl Proof {
    /// The proof as the text of the attribute.
    pub(super) fn text(&self) -> String {
        let list = |numbers: &[usize]| {
            let words: Vec<String> = numbers.iter().map(usize::to_string).collect();
            format!("array<i64: {}>", words.join(", ")).replace(": >", ">")
        };
        let mut text = format!("{{width = {}, alignment = {}", self.width, self.alignment);
        for (name, modes) in [("partial", &self.partial), ("ragged", &self.ragged)] {
            if !modes.is_empty() {
                let _ = write!(text, ", {name} = {}", list(modes));
            }
        }
        if let Some(below) = self.below {
            let _ = write!(text, ", below = {below}");
        }
        if let Some((sectors, packed)) = self.sectors {
            let _ = write!(text, ", sectors = {sectors}, packed = {packed}");
        }
        if let Some((degree, cycles)) = self.banks {
            let _ = write!(text, ", degree = {degree}, cycles = {cycles}");
        }
        text + "}"
    }
}

/// Guaranteed alignment in bytes of the first line.
pub(super) fn base_alignment(view: &View<'_>) -> u64 {
    let Some(buffer) = view.buffer_type() else { return 1 };
    let line = buffer.line_bytes();
    match buffer.kind {
        BufferKind::Shared => line.max(SHARED_ALIGNMENT),
        BufferKind::Array | BufferKind::Tensor => {
            let argument = view.buffer.block_arg().and_then(|(block, at)| {
                let kernel = cube_ops::Kernel::of(block.parent()?)?;
                kernel.arg_attrs()?.item(at)?.entry(ALIGN)?.as_int()
            });
            line.max(argument.and_then(|n| u64::try_from(n).ok()).unwrap_or(1))
        }
        _ => line,
    }
}

/// The largest index that a coordinate can have in its mode, or `None` if the coordinate can exceed the mode.
pub(super) fn reach(at: Index<'_>, extent: Option<u64>) -> Option<u64> {
    let most = match at {
        Index::Known(n) => n,
        Index::Value(value) => ranges::largest(value),
    };
    extent.filter(|extent| most < *extent).map(|_| most)
}

/// Whether an element of the view can be outside the tensor along axis `number`. The function considers the elements
/// whose index in the view is in `indices`.
pub(super) fn leaves_axis(view: &View<'_>, number: usize, indices: std::ops::Range<u64>) -> bool {
    let Some(axis) = view.axes.get(number) else { return false };
    let Num::Known(extent) = axis.extent else { return true };
    let most = |layout: Option<Layout>, range: std::ops::Range<u64>| {
        layout.and_then(|layout| largest_offset(&layout, &range).ok())
    };
    let mut largest = most(known(&axis.shape), indices).map(|n| n.saturating_add(axis.base));
    for (fixed, shape) in view.fixed.iter().zip(&axis.fixed) {
        let whole = size(&fixed.shape).unwrap_or(0);
        let top = reach(fixed.at, Some(whole)).map_or(whole, |most| most + 1);
        // A coordinate outside its mode addresses no element.
        let part = most(known(shape), 0..top);
        largest = largest.zip(part).and_then(|(sum, part)| sum.checked_add(part));
    }
    largest.is_none_or(|largest| largest >= extent)
}

/// Properties that all accesses through a view share.
#[derive(Clone, Copy, Debug)]
pub(super) struct ViewFacts {
    /// The value of [`Proof::width`] for each access.
    pub width: u64,
    /// The value of [`Proof::alignment`] for each access.
    pub alignment: u64,
    /// The value of [`Proof::below`] for each access.
    pub below: Option<u64>,
}

// Indices of the coordinates that can exceed their mode.
fn partial(view: &View<'_>) -> Vec<usize> {
    let may_leave = |number: &usize| {
        let fixed = &view.fixed[*number];
        reach(fixed.at, size(&fixed.shape)).is_none()
    };
    (0..view.fixed.len()).filter(may_leave).collect()
}

/// Width, alignment and upper bound of the offsets for accesses through `view`.
pub(super) fn facts(view: &View<'_>) -> ViewFacts {
    let nothing = ViewFacts { width: 1, alignment: 1, below: None };
    let Some(buffer) = view.buffer_type() else { return nothing };
    let bytes = buffer.line_bytes();
    let mut facts = ViewFacts { alignment: bytes, ..nothing };
    let Some(whole) = view.whole() else { return facts };
    let Ok(memory) = Composed::new(view.swizzle, view.base, whole) else { return facts };
    if let Ok(width) = vector_width(&memory, bytes, base_alignment(view))
        && bytes.is_power_of_two()
        && buffer.line == 1
        && buffer.element.bits() != Some(1)
        && buffer.kind != BufferKind::Local
    {
        (facts.width, facts.alignment) = (width.elements, width.alignment);
    }
    if partial(view).is_empty() {
        let top = memory.layout().cosize().checked_add(view.base);
        let period = if view.is_plain() { 1 } else { view.swizzle.period() };
        facts.below = top.and_then(|top| top.checked_next_multiple_of(period));
    }
    facts
}

/// Proves properties of an access through `view`.
pub(super) fn prove(view: &View<'_>, kernel: Op<'_>) -> Proof {
    let Some(buffer) = view.buffer_type() else {
        return Proof { width: 1, alignment: base_alignment(view), ..Proof::default() };
    };
    let bytes = buffer.line_bytes();
    let count = view.count().unwrap_or(0);
    let ViewFacts { width, alignment, below } = facts(view);
    let mut proof = Proof { width, alignment, below, partial: partial(view), ..Proof::default() };
    proof.ragged = (0..view.axes.len()).filter(|number| leaves_axis(view, *number, 0..count)).collect();
    if view.whole().is_none_or(|whole| Composed::new(view.swizzle, view.base, whole).is_err()) {
        return proof;
    }
    if let Some(starts) = starts(view, kernel, proof.width) {
        let moved = bytes * proof.width;
        match buffer.kind {
            BufferKind::Shared if moved <= 16 => {
                let mut report = (1, 0);
                for access in &starts {
                    let banks = touched_banks(&access.iter().map(|at| at * bytes).collect::<Vec<_>>(), moved);
                    report = (report.0.max(banks.degree), report.1 + banks.phases);
                }
                proof.banks = Some(report);
            }
            BufferKind::Array | BufferKind::Tensor => {
                let mut report = (0, 0);
                for access in &starts {
                    let (touched, packed) =
                        touched_sectors(&access.iter().map(|at| at * bytes).collect::<Vec<_>>(), moved);
                    report = (report.0 + touched, report.1 + packed);
                }
                proof.sectors = Some(report);
            }
            _ => {}
        }
    }
    proof
}

/// Maximum number of accesses of one view that the proof counts.
const MAX_ELEMENTS: u64 = 1 << 10;

// The first line of each access of `width` lines, for each unit of the first plane.
fn starts(view: &View<'_>, kernel: Op<'_>, width: u64) -> Option<Vec<Vec<u64>>> {
    let kept = known(&view.shape)?;
    let count = kept.size();
    if count / width > MAX_ELEMENTS {
        return None;
    }
    let mut units: Option<Vec<u64>> = None;
    for fixed in &view.fixed {
        let layout = known(&fixed.shape)?;
        let places = match fixed.at {
            Index::Known(n) => vec![n; lanes::width(kernel) as usize],
            Index::Value(value) => lanes::of_units(value, kernel)?,
        };
        let offsets: Vec<u64> = places.iter().map(|n| layout.offset(*n)).collect::<Option<_>>()?;
        units = Some(match units {
            None => offsets,
            Some(sums) => sums.iter().zip(&offsets).map(|(a, b)| a + b).collect(),
        });
    }
    let units = units.unwrap_or_else(|| vec![0]);
    (0..count)
        .step_by(width as usize)
        .map(|index| {
            let own = kept.offset(index)? + view.base;
            Some(units.iter().map(|unit| view.swizzle.apply(unit + own)).collect())
        })
        .collect()
}
