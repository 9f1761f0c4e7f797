//! Runs a pipeline one pass at a time, for `--diff` and `--dump-tree`.
use super::CubeOptions;
use crate::{input, remarks::Collector, say};
use cube_artifact::{CompileError, diagnostic};
use cube_driver::{
    CombinedInstrumentation, NoInstrumentation, PassInfo, PassInstrumentation, Pipeline, Tree, run_passes, to_error,
};
use cube_ir::{OwnedModule, Session, SessionError, remarks::RemarkFilter};
use cube_passes::specialize::attach_target::attach;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

#[derive(Debug, PartialEq, Eq)]
pub struct ShownPass {
    phase: String,
    pass: String,
    pipeline: String,
}

impl ShownPass {
    /// The name of the pass.
    pub fn pass(&self) -> &str {
        &self.pass
    }
}

/// The input, the output and the requested reports of a run.
pub struct PassByPass<'a> {
    /// The input file.
    pub input: &'a str,
    /// The output file. Without a file, the module is written to standard output.
    pub output: Option<&'a str>,
    /// Cube's own options.
    pub options: &'a CubeOptions,
    /// The passes to run, in order.
    pub steps: Vec<ShownPass>,
    /// The selection of remarks to print.
    pub pick: Option<RemarkFilter>,
}

impl PassByPass<'_> {
    /// Runs the passes, and shows the effect of each pass.
    pub fn run(&self) -> ExitCode {
        if self.steps.is_empty() {
            let option = if self.options.diff { "--diff" } else { "--dump-tree" };
            return say::wrong_usage("cube-opt", diagnostic!(CUBE0604.steps { option }));
        }
        match self.try_run() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => say::compile_error(&error),
        }
    }

    fn try_run(&self) -> Result<(), CompileError> {
        let title = self.input.rsplit('/').next().unwrap_or(self.input);
        let mut tree = self.options.tree.as_ref().map(|folder| Tree::new(Path::new(folder), title)).transpose()?;
        let mut collector = Collector { pick: self.pick.clone(), remarks: Vec::new() };
        let result = self.steps(&mut tree, &mut collector);
        let remarks = self.options.remarks.finish(collector.remarks, true);
        let tree = tree.map_or(Ok(()), Tree::finish);
        let text = result?;
        remarks.and(tree)?;
        if self.options.diff && self.output.is_none() {
            say::print(&format!("// after the last pass\n{text}\n"));
            return Ok(());
        }
        input::write(self.output.unwrap_or("-"), format!("{text}\n").as_bytes())
    }

    fn steps(&self, tree: &mut Option<Tree>, collector: &mut Collector) -> Result<String, CompileError> {
        let session = Session::new();
        let source = input::read_source(self.input)?;
        let mut module = session.parse(&source, self.input).map_err(to_error)?;
        if self.options.to.is_some() || self.options.from.is_some() {
            let target = super::target(self.options.target.as_deref())?;
            let pipeline = Pipeline::for_target(&target).map_err(to_error)?;
            attach(module.op(), &pipeline.target).map_err(|other| to_error(SessionError::at(module.op(), other)))?;
        }
        let infos: Vec<PassInfo<'_>> =
            self.steps.iter().map(|step| PassInfo::new(&step.phase, &step.pass, &step.pipeline)).collect();
        let mut none = NoInstrumentation;
        let tree: &mut dyn PassInstrumentation = tree.as_mut().map_or(&mut none as _, |tree| tree as _);
        let mut diff = Diff { shown: self.options.diff, before: String::new() };
        run_passes(
            &mut module,
            &infos,
            &mut CombinedInstrumentation(&mut CombinedInstrumentation(tree, &mut diff), collector),
        )
        .map_err(to_error)?;
        Ok(module.print())
    }
}

/// Prints the changes of each pass, if requested.
struct Diff {
    shown: bool,
    before: String,
}

impl PassInstrumentation for Diff {
    fn start(&mut self, _: &PassInfo<'_>, module: &OwnedModule<'_>) -> ControlFlow<()> {
        if self.shown {
            self.before = module.print();
        }
        ControlFlow::Continue(())
    }

    fn after(&mut self, info: &PassInfo<'_>, module: &OwnedModule<'_>) -> ControlFlow<()> {
        if self.shown {
            let after = module.print();
            let pass = info.pipeline.strip_prefix("builtin.module(").and_then(|text| text.strip_suffix(')'));
            print_diff(pass.unwrap_or(info.pipeline), &self.before, &after);
            self.before = after;
        }
        ControlFlow::Continue(())
    }
}

/// The passes of the requested phases.
pub fn of_phases(options: &CubeOptions) -> Result<Vec<ShownPass>, CompileError> {
    let pipeline = Pipeline::for_target(&super::target(options.target.as_deref())?).map_err(to_error)?;
    let phases = pipeline.part(options.from.as_deref(), options.to.as_deref()).map_err(to_error)?;
    let mut steps = Vec::new();
    for phase in &phases {
        let text = Pipeline::text(std::slice::from_ref(phase), &options.request());
        steps.extend(of_pipeline(&text).into_iter().map(|s| ShownPass { phase: phase.name.into(), ..s }));
    }
    Ok(steps)
}

/// The passes that the options request, with `--pass-pipeline=...` or by the names of passes.
pub fn of_options(args: &[String]) -> Vec<ShownPass> {
    let options = args.iter().skip(1).filter(|a| a.starts_with('-'));
    options.flat_map(|a| of_option(a.trim_start_matches('-'))).collect()
}

fn of_option(option: &str) -> Vec<ShownPass> {
    if let Some(pipeline) = option.strip_prefix("pass-pipeline=") {
        return of_pipeline(pipeline);
    }
    let (name, options) = option.split_once('=').map_or((option, String::new()), |(n, o)| (n, format!("{{{o}}}")));
    if !cube_ir::is_registered_pass(name) {
        return Vec::new();
    }
    let anchor = cube_driver::passes().find(|p| p.name == name).map_or("", |p| p.anchor);
    match anchor {
        "" | "builtin.module" => of_pipeline(&format!("builtin.module({name}{options})")),
        anchor => of_pipeline(&format!("builtin.module({anchor}({name}{options}))")),
    }
}

/// The passes of a pipeline text. For example, `builtin.module(a,b(c,d))` contains the passes `a`, `c` and `d`. The
/// passes `c` and `d` run on operations `b`.
pub fn of_pipeline(text: &str) -> Vec<ShownPass> {
    let inner = text.trim().strip_prefix("builtin.module(").and_then(|p| p.strip_suffix(')')).unwrap_or(text);
    let mut steps = Vec::new();
    nested(inner, "", "", &mut steps);
    steps
}

fn nested(text: &str, open: &str, close: &str, steps: &mut Vec<ShownPass>) {
    for part in parts(text) {
        let named = part.find(['(', '{']).filter(|at| part[*at..].starts_with('(') && part.ends_with(')'));
        if let Some(at) = named {
            nested(&part[at + 1..part.len() - 1], &format!("{open}{}(", &part[..at]), &format!("){close}"), steps);
            continue;
        }
        let name = part.split('{').next().unwrap_or(part).trim();
        let phase = name.strip_prefix("phase-").and_then(|n| cube_passes::phases::COMMON.iter().find(|p| p.name == n));
        match phase {
            Some(phase) => {
                let mut inside = Vec::new();
                nested(&phase.nested_text(&cube_passes::phases::Request::default()), open, close, &mut inside);
                steps.extend(inside.into_iter().map(|s| ShownPass { phase: phase.name.into(), ..s }));
            }
            None => steps.push(ShownPass {
                phase: "pipeline".into(),
                pass: name.into(),
                pipeline: format!("builtin.module({open}{part}{close})"),
            }),
        }
    }
}

// The parts between commas outside of brackets.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut start) = (0i32, 0);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        depth += i32::from("({".contains(c)) - i32::from(")}".contains(c));
        if c == ',' && depth == 0 {
            parts.push(&text[start..at]);
            start = at + 1;
        }
    }
    parts.push(&text[start..]);
    parts.into_iter().map(str::trim).filter(|p| !p.is_empty()).collect()
}

fn print_diff(step: &str, before: &str, after: &str) {
    if before == after {
        println!("// {step}: no change");
        return;
    }
    println!("// {step}");
    let diff = similar::TextDiff::from_lines(before, after);
    print!("{}", diff.unified_diff().context_radius(2));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_passes_run_one_at_a_time() {
        let found: Vec<String> = of_pipeline("builtin.module(inline,cube.kernel(specialize{params=N=8,M=2}, cse))")
            .into_iter()
            .map(|s| s.pipeline)
            .collect();
        assert_eq!(
            found,
            [
                "builtin.module(inline)",
                "builtin.module(cube.kernel(specialize{params=N=8,M=2}))",
                "builtin.module(cube.kernel(cse))"
            ]
        );
    }

    #[test]
    fn phases_are_written_out_with_their_names() {
        let found = of_pipeline("builtin.module(phase-optimize{})");
        assert_eq!((found[0].phase.as_str(), found[0].pass.as_str()), ("optimize", "loop-cubes"));
        assert_eq!(found[3].pipeline, "builtin.module(cube.kernel(simplify-indices))");
    }
}
