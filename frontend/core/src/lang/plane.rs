//! Plane operations, which exchange values between the lanes of a plane.
use super::line::Line;
use super::ops::suffixed;
use super::value::{CubePrimitive, Val};
use crate::__private::unexpanded;
use crate::ir::{Elem, Raw, Ty, with};

/// Applies a plane operation to each element of a line.
fn each(value: Raw, text: impl Fn(u32, Ty) -> String) -> Raw {
    let (_, ty) = crate::ir::current(value);
    if ty.line == 1 {
        return with(|b| {
            let (v, ty) = b.id(value);
            b.value(ty, &text(v, ty))
        });
    }
    let mut whole = value;
    for i in 0..ty.line {
        let at = Val::<u32>::lit(i).raw;
        let lane = super::containers::lane(value, at);
        let new = with(|b| {
            let (v, ty) = b.id(lane);
            b.value(ty, &text(v, ty))
        });
        whole = super::containers::with_lane(whole, at, new);
    }
    whole
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident $op:literal;)*) => {$(
        $(#[$doc])*
        pub fn $name<E: CubePrimitive>(value: E) -> E {
            let _ = value;
            unexpanded()
        }
        #[doc(hidden)]
        pub mod $name {
            use super::*;
            pub fn $name<E: CubePrimitive>(value: Val<E>) -> Val<E> {
                let kind = suffixed($op, E::elem());
                Val::new(each(value.raw, |v, ty| format!("cube.plane_reduce {kind} %{v} : {ty}")))
            }
        }
    )*};
}

reductions! {
    /// The sum over the active lanes.
    plane_sum "add";
    /// The product over the active lanes.
    plane_prod "mul";
    /// The maximum over the active lanes.
    plane_max "max";
    /// The minimum over the active lanes.
    plane_min "min";
}

macro_rules! scans {
    ($($(#[$doc:meta])* $name:ident $mode:literal $op:literal;)*) => {$(
        $(#[$doc])*
        pub fn $name<E: CubePrimitive>(value: E) -> E {
            let _ = value;
            unexpanded()
        }
        #[doc(hidden)]
        pub mod $name {
            use super::*;
            pub fn $name<E: CubePrimitive>(value: Val<E>) -> Val<E> {
                let kind = suffixed($op, E::elem());
                Val::new(each(value.raw, |v, ty| format!(concat!("cube.plane_scan ", $mode, " {} %{} : {}"), kind, v, ty)))
            }
        }
    )*};
}

scans! {
    /// The sum over this lane and the active lanes with a smaller index.
    plane_inclusive_sum "inclusive" "add";
    /// The product over this lane and the active lanes with a smaller index.
    plane_inclusive_prod "inclusive" "mul";
    /// The sum over the active lanes with a smaller index than this lane. The result in the first active lane is 0.
    plane_exclusive_sum "exclusive" "add";
    /// The product over the active lanes with a smaller index than this lane. The result in the first active lane is 1.
    plane_exclusive_prod "exclusive" "mul";
}

macro_rules! shuffles {
    ($($(#[$doc:meta])* $name:ident $mode:literal;)*) => {$(
        $(#[$doc])*
        pub fn $name<E: CubePrimitive>(value: E, with: u32) -> E {
            let _ = (value, with);
            unexpanded()
        }
        #[doc(hidden)]
        pub mod $name {
            use super::*;
            pub fn $name<E: CubePrimitive>(value: Val<E>, with: Val<u32>) -> Val<E> {
                let i = with.id();
                Val::new(each(value.raw, |v, ty| format!(concat!($mode, " %{}, %{} : {}"), v, i, ty)))
            }
        }
    )*};
}

shuffles! {
    /// The value of the lane with index `with`. The index `with` must be equal in all lanes. If the lane with index
    /// `with` does not exist or is inactive, the result is the lane's own value.
    plane_broadcast "cube.plane_broadcast";
    /// The value of the lane with index `with`. The index `with` can differ between lanes. If the lane with index
    /// `with` does not exist or is inactive, the result is the lane's own value.
    plane_shuffle "cube.plane_shuffle idx";
    /// The value of the lane whose index is `i ^ with`, for a lane with index `i`. If the source lane does not exist or
    /// is inactive, the result is the lane's own value.
    plane_shuffle_xor "cube.plane_shuffle xor";
    /// The value of the lane whose index is `i - with`, for a lane with index `i`. If the source lane does not exist or
    /// is inactive, the result is the lane's own value.
    plane_shuffle_up "cube.plane_shuffle up";
    /// The value of the lane whose index is `i + with`, for a lane with index `i`. If the source lane does not exist or
    /// is inactive, the result is the lane's own value.
    plane_shuffle_down "cube.plane_shuffle down";
}

macro_rules! votes {
    ($($(#[$doc:meta])* $name:ident $mode:literal;)*) => {$(
        $(#[$doc])*
        pub fn $name(value: bool) -> bool {
            value
        }
        #[doc(hidden)]
        pub mod $name {
            use super::*;
            pub fn $name(value: Val<bool>) -> Val<bool> {
                Val::new(each(value.raw, |v, _| format!(concat!("cube.plane_vote ", $mode, " %{}"), v)))
            }
        }
    )*};
}

votes! {
    /// Whether the value is true in all active lanes.
    plane_all "all";
    /// Whether the value is true in at least one active lane.
    plane_any "any";
}

/// Whether this unit is the elected lane of its plane. The operation elects exactly one active lane.
pub fn plane_elect() -> bool {
    unexpanded()
}

#[doc(hidden)]
pub mod plane_elect {
    use super::*;
    pub fn plane_elect() -> Val<bool> {
        Val::new(with(|b| b.value(Ty::scalar(Elem::Bool), "cube.plane_elect")))
    }
}

/// A mask with one bit per lane. A bit is set if the lane is active and its value is true. The result has four
/// words. The lowest bit of the first word belongs to lane 0.
pub fn plane_ballot(value: bool) -> Line<u32> {
    let _ = value;
    unexpanded()
}

#[doc(hidden)]
pub mod plane_ballot {
    use super::*;
    pub fn plane_ballot(value: Val<bool>) -> Val<Line<u32>> {
        Val::new(with(|b| {
            let (v, _) = b.id(value.raw);
            b.value(Ty { elem: Elem::U32, line: 4 }, &format!("cube.plane_ballot %{v} : vector<4xi32>"))
        }))
    }
}
