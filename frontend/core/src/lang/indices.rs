//! Indices of type `usize`. Memory has fewer than 2^32 elements, so a greater index is out of bounds for all
//! memory.
use super::cast::convert;
use super::value::Val;
use crate::ir::{Elem, Lit, Raw, Ty, with};

/// Converts an index of type `usize` to an index of the kernel language.
pub fn size_index(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Converts a number of elements to `usize`.
pub fn size_of_u32(number: Val<u32>) -> Val<usize> {
    Val::new(convert(number.raw, super::sizes::size_elem(), 0))
}

/// The expansion of the function `size_index`.
pub mod size_index {
    use super::{Elem, Lit, Raw, Ty, Val, convert, with};

    /// Returns the index, or the largest `u32` if the index is larger.
    pub fn size_index(index: Val<usize>) -> Val<u32> {
        let most = i128::from(u32::MAX);
        if let Raw::Const(Lit::Int(known), _) = index.raw {
            return Val::new(Raw::Const(Lit::Int(known.clamp(0, most)), Ty::scalar(Elem::U32)));
        }
        if let Elem::U32 = index.ty().elem {
            return Val::new(with(|b| b.load(index.raw)));
        }
        let least = with(|b| {
            let (index, ty) = b.id(index.raw);
            let most = b.constant(Lit::Int(most), ty);
            b.value(ty, &format!("arith.minui %{index}, %{most} : {ty}"))
        });
        Val::new(convert(least, Elem::U32, 0))
    }
}
