//! `--against`: runs the same launch on two backends, whose results must be equal within `--ulp`. If one backend
//! is the interpreter and `--ulp` is not given, `semantics/tables/tolerance.toml` contains the tolerance.
use super::args::Args;
use super::failure::Failure;
use super::interpret::{self, Kernel};
use super::values::Value;
use super::{backends, compile, launch};
use crate::say;
use cube_artifact::{Artifact, CompileError, Compiler, Target};
use cube_backend_interp::{Find, Options, Tolerance, difference};
use cube_driver::Driver;
use cube_runtime::hostdata::{self, HostArray};
use std::str::FromStr;

/// Runs the kernel on the second backend, and compares the results.
///
/// # Errors
/// The results differ, or the second run fails. If the second backend is the interpreter and finds undefined
/// behaviour, races, uninitialised reads or invalid barriers, the error reports these findings, because the results
/// are meaningless.
pub fn check(
    args: &Args,
    artifact: &Artifact,
    values: &[Value],
    count: [u32; 3],
    results: &[Option<HostArray>],
) -> Result<(), Failure> {
    let Some(other) = &args.against else { return Ok(()) };
    let (device, target) = backends::open(other)?;
    let (source, request) = compile::source(args)?;
    let kernel = Kernel { source: &source, request: &request, values, count };
    let second = if other == backends::INTERPRETER {
        let requested = interpret::options(args)?;
        // The second backend uses the plane size of the first.
        let plane_dim = artifact.plane_dim.or_else(|| own_planes(args, artifact)).unwrap_or(requested.plane_dim);
        let options = Options { find: Find::FAULTS, plane_dim, ..requested };
        let (program, allowed) = interpret::with_tolerance(&source, &request, args.level)?;
        let (second, outcome) = interpret::execute_in_all_orders(&program, &kernel, &[], &options)?;
        interpret::findings(&outcome)?;
        let allowed = args.ulp.map_or(allowed, Tolerance::ulp);
        return report(
            args,
            other,
            difference(&program, &interpret::results(&second), &interpret::results(results), allowed),
        );
    } else {
        let target = Target::from_str(&target).map_err(CompileError::from)?;
        let artifact = Driver.compile(&source, &target, &request)?;
        launch::launch(&*device, &artifact, values.to_vec(), count, false)?.buffers
    };
    if args.backend == backends::INTERPRETER && args.ulp.is_none() {
        let (program, allowed) = interpret::with_tolerance(&source, &request, args.level)?;
        let difference = difference(&program, &interpret::results(results), &interpret::results(&second), allowed);
        return report(args, other, difference);
    }
    report(args, other, between(artifact, &second, results, args.ulp.unwrap_or(0))?)
}

// The plane size of the device, if the kernel accepts any plane size.
fn own_planes(args: &Args, artifact: &Artifact) -> Option<u32> {
    if !artifact.features.iter().any(|feature| feature == "subgroups") {
        return None;
    }
    let (device, _) = backends::open(&args.backend).ok()?;
    let [least, most] = device.properties().plane_dim;
    (least == most).then_some(least)
}

fn report(args: &Args, other: &str, difference: Option<String>) -> Result<(), Failure> {
    match difference {
        None => {
            let within = match args.ulp {
                None if other == backends::INTERPRETER || args.backend == backends::INTERPRETER => {
                    "within the tolerances of semantics/tables/tolerance.toml".into()
                }
                ulp => format!("within {} ulp", ulp.unwrap_or(0)),
            };
            say::print(&format!("{} and {other} agree {within}\n", args.backend));
            Ok(())
        }
        Some(what) => {
            let backend = &args.backend;
            Err(CompileError::from(cube_artifact::diagnostic!(CUBE0609.results { backend, other, what })).into())
        }
    }
}

// The difference in the first unequal buffer.
fn between(
    artifact: &Artifact,
    one: &[Option<HostArray>],
    other: &[Option<HostArray>],
    ulp: u64,
) -> Result<Option<String>, Failure> {
    for (param, pair) in artifact.params.iter().zip(one.iter().zip(other)) {
        let (Some(one), Some(other)) = pair else { continue };
        let report = hostdata::compare(other, one, ulp)?;
        if !report.passes() {
            let at = report.worst.unwrap_or(0);
            let show = |array: &HostArray| array.show(at).unwrap_or_default();
            let what = format!(
                "{} of {} elements of {} differ, most at [{at}]: {} instead of {}",
                report.count,
                report.total,
                param.name,
                show(other),
                show(one)
            );
            return Ok(Some(what));
        }
    }
    Ok(None)
}
