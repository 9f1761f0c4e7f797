//! Phase `legalize`: expands operations that the chip lacks to operations of upstream MLIR.
pub mod buffers_to_memref;
pub mod emulate_planes;
pub mod expand_casts;
pub mod expand_checks;
pub mod expand_conversions;
pub mod expand_integers;
pub mod expand_lanes;
pub mod expand_math;
pub mod expand_missing;
pub mod normalize_loops;
