//! Generates tables of a dialect's declarations, for docs and the frontend.
use crate::{
    Dialect,
    records::{Operation, Part, Records, camel, is_a, location_of, text_of},
};
use serde_json::Value;
use std::fmt::Write;

/// Generates the tables of operations, types and attributes.
pub fn write(text: &mut String, dialect: &Dialect, records: &Records) {
    let file = dialect.files[0];
    let mut ops = records.operations(dialect.name);
    ops.sort_by_key(|op| location_of(file, op.record));
    operations(text, dialect, &ops);
    rules(text, dialect, &ops);
    if dialect.name == "cube" {
        levels(text, &ops);
        planes(text, &ops);
        integer_functions(text, &ops);
    }
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

// A macro that calls the verifier of an operation. The operation's trait `RustVerify` names the verifier.
fn rules(text: &mut String, dialect: &Dialect, ops: &[Operation<'_>]) {
    let mut arms = String::new();
    for op in ops {
        if let Some(rule) = op.traits().into_iter().find(|record| is_a(record, "RustVerify")) {
            let kind = camel(dialect.name) + &camel(op.name());
            let _ = writeln!(arms, "            cube_ir::OpKind::{kind} => {}($op),", text_of(rule, "rule"));
        }
    }
    let _ = writeln!(
        text,
        "/// Verifies an operation by the rule that its declaration names.\nmacro_rules! verify_by_rule {{\n    ($op:expr) => {{\n\
         \x20       match $op.kind() {{\n{arms}            _ => Ok(()),\n        }}\n    }};\n}}\npub(crate) use verify_by_rule;\n"
    );
}

// Operations that are allowed after level source, grouped by their last level.
fn levels(text: &mut String, ops: &[Operation<'_>]) {
    for level in ["flat", "legal"] {
        let kinds: String = ops
            .iter()
            .filter(|op| text_of(op.record, "lastLevel") == level)
            .map(|op| format!("OpKind::Cube{}, ", camel(op.name())))
            .collect();
        let _ = writeln!(
            text,
            "/// Operations whose last level is {level}.\npub const UNTIL_{}: &[OpKind] = &[{kinds}];\n",
            level.to_uppercase()
        );
    }
    let known = ["source", "flat", "legal"];
    let wrong = ops.iter().find(|op| !known.contains(&text_of(op.record, "lastLevel")));
    assert!(wrong.is_none(), "{} has a lastLevel that no level has", wrong.map_or("", |op| op.name()));
}

// Plane operations, each with the uniformity of its result and its group.
fn planes(text: &mut String, ops: &[Operation<'_>]) {
    let mut all = String::new();
    for op in ops {
        let result = text_of(op.record, "planeResult");
        let reads = op.has_trait("Cube_ReadsPlane");
        assert!(reads != result.is_empty(), "{} must be a Cube_PlaneOp if and only if it reads the plane", op.name());
        if reads {
            let group = text_of(op.record, "planeGroup");
            let (name, result, group) = (camel(op.name()), camel(result), camel(group));
            let _ = write!(all, "(OpKind::Cube{name}, PlaneResult::{result}, cube_target::PlaneOperation::{group}), ");
        }
    }
    let _ = writeln!(
        text,
        "/// Operations of a plane, each with the uniformity of its result and the group that a chip has or lacks as a whole.\n\
         pub const PLANE_OPERATIONS: &[(OpKind, PlaneResult, cube_target::PlaneOperation)] = &[{all}];\n"
    );
}

// Operations that some chips have, each with its function in the description of a chip.
fn integer_functions(text: &mut String, ops: &[Operation<'_>]) {
    let mut all = String::new();
    for op in ops {
        let function = text_of(op.record, "integerFunction");
        if !function.is_empty() {
            let (name, function) = (camel(op.name()), camel(function));
            let _ = write!(all, "(OpKind::Cube{name}, cube_target::IntegerFunction::{function}), ");
        }
    }
    let _ = writeln!(
        text,
        "/// Operations on integers that some chips have, each with its function in the description of a chip.\n\
         pub const INTEGER_FUNCTIONS: &[(OpKind, cube_target::IntegerFunction)] = &[{all}];\n"
    );
}

// The name of an operand, attribute or result, and its constraint.
fn field(part: &Part<'_>) -> (String, String) {
    let optional = if part.constraint["isOptional"] == 1 { "optional, " } else { "" };
    (part.name.into(), format!("{optional}{}", text_of(part.constraint, "summary")))
}

/// A table of types or attributes; the entry of an enum attribute lists the names of its cases.
fn parts(text: &mut String, of: &Dialect, records: &Records, table: &str, (doc, mark): (&str, char), classes: &[&str]) {
    let own = format!("{}_", of.class);
    let all = classes.iter().flat_map(|class| records.of_class(class));
    let mut parts: Vec<&Value> = all.filter(|part| text_of(part, "!name").starts_with(&own)).collect();
    parts.sort_by_key(|part| location_of(of.files[0], part));
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
