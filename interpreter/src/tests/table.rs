//! Every operation that a level allows must have a rule or a reason for its absence.
use crate::decode::memory;
use crate::rules::{self, Rule, rule::Emit};
use cube_ir::OpKind;
use cube_ir::ops::{llvm, memref};
use cube_passes::levels::{Allowed, CONTRACTS};
use std::collections::BTreeSet;
use std::process::Command;

// The operations of a dialect, from the installed `.td`.
fn operations(file: &str) -> Vec<String> {
    let prefix = std::env::var("MLIR_SYS_220_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".into());
    let include = format!("{prefix}/include");
    let path = format!("{include}/mlir/Dialect/{file}.td");
    let json = Command::new(format!("{prefix}/bin/llvm-tblgen")).args(["--dump-json", "-I", &include, &path]).output();
    let records: serde_json::Value = serde_json::from_slice(&json.expect("llvm-tblgen runs").stdout).expect("JSON");
    let all = records["!instanceof"]["Op"].as_array().expect("ops").clone();
    let name = |record: &serde_json::Value| {
        let op = &records[record.as_str()?];
        let dialect = op["opDialect"]["def"].as_str().and_then(|d| records[d]["name"].as_str())?;
        Some(format!("{dialect}.{}", op["opName"].as_str()?))
    };
    all.iter().filter_map(name).collect()
}

// The number of the table's line that begins with `start`, counted from 1.
fn line_of(start: &str) -> usize {
    let lines = include_str!("../rules.rs").lines();
    lines.enumerate().find(|(_, line)| line.starts_with(start)).map_or(0, |(at, _)| at + 1)
}

#[test]
fn table_line_number_is_current() {
    assert!(line_of("pub const RULES:") > 10, "the table is written in another way now; correct line_of");
}

#[test]
fn no_operation_has_two_rules() {
    let mut names: Vec<&str> = rules::all().map(|(kind, _)| kind.name()).collect();
    names.sort_unstable();
    let twice: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    assert!(twice.is_empty(), "in two tables of the interpreter and cube-semantics: {twice:?}");
}

#[test]
fn accesses_of_memory_have_the_rule_of_their_declaration_or_a_reason() {
    let accesses: Vec<OpKind> = OpKind::all().filter(|kind| memory::is_access(*kind)).collect();
    assert!(accesses.len() > 30, "{accesses:?}");
    // A prefetch declares that it reads memory, but has no result.
    let is_prefetch = |kind: &OpKind| [memref::PREFETCH, llvm::INTR_PREFETCH].contains(kind);
    for kind in accesses.into_iter().filter(|kind| !is_prefetch(kind)) {
        match rules::of(kind) {
            Some(Rule::Emit(rule)) => assert!(
                std::ptr::fn_addr_eq(rule, memory::access as Emit),
                "{kind} has a line in a table that its declared access replaces"
            ),
            other => assert!(matches!(other, Some(Rule::Unsupported(_))), "{kind} has neither"),
        }
    }
    for name in ["cube.load", "memref.store", "vector.gather", "llvm.cmpxchg", "llvm.intr.masked.store"] {
        assert!(matches!(rules::of(OpKind::from_name(name)), Some(Rule::Emit(_))), "{name} is refused");
    }
}

#[test]
fn the_table_is_closed() {
    let levels = ["Arith/IR/ArithOps", "Math/IR/MathOps", "SCF/IR/SCFOps", "Vector/IR/VectorOps", "UB/IR/UBOps"];
    let lowering =
        ["MemRef/IR/MemRefOps", "ControlFlow/IR/ControlFlowOps", "LLVMIR/LLVMOps", "LLVMIR/LLVMIntrinsicOps"];
    let mut allowed: BTreeSet<String> = levels.iter().chain(&lowering).flat_map(|f| operations(f)).collect();
    allowed.insert("builtin.unrealized_conversion_cast".into());
    assert!(allowed.len() > 450, "only {} operations were read", allowed.len());
    allowed.extend(cube_dialect::ops::OPS.iter().map(|op| op.name.to_string()));
    allowed.extend(cube_layout_dialect::ops::OPS.iter().map(|op| op.name.to_string()));
    let single = |op: &Allowed| matches!(op, Allowed::One(kind) if kind.name() != "builtin.module");
    for contract in &CONTRACTS[..3] {
        allowed.extend(contract.ops.iter().copied().flatten().copied().filter(single).map(|op| op.to_string()));
    }
    let known: BTreeSet<String> = rules::all().map(|(kind, _)| kind.to_string()).collect();
    let missing: Vec<_> = allowed.difference(&known).collect();
    assert!(
        missing.is_empty(),
        "neither a rule nor a reason: {missing:?}. Add a row to semantics/src/ints.rs or floats.rs for \
         a function of scalars; otherwise a line to RULES (interpreter/src/rules.rs:{}), a rule that \
         says what the operation means or No(\"why not\"); operations of LLVM go into rules/llvm.rs (docs/add-an-op.md, \
         section 5)",
        line_of("pub const RULES:")
    );
    let stale: Vec<_> = known.difference(&allowed).collect();
    assert!(stale.is_empty(), "no level allows: {stale:?}");
    assert!(rules::all().all(|(_, why)| why.is_none_or(|w| w.len() > 10)));
}
