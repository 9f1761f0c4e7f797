//! Renders a rule and its arguments for `.mlir` files and for Rust.
use super::table::Rule;
use crate::value::{Argument, ArgumentKind, SourceLocation};
use cube_target::{Element, Number};

/// The language of a kernel's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `.mlir` files, and sources of other front ends.
    Mlir,
    /// Rust.
    Rust,
}

impl Language {
    /// The language of the file at a location. Without a location, the result is the language of `.mlir`
    /// files.
    pub fn of(location: Option<&SourceLocation>) -> Self {
        if location.is_some_and(|location| location.file.ends_with(".rs")) { Language::Rust } else { Language::Mlir }
    }
}

/// The names of operations in Rust. Each row applies to a full operation name, or to a prefix if the row ends in `*`.
/// The first row that matches a name is used.
const OPERATIONS: &[(&str, &str)] = &[
    ("cube.kernel", "this kernel"),
    ("cube.alloc", "this memory"),
    ("cube.load", "this read"),
    ("cube.store", "this write"),
    ("cube.slice", "this slice"),
    ("cube.cast", "this conversion"),
    ("cube.print", "this `debug_print!`"),
    ("cube.sync", "this barrier"),
    ("cube.call", "this call"),
    ("cube.func", "this function"),
    ("cube.generic", "this generic operation"),
    ("cube.atomic*", "this atomic operation"),
    ("cube.plane*", "this plane operation"),
    ("arith.cmp*", "this comparison"),
    ("arith.*", "this operation"),
    ("math.ctpop", "`count_ones`"),
    ("math.ctlz", "`leading_zeros`"),
    ("math.cttz", "`trailing_zeros`"),
    ("math.rsqrt", "`inverse_sqrt`"),
    ("math.roundeven", "`round`"),
    ("math.absf", "`abs`"),
    ("math.absi", "`abs`"),
    ("math.*", "`*`"),
    ("scf.if", "`if`"),
    ("scf.index_switch", "`match`"),
    ("scf.for", "`for`"),
    ("scf.while", "this loop"),
    ("cube.if", "`if`"),
    ("cube.for", "`for`"),
    ("cube.loop", "this loop"),
    ("cube.comptime_if", "`if`"),
    ("cube.comptime_for", "`for`"),
    ("cube.break", "`break`"),
    ("cube.continue", "`continue`"),
    ("cube.return", "`return`"),
    ("llvm.*", "'llvm.*'"),
    ("memref.*", "'memref.*'"),
    ("cf.*", "'cf.*'"),
    ("layout.make", "this layout"),
    ("layout.constant", "this layout"),
    ("layout.view", "this view"),
    ("layout.load", "this read"),
    ("layout.store", "this write"),
    ("layout.*", "this layout operation"),
];

/// Words of the dialect that Rust spells differently.
const WORDS: &[(&str, &str)] = &[
    ("exchange", "`swap`"),
    ("addi", "`add`"),
    ("addf", "`add`"),
    ("subi", "`sub`"),
    ("subf", "`sub`"),
    ("muli", "`mul`"),
    ("mulf", "`mul`"),
    ("andi", "`and`"),
    ("ori", "`or`"),
    ("xori", "`xor`"),
    ("minf", "`min`"),
    ("minsi", "`min`"),
    ("minui", "`min`"),
    ("maxf", "`max`"),
    ("maxsi", "`max`"),
    ("maxui", "`max`"),
];

/// The name of an operation in Rust's messages, for example `this read` or `` `if` ``.
pub fn op_in_rust(name: &str) -> String {
    let found = OPERATIONS.iter().find(|(of, _)| match of.strip_suffix('*') {
        Some(begin) => name.starts_with(begin),
        None => *of == name,
    });
    let word = name.split_once('.').map_or(name, |(_, op)| op);
    found.map_or_else(|| "this operation".into(), |(_, rust)| rust.replace('*', word))
}

impl Rule {
    /// Returns the text of the rule, with the arguments inserted. `{{` and `}}` are braces.
    pub fn words(&self, op: Option<&str>, args: &[Argument], language: Language) -> String {
        let template = match (language, self.rust) {
            (Language::Rust, Some(rust)) => rust,
            _ => self.mlir,
        };
        let placeholder = |name: &str| match (name, op) {
            ("op", Some(op)) => written(ArgumentKind::Op, op, language),
            _ => args.iter().find(|a| a.name == name).map_or(String::new(), |a| written(a.kind, &a.value, language)),
        };
        filled(template, placeholder, str::to_string)
    }
}

/// Expands a template: `placeholder` writes each placeholder, and `literal` writes the text between placeholders.
pub fn filled(template: &str, mut placeholder: impl FnMut(&str) -> String, literal: impl Fn(&str) -> String) -> String {
    let (mut out, mut plain) = (String::new(), String::new());
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        plain.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        let after = &rest[at + 1..];
        match after.strip_prefix(brace) {
            Some(behind) => {
                plain.push_str(brace);
                rest = behind;
            }
            None => {
                let (name, behind) = after.split_once('}').unwrap_or((after, ""));
                out.push_str(&literal(&std::mem::take(&mut plain)));
                out.push_str(&placeholder(name));
                rest = behind;
            }
        }
    }
    out + &literal(&(plain + rest))
}

fn written(kind: ArgumentKind, value: &str, language: Language) -> String {
    match (kind, language) {
        (ArgumentKind::Op | ArgumentKind::Noun, Language::Mlir) => format!("'{value}'"),
        (ArgumentKind::Op | ArgumentKind::Name, Language::Rust) => op_in_rust(value),
        (ArgumentKind::Noun, Language::Rust) => {
            let name = op_in_rust(value);
            name.strip_prefix("this ").map(str::to_string).unwrap_or(name)
        }
        (ArgumentKind::Type | ArgumentKind::Words, Language::Rust) => in_rust(value),
        _ => value.to_string(),
    }
}

/// Converts a text that contains types or words of the dialect. If Rust's spelling of a type or word differs,
/// it replaces the dialect's spelling, for example `bool` for `i1`.
fn in_rust(text: &str) -> String {
    let of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match of_word(first) {
            true => rest.find(|c| !of_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, after) = rest.split_at(end);
        let rust = WORDS.iter().find(|(of, _)| *of == word).map(|(_, rust)| *rust);
        out.push_str(rust.or_else(|| number(word)).unwrap_or(word));
        rest = after;
    }
    out
}

/// Rust's name of a type, if it differs from the dialect's name: `bool` for `i1`, `e4m3` for `f8E4M3FN`.
fn number(word: &str) -> Option<&'static str> {
    let element = Element::from_ir(word).filter(|_| Number::from_name(word).is_none())?;
    Number::ALL.iter().find(|number| number.element() == element).map(|number| number.name())
}
