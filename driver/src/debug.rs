//! Compiling for a debugger: values get the names of the source text, and passes that move or merge code are left out.
use crate::{Pipeline, PipelinePhase};
use cube_backend::Backend;
use cube_backend_cpu::attach_debug_info;
use cube_ir::{Location, Op, TextModule, Val};
use cube_passes::{
    phases::{Step, step},
    specialize::keep_variables,
};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Steps that only make code faster, and that a person who steps through the source would stumble over.
const LEFT_OUT: &[&str] =
    &["cse", "loop-invariant-code-motion", "shrink-loops", "interleave-units", "hoist-checks", "hoist-loads"];

/// The step before the one that keeps variables: kernels have no calls and no parameters any more.
const KEEP_AFTER: &str = "specialize";

/// The pipeline of a backend for code that is debugged; the usual one where the backend has no debug information.
pub(crate) fn pipeline(backend: &'static dyn Backend, target: cube_target::Target) -> Pipeline {
    let usual = Pipeline::of(backend, target);
    if !backend.has_debug_info() {
        return usual;
    }
    let phases =
        usual.phases.iter().copied().map(|phase| PipelinePhase { steps: steps(&usual.target, &phase), ..phase });
    Pipeline { phases: phases.collect(), target: usual.target.clone() }
}

// Steps live as long as the program; each list is made once.
fn steps(target: &cube_target::Target, phase: &PipelinePhase) -> &'static [Step] {
    static MADE: Mutex<BTreeMap<(String, &str), &'static [Step]>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.entry((target.name(), phase.name)).or_insert_with(|| {
        let mut steps = Vec::new();
        // At the end of legalize variables are memory that nothing reads, which upstream's clean-up removes.
        let cleans = |step: &Step| phase.name == "legalize" && step.name() == "canonicalize";
        for known in phase.steps.iter().filter(|step| !LEFT_OUT.contains(&step.name()) && !cleans(step)) {
            steps.push(*known);
            if known.name() == KEEP_AFTER {
                steps.push(step(&keep_variables::PASS, "", "values are still those of the source"));
            }
        }
        if phase.name == "lower" {
            steps.push(step(&attach_debug_info::PASS, "", "last, on the code as LLVM gets it"));
        }
        Vec::leak(steps)
    })
}

/// The folder that names of source files start from, as an option of the pass.
pub(crate) fn folder() -> String {
    let folder = std::env::current_dir().unwrap_or_default().display().to_string();
    if folder.contains(['"', '{', '}']) { String::new() } else { format!("folder=\"{folder}\"") }
}

/// Gives the values of a module the names that they have in the text it was read from, as locations with a name. MLIR keeps
/// no names of values, but it does keep where operations and arguments of blocks stand.
pub(crate) fn name_values(module: &TextModule<'_>, source: &[u8], file: &str) {
    let Ok(text) = std::str::from_utf8(source) else { return };
    let text = Text { text, lines: lines(text), file };
    for op in module.op().walk() {
        if let Some(names) = text.results(op) {
            op.set_location(op.cx().named_location(&names.join(","), op.location()));
        }
        for value in op.regions().flat_map(|r| r.blocks()).collect::<Vec<_>>().iter().flat_map(|b| b.args()) {
            if let Some(name) = text.argument(value) {
                value.set_argument_location(op.cx().named_location(&name, value.location()));
            }
        }
    }
}

struct Text<'t> {
    text: &'t str,
    lines: Vec<usize>,
    file: &'t str,
}

// Where each line begins.
fn lines(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

impl Text<'_> {
    // Where a location of this file stands in the text.
    fn offset(&self, at: Location<'_>) -> Option<usize> {
        if !at.is_file_line_col_range() || at.file_line_col_range_filename().as_string_ref().as_str() != Ok(self.file) {
            return None;
        }
        let line = at.file_line_col_range_start_line().checked_sub(1)?;
        Some(self.lines.get(line)? + at.file_line_col_range_start_column().checked_sub(1)?)
    }

    // An operation stands behind `%name =`, `%name:2 =` or `%a, %b =`.
    fn results(&self, op: Op<'_>) -> Option<Vec<String>> {
        let count = op.results().len();
        let before = self.text.get(..self.offset(op.location())?)?.trim_end().strip_suffix('=')?;
        let start = before.rfind(|c: char| !(is_of_name(c) || "%:, \t".contains(c))).map_or(0, |at| at + 1);
        let names: Vec<&str> = before[start..].split(',').map(str::trim).collect();
        let mut all = Vec::new();
        for name in names.iter().filter_map(|name| name.strip_prefix('%')) {
            match name.split_once(':') {
                Some((name, many)) => {
                    (0..many.trim().parse().ok().filter(|n| *n <= count)?)
                        .for_each(|i| all.push(format!("{}_{i}", spelt(name))));
                }
                None => all.push(spelt(name)),
            }
        }
        (count > 0 && all.len() == count && all.iter().any(|name| !name.is_empty())).then_some(all)
    }

    // An argument of a block comes from where its name stands.
    fn argument(&self, value: Val<'_>) -> Option<String> {
        let rest = self.text.get(self.offset(value.location())?..)?.strip_prefix('%')?;
        let name = spelt(&rest[..rest.find(|c| !is_of_name(c)).unwrap_or(rest.len())]);
        (!name.is_empty()).then_some(name)
    }
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_$.-".contains(c)
}

// As a debugger can read it; a value that has only a number has no name.
fn spelt(name: &str) -> String {
    let name = name.trim();
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return String::new();
    }
    name.replace(['.', '-', '$'], "_")
}
