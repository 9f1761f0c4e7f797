//! Generates a table of the operands of memory accesses: the accessed memory, and the other operands by their roles.
//!
//! Most rows follow from the effects that the `.td` files declare for operands. `ROWS` contains operations whose
//! effects are defined in C++, and operations whose effects do not determine the kind of access. Operations of this
//! project declare the kind of access in their own `.td`.
use crate::{
    Dialect,
    records::{Count, Operation, Part, camel, text_of},
    views::{self, Groups},
};
use std::fmt::Write;

/// Upstream operations that access memory, with the kind of the access and the name of the memory operand.
const ROWS: &[(&str, &str, &str)] = &[
    ("llvm.atomicrmw", "AtomicRmw", "ptr"),
    ("llvm.cmpxchg", "AtomicCas", "ptr"),
    ("llvm.intr.masked.compressstore", "Store", "ptr"),
    ("llvm.intr.masked.expandload", "Load", "ptr"),
    ("llvm.intr.masked.gather", "Load", "ptrs"),
    ("llvm.intr.masked.load", "Load", "data"),
    ("llvm.intr.masked.scatter", "Store", "ptrs"),
    ("llvm.intr.masked.store", "Store", "data"),
    ("llvm.load", "Load", "addr"),
    ("llvm.store", "Store", "addr"),
    ("memref.atomic_rmw", "AtomicRmw", "memref"),
    ("memref.generic_atomic_rmw", "AtomicRmw", "memref"),
    ("rocdl.raw.ptr.buffer.atomic.cmpswap", "AtomicCas", "rsrc"),
    ("vector.transfer_read", "Load", "base"),
    ("vector.transfer_write", "Store", "base"),
];

/// Operations whose effects are defined in C++ and concern no memory operand.
const WITHOUT_MEMORY_OPERAND: &[&str] = &["cf.assert", "llvm.inline_asm"];

/// Names of operands that are the written value.
const VALUES: &[&str] = &["value", "valueToStore", "val", "src", "vdata"];

/// The accesses of a dialect's operations.
#[derive(Default)]
pub struct Accesses {
    arms: String,
    kinds: String,
    /// Operations whose effects are defined in C++, except operations without a memory operand.
    effects_in_cpp: String,
    seen: Vec<String>,
}

impl Accesses {
    /// Adds the accesses of an operation.
    pub fn add(&mut self, dialect: &Dialect, op: &Operation<'_>) {
        let full = format!("{}.{}", dialect.name, op.name());
        let variant = camel(dialect.name) + &camel(op.name());
        let own = text_of(op.record, "access");
        let row = ROWS.iter().find(|(name, ..)| *name == full).map(|&(_, kind, memory)| (kind, memory));
        if row.is_some() || WITHOUT_MEMORY_OPERAND.contains(&full.as_str()) {
            self.seen.push(full.clone());
        }
        let row = row.or_else(|| own.split_once(' '));
        let effects_in_cpp = op.has_effects_in_cpp();
        if effects_in_cpp && !WITHOUT_MEMORY_OPERAND.contains(&full.as_str()) {
            let _ = write!(self.effects_in_cpp, "OpKind::{variant}, ");
        }
        let arguments = op.arguments();
        let operands: Vec<&Part<'_>> = arguments.iter().filter(|part| !part.attribute).collect();
        let kind = |part: &Part<'_>| match (row, part.effects) {
            (Some((kind, memory)), _) if memory == part.name => Some(kind),
            (Some(_), _) | (None, (false, false)) => None,
            (None, (true, false)) => Some("Load"),
            (None, (false, true)) => Some("Store"),
            (None, (true, true)) => Some("AtomicRmw"),
        };
        let all: Vec<(usize, &str)> =
            operands.iter().enumerate().filter_map(|(number, part)| Some((number, kind(part)?))).collect();
        assert!(row.is_none() || all.len() == 1, "{full} has no operand with the name in its row");
        assert!(all.len() <= 2, "{full} accesses more than two operands");
        if all.is_empty() {
            return;
        }
        // The C++ code can declare further effects, such as the effect of a volatile access.
        let complete =
            !effects_in_cpp && (own.contains(' ') || operands.iter().any(|part| part.effects != (false, false)));
        let one = |&(number, kind): &(usize, &str)| declared(op, &operands, number, kind, complete, all.len() == 1);
        let mut both: Vec<String> = all.iter().map(one).collect();
        both.resize(2, "None".into());
        let _ = writeln!(self.arms, "        OpKind::{variant} => [{}],", both.join(", "));
        let _ = write!(self.kinds, "OpKind::{variant}, ");
    }

    /// Panics if the table has a row for an operation that the dialect lacks.
    pub fn check(&self, dialect: &Dialect) {
        let own = |name: &&str| name.split('.').next() == Some(dialect.name);
        let rows = ROWS.iter().map(|(name, ..)| *name).chain(WITHOUT_MEMORY_OPERAND.iter().copied()).filter(own);
        for name in rows {
            assert!(self.seen.iter().any(|seen| seen == name), "{name} has a row, but no dialect has this operation");
        }
    }
}

fn declared(
    op: &Operation<'_>,
    operands: &[&Part<'_>],
    memory: usize,
    kind: &str,
    complete: bool,
    only: bool,
) -> String {
    let groups = Groups::of_operands(op, operands);
    let range = |number: usize| {
        let range: String = views::range(operands, number, groups, ("op", "operand"));
        range.trim_start_matches("0 + ").to_string()
    };
    let position = |names: &[&str]| {
        operands.iter().enumerate().position(|(number, part)| number != memory && names.contains(&part.name))
    };
    let start = |number: Option<usize>| match number {
        None => "None".into(),
        Some(number) if operands[number].count == Count::One => format!("Some(({}).start)", range(number)),
        Some(number) => format!("first({})", range(number)),
    };
    // A gather has an offset for each lane and a common index.
    let spread = position(&["offsets"]).zip(position(&["indices"]));
    let (indices, offsets) =
        spread.map_or((position(&["index", "indices"]), None), |(all, lanes)| (Some(all), Some(lanes)));
    let indices = match indices {
        Some(number) if operands[number].count == Count::One => format!("({0}).start..({0}).start + 1", range(number)),
        Some(number) => range(number),
        None => "0..0".into(),
    };
    let writes = kind != "Load" && kind != "AtomicLoad";
    format!(
        "Some(Declared {{ kind: AccessKind::{kind}, memory: ({}).start, indices: {indices}, offsets: {}, value: {}, mask: {}, complete: {complete} }})",
        range(memory),
        start(offsets),
        start(position(VALUES).filter(|_| writes && only)),
        start(position(&["mask"])),
    )
}

/// Generates the function that looks an operation up, and the lists that the tests compare.
pub fn write<'a>(text: &mut String, all: impl Iterator<Item = &'a Accesses>) {
    let (mut arms, mut kinds, mut effects_in_cpp) = (String::new(), String::new(), String::new());
    for one in all {
        arms += &one.arms;
        kinds += &one.kinds;
        effects_in_cpp += &one.effects_in_cpp;
    }
    let _ = write!(
        text,
        "/// The memory operands of `op`.\n#[rustfmt::skip]\npub(crate) fn declared(op: Op<'_>) -> [Option<Declared>; 2] {{\n\
         \x20   match op.kind() {{\n{arms}        _ => [None, None],\n    }}\n}}\n\n\
         /// Operations that access memory of an operand.\n#[rustfmt::skip]\n\
         pub(crate) const ACCESSING: &[OpKind] = &[{kinds}];\n\n\
         /// Operations with effects in C++ that can concern an operand.\n#[cfg(test)]\n#[rustfmt::skip]\n\
         pub(crate) const EFFECTS_IN_CPP: &[OpKind] = &[{effects_in_cpp}];\n\n"
    );
}
