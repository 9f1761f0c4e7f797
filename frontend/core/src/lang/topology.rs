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

cube_names::topology!(statics);

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
    /// Waits for all units of the cube, which must all reach the barrier. After the barrier, each unit sees the earlier
    /// writes of the cube's units to shared and global memory.
    sync_cube "cube";
    /// Waits for the active lanes of the plane. After the barrier, each active lane sees the earlier writes of all
    /// active lanes to shared and global memory.
    sync_plane "plane";
    /// Waits for all units of the cube, which must all reach the barrier. After the barrier, each unit sees the earlier
    /// writes of the cube's units to global memory. The barrier does not order accesses to shared memory.
    sync_storage "storage";
}
