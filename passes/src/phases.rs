//! The phases and their steps, each with the reason for its place. Backends add their own `lower` phase.
use cube_ir::ops::{builtin, cube};
use cube_ir::{Level, Pass};

/// A step of a phase.
#[derive(Clone, Copy)]
pub struct Step {
    /// What runs.
    pub what: What,
    /// Options in pipeline syntax, without braces.
    pub options: &'static str,
    /// Why it stands here.
    pub why: &'static str,
}

/// A pass of ours or of upstream.
#[derive(Clone, Copy)]
pub enum What {
    /// A pass of this crate.
    Own(&'static Pass),
    /// An upstream pass: name, and the operation it is run on.
    Upstream(&'static str, &'static str),
}

/// A named stretch of the pipeline.
#[derive(Clone, Copy)]
pub struct Phase {
    /// Its name, for `--compile-to` and `--compile-from`.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// The level that it leaves.
    pub leaves: Level,
    /// Its steps, in order.
    pub steps: &'static [Step],
}

const fn own(pass: &'static Pass, why: &'static str) -> Step {
    Step { what: What::Own(pass), options: "", why }
}

/// A step with an upstream pass, run on operations called `on`.
pub const fn upstream(name: &'static str, on: &'static str, why: &'static str) -> Step {
    Step { what: What::Upstream(name, on), options: "", why }
}

/// The same with options in pipeline syntax.
pub const fn upstream_with(name: &'static str, options: &'static str, on: &'static str, why: &'static str) -> Step {
    Step { what: What::Upstream(name, on), options, why }
}

/// A step with a pass of ours.
pub const fn step(pass: &'static Pass, options: &'static str, why: &'static str) -> Step {
    Step { what: What::Own(pass), options, why }
}

/// The phases that all targets share.
pub const COMMON: &[Phase] = &[
    Phase {
        name: "specialize",
        summary: "calls are inlined, comptime parameters get their values",
        leaves: Level::Source,
        steps: &[
            own(&crate::specialize::check_vectors::PASS, "locations are those of the text, and nothing is folded yet"),
            own(&crate::specialize::check_size::PASS, "before inlining, which could take all memory"),
            own(&crate::specialize::define_poison::PASS, "before anything could fold with an undefined value"),
            own(&crate::specialize::mark_turns::PASS, "before anything could take a loop without end for dead code"),
            own(
                &crate::specialize::structure_exits::PASS,
                "before inlining, while a return still belongs to its function",
            ),
            own(
                &crate::specialize::count_far_loops::PASS,
                "after loops of the dialect became those of upstream, and before upstream folds any",
            ),
            upstream("inline", builtin::MODULE.name(), "functions take the parameters of the kernel they end up in"),
            own(
                &crate::specialize::drop_functions::PASS,
                "inlined functions are not needed any more, and no later pass looks at them",
            ),
            own(&crate::specialize::specialize::PASS, "everything after works on one concrete kernel"),
            own(&crate::specialize::structure_exits::PASS, "functions that end the unit are part of the kernel now"),
            own(&crate::specialize::resolve_comptime::PASS, "conditions and bounds are constants now"),
            own(&crate::specialize::unroll::PASS, "before variables become values, which it would have to carry"),
            upstream("sroa", cube::KERNEL.name(), "arrays that are only indexed by constants are that many variables"),
            own(&crate::specialize::promote_locals::PASS, "everything after sees values instead of variables"),
            upstream(
                "canonicalize",
                cube::KERNEL.name(),
                "parameters that became constants decide branches and loop bounds",
            ),
            own(&crate::specialize::drop_turns::PASS, "conditions are values now, and folded"),
            own(&crate::specialize::drop_fills::PASS, "arrays that are left have indices that only the launch knows"),
        ],
    },
    Phase {
        name: "layout",
        summary: "views of buffers become index arithmetic and plain accesses",
        leaves: Level::Flat,
        steps: &[
            own(
                &crate::layout::fold_layouts::PASS,
                "once the kernel is concrete, layouts are numbers; everything after sees one layout an access",
            ),
            upstream("cse", cube::KERNEL.name(), "equal views and coordinates become one, by which groups are found"),
            own(&crate::layout::layout_widen::PASS, "before coordinates are arithmetic, in which groups would be lost"),
            own(&crate::layout::prove_layouts::PASS, "after groups are made, whose widths and predicates it tells"),
            own(&crate::layout::resolve_layouts::PASS, "everything after sees buffers and indices"),
            own(&crate::layout::resolve_slices::PASS, "a view may be of a slice, which is a view of the simplest kind"),
            upstream(
                "canonicalize",
                cube::KERNEL.name(),
                "places known at compile time fold, and predicates with them",
            ),
            upstream(
                "sroa",
                cube::KERNEL.name(),
                "fragments are arrays that were only accessed through views till here",
            ),
            own(&crate::specialize::promote_locals::PASS, "the elements of fragments are values from here on"),
        ],
    },
    Phase {
        name: "optimize",
        summary: "checks that cannot fail are removed, common and invariant work is shared",
        leaves: Level::Flat,
        steps: &[
            own(
                &crate::optimize::derive_arguments::PASS,
                "shapes and strides are plain values from here on, equal wherever they are asked for",
            ),
            upstream(
                "cse",
                cube::KERNEL.name(),
                "equal lengths and indices become one value, which the next pass compares",
            ),
            own(
                &crate::optimize::hoist_loads::PASS,
                "before checks are removed, since only a checked load may run where the program does not ask for it",
            ),
            own(
                &crate::optimize::remove_checks::PASS,
                "before motion, while guards still stand around what they guard",
            ),
            own(&crate::optimize::widen_counters::PASS, "the next pass reads the bounds of all loops as signed"),
            upstream("int-range-optimizations", cube::KERNEL.name(), "ranges of topology values decide comparisons"),
            own(&crate::optimize::narrow_counters::PASS, "targets count in the type that the kernel names"),
            upstream(
                "loop-invariant-code-motion",
                cube::KERNEL.name(),
                "arithmetic that does not depend on a loop leaves it, and lengths do",
            ),
            upstream("cse", cube::KERNEL.name(), "motion brings equal work together"),
            upstream("canonicalize", cube::KERNEL.name(), "cleans up"),
            own(
                &crate::optimize::agree_at_barriers::PASS,
                "after ranges have decided the conditions that are always true, and after checks, which it would hide",
            ),
            own(&crate::optimize::check_convergence::PASS, "what no launch could agree on is refused"),
            own(
                &crate::optimize::fast_division::PASS,
                "late, since a remainder says more about its range than a difference",
            ),
            own(
                &crate::optimize::prints_to_records::PASS,
                "after motion and folding, which a print holds up less than its atomic would",
            ),
        ],
    },
    Phase {
        name: "legalize",
        summary: "what no target has is written out: checks, total integer operations, buffers",
        leaves: Level::Legal,
        steps: &[
            own(&crate::legalize::expand_checks::PASS, "the checks that are left become branches"),
            own(&crate::legalize::count_loops::PASS, "before integers, for it divides by steps that it has made safe"),
            own(
                &crate::legalize::expand_math::PASS,
                "no target has a math library; before the integers, whose shifts it does not use",
            ),
            own(&crate::legalize::expand_integers::PASS, "division by zero and wide shifts get their meaning"),
            own(&crate::legalize::expand_lanes::PASS, "a lane that is not there has no meaning in vector"),
            own(&crate::legalize::expand_conversions::PASS, "casts become arith's, and storage types their bits"),
            own(&crate::legalize::expand_casts::PASS, "after math, which converts f16 and bf16 through f32"),
            own(&crate::legalize::buffers_to_memref::PASS, "last, because it ends the cube accesses"),
            upstream("canonicalize", cube::KERNEL.name(), "constant divisors make most guards constant"),
            upstream("cse", cube::KERNEL.name(), "the guards of neighbouring accesses are often equal"),
        ],
    },
];

impl Step {
    /// Name of the pass.
    pub fn name(&self) -> &'static str {
        match self.what {
            What::Own(pass) => pass.name,
            What::Upstream(name, _) => name,
        }
    }

    /// The operation it runs on.
    pub fn anchor(&self) -> &'static str {
        match self.what {
            What::Own(pass) if pass.anchor.is_empty() => builtin::MODULE.name(),
            What::Own(pass) => pass.anchor,
            What::Upstream(_, anchor) => anchor,
        }
    }

    /// The level it leaves, where that changes.
    pub fn leaves(&self) -> Level {
        match self.what {
            What::Own(pass) => pass.leaves,
            What::Upstream(..) => Level::Any,
        }
    }

    fn with_options(&self, more: &str) -> String {
        let options = [self.options, more].iter().filter(|o| !o.is_empty()).copied().collect::<Vec<_>>().join(" ");
        if options.is_empty() { self.name().to_string() } else { format!("{}{{{options}}}", self.name()) }
    }

    /// The step as a whole pipeline on a module, with `more` options.
    pub fn pipeline(&self, more: &str) -> String {
        format!("builtin.module({})", self.nested(more))
    }

    fn nested(&self, more: &str) -> String {
        match self.anchor() {
            anchor if anchor == builtin::MODULE.name() => self.with_options(more),
            anchor => format!("{anchor}({})", self.with_options(more)),
        }
    }
}

impl Phase {
    /// The steps as a pipeline for use inside a module's.
    pub fn nested_text(&self) -> String {
        self.steps.iter().map(|s| s.nested("")).collect::<Vec<_>>().join(",")
    }
}
