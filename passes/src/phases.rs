//! The phases of the pipeline, and the steps of each phase. Each step states the reason for its position in the
//! pipeline. Backends add their own `lower` phase.
use cube_ir::ops::{builtin, cube};
use cube_ir::{Level, Pass};
use std::borrow::Cow;

/// A step of a phase. A step declares the values of the compilation request that are options of its pass, so that
/// callers need not find steps by name.
#[derive(Clone, Copy)]
pub struct Step {
    /// The pass that the step runs.
    pub action: StepAction,
    /// Options in pipeline syntax, without braces.
    pub options: &'static str,
    /// The reason for the step's position.
    pub why: &'static str,
    /// The value of the compilation request that becomes an additional option of the pass.
    pub request_value: Option<RequestValue>,
    /// The pipelines that contain the step.
    pub variant: Variant,
    produces: Level,
}

/// A pass of Cube or a pass of MLIR.
#[derive(Clone, Copy)]
pub enum StepAction {
    /// A pass of this crate.
    Own(&'static Pass),
    /// A pass of MLIR: its name, and the kind of operation on which it runs.
    Upstream(&'static str, &'static str),
}

/// A value of a [`Request`] that is an option of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestValue {
    /// `params=N=8,F=f16`: the values of comptime parameters.
    Params,
    /// `folder="..."`: the folder to which relative names of source files refer.
    Folder,
}

/// The pipelines that contain a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// All pipelines.
    Always,
    /// All pipelines except those for debuggers, because the step moves, merges or removes code that a user
    /// steps through.
    NotDebug,
    /// Only pipelines for debuggers.
    OnlyDebug,
    /// Only pipelines with line tables.
    OnlyLines,
}

/// The debug information that a pipeline produces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DebugInfo {
    /// No debug information.
    #[default]
    None,
    /// The source line of each instruction of optimised code, for disassemblers and profilers.
    Lines,
    /// The lines and variables of unoptimised code, for a debugger.
    Variables,
}

impl Variant {
    /// Whether a pipeline that produces the debug information `debug` contains the step.
    pub fn is_in(self, debug: DebugInfo) -> bool {
        match self {
            Variant::Always => true,
            Variant::NotDebug => debug != DebugInfo::Variables,
            Variant::OnlyDebug => debug == DebugInfo::Variables,
            Variant::OnlyLines => debug == DebugInfo::Lines,
        }
    }
}

/// The values of a compilation request that steps use as options; empty if the request does not set them.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Comptime parameters, `N=8,F=f16`.
    pub params: String,
    /// The base folder of relative source paths.
    pub folder: String,
}

impl Request {
    fn option(&self, value: RequestValue) -> String {
        match value {
            RequestValue::Params if !self.params.is_empty() => format!("params={}", self.params),
            // A folder name that the pipeline syntax cannot represent is omitted. The debugger then shows the file
            // without its folder.
            RequestValue::Folder if !self.folder.is_empty() && !self.folder.contains(['"', '{', '}']) => {
                format!("folder=\"{}\"", self.folder)
            }
            _ => String::new(),
        }
    }
}

/// A named part of the compilation pipeline.
#[derive(Clone)]
pub struct Phase {
    /// Name of the phase, for `--compile-to` and `--compile-from`.
    pub name: &'static str,
    /// A summary of one line.
    pub summary: &'static str,
    /// The level that the phase produces.
    pub produces: Level,
    /// Steps of the phase, in order.
    pub steps: Cow<'static, [Step]>,
}

const fn own(pass: &'static Pass, why: &'static str) -> Step {
    step(pass, "", why)
}

/// A step with an upstream pass; `on` names the kind of operation on which the pass runs.
pub const fn upstream(name: &'static str, on: &'static str, why: &'static str) -> Step {
    upstream_with(name, "", on, why)
}

/// A step with an upstream pass and options in pipeline syntax.
pub const fn upstream_with(name: &'static str, options: &'static str, on: &'static str, why: &'static str) -> Step {
    Step {
        action: StepAction::Upstream(name, on),
        options,
        why,
        request_value: None,
        variant: Variant::Always,
        produces: Level::Any,
    }
}

/// A step with a Cube pass.
pub const fn step(pass: &'static Pass, options: &'static str, why: &'static str) -> Step {
    Step {
        action: StepAction::Own(pass),
        options,
        why,
        request_value: None,
        variant: Variant::Always,
        produces: pass.produces,
    }
}

/// The phases that the pipelines of all targets share.
pub const COMMON: &[Phase] = &[
    Phase {
        name: "specialize",
        summary: "inlines calls and replaces comptime parameters by their values",
        produces: Level::Source,
        steps: Cow::Borrowed(&[
            own(&crate::specialize::check_vectors::PASS, "locations are those of the text, and no operation is folded yet"),
            own(&crate::specialize::check_size::PASS, "before inlining, because inlining of a large kernel could exhaust the memory"),
            own(&crate::specialize::define_poison::PASS, "before any pass folds an undefined value"),
            own(&crate::specialize::mark_may_not_terminate::PASS, "before any pass removes an infinite loop as dead code"),
            own(
                &crate::specialize::narrow_inclusive_loops::PASS,
                "while the bounds are as the front end wrote them, and before exits become flags, because its loops have exits",
            ),
            own(
                &crate::specialize::structure_exits::PASS,
                "before inlining, while a return still belongs to its function",
            ),
            own(
                &crate::specialize::normalize_wide_loops::PASS,
                "after loops of the dialect became loops of `scf`, and before upstream passes fold loops",
            ),
            // Without a pipeline for functions: the phase canonicalizes the kernel, which contains all of them then.
            upstream_with(
                "inline",
                "default-pipeline=",
                builtin::MODULE.name(),
                "functions get the comptime parameters of their kernel",
            ),
            own(
                &crate::specialize::remove_dead_functions::PASS,
                "inlined functions are dead, and later passes need not visit them",
            ),
            own(&crate::specialize::specialize::PASS, "all later passes work on one concrete kernel")
                .takes(RequestValue::Params),
            own(&crate::specialize::preserve_debug_variables::PASS, "values are still those of the source").only_debug(),
            own(&crate::specialize::structure_exits::PASS, "after inlining, which moves exits of functions into the kernel"),
            own(&crate::specialize::resolve_comptime::PASS, "conditions and bounds are constants now"),
            own(&crate::specialize::unroll::PASS, "before variables become values, which unrolling would have to carry"),
            upstream("sroa", cube::KERNEL.name(), "arrays that have only constant indices become variables"),
            own(&crate::specialize::structured_mem2reg::PASS, "all later passes see values instead of variables"),
            upstream(
                "canonicalize",
                cube::KERNEL.name(),
                "parameters that became constants decide branches and loop bounds",
            ),
            own(&crate::specialize::drop_terminating_marks::PASS, "conditions are values now, and folded"),
            own(&crate::specialize::drop_fills::PASS, "the remaining arrays have indices that are only known at run time"),
        ]),
    },
    Phase {
        name: "layout",
        summary: "replaces views of buffers by index arithmetic and plain accesses",
        produces: Level::Flat,
        steps: Cow::Borrowed(&[
            own(
                &crate::layout::fold_layouts::PASS,
                "the kernel is concrete, so layouts are constants; later passes see one layout per access",
            ),
            upstream("cse", cube::KERNEL.name(), "equal views and coordinates become one, so that groups are found")
                .not_debug(),
            own(&crate::layout::layout_widen::PASS, "before coordinates become arithmetic, which hides groups"),
            own(&crate::layout::prove_layouts::PASS, "after grouping, because it reports the widths and predicates of groups"),
            own(&crate::layout::resolve_layouts::PASS, "all later passes see buffers and indices"),
            own(&crate::layout::resolve_slices::PASS, "after views, because a view can refer to a slice"),
            upstream(
                "canonicalize",
                cube::KERNEL.name(),
                "constant coordinates and their predicates fold",
            ),
            upstream(
                "sroa",
                cube::KERNEL.name(),
                "fragments were accessed through views until here",
            ),
            own(&crate::specialize::structured_mem2reg::PASS, "the elements of fragments become values"),
        ]),
    },
    Phase {
        name: "optimize",
        summary: "removes checks that cannot fail, eliminates common subexpressions, and hoists loop-invariant operations",
        produces: Level::Flat,
        steps: Cow::Borrowed(&[
            own(&crate::optimize::loop_cubes::PASS, "first, because later passes read positions of cubes"),
            own(
                &crate::optimize::lower_buffer_metadata::PASS,
                "shapes and strides become plain values, equal at every use",
            ),
            upstream(
                "cse",
                cube::KERNEL.name(),
                "equal lengths and indices become one value, which the next pass compares",
            )
            .not_debug(),
            own(
                &crate::optimize::simplify_indices::PASS,
                "after equal quotients became one value, and before remove-checks, which needs simple indices",
            )
            .not_debug(),
            own(
                &crate::optimize::hoist_loads::PASS,
                "before checks are removed, because only a checked load can be speculated",
            )
            .not_debug(),
            own(
                &crate::optimize::remove_checks::PASS,
                "before code motion, while each guard still encloses its accesses",
            ),
            own(&crate::optimize::widen_counters::PASS, "the next pass reads the bounds of all loops as signed"),
            own(&crate::optimize::fold_ranges::PASS, "ranges of topology values decide comparisons"),
            own(&crate::optimize::narrow_counters::PASS, "the loop counters of the target code have the type of the kernel's source"),
            own(
                &crate::optimize::narrow_integers::PASS,
                "after constants were folded, and before canonicalization, which removes the conversions",
            ),
            upstream(
                "loop-invariant-code-motion",
                cube::KERNEL.name(),
                "loop-invariant arithmetic and lengths move out of loops",
            )
            .not_debug(),
            upstream("cse", cube::KERNEL.name(), "code motion makes equal operations adjacent").not_debug(),
            own(
                &crate::optimize::reuse_accesses::PASS,
                "after equal indices became one value, and after checks, because only proven stores are forwarded",
            )
            .not_debug(),
            upstream("canonicalize", cube::KERNEL.name(), "the preceding passes leave dead and constant operations"),
            own(
                &crate::optimize::check_barrier_uniformity::PASS,
                "after ranges have folded constant conditions, and after remove-checks, which cannot see guards after this pass",
            ),
            own(&crate::optimize::check_convergence::PASS, "refuses conditions that are divergent in every launch"),
            own(
                &crate::optimize::eliminate_barriers::PASS,
                "after the checks of barriers, which require all barriers, and before coarsening, which requires a kernel without barriers",
            )
            .not_debug(),
            own(
                &crate::optimize::convert_if_to_select::PASS,
                "after accesses of branches were reused, and before coarsening, which copies a branch for each element",
            )
            .not_debug(),
            own(
                &crate::optimize::mark_overwritten::PASS,
                "after conditions are simple, and before coarsening, which hides the positions of the units",
            ),
            own(
                &crate::optimize::coarsen::PASS,
                "after conditions and indices are simple, and before divisions become products, which hide indices",
            )
            .not_debug(),
            own(
                &crate::optimize::stage_rows::PASS,
                "after kernels without loops took several elements, and before divisions become products, which hide rows",
            )
            .not_debug(),
            own(
                &crate::optimize::version_checks::PASS,
                "after coarsening and staging, which require one version of each access, and before divisions become products, which hide bounds",
            )
            .not_debug(),
            own(
                &crate::optimize::egraph::PASS,
                "after checks and coarsening, which read indices as they were written, and before divisions become products",
            )
            .not_debug(),
            own(
                &crate::optimize::fast_division::PASS,
                "late, because a remainder has a tighter range than a difference",
            ),
            own(
                &crate::optimize::lower_print::PASS,
                "after code motion and folding, because the atomic operation restricts both more than `cube.print`",
            ),
        ]),
    },
    Phase {
        name: "legalize",
        summary: "expands unsupported operations, such as checks, total integer operations and math functions",
        produces: Level::Legal,
        steps: Cow::Borrowed(&[
            own(&crate::legalize::emulate_planes::PASS, "first, because it combines lanes by any operation of arith"),
            own(&crate::legalize::expand_checks::PASS, "the remaining checks become branches"),
            own(&crate::legalize::normalize_loops::PASS, "before integers, because it divides by nonzero steps"),
            own(
                &crate::legalize::expand_math::PASS,
                "chips have few accurate functions; before expand-integers, because the expansions use only arith",
            ),
            own(&crate::legalize::expand_integers::PASS, "division by zero and wide shifts are undefined in arith"),
            own(&crate::legalize::expand_lanes::PASS, "an index outside of a vector is undefined in vector"),
            own(&crate::legalize::expand_conversions::PASS, "casts become operations of arith, and values of storage types become integers"),
            own(&crate::legalize::expand_casts::PASS, "after math, which converts f16 and bf16 through f32"),
            own(
                &crate::legalize::expand_missing::PASS,
                "after all passes that emit wide products, counts and types; LLVM's chips support all of them",
            ),
            own(
                &crate::optimize::plan_shared_memory::PASS,
                "after all passes that allocate shared memory for every target, and before allocations lose their accesses",
            )
            .not_debug(),
            own(&crate::legalize::buffers_to_memref::PASS, "last, because it replaces the cube accesses"),
            // In code for a debugger, a variable is memory that the kernel does not read. MLIR's clean-up passes would
            // remove this memory.
            upstream("canonicalize", cube::KERNEL.name(), "constant divisors make most guards constant").not_debug(),
            upstream("cse", cube::KERNEL.name(), "the guards of neighbouring accesses are often equal").not_debug(),
        ]),
    },
];

impl Step {
    /// Excludes the step from pipelines that keep variables for debuggers.
    pub const fn not_debug(self) -> Step {
        Step { variant: Variant::NotDebug, ..self }
    }

    /// Restricts the step to pipelines for debuggers.
    pub const fn only_debug(self) -> Step {
        Step { variant: Variant::OnlyDebug, ..self }
    }

    /// Restricts the step to pipelines with line tables.
    pub const fn only_lines(self) -> Step {
        Step { variant: Variant::OnlyLines, ..self }
    }

    /// Adds a value of the request as an option of the step's pass.
    pub const fn takes(self, value: RequestValue) -> Step {
        Step { request_value: Some(value), ..self }
    }

    /// Declares the output level of the step, for an upstream pass that changes the level.
    pub const fn producing(self, level: Level) -> Step {
        Step { produces: level, ..self }
    }

    /// Name of the pass.
    pub fn name(&self) -> &'static str {
        match self.action {
            StepAction::Own(pass) => pass.name,
            StepAction::Upstream(name, _) => name,
        }
    }

    /// The pass; `None` for an upstream pass.
    pub fn own(&self) -> Option<&'static Pass> {
        match self.action {
            StepAction::Own(pass) => Some(pass),
            StepAction::Upstream(..) => None,
        }
    }

    /// The operation on which the pass runs.
    pub fn anchor(&self) -> &'static str {
        match self.action {
            StepAction::Own(pass) if pass.anchor.is_empty() => builtin::MODULE.name(),
            StepAction::Own(pass) => pass.anchor,
            StepAction::Upstream(_, anchor) => anchor,
        }
    }

    /// The levels that the pass accepts. Upstream passes accept all levels.
    pub fn needs(&self) -> &'static [Level] {
        match self.action {
            StepAction::Own(pass) => pass.needs,
            StepAction::Upstream(..) => &[Level::Any],
        }
    }

    /// The level after the step; `Any` if the step keeps the level of its input.
    pub fn produces(&self) -> Level {
        self.produces
    }

    /// The step as the text of a complete pipeline on a module, with the options from `request`.
    pub fn pipeline(&self, request: &Request) -> String {
        format!("builtin.module({})", self.nested(request))
    }

    /// The step as the text of one part of a module's pipeline.
    pub fn nested(&self, request: &Request) -> String {
        let more = self.request_value.map_or(String::new(), |value| request.option(value));
        let options = [self.options, &more].iter().filter(|o| !o.is_empty()).copied().collect::<Vec<_>>().join(" ");
        let pass = if options.is_empty() { self.name().to_string() } else { format!("{}{{{options}}}", self.name()) };
        match self.anchor() {
            anchor if anchor == builtin::MODULE.name() => pass,
            anchor => format!("{anchor}({pass})"),
        }
    }
}

impl Phase {
    /// A copy of the phase with the steps of a pipeline that produces the debug information `debug`.
    pub fn variant(&self, debug: DebugInfo) -> Phase {
        let steps = self.steps.iter().filter(|step| step.variant.is_in(debug)).copied();
        Phase { steps: steps.collect(), ..self.clone() }
    }

    /// The steps of the phase in a pipeline without debug information, as the text of one part of a module's
    /// pipeline.
    pub fn nested_text(&self, request: &Request) -> String {
        let steps = self.steps.iter().filter(|step| step.variant.is_in(DebugInfo::None));
        steps.map(|step| step.nested(request)).collect::<Vec<_>>().join(",")
    }
}
