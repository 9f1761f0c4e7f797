//! Generates a Rust enumeration for each enum attribute of a dialect, and a set type for each attribute of flags.
use crate::{
    DIALECTS, Dialect,
    records::{Operation, Part, Records, camel, is_a, text_of},
};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

/// A case: its Rust name, its number, and its text in assembly.
type Case = (String, i64, String);

/// The form of the attribute of a case: an integer with a number of bits, or a text to parse with the placeholder `{}`
/// for the word of the case.
enum CaseForm {
    Number(i64),
    Text(String),
}

/// The Rust names of the enumerations of a dialect by the names of their records.
pub type Names = BTreeMap<String, String>;

// The dialect that defines an enumeration, from its C++ namespace.
fn space_of(record: &Value) -> String {
    text_of(record, "cppNamespace").rsplit("::").next().unwrap_or_default().to_ascii_lowercase()
}

/// The names of the enumerations that [`write`] generates for the dialect. An enumeration gets the suffix
/// `Kind` if `ops`, the names of the operation views, contains its name.
pub fn names(dialect: &Dialect, records: &Records, ops: &[String]) -> Names {
    let own = records.of_class("EnumInfo").into_iter().filter(|record| space_of(record) == dialect.name);
    let name = |record: &Value| {
        let class = text_of(record, "className");
        let taken = ops.iter().any(|op| op == class);
        (text_of(record, "!name").into(), if taken { format!("{class}Kind") } else { class.to_string() })
    };
    own.map(name).collect()
}

const WRAPPERS: [&str; 4] = ["OptionalAttr", "DefaultValuedAttr", "DefaultValuedOptionalAttr", "ConfinedAttr"];

/// Whether the attribute is mandatory and an argument of the operation's builder.
pub fn is_required(part: &Part<'_>) -> bool {
    !WRAPPERS.iter().any(|wrapper| is_a(part.constraint, wrapper))
}

/// The Rust path of an attribute's enumeration, as the generated code of the dialect writes it; `None` if the
/// attribute is not an enumeration.
pub fn path_of(dialect: &Dialect, records: &Records, part: &Part<'_>, own: &Names) -> Option<String> {
    let mut attr = part.constraint;
    while WRAPPERS.iter().any(|wrapper| is_a(attr, wrapper)) {
        attr = records.target(&attr["baseAttr"]);
    }
    if !is_a(attr, "Attr") {
        return None;
    }
    let record = if is_a(attr, "EnumAttr") { records.target(&attr["enum"]) } else { attr };
    if !is_a(record, "EnumInfo") {
        return None;
    }
    let space = space_of(record);
    if space == dialect.name {
        return own.get(text_of(record, "!name")).cloned();
    }
    let class = text_of(record, "className");
    let of = DIALECTS.iter().find(|other| other.name == space)?;
    Some(match (of.class.is_empty(), dialect.class.is_empty()) {
        (true, true) => format!("super::{space}::{class}"),
        (true, false) => format!("cube_ir::ops::{space}::{class}"),
        // The types of another dialect of this project are in that dialect's crate.
        (false, _) => format!("cube_dialect::ops::{class}"),
    })
}

/// Generates the enumerations of the dialect under their names.
pub fn write(text: &mut String, dialect: &Dialect, records: &Records, names: &Names) {
    let attributes = records.of_class("EnumAttr");
    for record in records.of_class("EnumInfo") {
        let Some(ty) = names.get(text_of(record, "!name")) else { continue };
        let class = text_of(record, "className");
        let form = match attributes.iter().find(|attr| attr["enum"]["def"] == record["!name"]) {
            None => CaseForm::Number(record["bitwidth"].as_i64().unwrap_or(32)),
            Some(attr) if text_of(attr, "assemblyFormat").contains('<') => {
                CaseForm::Text(format!("#{}<{{}}>", text_of(attr, "attrName")))
            }
            Some(attr) => CaseForm::Text(format!("#{}<{} {{}}>", dialect.name, text_of(attr, "mnemonic"))),
        };
        let own = !dialect.class.is_empty();
        let mut cases: Vec<Case> =
            record["enumerants"].as_array().into_iter().flatten().map(|c| case(records.target(c), own)).collect();
        let names: BTreeSet<&String> = cases.iter().map(|(name, ..)| name).collect();
        if names.len() != cases.len() {
            // Words that differ only in punctuation would have the same Rust name, so their names are derived from the
            // symbols of the cases.
            for (case, of) in cases.iter_mut().zip(record["enumerants"].as_array().into_iter().flatten()) {
                case.0 = identifier(&camel(text_of(records.target(of), "symbol")));
            }
        }
        let summary = match text_of(record, "summary").trim_end_matches('.') {
            "" => format!("`{class}` of the dialect."),
            summary => format!("{summary}."),
        };
        let _ = writeln!(text, "#[doc = {summary:?}]");
        if is_a(record, "BitEnumBase") { flags(text, ty, &form, &cases) } else { words(text, ty, &form, &cases) }
    }
}

// The Rust name of a case. In this project's dialects, the name is the symbol. In upstream dialects, the name is the
// word in assembly, because some symbols, such as `OEQ`, are not in camel case.
fn case(case: &Value, own: bool) -> Case {
    let (symbol, word) = (text_of(case, "symbol"), text_of(case, "str"));
    let name = if own || word.is_empty() { symbol.to_string() } else { camel(word) };
    (identifier(&name), case["value"].as_i64().unwrap_or(0), word.to_string())
}

fn identifier(name: &str) -> String {
    let digit = name.starts_with(|c: char| c.is_ascii_digit());
    if digit || name == "Self" || name.is_empty() { format!("N{name}") } else { name.to_string() }
}

// The body of the generated function that creates the attribute. `number` and `word` are Rust expressions for the
// number and the word of the case.
fn attribute(form: &CaseForm, number: &str, word: &str) -> String {
    match form {
        CaseForm::Number(bits) => format!("cx.int_attr(cx.int({bits}), {number})"),
        CaseForm::Text(format) => format!("written(cx, &format!({format:?}, {word}))"),
    }
}

fn words(text: &mut String, ty: &str, form: &CaseForm, cases: &[Case]) {
    let of = |f: &dyn Fn(&Case) -> String| cases.iter().map(f).collect::<String>();
    let _ = writeln!(
        text,
        "#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]\npub enum {ty} {{ {} }}\n\
         impl {ty} {{\n    /// All of them.\n    pub const ALL: &'static [{ty}] = &[{}];\n\
         \x20   /// The word in assembly.\n    pub fn word(self) -> &'static str {{ match self {{ {} }} }}\n\
         \x20   /// The case that `attr` encodes.\n    pub fn of(attr: Option<Attribute<'_>>) -> Option<Self> {{ case_of(attr?, Self::ALL, |c| c as i64, Self::word) }}\n\
         \x20   /// The attribute that encodes it.\n    pub fn attr<'p>(self, cx: Cx<'p>) -> Attribute<'p> {{ {} }}\n}}",
        of(&|(name, value, _)| format!("{name} = {value}, ")),
        of(&|(name, ..)| format!("{ty}::{name}, ")),
        of(&|(name, _, word)| format!("{ty}::{name} => {word:?}, ")),
        attribute(form, "self as i64", "self.word()"),
    );
}

fn flags(text: &mut String, ty: &str, form: &CaseForm, cases: &[Case]) {
    let constant = |name: &str| super::records::snake(name).trim_end_matches('_').to_uppercase();
    let of = |f: &dyn Fn(&Case) -> String| cases.iter().map(f).collect::<String>();
    let _ = writeln!(
        text,
        "#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]\npub struct {ty}(u64);\n\
         impl {ty} {{\n{}    /// Every flag and group of flags, with its word in assembly.\n    pub const ALL: &'static [({ty}, &'static str)] = &[{}];\n\
         \x20   /// The flags that `attr` holds.\n    pub fn of(attr: Option<Attribute<'_>>) -> Option<Self> {{ flags_of(attr?, Self::ALL, |f| f.0).map({ty}) }}\n\
         \x20   /// Whether all flags of `other` are among these.\n    pub fn contains(self, other: Self) -> bool {{ self.0 & other.0 == other.0 }}\n\
         \x20   /// These flags and those of `other`.\n    pub fn with(self, other: Self) -> Self {{ {ty}(self.0 | other.0) }}\n\
         \x20   /// The attribute that holds them.\n    pub fn attr<'p>(self, cx: Cx<'p>) -> Attribute<'p> {{ {} }}\n}}",
        of(&|(name, value, _)| format!("    pub const {}: {ty} = {ty}({value});\n", constant(name))),
        of(&|(name, _, word)| format!("({ty}::{}, {word:?}), ", constant(name))),
        attribute(form, "self.0 as i64", "flag_words(self.0, Self::ALL, |f| f.0)"),
    );
}

/// The enum attributes of one operation: the Rust path of the enumeration, the operation's variant of
/// `OpKind`, and the attribute's name.
pub fn held(dialect: &Dialect, op: &Operation<'_>, own: &Names) -> Vec<(String, String, String)> {
    let kind = camel(dialect.name) + &camel(op.name());
    let arguments = op.arguments();
    let attributes = arguments.iter().filter(|part| part.attribute);
    let one = |part: &Part<'_>| Some((path_of(dialect, op.records, part, own)?, kind.clone(), part.name.to_string()));
    attributes.filter_map(one).collect()
}

/// Generates a function for each enumeration of a dialect. The function reads the enumeration from any operation that
/// has the attribute.
pub fn write_held(text: &mut String, dialect: &Dialect, names: &Names, held: &[(String, String, String)]) {
    for ty in names.values() {
        // Code in another dialect uses the full path.
        let whole = format!("{}_dialect::ops::{ty}", dialect.name);
        let holders: Vec<_> = held.iter().filter(|(path, ..)| path == ty || *path == whole).collect();
        let kinds: BTreeSet<&String> = holders.iter().map(|(_, kind, _)| kind).collect();
        assert!(kinds.len() == holders.len(), "an operation has two attributes of the enumeration {ty}");
        if holders.is_empty() {
            continue;
        }
        let arms: String = holders.iter().map(|(_, kind, name)| format!("OpKind::{kind} => {name:?}, ")).collect();
        let _ = writeln!(
            text,
            "impl {ty} {{\n    /// The value in the operation's attribute of this type; `None` if the operation declares no such attribute.\n\
             \x20   pub fn on(op: cube_ir::Op<'_>) -> Option<Self> {{ Self::of(op.attr(match op.kind() {{ {arms}_ => return None }})) }}\n}}"
        );
    }
}
