//! Phase `optimize`: makes the kernel faster without a change of the level.
pub mod check_barrier_uniformity;
pub mod check_convergence;
pub mod coarsen;
pub mod convert_if_to_select;
pub mod egraph;
pub mod eliminate_barriers;
pub mod fast_division;
pub mod hoist_loads;
pub mod lower_buffer_metadata;
pub mod lower_print;
pub mod narrow_counters;
pub mod plan_shared_memory;
pub mod remove_checks;
pub mod reuse_accesses;
pub mod simplify_indices;
pub mod stage_rows;
pub mod widen_counters;
