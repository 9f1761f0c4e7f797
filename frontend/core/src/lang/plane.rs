//! Planes: what units that run together tell each other.
use super::line::Line;
use super::ops::suffixed;
use super::value::{CubePrimitive, Val};
use crate::__private::unexpanded;
use crate::ir::{Elem, Raw, Ty, with};

/// `cube.OP %v : T`, element by element where the value is a line.
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
            /// The twin.
            pub fn expand<E: CubePrimitive>(value: Val<E>) -> Val<E> {
                let kind = suffixed($op, E::elem());
                Val::new(each(value.raw, |v, ty| format!("cube.plane_reduce {kind} %{v} : {ty}")))
            }
        }
    )*};
}

reductions! {
    /// The sum over the plane.
    plane_sum "add";
    /// The product over the plane.
    plane_prod "mul";
    /// The largest value of the plane.
    plane_max "max";
    /// The smallest value of the plane.
    plane_min "min";
}

macro_rules! scans {
    ($($(#[$doc:meta])* $name:ident $way:literal $op:literal;)*) => {$(
        $(#[$doc])*
        pub fn $name<E: CubePrimitive>(value: E) -> E {
            let _ = value;
            unexpanded()
        }
        #[doc(hidden)]
        pub mod $name {
            use super::*;
            /// The twin.
            pub fn expand<E: CubePrimitive>(value: Val<E>) -> Val<E> {
                let kind = suffixed($op, E::elem());
                Val::new(each(value.raw, |v, ty| format!(concat!("cube.plane_scan ", $way, " {} %{} : {}"), kind, v, ty)))
            }
        }
    )*};
}

scans! {
    /// The sum of the units up to and with this one.
    plane_inclusive_sum "inclusive" "add";
    /// The product of the units up to and with this one.
    plane_inclusive_prod "inclusive" "mul";
    /// The sum of the units before this one.
    plane_exclusive_sum "exclusive" "add";
    /// The product of the units before this one.
    plane_exclusive_prod "exclusive" "mul";
}

macro_rules! shuffles {
    ($($(#[$doc:meta])* $name:ident $way:literal;)*) => {$(
        $(#[$doc])*
        pub fn $name<E: CubePrimitive>(value: E, with: u32) -> E {
            let _ = (value, with);
            unexpanded()
        }
        #[doc(hidden)]
        pub mod $name {
            use super::*;
            /// The twin.
            pub fn expand<E: CubePrimitive>(value: Val<E>, with: Val<u32>) -> Val<E> {
                let i = with.id();
                Val::new(each(value.raw, |v, ty| format!(concat!($way, " %{}, %{} : {}"), v, i, ty)))
            }
        }
    )*};
}

shuffles! {
    /// The value of the unit with that position in the plane; the same for all units.
    plane_broadcast "cube.plane_broadcast";
    /// The value of the unit with that position in the plane; each unit may ask for another.
    plane_shuffle "cube.plane_shuffle idx";
    /// The value of the unit whose position differs by these bits.
    plane_shuffle_xor "cube.plane_shuffle xor";
    /// The value of the unit that many positions before.
    plane_shuffle_up "cube.plane_shuffle up";
    /// The value of the unit that many positions after.
    plane_shuffle_down "cube.plane_shuffle down";
}

macro_rules! votes {
    ($($(#[$doc:meta])* $name:ident $way:literal;)*) => {$(
        $(#[$doc])*
        pub fn $name(value: bool) -> bool {
            value
        }
        #[doc(hidden)]
        pub mod $name {
            use super::*;
            /// The twin.
            pub fn expand(value: Val<bool>) -> Val<bool> {
                Val::new(each(value.raw, |v, _| format!(concat!("cube.plane_vote ", $way, " %{}"), v)))
            }
        }
    )*};
}

votes! {
    /// Whether it holds for all units of the plane.
    plane_all "all";
    /// Whether it holds for some unit of the plane.
    plane_any "any";
}

/// Whether this unit is the one of its plane that is to act for all.
pub fn plane_elect() -> bool {
    unexpanded()
}

#[doc(hidden)]
pub mod plane_elect {
    use super::*;
    /// The twin.
    pub fn expand() -> Val<bool> {
        Val::new(with(|b| b.value(Ty::scalar(Elem::Bool), "cube.plane_elect")))
    }
}

/// One bit for each unit of the plane for which it holds: four words, the lowest units first.
pub fn plane_ballot(value: bool) -> Line<u32> {
    let _ = value;
    unexpanded()
}

#[doc(hidden)]
pub mod plane_ballot {
    use super::*;
    /// The twin.
    pub fn expand(value: Val<bool>) -> Val<Line<u32>> {
        Val::new(with(|b| {
            let (v, _) = b.id(value.raw);
            b.value(Ty { elem: Elem::U32, line: 4 }, &format!("cube.plane_ballot %{v} : vector<4xi32>"))
        }))
    }
}
