//! Runs all public test vectors of layouts with `cube-layout batch`, and checks the answers with an
//! independent evaluator. `CUBE_LAYOUT_ROWS=FILE` selects other rows of the same format.

mod checker;

use checker::{Evidence, Score};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::path::Path;

fn rows() -> Vec<Value> {
    rows_of(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../layout-algebra/tests/data/vectors.jsonl")))
}

fn rows_of(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The fields of a row that the tool reads: the operation and its inputs.
fn request(row: &Value) -> Value {
    let fields: &[&str] = match row["op"].as_str().unwrap() {
        "unary" => &["in"],
        "composition" | "product" => &["A", "B"],
        "divide" => &["A", "tiler"],
        "make_layout_tv" => &["thr", "val"],
        "slice" => &["A", "crd"],
        "swizzle" => &["swizzle"],
        "composed" => &["swizzle", "offset", "A", "B"],
        "swizzle_compose" => &["outer", "inner", "n"],
        "bank" => &["swizzle", "A", "T", "ebytes", "vec"],
        _ => &["A", "TV", "ebytes"],
    };
    let mut request = Map::new();
    for field in ["id", "op"].iter().chain(fields) {
        if let Some(value) = row.get(*field) {
            request.insert(field.to_string(), value.clone());
        }
    }
    if row["op"] == "unary" {
        let cotargets: Vec<&Value> = row["complement"].as_array().unwrap().iter().map(|c| &c["M"]).collect();
        request.insert("M".into(), json!(cotargets));
        if let Some(coords) = row["crd2idx"].as_array() {
            request.insert("crd".into(), coords.iter().map(|pair| pair[0].clone()).collect());
        }
    }
    Value::Object(request)
}

fn answers(rows: &[Value]) -> HashMap<String, Value> {
    let requests: String = rows.iter().map(|row| format!("{}\n", request(row))).collect();
    let mut output = Vec::new();
    cube_layout_cli::batch::batch(requests.as_bytes(), &mut output).unwrap();
    let lines = String::from_utf8(output).unwrap();
    let parsed = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    parsed.map(|answer| (answer["id"].as_str().unwrap().to_string(), answer)).collect()
}

#[test]
fn every_row_is_right() {
    let rows = match std::env::var_os("CUBE_LAYOUT_ROWS") {
        Some(file) => rows_of(Path::new(&file)),
        None => {
            let rows = rows();
            assert_eq!(rows.len(), 3272);
            rows
        }
    };
    assert!(!rows.is_empty(), "the file has no rows");
    let answers = answers(&rows);
    let mut score = Score::default();
    for row in &rows {
        score.add(row, answers.get(row["id"].as_str().unwrap()));
    }
    println!("{:16} {:>7} {:>7} {:>7} {:>7}", "op", "right", "wrong", "refused", "missing");
    for (op, [right, wrong, refused, missing]) in &score.rows {
        println!("{op:16} {right:7} {wrong:7} {refused:7} {missing:7}");
    }
    for ((op, evidence), count) in &score.evidence {
        println!("witnesses of {op}: {count} {evidence:?}");
    }
    let complaints = score.complaints.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
    assert_eq!(score.count(0), rows.len(), "{complaints}");
    assert_eq!(score.evidence(Evidence::Bad), 0, "{complaints}");
}

/// Tests that the checker detects each kind of error. If the checker missed errors, a run without reported
/// errors would be meaningless.
#[test]
fn the_checker_detects_faults() {
    let rows = rows();
    let find = |op: &str, rule: &str| {
        let fits = |row: &&Value| row["op"] == op && row["match"] == *rule && !row["out"].is_string();
        rows.iter().find(fits).or_else(|| rows.iter().find(|row| row["op"] == op && row["match"] == *rule)).unwrap()
    };
    let verdict = |row: &Value, answer: Value| {
        let mut score = Score::default();
        score.add(row, Some(&answer));
        (0..4).find(|&column| score.count(column) == 1).unwrap()
    };
    let refusal = json!({"error": "no", "witness": {"index": 0, "expected": 1}});
    let composition = find("composition", "functional");
    assert_eq!(verdict(composition, json!({"out": "7:1"})), 1);
    assert_eq!(verdict(composition, refusal.clone()), 2);
    assert_eq!(verdict(composition, json!({})), 3);
    assert_eq!(verdict(find("composition", "reject"), json!({"out": "7:1"})), 1);
    assert_eq!(verdict(find("divide", "functional"), refusal.clone()), 2);
    assert_eq!(verdict(find("bank", "literal"), json!({"degree": 99, "phases_total": 1})), 1);
    let mut score = Score::default();
    score.add(find("composition", "reject"), Some(&refusal));
    assert_eq!(score.evidence(Evidence::Bad), 1, "an index whose value is 0 by definition, claimed to be 1");
}

/// The program answers each request while its input is still open, so that a crash can be attributed to a
/// row.
#[test]
fn the_program_flushes_after_each_line() {
    use std::io::{BufRead, BufReader, Write};
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_cube-layout"))
        .arg("batch")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for id in ["first", "second"] {
        writeln!(input, "{}", json!({"id": id, "op": "composition", "A": "(4,8):(1,4)", "B": "8:4"})).unwrap();
        input.flush().unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!((answer["id"].as_str(), answer["out"].as_str()), (Some(id), Some("8:4")));
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}
