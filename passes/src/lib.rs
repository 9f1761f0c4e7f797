//! The passes of the compiler, one file per pass, in folders named after the phases. [`phases`] lists all passes in
//! order. The registry, the default pipelines, `--show-pipeline`, the docs and the cache key are derived from the
//! list of phases.
#![forbid(unsafe_code)]
pub mod analysis;
pub mod combine;
pub mod layout;
pub mod legalize;
pub mod levels;
pub mod limits;
pub mod native;
pub mod optimize;
pub mod order;
pub mod phases;
pub mod plane_width;
pub mod specialize;
mod test_panic;
mod test_rules;
pub mod write;

use cube_ir::Pass;
use std::sync::Once;

/// Every pass of this crate, in the order of the phases.
pub const PASSES: &[&Pass] = &[
    &specialize::attach_target::PASS,
    &specialize::check_size::PASS,
    &specialize::check_vectors::PASS,
    &specialize::define_poison::PASS,
    &specialize::mark_may_not_terminate::PASS,
    &specialize::remove_dead_functions::PASS,
    &specialize::structure_exits::PASS,
    &specialize::narrow_inclusive_loops::PASS,
    &specialize::normalize_wide_loops::PASS,
    &specialize::specialize::PASS,
    &specialize::preserve_debug_variables::PASS,
    &specialize::resolve_comptime::PASS,
    &specialize::unroll::PASS,
    &specialize::structured_mem2reg::PASS,
    &specialize::drop_terminating_marks::PASS,
    &specialize::drop_fills::PASS,
    &layout::fold_layouts::PASS,
    &layout::prove_layouts::PASS,
    &layout::layout_widen::PASS,
    &layout::resolve_layouts::PASS,
    &layout::resolve_slices::PASS,
    &optimize::check_barrier_uniformity::PASS,
    &optimize::check_convergence::PASS,
    &optimize::lower_buffer_metadata::PASS,
    &optimize::convert_if_to_select::PASS,
    &optimize::egraph::PASS,
    &optimize::eliminate_barriers::PASS,
    &optimize::fast_division::PASS,
    &optimize::mark_overwritten::PASS,
    &optimize::fold_ranges::PASS,
    &optimize::narrow_counters::PASS,
    &optimize::narrow_integers::PASS,
    &optimize::coarsen::PASS,
    &optimize::loop_cubes::PASS,
    &optimize::hoist_loads::PASS,
    &optimize::lower_print::PASS,
    &optimize::peel_loops::PASS,
    &optimize::plan_shared_memory::PASS,
    &optimize::remove_checks::PASS,
    &optimize::reuse_accesses::PASS,
    &optimize::simplify_indices::PASS,
    &optimize::stage_rows::PASS,
    &optimize::version_checks::PASS,
    &optimize::widen_counters::PASS,
    &legalize::emulate_planes::PASS,
    &legalize::normalize_loops::PASS,
    &legalize::expand_checks::PASS,
    &legalize::expand_integers::PASS,
    &legalize::expand_math::PASS,
    &legalize::expand_conversions::PASS,
    &legalize::expand_casts::PASS,
    &legalize::expand_missing::PASS,
    &legalize::expand_lanes::PASS,
    &legalize::buffers_to_memref::PASS,
    &levels::PASS,
];

/// Registers dialect callbacks, passes and phases. A process must call this function once; further calls have
/// no effect.
pub fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        cube_layout_dialect::init();
        for pass in PASSES {
            cube_ir::register_pass(pass);
        }
        for phase in phases::COMMON {
            cube_ir::register_pipeline(
                &format!("phase-{}", phase.name),
                phase.summary,
                &phase.nested_text(&phases::Request::default()),
            );
        }
    });
}

/// Registers the passes that only tests of the tools run. A process must call this function at most once, before a
/// pipeline names one of the registered passes.
pub fn register_test_passes() {
    cube_ir::register_pass(&test_panic::PASS);
    cube_ir::register_pass(&test_rules::PASS);
}
