//! Proofs about the memory accesses through a layout: bounds, vector width, sectors and bank conflicts.
//!
//! The symbolic parts ([`bounds`], [`vector_width`]) cost a few divisions per mode, for any sizes. The counting parts
//! ([`global_access`], [`bank_conflicts`]) simulate every thread of the tile, as the memory system does.

mod bank;
mod bounds;
mod global;
mod width;

pub use bank::{BankReport, bank_conflicts, bank_words, touched_banks};
pub(crate) use bank::{check_access, count};
pub use bounds::{Axis, Bound, Cover, bounds, cover, largest_offset, tile_coordinates};
pub use global::{GlobalReport, global_access, touched_sectors};
pub use width::{Width, vector_width};

/// The widest access of one thread in one instruction, in bytes.
pub const WIDEST: u64 = 16;

/// The number of threads in a plane that the memory model assumes.
pub const PLANE: u64 = 32;

/// The maximum `(thread, value)` pairs that the counting functions simulate.
pub const MOST_PAIRS: u64 = 1 << 22;
