//! Generates a borrowed view of each operation: the operation's parts by name, and a function that starts to
//! build the operation.
use crate::{
    Dialect,
    enums::{self, Names},
    records::{Count, Operation, Part, camel, snake, text_of},
};
use std::{collections::BTreeSet, fmt::Write};

/// The rule that finds a named group among all operands or results.
#[derive(Clone, Copy)]
pub enum Groups {
    /// All groups, except at most one, have exactly one value.
    Counted,
    /// An attribute contains the size of each group.
    Sized,
    /// All optional and variadic groups have the same size.
    Same(usize),
}

impl Groups {
    /// The rule that finds the groups of operands.
    pub fn of_operands(op: &Operation<'_>, parts: &[&Part<'_>]) -> Groups {
        Groups::of(op, parts, "AttrSizedOperandSegments", "SameVariadicOperandSize")
    }

    fn of(op: &Operation<'_>, parts: &[&Part<'_>], sized: &str, same: &str) -> Groups {
        let optional_or_variadic = parts.iter().filter(|part| part.count != Count::One).count();
        match () {
            () if op.has_trait(sized) => Groups::Sized,
            () if op.has_trait(same) && optional_or_variadic > 1 => Groups::Same(optional_or_variadic),
            () => Groups::Counted,
        }
    }
}

/// Generates the view of `op`.
pub fn write(text: &mut String, dialect: &Dialect, op: &Operation<'_>, enums: &Names) {
    let ty = camel(op.name());
    let full = format!("{}.{}", dialect.name, op.name());
    let kind = camel(dialect.name) + &ty;
    let summary = text_of(op.record, "summary").replace('\n', " ");
    let _ = write!(text, "view!({ty}, {kind}, \"{full}\", {:?});\nimpl<'p> {ty}<'p> {{\n", doc(&full, summary.trim()));
    let mut names = BTreeSet::new();
    let arguments = op.arguments();
    for attribute in arguments.iter().filter(|part| part.attribute) {
        let name = fresh(&mut names, snake(attribute.name), "_attr");
        let what = what(attribute);
        let (ty, body) = match enums::path_of(dialect, op.records, attribute, enums) {
            Some(path) => (path.clone(), format!("{path}::of(self.0.attr({:?}))", attribute.name)),
            None => ("Attribute<'p>".into(), format!("self.0.attr({:?})", attribute.name)),
        };
        let _ = writeln!(
            text,
            "    /// Attribute `{}`{what}\n    #[inline] pub fn {name}(self) -> Option<{ty}> {{ {body} }}",
            attribute.name
        );
    }
    let operands: Vec<&Part<'_>> = arguments.iter().filter(|part| !part.attribute).collect();
    let groups = Groups::of_operands(op, &operands);
    values(text, &mut names, &operands, groups, ("Operand", "operand"));
    let enum_path =
        |part: &Part<'_>| enums::path_of(dialect, op.records, part, enums).filter(|_| enums::is_required(part));
    make(text, &arguments, groups, &enum_path);
    let results = op.results();
    let results: Vec<&Part<'_>> = results.iter().collect();
    let groups = Groups::of(op, &results, "AttrSizedResultSegments", "SameVariadicResultSize");
    values(text, &mut names, &results, groups, ("Result", "result"));
    indexed_accessors(text, &mut names, &op.regions(), ("Region", "region"));
    indexed_accessors(text, &mut names, &op.successors(), ("Block", "successor"));
    text.push_str("}\n");
}

fn doc(full: &str, summary: &str) -> String {
    let dot = if summary.is_empty() || summary.ends_with('.') { "" } else { "." };
    let colon = if summary.is_empty() { "." } else { ": " };
    format!("`{full}`{colon}{summary}{dot}")
}

fn what(part: &Part<'_>) -> String {
    let summary = text_of(part.constraint, "summary").replace('\n', " ");
    if summary.is_empty() { ".".into() } else { format!(": {}.", summary.trim_end_matches('.')) }
}

// A name that no other method of the view uses.
fn fresh(names: &mut BTreeSet<String>, name: String, suffix: &str) -> String {
    let name = if names.contains(&name) { name + suffix } else { name };
    assert!(names.insert(name.clone()), "two methods are called {name}");
    name
}

/// Accessors of operands or results.
fn values(
    text: &mut String,
    names: &mut BTreeSet<String>,
    parts: &[&Part<'_>],
    groups: Groups,
    (what_it_is, list): (&str, &str),
) {
    for (number, part) in parts.iter().enumerate() {
        let only = parts.len() == 1 && list == "result" && part.name.is_empty();
        let name = if only { "result" } else { part.name };
        if name.is_empty() {
            continue;
        }
        let method = fresh(names, snake(name), &format!("_{list}"));
        let range = range(parts, number, groups, ("self.0", list));
        let (before, optional_or_variadic_before) = before(parts, number);
        let (gives, body) = match (part.count, groups) {
            (Count::One, Groups::Counted) if optional_or_variadic_before == 0 => {
                ("Val<'p>", format!("self.0.{list}({before})"))
            }
            (Count::One, _) => ("Val<'p>", format!("self.0.{list}(({range}).start)")),
            (Count::Optional, _) => ("Option<Val<'p>>", format!("self.0.{list}s_in({range}).next()")),
            (Count::Many, _) => ("Vec<Val<'p>>", format!("self.0.{list}s_in({range}).collect()")),
        };
        let many = if part.count == Count::Many { "s" } else { "" };
        let _ = writeln!(
            text,
            "    /// {what_it_is}{many} `{name}`{}\n    #[inline] pub fn {method}(self) -> {gives} {{ {body} }}",
            what(part)
        );
    }
}

// Counts the groups before group `number`: the groups of exactly one value, and the optional and variadic
// groups.
fn before(parts: &[&Part<'_>], number: usize) -> (usize, usize) {
    let before = parts[..number].iter().filter(|part| part.count == Count::One).count();
    (before, number - before)
}

/// The index of the first value of a group, and the index after its last value, as expressions over `op`.
pub fn range(parts: &[&Part<'_>], number: usize, groups: Groups, (op, list): (&str, &str)) -> String {
    let one = parts[number].count == Count::One;
    let fixed = parts.iter().filter(|part| part.count == Count::One).count();
    let (before, optional_or_variadic_before) = before(parts, number);
    match groups {
        Groups::Sized => format!("{op}.{list}_group({number})"),
        Groups::Same(optional_or_variadic) => {
            let size = format!("({op}.{list}s().len().saturating_sub({fixed}) / {optional_or_variadic})");
            let start = format!("{before} + {optional_or_variadic_before} * {size}");
            if one { format!("{start}..") } else { format!("{start}..{start} + {size}") }
        }
        Groups::Counted if one && optional_or_variadic_before == 0 => format!("{before}.."),
        Groups::Counted => {
            let size = format!("{op}.{list}s().len().saturating_sub({fixed})");
            if one { format!("{before} + {size}..") } else { format!("{before}..{before} + {size}") }
        }
    }
}

/// The function that starts to build the operation.
fn make(text: &mut String, arguments: &[Part<'_>], groups: Groups, enum_path: &dyn Fn(&Part<'_>) -> Option<String>) {
    let mut words = String::new();
    let mut head = String::new();
    let mut body = String::from("b.op(Self::KIND)");
    let mut sizes = String::new();
    let mut operand_list: Vec<String> = Vec::new();
    let flush = |operand_list: &mut Vec<String>, body: &mut String| {
        if !operand_list.is_empty() {
            let _ = write!(body, ".operands(&[{}])", operand_list.join(", "));
            operand_list.clear();
        }
    };
    let mut names: BTreeSet<String> = ["b".to_string()].into();
    for (number, part) in arguments.iter().enumerate() {
        let path = if part.attribute { enum_path(part) } else { None };
        if part.attribute && path.is_none() {
            continue;
        }
        let name = if part.name.is_empty() { format!("operand_{number}") } else { snake(part.name) };
        let name = fresh(&mut names, name, "_value");
        if let Some(path) = path {
            let _ = write!(head, ", {name}: {path}");
            let _ = write!(words, ".attr({:?}, {name}.attr(b.cx()))", part.name);
            continue;
        }
        match part.count {
            Count::One => {
                let _ = write!(head, ", {name}: Val<'p>");
                sizes += "1, ";
                operand_list.push(name);
            }
            Count::Optional => {
                let _ = write!(head, ", {name}: Option<Val<'p>>");
                flush(&mut operand_list, &mut body);
                let _ = write!(body, ".operands({name}.as_slice())");
                let _ = write!(sizes, "{name}.is_some() as usize, ");
            }
            Count::Many => {
                let _ = write!(head, ", {name}: &[Val<'p>]");
                flush(&mut operand_list, &mut body);
                let _ = write!(body, ".operands({name})");
                let _ = write!(sizes, "{name}.len(), ");
            }
        }
    }
    flush(&mut operand_list, &mut body);
    if matches!(groups, Groups::Sized) {
        let _ = write!(body, ".operand_groups(&[{sizes}])");
    }
    body += &words;
    let _ = writeln!(
        text,
        "    /// Starts to build the operation from these operands and keywords.\n    #[inline] pub fn make(b: Builder<'p>{head}) -> OpSpec<'p, 'static> {{ {body} }}"
    );
}

/// Accessors of regions or successors.
fn indexed_accessors(text: &mut String, names: &mut BTreeSet<String>, parts: &[Part<'_>], (ty, list): (&str, &str)) {
    for (number, part) in parts.iter().enumerate().filter(|(_, part)| !part.name.is_empty()) {
        let name = fresh(names, snake(part.name), &format!("_{list}"));
        let (gives, body) = match part.count {
            Count::Many => (format!("Vec<{ty}<'p>>"), format!("self.0.{list}s().skip({number}).collect()")),
            _ => (format!("Option<{ty}<'p>>"), format!("self.0.{list}s().nth({number})")),
        };
        let _ = writeln!(
            text,
            "    /// The {list} `{}`.\n    #[inline] pub fn {name}(self) -> {gives} {{ {body} }}",
            part.name
        );
    }
}
