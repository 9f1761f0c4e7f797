//! Every elementwise operation on edge values: the interpreter at levels source, flat and legal, and the CPU's code.
#![forbid(unsafe_code)]
use cube_fuzz::judge::differences;
use cube_fuzz::table::{Group, groups};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/types.md");

/// Operation, type of its operands, and how far results may be apart.
type Ran = BTreeMap<String, BTreeMap<String, u64>>;

// What a group that ran shows: conversions are told apart by their result.
fn note(ran: &mut Ran, group: &Group) {
    for operation in &group.operations {
        let words: Vec<&str> = operation.text.split_whitespace().collect();
        let name = words.iter().find(|word| word.contains('.') && !word.starts_with('%')).copied().unwrap_or("?");
        let converts = name == "cube.cast" || operation.text.contains(" to ");
        let name = if converts { format!("{name} to {}", operation.result) } else { name.to_string() };
        let types = ran.entry(name).or_default();
        let ulp = types.entry(group.ty.clone()).or_default();
        *ulp = (*ulp).max(operation.ulp);
    }
}

fn page(ran: &Ran) -> String {
    let types: BTreeSet<&String> = ran.values().flat_map(|types| types.keys()).collect();
    let mut order: Vec<&String> = types.into_iter().collect();
    let width = |ty: &str| ty.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<u32>().unwrap_or(0);
    order.sort_by_key(|ty| (!ty.starts_with('i'), width(ty), ty.to_string()));
    let mut page = String::from(
        "<!-- Written by `BLESS=1 cargo test -p cube-fuzz --test operations` from what it ran. -->\n\
         # Types and operations\n\n\
         What the interpreter at levels source, flat and legal and the CPU's code computed alike, on edge values and others, alone\n\
         and in lines of 4, with every value loaded from a buffer and stored in one. A column is the type of the operands. `=` is\n\
         the same result, a number the units in the last place that results may be apart; an empty place was not run. Conversions\n\
         are told apart by what they give. f16 and bf16 are computed in f32 on the CPU and rounded after every operation; fp8 and\n\
         tf32 are stored and converted only.\n\n",
    );
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

#[test]
fn all_levels_and_the_cpu_agree_on_every_operation() {
    let (mut wrong, mut ran) = (Vec::new(), Ran::new());
    let only = std::env::var("CUBE_FUZZ_ONLY").unwrap_or_default();
    for group in groups().iter().filter(|g| !g.operands.is_empty() && g.name.contains(&only)) {
        let before = wrong.len();
        for line in [1, 4] {
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
