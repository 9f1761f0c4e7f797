//! Generates the typed operations of every dialect in use from the dialects' `.td` files.
#[path = "build/accesses.rs"]
mod accesses;
#[path = "build/enums.rs"]
mod enums;
#[path = "build/kinds.rs"]
mod kinds;
#[path = "build/records.rs"]
mod records;
#[path = "build/tables.rs"]
mod tables;
#[path = "build/views.rs"]
mod views;

use records::Records;
use std::{env, fmt::Write, fs, path::PathBuf, thread};

/// A dialect for whose operations Rust types are generated.
pub struct Dialect {
    /// Namespace of the dialect, which is also the name of the Rust module.
    pub name: &'static str,
    /// The files that declare the dialect's operations.
    pub files: &'static [&'static str],
    /// The prefix of the dialect's records, if docs and the frontend need tables of these records; empty for upstream
    /// dialects.
    pub class: &'static str,
}

const fn upstream(name: &'static str, files: &'static [&'static str]) -> Dialect {
    Dialect { name, files, class: "" }
}

/// Every dialect in use, in alphabetical order, as `OpKind` orders operations.
const DIALECTS: &[Dialect] = &[
    upstream("arith", &["mlir/Dialect/Arith/IR/ArithOps.td"]),
    upstream("builtin", &["mlir/IR/BuiltinOps.td"]),
    upstream("cf", &["mlir/Dialect/ControlFlow/IR/ControlFlowOps.td"]),
    Dialect { name: "cube", files: &["../cube/td/CubeOps.td"], class: "Cube" },
    upstream("func", &["mlir/Dialect/Func/IR/FuncOps.td"]),
    upstream("gpu", &["mlir/Dialect/GPU/IR/GPUOps.td"]),
    Dialect { name: "layout", files: &["../layout/td/LayoutOps.td"], class: "Layout" },
    upstream("llvm", &["mlir/Dialect/LLVMIR/LLVMOps.td", "mlir/Dialect/LLVMIR/LLVMIntrinsicOps.td"]),
    upstream("math", &["mlir/Dialect/Math/IR/MathOps.td"]),
    upstream("memref", &["mlir/Dialect/MemRef/IR/MemRefOps.td"]),
    upstream("nvvm", &["mlir/Dialect/LLVMIR/NVVMOps.td"]),
    upstream("rocdl", &["mlir/Dialect/LLVMIR/ROCDLOps.td"]),
    upstream("scf", &["mlir/Dialect/SCF/IR/SCFOps.td"]),
    upstream("ub", &["mlir/Dialect/UB/IR/UBOps.td"]),
    upstream("vector", &["mlir/Dialect/Vector/IR/VectorOps.td"]),
];

fn main() {
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    let prefix = PathBuf::from(env::var("MLIR_SYS_220_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".into()));
    println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");
    for input in ["build.rs", "build", "../cube/td", "../layout/td"] {
        println!("cargo:rerun-if-changed={input}");
    }
    // Reading `.td` files takes most of the time, so each dialect has a thread.
    let parts: Vec<Part> = thread::scope(|scope| {
        let read: Vec<_> = DIALECTS.iter().map(|dialect| scope.spawn(|| of_dialect(dialect, &prefix))).collect();
        read.into_iter().map(|part| part.join().expect("the reader does not panic")).collect()
    });
    let held: Vec<_> = parts.iter().flat_map(|part| part.held.iter().cloned()).collect();
    let mut text = String::new();
    kinds::write(&mut text, DIALECTS.iter().zip(&parts).map(|(dialect, part)| (dialect, part.names.as_slice())));
    accesses::write(&mut text, parts.iter().map(|part| &part.accesses));
    for (dialect, part) in DIALECTS.iter().zip(&parts) {
        let name = dialect.name;
        let own = !dialect.class.is_empty();
        let body = if own { String::new() } else { format!("    use super::*;\n{}", part.module) };
        let _ = writeln!(
            text,
            "/// Operations of the `{name}` dialect.\n#[allow(missing_docs, clippy::all)]\n#[rustfmt::skip]\npub mod {name} {{\n\
             \x20   #[allow(unused)] use super::OpKind;\n{body}{}}}\n",
            part.constants
        );
        if own {
            let mut module = part.module.clone();
            enums::write_held(&mut module, dialect, &part.enums, &held);
            fs::write(out.join(format!("{name}.rs")), module).expect("OUT_DIR is writable");
        }
    }
    fs::write(out.join("ops.rs"), text).expect("OUT_DIR is writable");
    // The crates of this project's dialects read the views of their operations from this folder.
    println!("cargo:ops={}", out.display());
}

/// The generated code of a dialect.
struct Part {
    /// The operations of the dialect, sorted.
    names: Vec<String>,
    /// A constant for each operation.
    constants: String,
    /// Views, enumerations and tables.
    module: String,
    /// The memory operands of each operation.
    accesses: accesses::Accesses,
    /// The enumerations of the dialect.
    enums: enums::Names,
    /// The attributes that contain an enumeration of any dialect.
    held: Vec<(String, String, String)>,
}

fn of_dialect(dialect: &Dialect, prefix: &std::path::Path) -> Part {
    let files: Vec<Records> = dialect.files.iter().map(|file| Records::read(file, prefix)).collect();
    let operations = || files.iter().flat_map(|records| records.operations(dialect.name));
    let mut names: Vec<String> = operations().map(|op| op.name().to_string()).collect();
    names.sort();
    names.dedup();
    let types: Vec<String> = names.iter().map(|name| records::camel(name)).collect();
    let words = enums::names(dialect, &files[0], &types);
    let (mut module, mut accesses, mut held) = (String::new(), accesses::Accesses::default(), Vec::new());
    for op in operations() {
        held.extend(enums::held(dialect, &op, &words));
        views::write(&mut module, dialect, &op, &words);
        accesses.add(dialect, &op);
    }
    accesses.check(dialect);
    enums::write(&mut module, dialect, &files[0], &words);
    if !dialect.class.is_empty() {
        tables::write(&mut module, dialect, &files[0]);
    }
    let constants = kinds::constants(dialect, &names);
    Part { names, constants, module, accesses, enums: words, held }
}
