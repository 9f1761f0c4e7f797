//! The divisions that the pass replaces, and the form of each quotient.
use crate::analysis::ranges::largest_within;
use crate::native::Native;
use cube_dialect::ops;
use cube_ir::ops::arith;
use cube_ir::{Op, Type, TypeExt, Val};
use cube_target::{CostClass, Element, IntegerFunction, Support};

/// The kind of a division.
#[derive(Clone, Copy)]
pub(super) struct Division {
    pub signed: bool,
    pub remainder: bool,
}

impl Division {
    pub fn of(op: Op<'_>) -> Option<Division> {
        let bits = op.results().next()?.ty().element().bits();
        if !matches!(bits, Some(32 | 64)) {
            return None;
        }
        let (signed, remainder) = match op.kind() {
            ops::Divui::KIND | arith::DIVUI => (false, false),
            ops::Remui::KIND | arith::REMUI => (false, true),
            ops::Divsi::KIND | arith::DIVSI => (true, false),
            ops::Remsi::KIND | arith::REMSI => (true, true),
            _ => return None,
        };
        Some(Division { signed, remainder })
    }
}

/// The sequence of operations that computes a quotient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum QuotientForm {
    Fused,
    /// [`QuotientForm::Fused`] with the lower halves of 64-bit numbers.
    FusedHalves,
    Unsigned,
    Signed,
}

/// The form of the quotient `x / n`, with `n` of type `ty`; `None` if the chip's own division costs less.
pub(super) fn form_of(division: Division, x: Val<'_>, ty: Type<'_>, native: &Native<'_>) -> Option<QuotientForm> {
    let own = if ty.bits() == Some(64) { Element::I64 } else { Element::I32 };
    let has_wide = native.target().arithmetic(Element::I64) == Some(Support::Native);
    if !division.signed && has_wide && (own == Element::I32 || is_below_2_32(x)) {
        return Some(if own == Element::I32 { QuotientForm::Fused } else { QuotientForm::FusedHalves });
    }
    let form = if division.signed { QuotientForm::Signed } else { QuotientForm::Unsigned };
    if native.has_integer(IntegerFunction::MulWide, own) {
        return Some(form);
    }
    // `expand-missing` expands a wide product to 4 products and 12 sums, shifts and masks. The quotient adds 5 more.
    // The chip's own division is about 20 instructions on all current chips.
    let target = native.target();
    let split = 4 * target.cost(CostClass::MulInt) + 17 * target.cost(CostClass::AddInt);
    let divide = target.costs.get(&CostClass::DivInt).copied().unwrap_or(20 * CostClass::UNIT);
    (split < divide).then_some(form)
}

/// Maximum number of operations that the bound of one dividend visits.
const FUEL: u32 = 64;

// Whether all values of a 64-bit number, or of all lanes of a vector of such numbers, are below 2^32 as unsigned numbers.
fn is_below_2_32(x: Val<'_>) -> bool {
    let extended =
        x.def_of(arith::EXTUI).and_then(|op| op.operand(0).ty().element().bits()).is_some_and(|bits| bits <= 32);
    let bounded = || largest_within(x, &mut FUEL.clone()).is_some_and(|most| most <= u64::from(u32::MAX));
    extended || x.ty().is_scalar() && bounded()
}
