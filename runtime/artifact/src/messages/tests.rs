//! Tests that placeholders and arguments agree, and that `rendered.txt` contains the text of each rule in
//! both languages.
use super::*;
use crate::{Diagnostic, Message, Severity, SourceLocation};
use std::collections::BTreeSet;

/// The placeholders of a text.
fn placeholders(words: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let placeholder = |name: &str| {
        found.insert(name.to_string());
        String::new()
    };
    filled(words, placeholder, str::to_string);
    found
}

/// For each rule, the operation and the values of all arguments in `rendered.txt`.
const SAMPLES: &str = include_str!("samples.txt");

/// A message of a rule with the operation and the arguments of its line in `samples.txt`. Operations and types that
/// Rust spells differently are in the spelling of MLIR.
fn message(rule: &Rule) -> Message {
    let line = SAMPLES.lines().find(|line| line.split(" | ").next() == Some(rule.name));
    let line = line.unwrap_or_else(|| panic!("samples.txt needs a line for {}", rule.name));
    let fields: Vec<&str> = line.split(" | ").collect();
    let given: Vec<(&str, &str)> = fields[2..].iter().filter_map(|field| field.split_once('=')).collect();
    let names = |all: Vec<&str>| all.into_iter().map(str::to_string).collect::<Vec<_>>();
    let expected = names(rule.placeholders.iter().map(|(name, _)| *name).collect());
    assert_eq!(
        names(given.iter().map(|(name, _)| *name).collect()),
        expected,
        "arguments of {} in samples.txt",
        rule.name
    );
    let values: Vec<&dyn std::fmt::Display> = given.iter().map(|(_, value)| value as _).collect();
    let message = rule.message(&values);
    let needs_op = [Some(rule.mlir), rule.rust].into_iter().flatten().any(|words| placeholders(words).contains("op"));
    assert_eq!(needs_op, fields[1] != "-", "the operation of {} in samples.txt", rule.name);
    if needs_op { message.at_op(fields[1]) } else { message }
}

#[test]
fn each_hole_is_an_argument_and_each_argument_a_hole() {
    let mut names = BTreeSet::new();
    for rule in rules() {
        let arguments: BTreeSet<String> = rule.placeholders.iter().map(|(name, _)| name.to_string()).collect();
        assert_eq!(arguments.len(), rule.placeholders.len(), "{}: two arguments of one name", rule.name);
        assert!(!arguments.contains("op"), "{}: `op` is there without an argument", rule.name);
        assert!(names.insert(rule.name), "{} stands twice", rule.name);
        for words in [Some(rule.mlir), rule.rust].into_iter().flatten() {
            let mut placeholders = placeholders(words);
            placeholders.remove("op");
            assert_eq!(placeholders, arguments, "{}: {words}", rule.name);
        }
    }
    assert!(names.len() > 100, "the tables are not read");
}

#[test]
fn the_words_of_each_rule_are_pinned_in_both_languages() {
    let mut text = String::new();
    for rule in rules() {
        let message = message(rule);
        let (mlir, rust) = (message.words(Language::Mlir), message.words(Language::Rust));
        text += &format!("{}\n  {mlir}\n", rule.name);
        if rust != mlir {
            text += &format!("  {rust}\n");
        }
    }
    let too_long: Vec<&str> = text.lines().filter(|words| !fits(&format!("error[CUBE0999]: {words}"))).collect();
    assert_eq!(too_long, [""; 0], "a message has at most two lines of 100 columns; move facts to a note");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/messages/rendered.txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(file, &text).expect("the file can be written");
    }
    let pinned = std::fs::read_to_string(file).unwrap_or_default();
    for (is, was) in text.lines().zip(pinned.lines()) {
        assert_eq!(is, was, "run with BLESS=1 to pin the words as they are");
    }
    assert_eq!(text, pinned, "run with BLESS=1 to pin the words as they are");
}

/// The imperatives by which a message states a fix.
const IMPERATIVES: &str = "add allow begin branch build change check choose combine compare compile compute convert \
    correct create cut declare define delete disable divide download enable end export extract find give guard hoist \
    initialise insert install interpret keep launch list load lower make mark match merge move name omit open pad pass print put query \
    raise read reduce remove rename repeat replace report reserve reshape reset restore return run save see select separate \
    set shorten slice split start store swizzle terminate test try unset unroll update use wait write";

/// Rules whose own text has no fix.
const WITHOUT_FIX: [&str; 12] = [
    // The text lists the valid values.
    "CUBE0111.line",
    "CUBE0114.number",
    // The argument is a complete message, with its fix.
    "CUBE0333.algebra",
    // Notes on another message.
    "CUBE0711.unordered",
    "CUBE0712.source",
    "CUBE0714.elsewhere",
    // The arguments are complete messages.
    "CUBE0603.page",
    "CUBE0604.command_line",
    "CUBE0608.value",
    "CUBE0615.server",
    "CUBE0943.stopped",
    "CUBE0950.mistake",
];

/// Whether a clause of a text begins with an imperative.
fn states_a_fix(text: &str) -> bool {
    let clauses =
        text.split([';', ':', ',', '?']).flat_map(|part| part.split(" or ")).flat_map(|part| part.split(" and "));
    let first = |clause: &str| {
        let mut words = clause.split_whitespace().skip_while(|word| ["please", "to"].contains(word));
        words.next().map(str::to_string)
    };
    clauses.filter_map(first).any(|word| IMPERATIVES.split_whitespace().any(|known| known == word))
}

#[test]
fn each_message_states_a_fix() {
    let without = |rule: &&Rule| {
        let message = message(rule);
        [Language::Mlir, Language::Rust].into_iter().any(|language| !states_a_fix(&message.words(language)))
    };
    let found: Vec<&str> = rules().filter(without).map(|rule| rule.name).collect();
    assert_eq!(found, WITHOUT_FIX, "write the fix as an imperative sentence; WITHOUT_FIX lists the exceptions");
}

#[test]
fn the_fix_follows_a_semicolon() {
    let verb = |words: &str| {
        let first = words.trim_start_matches("please ").split_whitespace().next().unwrap_or_default();
        IMPERATIVES.split_whitespace().any(|known| known == first)
    };
    let follows_colon = |words: &str| words.split(": ").skip(1).any(verb);
    assert!(follows_colon("the target is null: pass a string") && !follows_colon("line 1: unknown type; write i32"));
    let found: Vec<&str> = rules()
        .filter(|rule| [Some(rule.mlir), rule.rust].into_iter().flatten().any(follows_colon))
        .map(|rule| rule.name)
        .collect();
    assert_eq!(found, [""; 0], "a colon announces a detail; write a semicolon before an instruction");
}

#[test]
fn two_lines_of_100_columns_fit_and_three_do_not() {
    let (word, half) = ("x".repeat(100), "x".repeat(50));
    assert!(fits("") && fits(&word) && fits(&format!("{word} {word}")));
    assert!(!fits(&format!("{word} {word} x")) && !fits(&format!("{half} {half} {half}")));
}

#[test]
fn wording_follows_the_source_language() {
    let at = |file: &str| Some(SourceLocation { file: file.into(), line: 1, column: 1 });
    let cases = [
        (
            crate::diagnostic!(CUBE0138.bytes { bytes: 9, limit: 8 }).at_op("cube.alloc"),
            "this memory requires 9 bytes, ",
        ),
        (
            crate::diagnostic!(CUBE0314.stored { element: "f8E4M3FN" }).at_op("arith.cmpf"),
            "this comparison computes with e4m3, which is a storage type; convert the value first, as with",
        ),
        (
            crate::diagnostic!(CUBE0140.word { element: "f64", word: "xori", known: "addf, exchange" }).at_op("cube.x"),
            "this operation cannot combine values of type f64 with `xor`; choose one of `add`, `swap`",
        ),
        (
            crate::diagnostic!(CUBE0340.divergent { barrier: "cube.sync", around: "scf.if" }).at_op("cube.sync"),
            "this barrier is not reached by all units of a cube: the enclosing `if` diverges",
        ),
        (crate::diagnostic!(CUBE0311.function).at_op("math.erf"), "`erf` has no expansion"),
        (crate::diagnostic!(CUBE0311.function).at_op("vector.contract"), "this operation has no expansion"),
    ];
    for (message, words) in cases {
        let in_rust = Diagnostic::new(Severity::Error, message.clone(), at("src/k.rs"));
        assert!(in_rust.message.starts_with(words), "{}", in_rust.message);
        let op = message.op.clone().unwrap_or_default();
        for place in [at("k.mlir"), None] {
            let in_mlir = Diagnostic::new(Severity::Error, message.clone(), place);
            assert!(in_mlir.message.contains(&op), "{}", in_mlir.message);
            assert_eq!((&in_mlir.code, &in_mlir.rule, &in_mlir.args), (&in_rust.code, &in_rust.rule, &in_rust.args));
        }
    }
}

#[test]
fn trailing_code_is_split_from_message_text() {
    let message = Message::from("the file 'a.b' is not there [CUBE0602]");
    assert_eq!((message.code.as_deref(), message.text.as_str()), (Some("CUBE0602"), "the file 'a.b' is not there"));
    assert_eq!(message.text_with_code(), "the file 'a.b' is not there [CUBE0602]");
    for text in ["", "]", "no code [CUBE]x", "[CUBE0602]", "a [CUBE06o2]"] {
        let message = Message::from(text);
        assert_eq!((message.code, message.text.as_str()), (None, text));
    }
}
