//! Right and left inverses.

use crate::Layout;
use crate::carry::{Additive, Digit, Radix, additive};
use crate::coalesce::{flat, flat_of};
use crate::collide::collision;
use crate::error::{Error, ErrorKind, Point, Result, Witness};
use crate::layout::Mode;
use crate::nest::Nest;

/// A layout `R` with `L(R(i)) = i` for all `i < size(R)`. The result is the largest right inverse that the search
/// finds. `1:0` is always a solution.
///
/// CuTe selects modes whose stride equals the size of the modes selected before. `right_inverse` also skips modes
/// of stride zero. The search also uses every `c`-th index of a mode if the offsets of these indices continue the
/// sequence. If several modes can continue the sequence of offsets, the search tries each of these modes.
pub fn right_inverse(layout: &Layout) -> Layout {
    let mut weight = 1u64;
    let mut modes = Vec::with_capacity(8);
    layout.nest().each_leaf(&mut |mode| {
        if mode.extent > 1 && mode.stride > 0 {
            modes.push(Source { mode: *mode, weight, largest_used_digit: 0 });
        }
        weight *= mode.extent;
    });
    let mut search = RightSearch { best: 1, found: Vec::new(), path: Vec::with_capacity(8), steps_left: RIGHT_BUDGET };
    search.extend(&mut modes, 1);
    Layout::from_modes(&flat_of(&Nest::Tuple(search.found.into_iter().map(Nest::Leaf).collect())))
}

/// Maximum number of steps in the search for the largest right inverse. If at most one mode can continue the
/// sequence of offsets in each step, the search needs only one step per mode.
const RIGHT_BUDGET: u32 = 4096;

#[derive(Clone, Copy)]
struct Source {
    mode: Mode,
    weight: u64,
    /// The largest digit of the mode that the inverse uses. All used digits of a mode together never exceed its
    /// extent, so no digit carries.
    largest_used_digit: u64,
}

struct RightSearch {
    best: u64,
    found: Vec<Mode>,
    path: Vec<Mode>,
    steps_left: u32,
}

impl RightSearch {
    fn extend(&mut self, sources: &mut [Source], size: u64) {
        if size > self.best {
            self.best = size;
            self.found.clone_from(&self.path);
        }
        for k in 0..sources.len() {
            let Source { mode, weight, largest_used_digit } = sources[k];
            if !size.is_multiple_of(mode.stride) {
                continue;
            }
            let every = size / mode.stride;
            let most = (mode.extent - 1 - largest_used_digit) / every;
            if most == 0 {
                continue;
            }
            // Tries the whole run first, then shorter runs that end where another mode begins.
            let ends = sources.iter().map(|s| s.mode.stride).filter(|&d| d > size && d % size == 0).map(|d| d / size);
            let mut extents: Vec<u64> = ends.filter(|&extent| extent <= most).collect();
            extents.push(most + 1);
            for extent in extents.into_iter().rev() {
                let Some(steps_left) = self.steps_left.checked_sub(1) else { return };
                self.steps_left = steps_left;
                self.path.push(Mode { extent, stride: weight * every });
                sources[k].largest_used_digit = largest_used_digit + every * (extent - 1);
                self.extend(sources, size * extent);
                sources[k].largest_used_digit = largest_used_digit;
                self.path.pop();
            }
        }
    }
}

/// A layout `R` with `R(L(i)) = i` for all `i < size(L)`.
///
/// The search is exact for layouts in which each stride, in ascending order, divides the next stride. If each
/// stride divides the next stride, the result equals CuTe's result. The function also finds inverses whose
/// digits do not begin at the strides, such as `(10,10):(1,4)` for `(4,10):(1,10)`.
///
/// # Errors
/// The layout is not injective; the error contains two indices with equal offsets. Also fails if the search
/// finds no inverse. If the search finds no inverse, the error contains an offset and its index.
pub fn left_inverse(layout: &Layout) -> Result<Layout> {
    let mut weight = 1u64;
    let mut sources = Vec::with_capacity(8);
    layout.nest().each_leaf(&mut |mode| {
        if mode.extent > 1 {
            sources.push(Source { mode: *mode, weight, largest_used_digit: 0 });
        }
        weight *= mode.extent;
    });
    sources.sort_by_key(|source| source.mode.stride);
    let guess = inverse_by_strides(&sources);
    if let Some(inverse) = guess.as_ref().filter(|inverse| inverts(inverse, layout)) {
        return Ok(inverse.clone());
    }
    if let Some(point @ Point::Collision { index, other, offset }) = collision(layout)? {
        let witness =
            Witness { condition: "the layout is not injective".into(), point: Some(point), ..Witness::default() };
        return Err(Error::refused(
            format!("{layout} has no left inverse: indices {index} and {other} share offset {offset}"),
            witness,
        ));
    }
    Err(not_invertible(layout, guess))
}

/// The inverse in which digit `k` counts in steps of the stride of mode `k`, for modes in ascending order of
/// their strides. If the ratio of two successive strides is a multiple of the extent of the first mode, a
/// separate digit fills the gap, as in CuTe. If the ratio is not such a multiple, the ratio becomes the extent of the
/// digit below the gap.
fn inverse_by_strides(sources: &[Source]) -> Option<Layout> {
    let mut modes = Vec::with_capacity(2 * sources.len() + 1);
    let size: u64 = sources.iter().map(|s| s.mode.extent).product();
    let (mut filled, mut free) = (1u64, size);
    let gap = |modes: &mut Vec<Nest<Mode>>, extent: u64, free: &mut u64| {
        if extent > 1 {
            modes.push(Nest::Leaf(Mode { extent, stride: *free }));
            *free = free.checked_mul(extent)?;
        }
        Some(())
    };
    if let Some(first) = sources.first() {
        if first.mode.stride == 0 {
            return None;
        }
        gap(&mut modes, first.mode.stride, &mut free)?;
        filled = first.mode.stride;
    }
    for (k, source) in sources.iter().enumerate() {
        let Mode { extent, stride } = source.mode;
        debug_assert_eq!(filled, stride);
        let Some(next) = sources.get(k + 1).map(|next| next.mode.stride) else {
            modes.push(Nest::Leaf(Mode { extent, stride: source.weight }));
            break;
        };
        if next % stride != 0 || next == stride {
            return None;
        }
        let room = next / stride;
        if room % extent == 0 {
            modes.push(Nest::Leaf(Mode { extent, stride: source.weight }));
            gap(&mut modes, room / extent, &mut free)?;
        } else {
            modes.push(Nest::Leaf(Mode { extent: room, stride: source.weight }));
        }
        filled = next;
    }
    let nest = if modes.is_empty() { Nest::Leaf(Mode { extent: 1, stride: 0 }) } else { Nest::Tuple(modes) };
    Layout::from_nest(nest).ok().map(|layout| Layout::from_modes(&flat(&layout)))
}

/// Whether `inverse(layout(i)) = i` for all `i`, decided by the carry theorem.
fn inverts(inverse: &Layout, layout: &Layout) -> bool {
    let radix = Radix::new(flat(inverse));
    if layout.cosize() > radix.size() {
        return false;
    }
    let mut weight = 1;
    let mut digits = Vec::with_capacity(8);
    layout.nest().each_leaf(&mut |mode| {
        digits.push(Digit { extent: mode.extent, step: mode.stride, stride: weight });
        weight *= mode.extent;
    });
    let each = digits.iter().all(|d| d.extent == 1 || radix.offset(d.step) == Some(d.stride));
    each && matches!(additive(&radix, &digits), Additive::Yes)
}

fn not_invertible(layout: &Layout, guess: Option<Layout>) -> Error {
    let (index, offset) = (layout.size() - 1, layout.cosize() - 1);
    let candidate = guess.as_ref().and_then(|guess| guess.offset(offset));
    let witness = Witness {
        condition: "the sorted strides do not divide one another".into(),
        point: Some(Point::Value { index: offset, expected: Some(index), candidate }),
        candidate: guess.filter(|_| candidate.is_some_and(|value| value != index)),
        ..Witness::default()
    };
    Error {
        kind: ErrorKind::Refused,
        ..Error::refused(
            format!(
                "no left inverse of {layout} was found: its sorted strides do not divide one another, and offset \
                 {offset} must map to {index}; choose strides each of which divides the next"
            ),
            witness,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{left_inverse, right_inverse};
    use crate::{Layout, Point};

    fn layout(text: &str) -> Layout {
        text.parse().unwrap()
    }

    #[test]
    fn right_inverses_are_as_long_as_the_line() {
        assert_eq!(right_inverse(&layout("(4,8):(8,1)")), layout("(8,4):(4,1)"));
        assert_eq!(right_inverse(&layout("(64,2,6):(0,1,2)")), layout("12:64"));
        assert_eq!(right_inverse(&layout("4:2")), layout("1:0"));
        // Every second index of the last mode continues where the first mode ends.
        assert_eq!(right_inverse(&layout("(4,3):(1,2)")), layout("(4,2):(1,8)"));
        // Taking all three of the first mode would end the line at 3.
        assert_eq!(right_inverse(&layout("(3,2,100):(1,1,2)")).size(), 200);
    }

    #[test]
    fn left_inverses_undo_layouts_with_gaps() {
        assert_eq!(left_inverse(&layout("2:3")).unwrap(), layout("(3,2):(2,1)"));
        assert_eq!(left_inverse(&layout("(4,10):(1,10)")).unwrap(), layout("(10,10):(1,4)"));
        assert_eq!(left_inverse(&layout("(1,1):(5,0)")).unwrap(), layout("1:0"));
    }

    #[test]
    fn noninvertible_layout_is_reported_with_a_collision() {
        let error = left_inverse(&layout("(4,2):(1,2)")).unwrap_err();
        let Some(Point::Collision { index, other, .. }) = error.witness.as_ref().unwrap().point else { panic!() };
        assert_ne!(index, other);
        assert!(error.message.contains("share offset"), "{}", error.message);
        let error = left_inverse(&layout("(2,10):(24,59)")).unwrap_err();
        assert!(error.message.contains("do not divide one another"), "{}", error.message);
        let expected = Point::Value { index: 555, expected: Some(19), candidate: None };
        assert_eq!(error.witness.unwrap().point, Some(expected));
    }
}
