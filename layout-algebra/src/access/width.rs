//! Proves the vector width of the accesses through a layout.

use super::MAX_ACCESS_BYTES;
use crate::Composed;
use crate::coalesce::flat_of;
use crate::collide::gcd;
use crate::error::{Error, Result};

/// The widest access of a thread, in elements and bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width {
    /// Number of elements of one access, which is a power of two.
    pub elements: u64,
    /// The proven alignment of every access in bytes. The alignment is at least the width of the access.
    pub alignment: u64,
}

/// The widest access proved for the accesses `(thread, value) -> memory`, whose base address is a multiple of
/// `base_alignment` bytes.
///
/// Groups of `w` values are contiguous for every thread under one condition: the first coalesced mode of the
/// values has stride 1 and an extent that `w` divides. The groups are aligned if and only if `w` divides all
/// other strides, because each stride can be the only term of an offset. A swizzle keeps aligned groups of
/// `2^base` elements contiguous.
///
/// # Errors
/// The rank of the layout is not 2, or the element size or alignment is not a power of two.
pub fn vector_width(memory: &Composed, element_bytes: u64, base_alignment: u64) -> Result<Width> {
    let layout = memory.layout();
    if layout.rank() != 2 || layout.depth() == 0 {
        return Err(Error::operand(format!("{layout} is not a layout of threads and values: its rank is not 2")));
    }
    if !element_bytes.is_power_of_two() || !base_alignment.is_power_of_two() {
        return Err(Error::operand(format!(
            "elements of {element_bytes} bytes at an alignment of {base_alignment}; both must be powers of two"
        )));
    }
    let values = flat_of(&layout.nest().children()[1]);
    let threads = flat_of(&layout.nest().children()[0]);
    let run = values.first().filter(|mode| mode.stride == 1).map_or(1, |mode| mode.extent);
    let skipped = usize::from(run > 1);
    let strides = values.iter().skip(skipped).chain(&threads).map(|mode| mode.stride);
    let divisor = strides.fold(memory.base() as i128, |divisor, stride| gcd(divisor, stride.into()));
    let swizzle = memory.swizzle();
    let kept = if swizzle.bits() == 0 { u64::MAX } else { 1 << swizzle.base() };
    let fits = |w: &u64| {
        run.is_multiple_of(*w)
            && divisor % *w as i128 == 0
            && *w <= kept
            && w * element_bytes <= MAX_ACCESS_BYTES
            && w * element_bytes <= base_alignment.max(element_bytes)
    };
    let elements = [16, 8, 4, 2].into_iter().find(fits).unwrap_or(1);
    // If a run of contiguous elements is longer than the access, the accesses advance by their own width.
    let divisor = if run > elements { gcd(divisor, elements.into()) } else { divisor };
    // Swizzled bits can have any value, so only the unchanged low bits are known.
    let known = match divisor {
        0 => base_alignment,
        _ => (1u64 << divisor.trailing_zeros().min(62)).min(kept).saturating_mul(element_bytes).min(base_alignment),
    };
    Ok(Width { elements, alignment: known })
}

#[cfg(test)]
mod tests {
    use super::{Width, vector_width};
    use crate::{Composed, Swizzle};

    fn width(swizzle: &str, offset: u64, layout: &str, bytes: u64, base: u64) -> Width {
        let swizzle: Swizzle = swizzle.parse().unwrap();
        vector_width(&Composed::new(swizzle, offset, layout.parse().unwrap()).unwrap(), bytes, base).unwrap()
    }

    #[test]
    fn view_of_eight_halves_is_sixteen_bytes_wide() {
        let view = "((32,4),(8,4)):((8,8192),(1,2048))";
        assert_eq!(width("S<0,4,3>", 0, view, 2, 16), Width { elements: 8, alignment: 16 });
        // The sliced tensor of the second kernel is known to be aligned to 8 bytes only.
        assert_eq!(width("S<0,4,3>", 0, "(512,4):(4,1)", 2, 16), Width { elements: 4, alignment: 8 });
        assert_eq!(width("S<0,4,3>", 4, view, 2, 16).elements, 4);
        assert_eq!(width("S<3,2,3>", 0, view, 2, 16).elements, 4);
        assert_eq!(width("S<0,4,3>", 0, view, 2, 4).elements, 2);
    }

    #[test]
    fn odd_runs_and_pitches_are_scalar() {
        assert_eq!(width("S<0,4,3>", 0, "(8,6):(6,1)", 4, 16).elements, 2);
        assert_eq!(width("S<0,4,3>", 0, "(8,6):(8,1)", 4, 16).elements, 2);
        assert_eq!(width("S<0,4,3>", 0, "(8,4):(33,1)", 4, 16), Width { elements: 1, alignment: 4 });
        assert_eq!(width("S<0,4,3>", 0, "(8,4):(8,2)", 4, 16), Width { elements: 1, alignment: 8 });
    }

    #[test]
    fn layout_without_a_vector_width_is_rejected() {
        let plain = |text: &str| Composed::new(Swizzle::identity(), 0, text.parse().unwrap()).unwrap();
        let message = vector_width(&plain("8:1"), 4, 16).unwrap_err().message;
        assert!(message.contains("its rank is not 2"), "{message}");
        let message = vector_width(&plain("(8,4):(4,1)"), 3, 16).unwrap_err().message;
        assert!(message.contains("both must be powers of two"), "{message}");
    }
}
