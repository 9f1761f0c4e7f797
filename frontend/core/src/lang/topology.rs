//! Where a unit is.
use super::value::Val;
use crate::ir::{Elem, Ty, with};

/// A word of the topology.
pub fn topology(word: &str, position: u32) -> Val<u32> {
    Val::new(with(|b| {
        b.at(position);
        b.value(Ty::scalar(Elem::U32), &format!("cube.topology {word}"))
    }))
}

macro_rules! statics {
    ($($on_host:literal: $($name:ident)*;)*) => {$($(
        #[doc = concat!("`", stringify!($name), "`: known to each unit when the kernel runs; ", $on_host, " on the host.")]
        pub static $name: u32 = $on_host;
    )*)*};
}

cube_macros::words!(topology => statics);

macro_rules! barriers {
    ($($(#[$doc:meta])* $name:ident $word:literal;)*) => {$(
        $(#[$doc])*
        pub fn $name() {}
        #[doc(hidden)]
        pub mod $name {
            /// The twin.
            pub fn expand() {
                crate::ir::with(|b| b.op(concat!("cube.sync ", $word)));
            }
        }
    )*};
}

barriers! {
    /// Waits for all units of the cube; what they wrote before is seen after.
    sync_cube "cube";
    /// Waits for all units of the plane.
    sync_plane "plane";
    /// Makes what this unit wrote to global memory seen by others.
    sync_storage "storage";
}
