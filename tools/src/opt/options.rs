//! The command line of `cube-opt`. `cube-opt` removes Cube's own options, and passes all other options to `mlir-opt`.
//! `cube-opt` refuses a combination of options in which one option would have no effect.
use super::{CubeOptions, show};
use crate::{remarks::RemarkOptions, reproducer, say};
use cube_artifact::diagnostic;
use std::{path::Path, process::ExitCode};

/// Separates Cube's own options from the other options of the command line.
pub fn split(args: Vec<String>) -> Result<(CubeOptions, Vec<String>), ExitCode> {
    let mut options = CubeOptions::default();
    let mut rest = Vec::new();
    let mut args = args.into_iter();
    rest.extend(args.next());
    while let Some(arg) = args.next() {
        let (name, value) = match arg.trim_start_matches('-').split_once('=') {
            Some((name, value)) if arg.starts_with('-') => (name.to_string(), Some(value.to_string())),
            _ => (arg.trim_start_matches('-').to_string(), None),
        };
        if !arg.starts_with("--") {
            rest.push(arg);
            continue;
        }
        let mut need = |value: Option<String>| {
            value
                .or_else(|| args.next())
                .ok_or_else(|| say::wrong_usage("cube-opt", diagnostic!(CUBE0604.value { option: name })))
        };
        match name.as_str() {
            "compile-to" => options.to = Some(need(value)?),
            "compile-from" => options.from = Some(need(value)?),
            "target" => options.target = Some(need(value)?),
            "params" => options.params = Some(need(value)?),
            "diff" => options.diff = true,
            "cube-stats" => options.stats = true,
            "layouts-html" => options.layouts = Some(need(value)?),
            "dump-tree" => options.tree = Some(need(value)?),
            "reproducer" => options.reproducer = Some(need(value)?),
            "replay" => return Err(reproducer::replay("cube-opt", Path::new(&need(value)?))),
            "cube-remarks" => options.remarks.text = Some(value.unwrap_or_default()),
            "cube-remarks-yaml" => options.remarks.yaml = Some(need(value)?),
            "cube-remarks-filter" => options.remarks.filter = Some(need(value)?),
            "egraph-explain" => {
                rest.push("--egraph=explain=true".into());
                options.remarks.text = Some("analysis".into());
                options.remarks.filter = Some("^egraph$".into());
            }
            "show-pipeline" => return Err(show(&need(value)?)),
            "explain" => return Err(say::explain_code("cube-opt", &need(value)?)),
            "pass-pipeline" => rest.push(format!("--pass-pipeline={}", need(value)?)),
            _ if RemarkOptions::is_of_upstream(&name) => {
                // Upstream prints the remarks of upstream passes.
                let value = need(value)?;
                options.remarks.upstream.push((name.clone(), value.clone()));
                rest.push(format!("--{name}={value}"));
            }
            _ => {
                unknown_option(&name)?;
                rest.push(arg);
            }
        }
    }
    match refusal(&options, &rest) {
        Some(message) => Err(say::usage("cube-opt", &message)),
        None => Ok((options, rest)),
    }
}

// A misspelt pass or phase of Cube gets a suggestion; `mlir-opt` reports all other errors.
fn unknown_option(name: &str) -> Result<(), ExitCode> {
    let ours: Vec<String> = cube_driver::passes()
        .map(|p| p.name.to_string())
        .chain(cube_passes::phases::COMMON.iter().map(|p| format!("phase-{}", p.name)))
        .collect();
    let near = cube_backend::suggestion(name, ours.iter().map(String::as_str)).filter(|s| *s != name);
    let shared = |s: &str| s.chars().zip(name.chars()).take_while(|(a, b)| a == b).count() >= 4;
    match near.filter(|s| shared(s) && name.len() + 2 >= s.len() && name.len() <= s.len() + 2) {
        Some(near) if !cube_ir::is_registered_pass(name) => {
            Err(say::wrong_usage("cube-opt", diagnostic!(CUBE0605.near { name, near })))
        }
        _ => Ok(()),
    }
}

// The name of an option without dashes and value; `None` for a file.
fn name_of(word: &str) -> Option<&str> {
    let name = word.strip_prefix('-').filter(|name| !name.is_empty())?.trim_start_matches('-');
    Some(name.split('=').next().unwrap_or(name))
}

fn is_pass(word: &str) -> bool {
    name_of(word).is_some_and(|name| name == "pass-pipeline" || cube_ir::is_registered_pass(name))
}

// The reason why the options cannot be combined.
fn refusal(options: &CubeOptions, rest: &[String]) -> Option<String> {
    let words = || rest.iter().skip(1);
    let pass = words().find(|word| is_pass(word)).and_then(|word| name_of(word));
    let phases = [("compile-to", &options.to), ("compile-from", &options.from)];
    let phase = phases.iter().find_map(|(name, value)| Some((*name, value.as_ref()?)));
    if let (Some((option, phase)), Some(pass)) = (phase, pass) {
        return Some(format!(
            "--{option}={phase} and --{pass} are two pipelines; run one after the other, as in cube-opt FILE --{option}={phase} | cube-opt --{pass}, \
             or write all passes in one --pass-pipeline"
        ));
    }
    if let Some(layouts) = &options.layouts {
        let other = pass.or(phase.map(|(name, _)| name)).or(options.one_by_one());
        return other.map(|other| {
            format!("--layouts-html={layouts} runs its own passes and writes no module; remove --{other}")
        });
    }
    let of_phases = [("target", options.target.is_some()), ("params", options.params.is_some())];
    if let (None, Some((name, _))) = (phase, of_phases.iter().find(|(_, given)| *given)) {
        let instead = match *name {
            "params" => "; for a pass, write --specialize=params=N=8",
            _ => "",
        };
        return Some(format!(
            "--{name} requires --compile-to, --compile-from or --layouts-html; add one of them{instead}"
        ));
    }
    let one_by_one = options.one_by_one()?;
    let known = |name: &str| ["o", "help", "h", "version", "help-hidden"].contains(&name);
    let other = words().filter(|word| !is_pass(word)).filter_map(|word| name_of(word)).find(|name| !known(name))?;
    Some(format!(
        "--{one_by_one} runs the passes without mlir-opt, but --{other} is an option of mlir-opt; remove one of them"
    ))
}
