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

macro_rules! words {
    ($($on_host:literal: $($name:ident)*;)*) => {$($(
        #[doc = concat!("`", stringify!($name), "`: known to each unit when the kernel runs; ", $on_host, " on the host.")]
        pub static $name: u32 = $on_host;
    )*)*};
}

// Programs of the host divide by sizes: there is one unit there, and planes have as many lanes as on most devices.
words! {
    0: ABSOLUTE_POS ABSOLUTE_POS_X ABSOLUTE_POS_Y ABSOLUTE_POS_Z
       UNIT_POS UNIT_POS_X UNIT_POS_Y UNIT_POS_Z UNIT_POS_PLANE PLANE_POS
       CUBE_POS CUBE_POS_X CUBE_POS_Y CUBE_POS_Z
       CUBE_POS_CLUSTER CUBE_POS_CLUSTER_X CUBE_POS_CLUSTER_Y CUBE_POS_CLUSTER_Z;
    1: CUBE_DIM CUBE_DIM_X CUBE_DIM_Y CUBE_DIM_Z
       CUBE_COUNT CUBE_COUNT_X CUBE_COUNT_Y CUBE_COUNT_Z
       CUBE_CLUSTER_DIM CUBE_CLUSTER_DIM_X CUBE_CLUSTER_DIM_Y CUBE_CLUSTER_DIM_Z;
    32: PLANE_DIM;
}

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
