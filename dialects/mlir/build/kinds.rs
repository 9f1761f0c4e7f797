//! Generates `OpKind`, its names, and a constant for each operation.
use crate::{Dialect, records::camel};
use std::{collections::BTreeMap, fmt::Write};

fn variant(dialect: &Dialect, name: &str) -> String {
    camel(dialect.name) + &camel(name)
}

/// Generates the enumerations of dialects and operations, with their tables. The names of each dialect must be sorted.
pub fn write<'a>(text: &mut String, all: impl Iterator<Item = (&'a Dialect, &'a [String])> + Clone) {
    let mut variants = String::new();
    let mut names = String::new();
    let mut dialects = String::new();
    let mut words = String::new();
    let mut dialect_of = String::new();
    let mut seen = BTreeMap::new();
    let mut count = 1;
    for (dialect, ops) in all {
        let own = camel(dialect.name);
        let _ = writeln!(dialects, "    /// `{}`.\n    {own},", dialect.name);
        let _ = writeln!(words, "            Dialect::{own} => {:?},", dialect.name);
        let _ = writeln!(dialect_of, "        ({count}, Dialect::{own}),");
        for name in ops {
            let variant = variant(dialect, name);
            let full = format!("{}.{name}", dialect.name);
            let _ = write!(variants, "{variant},");
            let _ = write!(names, "(\"{full}\",OpKind::{variant}),");
            if let Some(other) = seen.insert(variant, full.clone()) {
                panic!("{other} and {full} have one name in Rust");
            }
            count += 1;
        }
    }
    let _ = write!(
        text,
        "/// A dialect whose operations are known.\n#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]\n\
         pub enum Dialect {{\n{dialects}}}\n\n\
         impl Dialect {{\n    /// The namespace.\n    pub const fn name(self) -> &'static str {{\n        match self {{\n{words}        }}\n    }}\n}}\n\n\
         /// An operation of a known dialect, or `Unknown`.\n\
         #[allow(missing_docs)]\n#[rustfmt::skip]\n#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]\n#[repr(u16)]\n\
         pub enum OpKind {{ #[default] Unknown,{variants} }}\n\n\
         /// Every operation by name, sorted; `OpKind::Unknown` is the first.\n#[rustfmt::skip]\n\
         static NAMES: [(&str, OpKind); {count}] = [(\"\", OpKind::Unknown),{names}];\n\n\
         /// The number of the first operation of each dialect.\nconst FIRST: &[(u16, Dialect)] = &[\n{dialect_of}];\n\n"
    );
}

/// A constant for each operation of a dialect.
pub fn constants(dialect: &Dialect, names: &[String]) -> String {
    let one = |name: &String| {
        let constant = name.replace(|c: char| !c.is_ascii_alphanumeric(), "_").to_uppercase();
        format!("pub const {constant}: OpKind = OpKind::{};\n", variant(dialect, name))
    };
    names.iter().map(one).collect()
}
