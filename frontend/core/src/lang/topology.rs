//! Topology values and barriers.
use super::value::Val;
use crate::ir::{Elem, Ty, with};

/// The topology value with the IR name `name`.
pub fn topology(name: &str, position: u32) -> Val<u32> {
    Val::new(with(|b| {
        b.at(position);
        b.value(Ty::scalar(Elem::U32), &format!("cube.topology {name}"))
    }))
}

macro_rules! statics {
    ($($on_host:literal: $($name:ident)*;)*) => {$($(
        #[doc = concat!("`", stringify!($name), "`: a run-time value in kernels; ", $on_host, " on the host.")]
        pub static $name: u32 = $on_host;
    )*)*};
}

cube_macros::words!(topology => statics);

macro_rules! barriers {
    ($($(#[$doc:meta])* $name:ident $scope:literal;)*) => {$(
        $(#[$doc])*
        pub fn $name() {}
        #[doc(hidden)]
        pub mod $name {
            pub fn $name() {
                crate::ir::with(|b| b.op(concat!("cube.sync ", $scope)));
            }
        }
    )*};
}

barriers! {
    /// Waits for all units of the cube. Writes of the cube's units before the barrier are visible after the
    /// barrier.
    sync_cube "cube";
    /// Waits for all units of the plane.
    sync_plane "plane";
    /// Makes earlier writes of this unit to global memory visible to other units.
    sync_storage "storage";
}
