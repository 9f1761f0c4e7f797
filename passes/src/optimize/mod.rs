//! Phase `optimize`: the same kernel, faster, still with cube operations.
pub mod agree_at_barriers;
pub mod check_convergence;
pub mod coarsen;
pub mod derive_arguments;
pub mod fast_division;
pub mod hoist_loads;
pub mod narrow_counters;
pub mod prints_to_records;
pub mod remove_checks;
pub mod widen_counters;
