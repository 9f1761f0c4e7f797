//! Inserts bugs in the masks that the pass `vectorize-spmd` creates. Each bug must change a result of a
//! kernel of `test/run/divergence.mlir`.
//!
//! The kernel is launched with the inputs of its RUN-ARGS line, and with inputs for which lanes take other
//! branches. An inserted bug removes a condition from a mask, or makes a select choose the wrong arm.
use cube_backend_interp::Arg;
use cube_fuzz::mutate::{Bug, mutate, sites};
use cube_fuzz::validate::{Launch, walk};
use cube_runtime::hostdata::npy;
use std::{ops::ControlFlow, path::Path};

const FILE: &str = include_str!("../../../test/run/divergence.mlir");
const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../test/run/data");
const PASS: &str = "vectorize-spmd";

/// A kernel whose cube has more than one plane of 32 lanes. The five kernels of `test/run/divergence.mlir`
/// differ only in their number of units.
const NAME: &str = "k33";
const UNITS: usize = 33;

fn kernel() -> String {
    let start = FILE.find(&format!("cube.kernel @{NAME}(")).expect("the file has the kernel");
    let rest = &FILE[start..];
    rest[..rest.find("\n}\n").expect("it ends") + 3].to_string()
}

/// Input values, indexed by the number of the unit.
fn inputs() -> Vec<Vec<i32>> {
    let file = npy::read(&Path::new(DATA).join(format!("divergence.{NAME}.x.npy"))).expect("the input is there");
    let own: Vec<i32> = file.bytes().chunks_exact(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    assert_eq!(own.len(), UNITS);
    // The only unit of the second plane takes each path through the branches. If the value of the unit is odd, the unit
    // writes the line 32 mod 7 of its private array, which it reads at the end.
    let last = |value: i32| own[..UNITS - 1].iter().copied().chain([value]).collect();
    // The values of all lanes of the first plane are odd. The lanes diverge only at the later branch.
    let odd = (0..UNITS as i32).map(|unit| 1 + 2 * (unit % 2)).collect();
    // The input ends inside the first plane.
    let short = own[..20].to_vec();
    vec![own.clone(), last(0b01011), last(0b11001), last(0b00010), odd, short]
}

/// A launch whose output buffer is longer than the number of units, to detect stores by lanes without a unit.
fn launch<'t>(text: &'t str, input: &[i32]) -> Launch<'t> {
    let buffer = |bytes: Vec<u8>| Arg::Buffer { bytes, initialised: true };
    let x = input.iter().flat_map(|value| value.to_le_bytes()).collect();
    let args = vec![buffer(x), buffer(vec![0; 2 * UNITS * 5 * 4])];
    Launch { text, args, cubes: 1, plane_dim: 32, seed: None }
}

/// Inserts a bug in the mask operation number `site`; returns this operation, and whether the result
/// changes.
fn broken(launch: &Launch<'_>, how: Bug, site: usize) -> Option<(String, bool)> {
    let mut op = None;
    let found = walk(launch, &mut |stage| {
        if op.is_some() {
            return ControlFlow::Break(());
        }
        if stage.pass == PASS {
            op = sites(stage, how).into_iter().nth(site);
            if op.is_none() || !mutate(stage, how, site) {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    let changed = found.unwrap_or_else(|why| panic!("{why}")).change;
    assert!(changed.as_ref().is_none_or(|change| change.pass == PASS), "{changed:?}");
    op.map(|op| (op, changed.is_some()))
}

/// Whether an operation combines masks, which are vectors of bools, or selects between vectors.
fn is_of_masks(op: &str) -> bool {
    op.starts_with("arith.andi vector<") && op.ends_with("xi1>") || op.starts_with("arith.select vector<")
}

#[test]
fn broken_masks_change_the_results() {
    let text = kernel();
    let launches: Vec<Launch<'_>> = inputs().iter().map(|input| launch(&text, input)).collect();
    let (mut seen, mut unseen) = (0, Vec::new());
    for how in [Bug::FirstOperand, Bug::Select] {
        for site in 0.. {
            let Some((op, mut changes)) = broken(&launches[0], how, site) else { break };
            if !is_of_masks(&op) {
                continue;
            }
            changes = changes || launches[1..].iter().any(|one| broken(one, how, site).is_some_and(|found| found.1));
            if changes {
                seen += 1;
            } else {
                unseen.push(format!("{how:?} {site} {op}"));
            }
        }
    }
    assert!(unseen.is_empty(), "{seen} are seen, {} are not:\n{}", unseen.len(), unseen.join("\n"));
    assert!(seen >= 45, "{seen} are seen");
}
