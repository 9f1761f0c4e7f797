//! Planted breaks of the masks that `planes-to-vectors` makes: `test/run/divergence.mlir` shows each of them.
//!
//! The kernels of that file are launched as its RUN-ARGS lines say. A break is a mask that forgets a condition, or a choice between
//! two arms that takes the other one.
#![forbid(unsafe_code)]
use cube_backend_interp::Arg;
use cube_fuzz::mutate::{Break, mutate, places};
use cube_fuzz::validate::{Launch, walk};
use cube_runtime::hostdata::npy;
use std::{ops::ControlFlow, path::Path};

const FILE: &str = include_str!("../../test/run/divergence.mlir");
const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../test/run/data");
const PASS: &str = "planes-to-vectors";

/// The kernel whose cube fills a plane of 32 lanes and begins another; all five are alike but for their units.
const NAME: &str = "k33";
const UNITS: usize = 33;

fn kernel() -> String {
    let start = FILE.find(&format!("cube.kernel @{NAME}(")).expect("the file has the kernel");
    let rest = &FILE[start..];
    rest[..rest.find("\n}\n").expect("it ends") + 3].to_string()
}

fn launch(text: &str) -> Launch<'_> {
    let x = npy::read(&Path::new(DATA).join(format!("divergence.{NAME}.x.npy"))).expect("the input is there");
    let buffer = |bytes: Vec<u8>| Arg::Buffer { bytes, initialised: true };
    let args = vec![buffer(x.bytes().to_vec()), buffer(vec![0; UNITS * 5 * 4])];
    Launch { text, args, cubes: 1, plane_dim: 32, seed: None }
}

/// The operation at a place where a mask is broken, and whether the result changes.
fn broken(text: &str, how: Break, place: usize) -> Option<(String, bool)> {
    let mut op = None;
    let found = walk(&launch(text), &mut |stage| {
        if op.is_some() {
            return ControlFlow::Break(());
        }
        if stage.pass == PASS {
            op = places(stage, how).into_iter().nth(place);
            if op.is_none() || !mutate(stage, how, place) {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    let changed = found.unwrap_or_else(|why| panic!("{why}")).change;
    assert!(changed.as_ref().is_none_or(|change| change.pass == PASS), "{changed:?}");
    op.map(|op| (op, changed.is_some()))
}

/// Masks are vectors of bools, chosen values are vectors.
fn is_of_masks(op: &str) -> bool {
    op.starts_with("arith.andi vector<") && op.ends_with("xi1>") || op.starts_with("arith.select vector<")
}

#[test]
fn divergence_shows_masks_that_are_wrong() {
    let text = kernel();
    let (mut seen, mut unseen) = (Vec::new(), Vec::new());
    for how in [Break::Kept, Break::Select] {
        for place in 0.. {
            let Some((op, changes)) = broken(&text, how, place) else { break };
            if is_of_masks(&op) {
                let list = if changes { &mut seen } else { &mut unseen };
                list.push(format!("{how:?} {place} {op}"));
            }
        }
    }
    let told = format!("{} are seen, {} are not:\n{}", seen.len(), unseen.len(), unseen.join("\n"));
    // A mask that forgets a condition shows, and so does all but one value of the wrong arm. A mask of the wrong arm may differ in
    // lanes only that are left out anyway.
    let values = unseen.iter().filter(|place| place.ends_with("xi32>")).count();
    assert!(!unseen.iter().any(|place| place.starts_with("Kept")) && values <= 1, "{told}");
    assert!(seen.len() >= 36, "{told}");
}
