//! Finds reads of registers that are not written before, and writes a zero to these registers.
//!
//! ```text
//! mul.lo.s16 %rs12, %rs9, %rs8;          mov.b16    %rs13, 0;
//! mov.b32    %r27, {%rs12, %rs13};       ...
//!                                        mov.b32    %r27, {%rs12, %rs13};
//! ```
//!
//! LLVM widens a vector to whole registers and leaves the unused lanes undefined. The widening occurs during
//! instruction selection, after all passes over LLVM IR. In PTX, the result of a read of an undefined register is
//! undefined. [`define`] writes a zero before the first statement of the register's scope. ptxas folds the
//! written zero into its uses, so the zero costs no instruction.
//!
//! A register is undefined if a path from the entry to a read does not write it. A write under a guard does not make a
//! register defined. An unknown instruction is assumed to read all of its operands.
use crate::ptx::{self, Function, Instruction, Statement, StatementKind};
use std::{
    cell::Cell,
    collections::{BTreeMap, HashMap, HashSet},
    fmt,
};

/// A read of a register that is not written on some path from the entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndefinedRead {
    /// Name of the function; empty for text that is not PTX.
    pub function: String,
    /// Name of the register; empty for text that is not PTX.
    pub register: String,
    /// The line of the reading instruction, counted from 1.
    pub line: usize,
    /// The reading instruction.
    pub instruction: String,
}

impl fmt::Display for UndefinedRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UndefinedRead { function, register, line, instruction } = self;
        match register.as_str() {
            "" => write!(f, "line {line}: `{instruction}` does not end"),
            _ => write!(
                f,
                "line {line}: `{instruction}` in {function} reads {register}, but a path to the instruction does not write the register"
            ),
        }
    }
}

/// Instructions that write their first operand, unless it is an address; in alphabetical order.
const WRITING: &[&str] = &[
    "abs",
    "activemask",
    "add",
    "addc",
    "and",
    "atom",
    "bfe",
    "bfi",
    "bfind",
    "bmsk",
    "brev",
    "clz",
    "cnot",
    "copysign",
    "cos",
    "cvt",
    "cvta",
    "div",
    "dp2a",
    "dp4a",
    "elect",
    "ex2",
    "fma",
    "fns",
    "isspacep",
    "ld",
    "ldmatrix",
    "ldu",
    "lg2",
    "lop3",
    "mad",
    "mad24",
    "madc",
    "mapa",
    "match",
    "max",
    "mbarrier",
    "min",
    "mma",
    "mov",
    "mul",
    "mul24",
    "neg",
    "not",
    "or",
    "popc",
    "prmt",
    "rcp",
    "redux",
    "rem",
    "rsqrt",
    "sad",
    "selp",
    "set",
    "setp",
    "shf",
    "shfl",
    "shl",
    "shr",
    "sin",
    "slct",
    "sqrt",
    "sub",
    "subc",
    "szext",
    "tanh",
    "testp",
    "vote",
    "xor",
];

/// Registers that an instruction reads.
fn read<'i>(one: &'i Instruction<'_>) -> impl Iterator<Item = usize> + 'i {
    let operands = one.operands.iter().skip(usize::from(writes_first(one))).flat_map(|operand| &operand.registers);
    one.guard.iter().flat_map(|(_, registers)| registers).chain(operands).copied()
}

/// Registers that an instruction writes.
pub(crate) fn written<'i>(one: &'i Instruction<'_>) -> &'i [usize] {
    if writes_first(one) { &one.operands[0].registers } else { &[] }
}

fn writes_first(one: &Instruction<'_>) -> bool {
    one.operands.first().is_some_and(|first| match one.opcode.split('.').next() {
        Some("call") => first.text.starts_with('('),
        Some(name) => WRITING.binary_search(&name).is_ok() && !first.text.starts_with('['),
        None => false,
    })
}

/// Reads of undefined registers in PTX, one for each register.
#[must_use]
pub fn undefined_reads(text: &str) -> Vec<UndefinedRead> {
    let clean = ptx::without_comments(text);
    let finding = |at: usize, end: usize, function: &str, register: String| UndefinedRead {
        function: function.into(),
        register,
        line: text[..at].matches('\n').count() + 1,
        instruction: text[at..end].split_whitespace().collect::<Vec<_>>().join(" "),
    };
    let functions = match ptx::functions(&clean) {
        Ok(functions) => functions,
        Err(ptx::Unreadable(at)) => {
            let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
            return vec![finding(at, end, "", String::new())];
        }
    };
    let of_function = |function: &Function<'_>| -> Vec<UndefinedRead> {
        let found = find(function).into_iter();
        let describe = |(register, statement): (usize, usize)| {
            let Statement { at, end, .. } = function.statements[statement];
            finding(at, end, function.name, function.name_of(register))
        };
        found.map(describe).collect()
    };
    functions.iter().flat_map(of_function).collect()
}

/// Writes a zero to each register that is not written on some path to a read. The function only inserts
/// instructions, and keeps all existing PTX. The boolean states whether the text could be read and has no such register.
pub(crate) fn define(text: &str) -> (String, bool) {
    let is_defined = Cell::new(None);
    let defined = ptx::edited(text, |function, edits| {
        let found = find(function);
        is_defined.set(Some(is_defined.get().unwrap_or(true) && found.is_empty()));
        for (register, _) in found {
            let bank = function.bank_of(register);
            if let Some(zero) = zero(&function.name_of(register), bank.ty) {
                edits.entry(bank.ready).or_insert_with(|| (bank.ready, String::new())).1.push_str(&zero);
            }
        }
    });
    (defined, is_defined.get() == Some(true))
}

/// The instruction that writes a zero, with the indentation of the statement after it.
fn zero(register: &str, ty: &str) -> Option<String> {
    let bits = ty.trim_start_matches(|c: char| !c.is_ascii_digit());
    match (ty, bits) {
        ("pred", _) => Some(format!("mov.pred \t{register}, 0;\n\t")),
        (_, "16" | "32" | "64") => Some(format!("mov.b{bits} \t{register}, 0;\n\t")),
        (_, "16x2") => Some(format!("mov.b32 \t{register}, 0;\n\t")),
        (_, "128") => Some(format!(
            "{{\n\t.reg .b64 \t%zero;\n\tmov.b64 \t%zero, 0;\n\tmov.b128 \t{register}, {{%zero, %zero}};\n\t}}\n\t"
        )),
        _ => None,
    }
}

/// The control flow of a function and the accesses to its registers. Control enters a block at its first statement and
/// leaves it after the last one.
#[derive(Default)]
struct Flow {
    /// The predecessors of each block.
    predecessors: Vec<Vec<usize>>,
    /// For each register, the block and the statement of each read that no write in the same block precedes.
    exposed: BTreeMap<usize, Vec<(usize, usize)>>,
    /// Registers that a block writes on every path through it.
    written: HashSet<(usize, usize)>,
}

/// Undefined registers, each with a statement that reads it.
fn find(function: &Function<'_>) -> Vec<(usize, usize)> {
    let flow = flow(function);
    // For each block, the last register whose search reached the block.
    let mut seen = vec![usize::MAX; flow.predecessors.len()];
    let mut found = Vec::new();
    for (register, reads) in &flow.exposed {
        let reaches_entry = |(from, statement): &(usize, usize)| {
            let mut open = vec![*from];
            while let Some(block) = open.pop() {
                if std::mem::replace(&mut seen[block], *register) == *register {
                    continue;
                }
                if block == 0 {
                    return Some((*register, *statement));
                }
                let before = flow.predecessors[block].iter();
                open.extend(before.filter(|before| !flow.written.contains(&(**before, *register))));
            }
            None
        };
        found.extend(reads.iter().find_map(reaches_entry));
    }
    found
}

fn flow(function: &Function<'_>) -> Flow {
    let starts = starts(function);
    let mut flow = Flow::default();
    flow.predecessors.resize_with(starts.len(), Vec::new);
    let mut labels = HashMap::new();
    let mut lists = HashMap::new();
    let mut block = 0;
    for (i, statement) in function.statements.iter().enumerate() {
        block += usize::from(i > 0 && starts.get(block + 1) == Some(&i));
        match &statement.kind {
            StatementKind::Label(name) => _ = labels.insert(*name, block),
            StatementKind::Targets(name, list) => _ = lists.insert(*name, list),
            StatementKind::Instruction(one) => flow.add(block, i, one),
        }
    }
    for block in 0..flow.predecessors.len() {
        let end = starts.get(block + 1).copied().unwrap_or(function.statements.len());
        let last = end.checked_sub(1).and_then(|last| function.statements.get(last));
        let mut next = Vec::new();
        let mut falls_through = true;
        if let Some(Statement { kind: StatementKind::Instruction(one), .. }) = last {
            falls_through = !ends_block(one) || one.guard.is_some();
            if matches!(one.opcode.split('.').next(), Some("bra" | "brx")) {
                let names = one.operands.iter().map(|operand| operand.text);
                let names = names.flat_map(|name| lists.get(name).map_or(vec![name], |list| list.to_vec()));
                next.extend(names.filter_map(|name| labels.get(name).copied()));
            }
        }
        next.extend((falls_through && block + 1 < flow.predecessors.len()).then_some(block + 1));
        for next in next {
            flow.predecessors[next].push(block);
        }
    }
    flow
}

impl Flow {
    fn add(&mut self, block: usize, statement: usize, one: &Instruction<'_>) {
        for register in read(one) {
            if !self.written.contains(&(block, register)) {
                self.exposed.entry(register).or_default().push((block, statement));
            }
        }
        if one.guard.is_none() {
            self.written.extend(written(one).iter().map(|register| (block, *register)));
        }
    }
}

/// Indices of the statements that begin a block, in order.
fn starts(function: &Function<'_>) -> Vec<usize> {
    let mut starts = vec![0];
    for (i, statement) in function.statements.iter().enumerate() {
        let at = match &statement.kind {
            StatementKind::Label(_) => i,
            StatementKind::Instruction(one) if ends_block(one) => i + 1,
            _ => continue,
        };
        if starts.last() != Some(&at) && at < function.statements.len() {
            starts.push(at);
        }
    }
    starts
}

fn ends_block(one: &Instruction<'_>) -> bool {
    matches!(one.opcode.split('.').next(), Some("bra" | "brx" | "ret" | "exit" | "trap"))
}

#[cfg(test)]
#[path = "tests/undefined.rs"]
mod tests;
