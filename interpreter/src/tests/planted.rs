//! Kernels with faults, each with the expected location of its finding, and correct kernels. The tests detect missing
//! findings and false findings of the interpreter.
use super::{decode, kernel_files};
use crate::{Arg, Find, Options, Schedule, run};
use std::collections::BTreeSet;

/// A header line `// KEY: VALUE`.
fn header<'t>(text: &'t str, key: &str) -> Vec<&'t str> {
    let key = format!("// {key}: ");
    text.lines().filter_map(|line| line.strip_prefix(key.as_str())).collect()
}

fn argument(text: &str) -> Arg {
    let words: Vec<&str> = text.split_whitespace().collect();
    let count: i32 = words[2].parse().expect("a number of elements");
    let value = |i: i32| if words[0] == "iota" { i } else { 0 };
    let bytes = (0..count).flat_map(|i| value(i).to_le_bytes()).collect();
    Arg::Buffer { bytes, initialised: words[0] != "uninit" }
}

/// The kind and the line number of each finding that a file expects.
fn expected(text: &str) -> BTreeSet<(String, usize)> {
    let lines = text.lines().enumerate().filter_map(|(at, line)| Some((at + 1, line.split_once("// FINDS ")?.1)));
    lines.flat_map(|(at, kinds)| kinds.split(' ').map(move |kind| (kind.to_string(), at))).collect()
}

fn found(text: &str, schedule: Schedule) -> BTreeSet<(String, usize)> {
    let program = decode(text).unwrap_or_else(|d| panic!("{d:?}\n{text}"));
    let mut args: Vec<Arg> = header(text, "arg").into_iter().map(argument).collect();
    let cubes = header(text, "cubes")[0].parse().expect("a number of cubes");
    let options = Options { find: Find::ALL, schedule, ..Options::default() };
    let outcome = run(&program, &mut args, [cubes, 1, 1], &options).unwrap_or_else(|f| panic!("{f}\n{text}"));
    let place =
        |f: &crate::Finding| (f.kind.word().to_string(), f.site.location.as_ref().map_or(0, |p| p.line as usize));
    outcome.findings.iter().map(place).collect()
}

#[test]
fn every_planted_fault_is_found_at_its_location() {
    let (mut missed, mut false_alarms) = (vec![], vec![]);
    let files = kernel_files("planted/faulty");
    assert!(files.len() >= 20, "only {} kernels with faults", files.len());
    for (name, text) in &files {
        let (expected, found) = (expected(text), found(text, Schedule::InOrder));
        assert!(!expected.is_empty(), "{name} says of no line what is wrong there");
        missed.extend(expected.difference(&found).map(|what| (name, what.clone())));
        false_alarms.extend(found.difference(&expected).map(|what| (name, what.clone())));
        // In another order, a race can be reported at the other of its two operations.
        let kinds = |set: &BTreeSet<(String, usize)>| set.iter().map(|(kind, _)| kind.clone()).collect::<BTreeSet<_>>();
        for seed in 1..4 {
            let shuffled = self::found(text, Schedule::Shuffled(seed));
            let order_counts = |kind: &String| kind == "uninit" && kinds(&expected).contains("races");
            let lost: Vec<_> = kinds(&expected).difference(&kinds(&shuffled)).cloned().collect();
            assert!(lost.iter().all(order_counts), "{name} with seed {seed}: {lost:?} is not found");
        }
    }
    assert!(missed.is_empty() && false_alarms.is_empty(), "missed {missed:#?}, false alarms {false_alarms:#?}");
}

#[test]
fn kernels_without_faults_have_no_findings() {
    let files = kernel_files("planted/clean");
    assert!(files.len() >= 20, "only {} kernels without faults", files.len());
    for (name, text) in &files {
        for schedule in [Schedule::InOrder, Schedule::LastFirst, Schedule::Shuffled(1), Schedule::Shuffled(2)] {
            assert_eq!(found(text, schedule), BTreeSet::new(), "{name} {schedule:?}");
        }
    }
}
