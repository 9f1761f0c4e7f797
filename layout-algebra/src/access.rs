//! Proofs about the memory accesses through a layout: bounds, vector width, sectors and bank conflicts.
//!
//! The symbolic functions ([`bounds`], [`vector_width`]) need a few divisions per mode, for any extents. The counting
//! functions ([`global_access`], [`bank_conflicts`]) simulate the memory access of every thread of the tile.

mod bank;
mod bounds;
mod global;
mod width;

pub use bank::{BankReport, bank_conflicts, bank_words, touched_banks};
pub(crate) use bank::{check_access, count};
pub use bounds::{Axis, Bound, Cover, bounds, cover, largest_offset, tile_coordinates};
pub use global::{GlobalReport, global_access, touched_sectors};
pub use width::{Width, vector_width};

/// The number of bytes in the widest access of one thread in one instruction.
pub const MAX_ACCESS_BYTES: u64 = 16;

/// The number of threads in a plane that the memory model assumes.
pub const PLANE_DIM: u64 = 32;

/// The maximum number of `(thread, value)` pairs that the counting functions simulate.
pub const MAX_PAIRS: u64 = 1 << 22;
