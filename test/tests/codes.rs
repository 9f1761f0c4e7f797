//! Tests the error codes. Every code of a message has an explanation, and every explained code is used. Every
//! code of the compiler occurs in a test under `test/`.
#![forbid(unsafe_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const FOLDERS: [&str; 8] = ["dialects", "passes", "backends", "driver", "interpreter", "tools", "runtime", "frontend"];
const TABLES: [&str; 2] = ["driver/src/codes.rs", "runtime/artifact/src/codes.rs"];
/// The folder with the table of all codes and their explanations.
const WORDS: &str = "runtime/artifact/src/messages/";

/// Codes of the compiler that no test can trigger, each with the reason.
const UNTESTED: &[(&str, &str)] = &[
    (
        "CUBE0360",
        "all pipelines of the backends have a valid order; driver/src/pipeline_tests.rs builds an invalid order",
    ),
    ("CUBE0361", "all phases produce their level; driver/src/pipeline_tests.rs has a phase that does not"),
    ("CUBE0363", "all backends have their contracts; driver/src/pipeline_tests.rs has a backend without a contract"),
    ("CUBE0364", "no tool ends a run early; driver/src/pipeline_tests.rs has an instrumentation that does"),
    ("CUBE0400", "LLVM translates every kernel that passes the legality check"),
    ("CUBE0401", "all objects that LLVM writes are readable"),
    ("CUBE0402", "no kernel is known that ends LLVM's process; CUBE0410 reports unsupported intrinsics"),
    ("CUBE0414", "reports a bug of the nvptx backend; its unit tests check invalid PTX"),
    ("CUBE0418", "reports a bug of the wgsl backend; its unit tests check invalid WGSL"),
    ("CUBE0507", "the verifier refuses arguments without a host type first (CUBE0125)"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Collects the text and the path (relative to the root) of every file whose name has one of the given
/// suffixes, in `folder` and its subfolders.
fn texts(folder: &Path, endings: &[&str], found: &mut BTreeMap<String, String>) {
    let Ok(entries) = folder.read_dir() else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            texts(&path, endings, found);
        } else if path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending)) {
            let name = path.strip_prefix(root()).unwrap_or(&path).to_string_lossy().into_owned();
            found.insert(name, String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned());
        }
    }
}

fn sources() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for folder in FOLDERS {
        texts(&root().join(folder), &["rs", "cpp", "h", "td"], &mut found);
    }
    assert!(TABLES.iter().all(|table| found.contains_key(*table)), "the tables are not in {TABLES:?}");
    found
}

/// All error codes `CUBEnnnn` in a text.
fn codes_in(text: &str) -> BTreeSet<String> {
    let digits = |at: usize| text.get(at + 4..at + 8).filter(|d| d.bytes().all(|b| b.is_ascii_digit()));
    text.match_indices("CUBE").filter_map(|(at, _)| digits(at)).map(|d| format!("CUBE{d}")).collect()
}

/// The codes of a table, each with the name of its constant if it has one.
fn table(text: &str) -> BTreeMap<String, Option<String>> {
    let mut entries = BTreeMap::new();
    for line in text.lines().map(str::trim) {
        if let Some((name, value)) = line.strip_prefix("pub const ").and_then(|l| l.split_once(": &str = ")) {
            entries.extend(codes_in(value).into_iter().map(|code| (code, Some(name.to_string()))));
        } else if line.starts_with("\"CUBE") {
            entries.insert(line[1..9].to_string(), None);
        }
    }
    assert!(entries.len() > 10, "the format of the table has changed; correct this test");
    entries
}

fn explained(sources: &BTreeMap<String, String>) -> BTreeMap<String, Option<String>> {
    TABLES.iter().flat_map(|t| table(&sources[*t])).collect()
}

#[test]
fn every_code_in_a_message_is_explained() {
    let sources = sources();
    let explained = explained(&sources);
    let reserved = ["CUBE0999", "CUBE9999"];
    for (file, text) in sources.iter().filter(|(file, _)| !TABLES.contains(&file.as_str())) {
        for code in codes_in(text) {
            assert!(
                explained.contains_key(&code) || reserved.contains(&code.as_str()),
                "{file}: {code} has no explanation; add it to {}",
                TABLES[0]
            );
        }
    }
}

#[test]
fn the_codes_of_the_compiler_are_in_order() {
    let text = std::fs::read_to_string(root().join(TABLES[0])).unwrap();
    let codes: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix('"')?.get(..8)).collect();
    for pair in codes.windows(2) {
        assert!(
            pair[0] < pair[1],
            "{}: {} precedes {}; docs/reference/errors.md keeps that order",
            TABLES[0],
            pair[0],
            pair[1]
        );
    }
}

#[test]
fn every_explained_code_is_in_use() {
    let sources = sources();
    for (code, name) in explained(&sources) {
        let used = sources.iter().any(|(file, text)| {
            !TABLES.contains(&file.as_str())
                && !file.starts_with(WORDS)
                && (text.contains(&code) || name.as_ref().is_some_and(|name| text.contains(name.as_str())))
        });
        assert!(used, "{code} has an explanation, but no message uses it; remove it from its table");
    }
}

#[test]
fn every_code_of_the_compiler_is_tested() {
    let sources = sources();
    let mut tests = BTreeMap::new();
    // Tests in the interpreter's crate trigger its limits, because no kernel in a file reaches them quickly. No known kernel
    // makes LLVM move a barrier either.
    for folder in ["test", "interpreter/src/tests", "backends/llvm/src/tests"] {
        texts(&root().join(folder), &["mlir", "test", "rs", "toml"], &mut tests);
    }
    tests.remove("test/tests/codes.rs");
    // A line about absent output is not a test of the code.
    let lines = tests.values().flat_map(|text| text.lines()).filter(|line| !line.contains("-NOT:"));
    let tested: BTreeSet<String> = lines.flat_map(codes_in).collect();
    let mut missing = Vec::new();
    for code in table(&sources[TABLES[0]]).keys() {
        let excused = UNTESTED.iter().any(|(c, reason)| c == code && !reason.is_empty());
        match (tested.contains(code), excused) {
            (false, false) => missing.push(code.clone()),
            (true, true) => panic!("{code} has a test; remove it from UNTESTED"),
            _ => {}
        }
    }
    assert!(missing.is_empty(), "these codes have no test: {}", missing.join(" "));
}

#[test]
fn untested_codes_exist() {
    let codes = table(&sources()[TABLES[0]]);
    for (code, _) in UNTESTED {
        assert!(codes.contains_key(*code), "{code} does not exist; remove it from the list");
    }
}
