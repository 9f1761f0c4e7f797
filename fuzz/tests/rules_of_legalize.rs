//! Inserts one bug for each rule of the passes in `passes/src/legalize`. The test values in the table of
//! operations must expose every inserted bug.
#![forbid(unsafe_code)]
use cube_fuzz::judge::{BugOutcome, Data, planted};
use cube_fuzz::mutate::{BUGS, Bug};
use cube_fuzz::table::{Group, groups};
use std::collections::BTreeSet;
use std::path::Path;

#[path = "rules_of_legalize/table.rs"]
mod table;
use table::{On, PLANTED, WITHOUT};

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../passes/src/legalize");
const HERE: &str = "fuzz/tests/rules_of_legalize/table.rs";

/// Each function and each named rule of a file, as `file::name`.
fn rules_in(folder: &Path, prefix: &str, rules: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("the passes are there").map(|entry| entry.expect("readable").path()) {
        let stem = entry.file_stem().unwrap_or_default().to_string_lossy().to_string();
        if entry.is_dir() {
            rules_in(&entry, &format!("{prefix}{stem}/"), rules);
            continue;
        }
        let text = std::fs::read_to_string(&entry).expect("text");
        let rules_only = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
        for line in rules_only.map(str::trim_start) {
            let line = line.trim_start_matches("pub(crate) ").trim_start_matches("pub ").trim_start_matches("const ");
            let name = line.strip_prefix("fn ").or_else(|| line.strip_prefix("Rule { name: \""));
            let name = name.and_then(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next());
            rules.extend(name.map(|name| format!("{prefix}{stem}::{name}")));
        }
    }
}

fn pass_of(rule: &str) -> String {
    let file = rule.split("::").next().unwrap_or_default();
    file.split('/').next().unwrap_or_default().replace('_', "-")
}

/// A kernel for one row of the table. The kernel's accesses require no bounds checks, so the pass under test
/// creates every operation that the kernel did not contain before.
fn row(groups: &[Group], ty: &str, text: &str, result: &str) -> (String, Vec<Data>, u32) {
    let has = |o: &cube_fuzz::table::Operation| o.text == text && o.result == result;
    let group = groups.iter().find(|g| g.ty == ty && g.operations.iter().any(has));
    let group = group.unwrap_or_else(|| panic!("the table has no row {text:?} of {ty} to {result}"));
    let mut group = group.clone();
    group.operations.retain(has);
    let (text, buffers, cubes) = group.kernel(group.lines()[0]);
    (text.replace("cube_dim(64)", "cube_dim(64) unchecked"), buffers, cubes)
}

fn buffers(kernel: &str) -> Vec<Data> {
    let data = |name: &str, ty: &str, bytes: Vec<u8>| Data {
        name: name.into(),
        elem: cube_fuzz::values::elem(ty),
        ty: ty.into(),
        bytes,
        ulp: 0,
    };
    let ints = |count: i32| (0..count).flat_map(|i| (i * 29 % 107).to_le_bytes()).collect();
    let bools = (0..64u8).map(|i| i % 3).collect();
    let zeros = |bytes: usize| vec![0; bytes];
    // The arguments have the same order in every kernel of this file.
    let all = [
        ("x", "i32", ints(256)),
        ("p", "i1", bools),
        ("q", "i1", zeros(64)),
        ("s", "i32", ints(40)),
        ("y", "i32", zeros(1024)),
    ];
    all.into_iter().filter(|(name, ..)| kernel.contains(&format!("%{name}: "))).map(|(n, t, b)| data(n, t, b)).collect()
}

fn launch(groups: &[Group], on: On) -> (String, Vec<Data>, u32) {
    match on {
        On::Row(ty, text, result) => row(groups, ty, text, result),
        On::Kernel(text) => (text.to_string(), buffers(text), 1),
    }
}

#[test]
fn every_rule_has_a_break_or_a_reason() {
    let mut rules = BTreeSet::new();
    rules_in(Path::new(SOURCES), "", &mut rules);
    let known: BTreeSet<String> = PLANTED
        .iter()
        .map(|p| p.0)
        .chain(WITHOUT.iter().flat_map(|(_, names)| names.iter().copied()))
        .map(str::to_string)
        .collect();
    let missing: Vec<_> = rules.difference(&known).collect();
    assert!(missing.is_empty(), "neither in PLANTED nor in WITHOUT of {HERE}: {missing:#?}");
    let stale: Vec<_> = known.difference(&rules).collect();
    assert!(stale.is_empty(), "{HERE} names what passes/src/legalize does not have: {stale:#?}");
}

#[test]
fn every_break_of_a_rule_changes_a_result() {
    let groups = groups();
    let mut wrong = Vec::new();
    for (rule, on, how, site, op) in PLANTED {
        let (text, buffers, cubes) = launch(&groups, *on);
        let pass = pass_of(rule);
        let found = planted(&text, &buffers, cubes, &pass, (*how, *site));
        let caught = matches!(&found, Ok(BugOutcome::Caught { op: changed }) if changed.starts_with(op));
        if !caught {
            let others = all_breaks(&text, &buffers, cubes, &pass);
            wrong.push(format!("{rule} broken by {how:?} {site} ({op}): {found:?}; all breaks: {others}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} are not seen:\n{}", wrong.len(), PLANTED.len(), wrong.join("\n"));
}

fn all_breaks(text: &str, buffers: &[Data], cubes: u32, pass: &str) -> String {
    let mut all = String::new();
    for how in BUGS {
        for site in 0..200 {
            match planted(text, buffers, cubes, pass, (*how, site)) {
                Ok(BugOutcome::Caught { op }) => all += &format!("\n    {how:?} {site} {op}"),
                Ok(BugOutcome::Unseen { op }) => all += &format!("\n    ({how:?} {site} {op} is not seen)"),
                Ok(BugOutcome::Nowhere) => break,
                Err(why) => {
                    all += &format!("\n    ({how:?}: {why})");
                    break;
                }
            }
        }
    }
    all
}

/// For each function that `expand-math` expands, inserts a bug in a constant or an operation of the
/// expansion.
#[test]
fn a_break_of_every_math_function_changes_a_result() {
    let groups = groups();
    let actual = groups.iter().filter(|g| ["f32", "f64"].contains(&g.ty.as_str()));
    let mut unseen = Vec::new();
    for group in actual.filter(|g| g.name.starts_with("math") || g.name.starts_with("pow")) {
        for operation in &group.operations {
            let (text, buffers, cubes) = row(&groups, &group.ty, &operation.text, &operation.result);
            let caught = |how: &Bug| {
                let site = |site: &usize| planted(&text, &buffers, cubes, "expand-math", (*how, *site));
                (0..6).any(|at| matches!(site(&at), Ok(BugOutcome::Caught { .. })))
            };
            if ![Bug::Float, Bug::Ordered].iter().any(caught) {
                unseen.push(format!("{} of {}", operation.text, group.ty));
            }
        }
    }
    assert!(unseen.is_empty(), "no break of these changes a result: {unseen:#?}");
}

/// The first detected bug in the output of `expand-conversions`, or `Nowhere` if no operation of the output can
/// be changed.
fn first_seen(text: &str, buffers: &[Data], cubes: u32) -> Result<BugOutcome, String> {
    let mut last = BugOutcome::Nowhere;
    for how in [Bug::Select, Bug::Unsigned, Bug::Sign, Bug::FirstOperand, Bug::Predicate, Bug::Lower] {
        for site in 0..4 {
            match planted(text, buffers, cubes, "expand-conversions", (how, site))? {
                BugOutcome::Nowhere => break,
                seen @ BugOutcome::Caught { .. } => return Ok(seen),
                unseen => last = unseen,
            }
        }
    }
    Ok(last)
}

/// Inserts a bug in each conversion from the types i64, f32 and f64, with all keywords. The bug must be
/// detected if the conversion expands to more than one operation.
#[test]
fn a_break_of_every_cast_changes_a_result() {
    let (mut unseen, mut seen) = (Vec::new(), 0);
    let wide = |group: &&Group| group.name.starts_with("casts") && ["i64", "f32", "f64"].contains(&group.ty.as_str());
    for group in groups().iter().filter(wide) {
        for operation in &group.operations {
            let group = Group { operations: vec![operation.clone()], ..group.clone() };
            let (text, buffers, cubes) = group.kernel(1);
            let text = text.replace("cube_dim(64)", "cube_dim(64) unchecked");
            match first_seen(&text, &buffers, cubes) {
                Ok(BugOutcome::Caught { .. }) => seen += 1,
                Ok(BugOutcome::Nowhere) => {}
                other => unseen.push(format!("{} of {} to {}: {other:?}", operation.text, group.ty, operation.result)),
            }
        }
    }
    assert!(unseen.is_empty(), "no break of these changes a result: {unseen:#?}");
    assert!(seen > 150, "only {seen} casts have something to break");
}
