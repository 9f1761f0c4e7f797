//! Tests every elementwise operation on edge values, in the interpreter at levels source, flat and legal, and on the
//! CPU.
#![forbid(unsafe_code)]
use cube_fuzz::judge::differences;
use cube_fuzz::table::{Group, Operation, groups};
use cube_fuzz::values::bits;
use cube_ir::{
    ops::vector,
    upstream::{FloatCmp, IntCmp},
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/types.md");

/// The tolerance of the results, by operation and operand type.
type ResultTable = BTreeMap<String, BTreeMap<String, u64>>;

// The rows of a group that ran: conversions differ in their result.
fn note(ran: &mut ResultTable, group: &Group) {
    for operation in &group.operations {
        for (name, words) in operation.worded() {
            let converts = operation.text.ends_with(" to R");
            let by_word = ["cube.plane_", "cube.atomic_", "vector."].iter().any(|start| name.starts_with(start));
            let name = match (converts, by_word && !words.is_empty()) {
                (true, _) => format!("{name} to {}", operation.result),
                (_, true) => format!("{name} {}", words.join(" ")),
                _ => name.to_string(),
            };
            let types = ran.entry(name).or_default();
            let ulp = types.entry(group.ty.clone()).or_default();
            *ulp = (*ulp).max(operation.ulp);
        }
    }
}

fn page(ran: &ResultTable) -> String {
    let types: BTreeSet<&String> = ran.values().flat_map(|types| types.keys()).collect();
    let mut order: Vec<&String> = types.into_iter().collect();
    order.sort_by_key(|ty| (!ty.starts_with('i'), bits(ty), ty.to_string()));
    let mut page = String::from(
        "<!-- Written by `BLESS=1 cargo test -p cube-fuzz --test operations` from what it ran. -->\n\
         # Types and operations\n\n\
         After reading this page you know which operation is tested with which type, and its tolerance.\n\n\
         The tests compare the CPU's code with the interpreter at levels source, flat and legal, for edge values and other values. The values\n\
         are scalars and lines of 4, which are loaded from a buffer and stored to a buffer. Each column of the table is a type of the\n\
         operands. In a cell, `=` means equal results, and a number is the tolerance in units in the last place; an empty cell was not\n\
         tested. The rows of conversions have different result types. The CPU computes f16 and bf16 in f32 and rounds after every\n\
         operation. Kernels can only store and convert floats of 4, 6 and 8 bits and tf32.\n\n",
    );
    page.push_str(&cube_fuzz::elements::page());
    page.push_str("\n## Operations\n\n");
    let heads: Vec<&str> = order.iter().map(|ty| ty.as_str()).collect();
    let _ = writeln!(page, "| Operation | {} |\n|---{}|", heads.join(" | "), "|---".repeat(heads.len()));
    for (name, types) in ran {
        let cell = |ty: &&String| match types.get(*ty) {
            None => String::new(),
            Some(0) => "=".into(),
            Some(ulp) => ulp.to_string(),
        };
        let cells: Vec<String> = order.iter().map(cell).collect();
        let _ = writeln!(page, "| `{name}` | {} |", cells.join(" | "));
    }
    page
}

/// Operations without a row, grouped by the reason: the operation is not a function of numbers, or no level
/// computes the operation.
const WITHOUT: &[(&str, &[&str])] = &[
    ("`specialize` makes an arith operation of it: test/specialize", &["cube.constant", "cube.generic"]),
    ("it is refused (CUBE0311), for it has no expansion", &["math.fpowi", "math.ipowi"]),
    (
        "it reads or writes memory: test/run and the random kernels",
        &["cube.alloc", "cube.load", "cube.slice", "cube.store", "cube.len", "cube.buffer_len", "cube.print"],
    ),
    (
        "it asks for a fact of the launch: test/run and the random kernels",
        &["cube.coordinate", "cube.rank", "cube.shape", "cube.stride", "cube.topology"],
    ),
    (
        "it moves lanes and computes nothing: test/run/vectors.mlir and the random chains of vectors",
        &[
            "vector.bitcast",
            "vector.broadcast",
            "vector.deinterleave",
            "vector.extract",
            "vector.extract_strided_slice",
            "vector.from_elements",
            "vector.insert",
            "vector.insert_strided_slice",
            "vector.interleave",
            "vector.shape_cast",
            "vector.shuffle",
            "vector.step",
            "vector.to_elements",
        ],
    ),
    (
        "it reads or writes the lanes of a line: test/run and the random kernels",
        &["vector.gather", "vector.load", "vector.maskedload", "vector.maskedstore", "vector.scatter", "vector.store"],
    ),
    (
        "it is control flow: test/run and the random kernels",
        &[
            "cube.break",
            "cube.call",
            "cube.comptime_for",
            "cube.comptime_if",
            "cube.continue",
            "cube.for",
            "cube.if",
            "cube.loop",
            "cube.return",
            "cube.sync",
            "cube.terminate",
            "cube.may_not_terminate",
            "cube.yield",
        ],
    ),
];

/// The interpreter's table lists every operation of the dialects' `.td` files, with a reason for each operation
/// without a rule.
#[test]
fn every_operation_on_numbers_has_a_row_or_a_reason() {
    let groups = groups();
    let rows: BTreeSet<&str> = groups.iter().flat_map(|g| &g.operations).flat_map(|o| o.names()).collect();
    let reasons: BTreeSet<&str> = WITHOUT.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let of_numbers =
        |name: &&str| ["arith.", "math.", "cube.", "vector."].iter().any(|dialect| name.starts_with(dialect));
    let ruled = cube_backend_interp::operations().filter(|(_, why)| why.is_none());
    let all: BTreeSet<&str> = ruled.map(|(kind, _)| kind.name()).filter(of_numbers).collect();
    let missing: Vec<_> = all.iter().filter(|name| !rows.contains(**name) && !reasons.contains(**name)).collect();
    assert!(
        missing.is_empty(),
        "without a row in fuzz/src/table.rs (or a reason in WITHOUT of fuzz/tests/operations.rs): {missing:?}"
    );
    let both: Vec<_> = reasons.intersection(&rows).collect();
    assert!(both.is_empty(), "WITHOUT of fuzz/tests/operations.rs gives a reason for what has a row: {both:?}");
    let stale: Vec<_> = reasons.iter().chain(&rows).filter(|n| of_numbers(n) && !all.contains(**n)).collect();
    assert!(
        stale.is_empty(),
        "fuzz/tests/operations.rs or fuzz/src/table.rs names what the interpreter cannot run: {stale:?}"
    );
}

/// Attributes whose keywords do not affect any number, each with the reason.
const WORDS_WITHOUT: &[(&str, &str)] = &[
    ("bounds", "it says whether an access is checked: test/run/bounds.mlir"),
    ("proof", "it says why an access needs no check"),
];

/// For each operation, the keywords that the verifiers refuse with every element type (CUBE0140).
const REFUSED: &[(&str, &[&str])] = &[
    ("cube.plane_reduce", &["exchange", "subf", "subi"]),
    ("cube.plane_scan", &["exchange", "subf", "subi"]),
    ("cube.atomic_rmw", &["mulf", "muli"]),
];

/// Each operation with an attribute of several keywords has a row for each keyword. Operations, attributes and keywords
/// come from the generated tables of the dialects, so this test fails for a new entry without a row.
#[test]
fn every_word_of_every_operation_has_a_row() {
    let groups = groups();
    let rows: BTreeSet<(&str, &str)> = groups
        .iter()
        .flat_map(|group| &group.operations)
        .flat_map(|operation| operation.worded())
        .flat_map(|(name, words)| words.into_iter().map(move |word| (name, word)))
        .collect();
    let reasons: BTreeSet<&str> = WITHOUT.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let mut all: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut attributes = 0;
    for op in cube_dialect::ops::OPS.iter().filter(|op| !reasons.contains(op.name)) {
        for (_, what) in op.attributes.iter().filter(|(name, _)| WORDS_WITHOUT.iter().all(|(other, _)| other != name)) {
            let what = what.trim_start_matches("optional, ");
            let Some(part) = cube_dialect::ops::ATTRS.iter().find(|p| p.summary == what && !p.words.is_empty()) else {
                continue;
            };
            attributes += 1;
            all.extend(part.words.iter().map(|word| (op.name, *word)));
        }
    }
    assert!(
        attributes >= 7,
        "only {attributes} attributes of several words: are the dialect's declarations as they were?"
    );
    let upstream = |op: &'static str, words: Vec<&'static str>| words.into_iter().map(move |word| (op, word));
    all.extend(upstream("vector.reduction", vector::CombiningKind::ALL.iter().map(|kind| kind.word()).collect()));
    all.extend(upstream("arith.cmpi", IntCmp::ALL.iter().map(|predicate| predicate.word()).collect()));
    all.extend(upstream("arith.cmpf", FloatCmp::ALL.iter().map(|predicate| predicate.word()).collect()));
    let refused: BTreeSet<(&str, &str)> =
        REFUSED.iter().flat_map(|(op, words)| words.iter().map(move |word| (*op, *word))).collect();
    let missing: Vec<_> = all.difference(&rows).copied().collect();
    let expected: Vec<_> = refused.iter().copied().collect();
    assert_eq!(
        missing, expected,
        "words without a row in fuzz/src/words.rs, on the left, and those that no type takes"
    );
    for (op, words) in cube_fuzz::words::refused() {
        let known = words.iter().any(|word| refused.contains(&(*op, *word)));
        assert!(known, "{op} {words:?}: no verifier takes this row of fuzz/src/words.rs");
    }
}

/// The keywords of a cast and the predicates come from the dialects, so this test fails for a new keyword
/// without a row.
#[test]
fn rows_cover_every_attribute() {
    let cast = cube_dialect::ops::OPS.iter().find(|op| op.name == "cube.cast").expect("the dialect has casts");
    let words: Vec<&str> = cast.attributes.iter().map(|(name, _)| *name).collect();
    let known = ["from_unsigned", "to_unsigned", "saturate", "rounding"];
    assert_eq!(words, known, "fuzz/src/conversions.rs, `words`, does not combine every attribute of cube.cast");
    let groups = groups();
    let pairs = cube_fuzz::conversions::types()
        .into_iter()
        .flat_map(|from| cube_fuzz::conversions::types().into_iter().map(move |to| (from, to)));
    let casts = |from: &str, to: &str| {
        let rows = groups.iter().filter(|g| g.ty == from).flat_map(|g| &g.operations);
        rows.filter(|o| o.text.starts_with("cube.cast") && o.result == to).count()
    };
    for (from, to) in pairs {
        let expected = match (from.contains('f'), to.contains('f')) {
            (false, false) => 8,
            (true, true) => 2 * (1 + cube_dialect::Rounding::ALL.len()),
            _ => 4,
        };
        assert_eq!(casts(from, to), expected, "casts of {from} to {to} in fuzz/src/conversions.rs");
    }
}

/// The groups to run: all groups, or the groups whose names contain `only`. If `only` is the name of an operation, the
/// function selects only this operation and returns its name.
fn chosen(only: &str) -> (Vec<Group>, Option<&str>) {
    let mut groups = groups();
    groups.retain(|group| !group.operands.is_empty());
    let names = |operation: &Operation| operation.names().contains(&only);
    if !groups.iter().flat_map(|group| &group.operations).any(names) {
        groups.retain(|group| group.name.contains(only));
        return (groups, None);
    }
    groups.iter_mut().for_each(|group| group.operations.retain(names));
    groups.retain(|group| !group.operations.is_empty());
    (groups, Some(only))
}

/// The results for operations other than `name`, read from the text of `docs/reference/types.md`.
fn others(page: &str, name: &str) -> ResultTable {
    let cells = |line: &str| line.trim().trim_matches('|').split('|').map(|c| c.trim().to_string()).collect::<Vec<_>>();
    let mut lines = page.lines().skip_while(|line| !line.starts_with("| Operation |"));
    let types = lines.next().map(cells).unwrap_or_default();
    let rows = lines.skip(1).map(cells).map(|row| {
        let results = types.iter().zip(&row).skip(1).filter(|(_, cell)| !cell.is_empty());
        let ulp =
            |cell: &String| if cell == "=" { 0 } else { cell.parse().expect("a number of units in the last place") };
        (row[0].trim_matches('`').to_string(), results.map(|(ty, cell)| (ty.clone(), ulp(cell))).collect())
    });
    rows.filter(|(row, _): &(String, _)| row.split(' ').next() != Some(name)).collect()
}

#[test]
fn all_levels_and_the_cpu_agree_on_every_operation() {
    let (mut wrong, mut ran) = (Vec::new(), ResultTable::new());
    let only = std::env::var("CUBE_FUZZ_ONLY").unwrap_or_default();
    let (groups, operation) = chosen(&only);
    for group in &groups {
        let before = wrong.len();
        for line in group.lines().iter().copied() {
            let (text, buffers, cubes) = group.kernel(line);
            match differences(&text, &buffers, cubes, false) {
                Ok(found) => wrong.extend(found),
                Err(why) => wrong.push(format!("{} in lines of {line}: {why}", group.name)),
            }
        }
        if wrong.len() == before {
            note(&mut ran, group);
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
    assert!(
        !groups.is_empty(),
        "CUBE_FUZZ_ONLY={only} is neither an operation of fuzz/src/table.rs nor in a group's name"
    );
    let held = std::fs::read_to_string(TABLE).unwrap_or_default();
    match operation {
        Some(operation) => ran.append(&mut others(&held, operation)),
        None if !only.is_empty() => return,
        None => {}
    }
    let page = page(&ran);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(TABLE, &page).expect("the table can be written");
        return;
    }
    assert!(held == page, "docs/reference/types.md is not what ran: BLESS=1 cargo test -p cube-fuzz --test operations");
}
