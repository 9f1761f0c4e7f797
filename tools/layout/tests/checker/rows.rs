//! Checks the rows of the test vectors by the `match` rules of their schema, with one function per operation.

use super::definition::{self, Function};
use super::notation::{Table, Xor, compatible};
use super::{Case, Evidence, Verdict, collision_evidence, numbers, parse, value_evidence};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Maximum size of a function that is compared at every index. For a larger function, this constant is the
/// number of compared indices.
const FULL: u128 = 1 << 16;

pub fn check(case: &mut Case, answer: &Value) {
    if answer.get("unsupported").is_some() {
        return case.fail(Verdict::Missing("unsupported".into()));
    }
    match case.row["op"].as_str().unwrap() {
        "unary" => unary(case, answer),
        "composition" => {
            let (a, b) = (parse(&case.row["A"]).unwrap(), parse(&case.row["B"]).unwrap());
            let rule = case.row["match"].as_str().unwrap().to_string();
            composed_like(case, &rule, answer, &answer["out"], a, b);
        }
        "divide" => divide(case, answer),
        "product" => product(case, answer),
        "make_layout_tv" => thread_value(case, answer),
        "slice" => literal_fields(case, answer, &["out", "offset"]),
        "swizzle" => literal_fields(case, answer, &["size", "involution", "basis"]),
        "composed" => composed(case, answer),
        "swizzle_compose" => swizzle_compose(case, answer),
        "bank" => literal_fields(case, answer, &["degree", "phases_total"]),
        "coalescing" => {
            literal_fields(case, answer, &["max_vec", "sectors_total", "sectors_ideal", "sectors_first"]);
        }
        other => panic!("the checker does not support {other}"),
    }
}

fn is_refusal(answer: &Value) -> bool {
    answer.get("error").is_some()
}

fn may_refuse(rule: &str) -> bool {
    rule.contains("reject")
}

/// The normal form of a layout's text, for comparisons of texts.
fn normal(value: &Value) -> Option<String> {
    Some(parse(value)?.normal())
}

fn same_literal(expected: &Value, got: &Value) -> bool {
    match expected.as_str() {
        Some(text) if text.contains(':') => normal(expected).is_some() && normal(expected) == normal(got),
        _ => expected == got,
    }
}

fn literal_fields(case: &mut Case, answer: &Value, fields: &[&str]) {
    let rule = case.row["match"].as_str().unwrap();
    if is_refusal(answer) {
        return case.refused(may_refuse(rule), answer, Evidence::Unchecked);
    }
    case.check(rule != "reject", "an answer where only a refusal is right");
    for field in fields {
        case.check(same_literal(&case.row[*field], &answer[*field]), field);
    }
}

fn unary(case: &mut Case, answer: &Value) {
    let row = case.row;
    if is_refusal(answer) {
        return case.refused(false, answer, Evidence::Unchecked);
    }
    for field in [
        "size",
        "cosize",
        "cosize_max",
        "rank",
        "depth",
        "coalesce",
        "coalesce_bymode",
        "filter",
        "filter_size",
        "filter_zeros",
        "injective",
        "idx2crd",
        "crd2idx",
    ] {
        if let Some(expected) = row.get(field) {
            case.check(same_literal(expected, &answer[field]), field);
        }
    }
    let layout = parse(&row["in"]).unwrap();
    case.check(u128::from(row["depth"].as_u64().unwrap()) == u128::from(layout.shape.depth()), "depth");
    right_inverse(case, &layout, &answer["right_inverse"]);
    left_inverse(case, &layout, &answer["left_inverse"]);
    let complements = row["complement"].as_array().unwrap();
    for (k, expected) in complements.iter().enumerate() {
        complement(case, &layout, expected, &answer["complement"][k]);
    }
}

fn right_inverse(case: &mut Case, layout: &Table, answer: &Value) {
    let Some(inverse) = parse(&answer["out"]) else {
        return case.fail(Verdict::Missing("right_inverse".into()));
    };
    let post = (0..inverse.size()).all(|i| inverse.at(i).and_then(|j| layout.at(j)) == Some(i));
    case.check(post, "the result is not a right inverse");
    let expected = &case.row["right_inverse"];
    for bar in ["min_size", "best_size"] {
        case.check(inverse.size() >= expected[bar].as_u64().unwrap().into(), "right_inverse is too small");
    }
    case.check(inverse.size() <= expected["contig_prefix"].as_u64().unwrap().into(), "right_inverse is too large");
}

fn left_inverse(case: &mut Case, layout: &Table, answer: &Value) {
    let rule = case.row["left_inverse"]["match"].as_str().unwrap();
    if is_refusal(answer) {
        let evidence = match collision_evidence(answer, layout) {
            Evidence::Unchecked => {
                // The collision kind: an offset of the layout and the index to which the offset must map.
                let witness = &answer["witness"];
                let (offset, index) = (witness["index"].as_u64(), witness["expected"].as_u64());
                match offset.zip(index) {
                    None => Evidence::Unchecked,
                    Some((offset, index)) if layout.at(index.into()) == Some(offset.into()) => Evidence::Accepted,
                    Some(_) => Evidence::Bad,
                }
            }
            checked => checked,
        };
        return case.refused(may_refuse(rule), answer, evidence);
    }
    case.check(rule != "reject", "left_inverse of a layout that has none");
    let Some(inverse) = parse(&answer["out"]) else {
        return case.fail(Verdict::Missing("left_inverse".into()));
    };
    let post = (0..layout.size()).all(|i| layout.at(i).and_then(|o| inverse.at(o)) == Some(i));
    case.check(post, "the result is not a left inverse");
}

fn complement(case: &mut Case, layout: &Table, expected: &Value, answer: &Value) {
    let rule = expected["match"].as_str().unwrap();
    if is_refusal(answer) {
        let evidence = collision_evidence(answer, layout);
        return case.refused(may_refuse(rule) || !layout.divides(), answer, evidence);
    }
    case.check(rule != "reject", "complement of a layout that has none");
    case.check(same_literal(&expected["out"], &answer["out"]), "complement");
}

/// Checks a composition: the result must have the correct profile and compute the correct function, or a
/// refusal must be correct.
fn composed_like(case: &mut Case, rule: &str, refusal: &Value, out: &Value, a: Table, b: Table) {
    let function = definition::composition(a, b.clone());
    if is_refusal(refusal) {
        let allowed = may_refuse(rule);
        return case.refused(allowed, refusal, value_evidence(refusal, Some(function)));
    }
    let Some(result) = parse(out) else {
        return case.fail(Verdict::Missing("out".into()));
    };
    case.check(compatible(&b.shape, &result.shape), "the profile of the result");
    computes(case, &result, &function, "the function of the result");
}

/// Whether a layout computes a function at every index in the domain of the function.
fn computes(case: &mut Case, layout: &Table, function: &Function, what: &str) {
    let step = if function.size <= FULL { 1 } else { (function.size / FULL) | 1 };
    let mut indices = (0..function.size).step_by(step as usize).chain([function.size - 1]);
    let right = indices.all(|i| function.at(i).is_none_or(|expected| layout.at(i) == Some(expected)));
    case.check(right && layout.size() == function.size, what);
}

/// Checks that the table of a layout equals the row's table `name`, or has the hash that the row states.
fn has_table(case: &mut Case, layout: &Table, name: &str) {
    if let Some(table) = numbers(&case.row[format!("{name}table")]) {
        let right = layout.size() == table.len() as u128
            && table.iter().enumerate().all(|(i, e)| e.is_none_or(|e| layout.at(i as u128) == Some(e)));
        case.check(right, name);
    }
    if let Some(sha) = case.row[format!("{name}table_sha")].as_str() {
        case.check(layout.list(FULL).is_some_and(|table| hash(&table) == sha), name);
    }
}

fn hash(table: &[u128]) -> String {
    let text: Vec<String> = table.iter().map(u128::to_string).collect();
    Sha256::digest(text.join(",")).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn mode_sizes(case: &mut Case, layout: &Table, expected: &Value, what: &str) {
    if let Some(sizes) = numbers(expected) {
        let right = layout.mode_sizes().iter().map(|&n| Some(n)).collect::<Vec<_>>() == sizes;
        case.check(right, &format!("the mode sizes of {what}"));
    }
}

fn divide(case: &mut Case, answer: &Value) {
    let (row, rule) = (case.row, case.row["match"].as_str().unwrap());
    let tilers = definition::tilers(row["tiler"].as_str().unwrap());
    if is_refusal(answer) {
        let path = answer["witness"]["mode"].as_str();
        let mode: Option<usize> = path.and_then(|mode| mode.parse().ok()).filter(|_| tilers.is_some());
        let evidence = match answer["witness"].get("index2") {
            Some(_) => {
                let tiler = match (mode, &tilers) {
                    (Some(k), Some(tilers)) => tilers[k].clone(),
                    _ => parse(&row["tiler"]),
                };
                tiler.map_or(Evidence::Bad, |tiler| collision_evidence(answer, &tiler))
            }
            None => value_evidence(answer, definition::divide(row, mode)),
        };
        return case.refused(may_refuse(rule), answer, evidence);
    }
    let Some(function) = definition::divide(row, None) else {
        return case.check(false, "a divide that has no definition");
    };
    let by_mode = tilers.is_some();
    let whole = tilers.is_none_or(|tilers| tilers.iter().all(Option::is_some));
    let Some(logical) = parse(&answer["out"]["logical"]) else {
        return case.fail(Verdict::Missing("logical".into()));
    };
    computes(case, &logical, &function, "logical");
    has_table(case, &logical, "logical_");
    mode_sizes(case, &logical, &row["mode_sizes"]["logical"], "logical");
    let Some(zipped) = definition::zipped(row) else {
        return case.check(!whole, "a zipped form that has no definition");
    };
    for form in ["zipped", "tiled", "flat"] {
        if !whole || (form == "flat" && !by_mode) {
            continue;
        }
        let Some(layout) = parse(&answer["out"][form]) else {
            return case.fail(Verdict::Missing(form.into()));
        };
        computes(case, &layout, &zipped, form);
        has_table(case, &layout, "zipped_");
        mode_sizes(case, &layout, &row["mode_sizes"][form], form);
    }
}

fn product(case: &mut Case, answer: &Value) {
    let (row, rule) = (case.row, case.row["match"].as_str().unwrap());
    let function = definition::product(row);
    if is_refusal(answer) {
        let evidence = match answer["witness"].get("index2") {
            Some(_) => collision_evidence(answer, &parse(&row["A"]).unwrap()),
            None => value_evidence(answer, function),
        };
        return case.refused(may_refuse(rule), answer, evidence);
    }
    let Some(function) = function else {
        return case.check(false, "a product of a block that overlaps itself");
    };
    for form in ["logical", "zipped", "tiled", "blocked", "raked"] {
        if row["out"].get(form).is_none() && rule != "reject" {
            continue;
        }
        let Some(layout) = parse(&answer["out"][form]) else {
            return case.fail(Verdict::Missing(form.into()));
        };
        let sizes = if form == "zipped" { "logical" } else { form };
        mode_sizes(case, &layout, &row["mode_sizes"][sizes], form);
        match form {
            "blocked" | "raked" => has_table(case, &layout, &format!("{form}_")),
            _ => {
                computes(case, &layout, &function, form);
                has_table(case, &layout, "logical_");
            }
        }
    }
}

fn thread_value(case: &mut Case, answer: &Value) {
    let row = case.row;
    if is_refusal(answer) {
        return case.refused(false, answer, Evidence::Unchecked);
    }
    let (Some(out), Some(from_tile)) = (parse(&answer["out"]), parse(&answer["layout_mn"])) else {
        return case.fail(Verdict::Missing("out or layout_mn".into()));
    };
    has_table(case, &out, "");
    mode_sizes(case, &out, &row["mode_sizes"], "the thread-value layout");
    case.check(row["tiler"] == answer["tiler"], "tiler");
    let expected = parse(&row["layout_mn"]).unwrap();
    case.check(expected.list(FULL) == from_tile.list(FULL), "layout_mn");
    case.check(expected.mode_sizes() == from_tile.mode_sizes(), "the mode sizes of layout_mn");
}

fn composed(case: &mut Case, answer: &Value) {
    let row = case.row;
    if is_refusal(answer) {
        return case.refused(false, answer, Evidence::Unchecked);
    }
    let (a, swizzle) = (parse(&row["A"]).unwrap(), Xor::parse(row["swizzle"].as_str().unwrap()).unwrap());
    let offset = u128::from(row["offset"].as_u64().unwrap());
    let table: Vec<u128> = a.list(FULL).unwrap().into_iter().map(|v| swizzle.at(offset + v)).collect();
    let given = match numbers(&answer["table"]) {
        Some(given) => given == table.iter().map(|&v| Some(v)).collect::<Vec<_>>(),
        None => answer["table_sha"] == *hash(&table),
    };
    case.check(given, "table");
    case.check(row["table_sha"].is_null() || row["table_sha"] == *hash(&table), "the checker's own table");
    if let Some(plain) = row["is_plain_layout"].as_bool() {
        case.check(answer["is_plain_layout"].as_bool() == Some(plain), "is_plain_layout");
        if plain {
            let same = parse(&answer["plain"]).and_then(|layout| layout.list(FULL));
            case.check(same.as_ref() == Some(&table), "plain");
        }
    }
    if let Some(b) = parse(&row["B"]) {
        let rule = row["B_match"].as_str().unwrap();
        composed_like(case, rule, &answer["B_out_inner"], &answer["B_out_inner"], a, b);
    }
}

fn swizzle_compose(case: &mut Case, answer: &Value) {
    let row = case.row;
    if is_refusal(answer) {
        return case.refused(false, answer, Evidence::Unchecked);
    }
    let swizzle = |field: &Value| Xor::parse(field.as_str()?);
    let (outer, inner) = (swizzle(&row["outer"]).unwrap(), swizzle(&row["inner"]).unwrap());
    case.check(row["identity"] == answer["identity"], "identity");
    case.check(row["basis"] == answer["basis"], "basis");
    case.check(row["single_swizzle"].is_null() == answer["single_swizzle"].is_null(), "single_swizzle");
    if let Some(single) = swizzle(&answer["single_swizzle"]) {
        let n = u128::from(row["n"].as_u64().unwrap());
        case.check((0..n).all(|i| single.at(i) == outer.at(inner.at(i))), "single_swizzle");
    }
}
