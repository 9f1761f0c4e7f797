//! Every elementwise operation on edge values: the interpreter at levels source, flat and legal, and the CPU's code.
#![forbid(unsafe_code)]
use cube_fuzz::judge::differences;
use cube_fuzz::table::{Group, groups};
use cube_fuzz::values::bits;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/types.md");

/// Operation, type of its operands, and how far results may be apart.
type Ran = BTreeMap<String, BTreeMap<String, u64>>;

// What a group that ran shows: conversions are told apart by their result.
fn note(ran: &mut Ran, group: &Group) {
    for operation in &group.operations {
        for name in operation.names() {
            let converts = operation.text.ends_with(" to R");
            let name = if converts { format!("{name} to {}", operation.result) } else { name.to_string() };
            let types = ran.entry(name).or_default();
            let ulp = types.entry(group.ty.clone()).or_default();
            *ulp = (*ulp).max(operation.ulp);
        }
    }
}

fn page(ran: &Ran) -> String {
    let types: BTreeSet<&String> = ran.values().flat_map(|types| types.keys()).collect();
    let mut order: Vec<&String> = types.into_iter().collect();
    order.sort_by_key(|ty| (!ty.starts_with('i'), bits(ty), ty.to_string()));
    let mut page = String::from(
        "<!-- Written by `BLESS=1 cargo test -p cube-fuzz --test operations` from what it ran. -->\n\
         # Types and operations\n\n\
         What the interpreter at levels source, flat and legal and the CPU's code computed alike, on edge values and others, alone\n\
         and in lines of 4, with every value loaded from a buffer and stored in one. A column is the type of the operands. `=` is\n\
         the same result, a number the units in the last place that results may be apart; an empty place was not run. Conversions\n\
         are told apart by what they give. f16 and bf16 are computed in f32 on the CPU and rounded after every operation; fp8 and\n\
         tf32 are stored and converted only.\n\n",
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

/// Operations of the three dialects that are not functions of numbers, and those that no level computes, with the reason.
const WITHOUT: &[(&str, &[&str])] = &[
    ("`specialize` makes an arith operation of it: test/specialize", &["cube.constant", "cube.generic"]),
    ("it is refused (CUBE0311), for it has no expansion", &["math.fpowi", "math.ipowi"]),
    (
        "it reads or writes memory: test/run and the random kernels",
        &["cube.alloc", "cube.load", "cube.slice", "cube.store", "cube.len", "cube.buffer_len", "cube.print"],
    ),
    (
        "atomics combine with memory: test/run and the random kernels",
        &["cube.atomic_cas", "cube.atomic_load", "cube.atomic_rmw", "cube.atomic_store"],
    ),
    (
        "it asks for a fact of the launch: test/run and the random kernels",
        &["cube.coordinate", "cube.rank", "cube.shape", "cube.stride", "cube.topology"],
    ),
    (
        "it works on the lanes of a plane: test/run and the random kernels",
        &[
            "cube.plane_ballot",
            "cube.plane_broadcast",
            "cube.plane_elect",
            "cube.plane_reduce",
            "cube.plane_scan",
            "cube.plane_shuffle",
            "cube.plane_vote",
        ],
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
            "cube.turn",
            "cube.yield",
        ],
    ),
];

/// The interpreter's list is closed over the dialects' `.td` files; an operation without a rule there has its reason there.
#[test]
fn every_operation_on_numbers_has_a_row_or_a_reason() {
    let groups = groups();
    let rows: BTreeSet<&str> = groups.iter().flat_map(|g| &g.operations).flat_map(|o| o.names()).collect();
    let reasons: BTreeSet<&str> = WITHOUT.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let of_numbers = |name: &&str| ["arith.", "math.", "cube."].iter().any(|dialect| name.starts_with(dialect));
    let ruled = cube_backend_interp::operations().filter(|(_, why)| why.is_none());
    let all: BTreeSet<&str> = ruled.map(|(name, _)| name).filter(of_numbers).collect();
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

/// The words of a cast and the predicates are those of the dialects: a new one fails here.
#[test]
fn rows_take_every_attribute() {
    let cast = cube_dialect::ops::OPS.iter().find(|op| op.name == "cube.cast").expect("the dialect has casts");
    let words: Vec<&str> = cast.attributes.iter().map(|(name, _)| *name).collect();
    let known = ["from_unsigned", "to_unsigned", "saturate", "rounding"];
    assert_eq!(words, known, "fuzz/src/conversions.rs, `words`, does not combine every attribute of cube.cast");
    let groups = groups();
    let count = |name: &str, ty: &str| {
        let rows = groups.iter().filter(|g| g.ty == ty).flat_map(|g| &g.operations);
        rows.filter(|o| o.text.starts_with(name)).map(|o| &o.text).collect::<BTreeSet<_>>().len()
    };
    assert_eq!((count("arith.cmpi ", "i32"), count("arith.cmpf ", "f32")), (10, 16), "predicates in fuzz/src/table.rs");
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

#[test]
fn all_levels_and_the_cpu_agree_on_every_operation() {
    let (mut wrong, mut ran) = (Vec::new(), Ran::new());
    let only = std::env::var("CUBE_FUZZ_ONLY").unwrap_or_default();
    for group in groups().iter().filter(|g| !g.operands.is_empty() && g.name.contains(&only)) {
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
    if !only.is_empty() {
        return;
    }
    let page = page(&ran);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(TABLE, &page).expect("the table can be written");
    }
    let held = std::fs::read_to_string(TABLE).unwrap_or_default();
    assert!(held == page, "docs/reference/types.md is not what ran: BLESS=1 cargo test -p cube-fuzz --test operations");
}
