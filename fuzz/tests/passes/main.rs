//! Tests of passes, with bugs that the tests insert. A file tests the pass of its name. One binary has all files,
//! because linking the compiler takes longer than most of the tests.
#![forbid(unsafe_code)]

mod coarsen;
mod coarsen_loops;
mod convert_if_to_select;
mod eliminate_barriers;
mod peel_loops;
mod plan_shared_memory;
mod reuse_accesses;
mod simplify_indices;
mod stage_rows;
mod version_aliases;
mod version_checks;
