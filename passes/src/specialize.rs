//! Phase `specialize`: from a module with functions and parameters to one concrete kernel.
pub mod attach_target;
pub mod check_size;
pub mod check_vectors;
mod chosen_types;
pub mod define_poison;
pub mod drop_fills;
pub mod drop_terminating_marks;
pub mod mark_may_not_terminate; // wording: kept (the name of the operation)
pub mod narrow_inclusive_loops;
pub mod normalize_wide_loops;
pub mod preserve_debug_variables;
pub mod remove_dead_functions;
pub mod resolve_comptime;
pub mod structured_mem2reg;
// The phase has the name of its main pass, and each file has the name of its pass.
#[allow(clippy::module_inception)]
pub mod specialize;
pub mod structure_exits;
pub mod unroll;
