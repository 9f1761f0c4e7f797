//! Writes tables of what a dialect declares, for docs and the frontend.
use crate::{
    Dialect,
    records::{Operation, Part, Records, place_of, text_of},
};
use serde_json::Value;
use std::fmt::Write;

/// Writes the tables of operations, types and attributes.
pub fn write(text: &mut String, dialect: &Dialect, records: &Records) {
    let file = dialect.files[0];
    let mut ops = records.operations(dialect.name);
    ops.sort_by_key(|op| place_of(file, op.record));
    operations(text, dialect, &ops);
    parts(text, dialect, records, "TYPES", ("Every type of the dialect", '!'), &["TypeDef"]);
    parts(text, dialect, records, "ATTRS", ("Every attribute of the dialect", '#'), &["AttrDef", "EnumAttr"]);
}

fn operations(text: &mut String, dialect: &Dialect, ops: &[Operation<'_>]) {
    let _ =
        writeln!(text, "/// Every operation of the dialect, in the order of the `.td`.\npub const OPS: &[OpDecl] = &[");
    for op in ops {
        let (attributes, operands): (Vec<_>, Vec<_>) = op.arguments().into_iter().partition(|part| part.attribute);
        let list = |parts: &[Part<'_>]| parts.iter().map(field).collect::<Vec<_>>();
        let _ = writeln!(
            text,
            "    OpDecl {{ name: {:?}, summary: {:?}, description: {:?}, assembly: {:?}, operands: &{:?}, attributes: &{:?}, results: &{:?} }},",
            format!("{}.{}", dialect.name, op.name()),
            text_of(op.record, "summary"),
            text_of(op.record, "description"),
            text_of(op.record, "assemblyFormat"),
            list(&operands),
            list(&attributes),
            list(&op.results()),
        );
    }
    let _ = writeln!(text, "];\n");
}

// The name of an operand, attribute or result, and what may stand there.
fn field(part: &Part<'_>) -> (String, String) {
    let optional = if part.constraint["isOptional"] == 1 { "optional, " } else { "" };
    (part.name.into(), format!("{optional}{}", text_of(part.constraint, "summary")))
}

/// A table of types or attributes; an enum attribute lists its words.
fn parts(text: &mut String, of: &Dialect, records: &Records, table: &str, (doc, mark): (&str, char), classes: &[&str]) {
    let own = format!("{}_", of.class);
    let all = classes.iter().flat_map(|class| records.of_class(class));
    let mut parts: Vec<&Value> = all.filter(|part| text_of(part, "!name").starts_with(&own)).collect();
    parts.sort_by_key(|part| place_of(of.files[0], part));
    let _ = writeln!(text, "/// {doc}, in the order of the `.td`.\npub const {table}: &[PartDecl] = &[");
    for part in parts {
        let cases = records.target(&part["enum"])["enumerants"].as_array().into_iter().flatten();
        let words: Vec<&str> = cases.map(|case| text_of(records.target(case), "str")).collect();
        let _ = writeln!(
            text,
            "    PartDecl {{ name: {:?}, summary: {:?}, description: {:?}, assembly: {:?}, words: &{words:?} }},",
            format!("{mark}{}.{}", of.name, text_of(part, "mnemonic")),
            text_of(part, "summary"),
            text_of(part, "description"),
            text_of(part, "assemblyFormat"),
        );
    }
    let _ = writeln!(text, "];\n");
}
