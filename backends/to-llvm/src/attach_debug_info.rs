//! Attaches debug information to functions of the LLVM dialect: source lines and variables.
//!
//! ```mlir
//! llvm.func @k.body(...) loc("k.mlir":2:1)         llvm.func @k.body(...) loc(fused<#di_subprogram>["k.mlir":2:1])
//!                                                    %at = llvm.alloca !llvm.ptr
//!                                                    llvm.intr.dbg.declare #v, deref = %at
//!   llvm.store %v, %p loc("v: f32"(...))             llvm.store %v, %p ; llvm.store %p, %at
//! ```
//!
//! The pass `preserve-debug-variables` creates stores whose location is a variable's name and type. If each unit has
//! separate memory, the address of a variable differs from unit to unit. The debug information therefore refers to
//! memory that holds the address of the running unit's value. After `vectorize-spmd` a variable is an array of the
//! lanes' values. The attribute `cube.debug` of the function lists the buffers. Each buffer is a pointer. Locations
//! are reduced to the innermost source location, without enclosing calls, merges and names. If a location and its
//! function are in different files, the debug location refers to the file of the location. With the option `lines`,
//! the pass adds only locations. Cost: linear.
use crate::kernel_parts::{BODY, body_of};
use cube_dialect::attributes::DEBUG;
use cube_ir::access::{AccessKind, access_of};
use cube_ir::ops::llvm;
use cube_ir::{
    AttrExt, Attribute, Builder, Op, PassResult, Run, SourceLocation, Type, TypeExt, Val, location_of, name_of, pass,
};
use std::collections::BTreeMap;

pass! {
    name: "attach-debug-info",
    summary: "adds source lines and variables for a debugger, or only source lines for disassemblers and profilers",
    on: builtin::MODULE,
    level: Llvm => Llvm,
    dialects: ["llvm"],
    options: {
        folder: Text("") = "the folder that names of source files start from",
        lines: Bool(false) = "adds only a line table, for optimised code",
    },
    statistics: ["variables described"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let (folder, lines_only) = (run.text("folder"), run.flag("lines"));
    let functions = run.root().body().map(|b| b.ops()).unwrap_or_default();
    let symbols: Vec<&str> = functions.iter().map(|op| symbol(*op)).collect();
    for function in functions.iter().copied().filter(|op| op.is(llvm::FUNC) && op.body().is_some()) {
        // An entry that only passes its arguments to the kernel has no variables to show.
        let is_entry = symbols.contains(&body_of(symbol(function)).as_str());
        if let Some(location) = location_of(function.location()).filter(|_| !is_entry) {
            let count = describe(function, &Scope::of(function, location, &folder, lines_only));
            run.count("variables described", count);
        }
    }
    Ok(())
}

fn symbol<'p>(function: Op<'p>) -> &'p str {
    function.attr("sym_name").and_then(|name| name.as_str()).unwrap_or_default()
}

/// The subprogram of a function, as text. Attributes that refer to one another are printed together as one
/// text.
struct Scope {
    location: SourceLocation,
    folder: String,
    text: String,
    lines_only: bool,
}

impl Scope {
    fn of(function: Op<'_>, location: SourceLocation, folder: &str, lines_only: bool) -> Self {
        let symbol = symbol(function);
        // The debug name of the body is the name of the kernel, which users know.
        let name = symbol.strip_suffix(BODY).unwrap_or(symbol);
        let language = if location.file.ends_with(".rs") { "DW_LANG_Rust" } else { "DW_LANG_C99" };
        let (file, line) = (file(&location.file, folder), location.line);
        let (name, symbol) = (quoted(name), quoted(symbol));
        let kind = if lines_only { "LineTablesOnly" } else { "Full" };
        let unit = format!(
            "#llvm.di_compile_unit<id = distinct[0]<>, sourceLanguage = {language}, file = {file}, producer = \"cube\", isOptimized = {lines_only}, emissionKind = {kind}>"
        );
        let text = format!(
            "#llvm.di_subprogram<id = distinct[1]<>, compileUnit = {unit}, scope = {file}, name = {name}, linkageName = {symbol}, file = {file}, line = {line}, scopeLine = {line}, subprogramFlags = Definition, type = #llvm.di_subroutine_type<callingConvention = DW_CC_normal>>"
        );
        Scope { location, folder: folder.into(), text, lines_only }
    }

    fn file_scope(&self, name: &str) -> String {
        let file = file(name, &self.folder);
        format!("#llvm.di_lexical_block_file<scope = {}, file = {file}, discriminator = 0>", self.text)
    }

    // The buffers among the arguments: the pointers that the function's attribute names.
    fn buffers<'p>(&self, function: Op<'p>) -> Vec<(Val<'p>, String)> {
        let labels = function.attr(DEBUG).and_then(|labels| labels.as_array()).unwrap_or_default();
        let args: Vec<Val<'p>> = function.body().map(|block| block.args().collect()).unwrap_or_default();
        let labelled = labels.iter().zip(args).filter_map(|(label, arg)| {
            let (name, ty) = label.as_str()?.split_once(": ")?;
            let base = type_of(ty)?;
            let ty = format!("#llvm.di_derived_type<tag = DW_TAG_pointer_type, baseType = {base}, sizeInBits = 64>");
            Some((arg, self.local(name, &ty, &self.location)))
        });
        labelled.collect()
    }

    fn variable(&self, name: &str, ty: &str, location: &SourceLocation) -> Option<String> {
        Some(self.local(name, &type_of(ty)?, location))
    }

    fn local(&self, name: &str, ty: &str, location: &SourceLocation) -> String {
        let scope =
            if location.file == self.location.file { self.text.clone() } else { self.file_scope(&location.file) };
        let (file, line, name) = (file(&location.file, &self.folder), location.line, quoted(name));
        format!("#llvm.di_local_variable<scope = {scope}, name = {name}, file = {file}, line = {line}, type = {ty}>")
    }
}

// Quotes text for MLIR's parser: quotes, backslashes and characters outside of printable ASCII become
// hexadecimal escapes.
fn quoted(text: &str) -> String {
    let plain = |byte: u8| (byte == b' ' || byte.is_ascii_graphic()) && byte != b'"' && byte != b'\\';
    let byte = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("\\{byte:02X}") };
    format!("\"{}\"", text.bytes().map(byte).collect::<String>())
}

fn file(name: &str, folder: &str) -> String {
    format!("#llvm.di_file<{} in {}>", quoted(name), quoted(folder))
}

// Units of one vector store their values side by side, so one variable holds all of them.
fn of_all_lanes(ty: &str, stored: Type<'_>) -> String {
    let element = ty.strip_prefix("vector<").and_then(|rest| rest.trim_end_matches('>').split_once('x'));
    let (own, element) = element.map_or((1, ty), |(lanes, element)| (lanes.parse().unwrap_or(1), element));
    match stored.lanes() {
        Some(lanes) if lanes != own => format!("vector<{lanes}x{element}>"),
        _ => ty.to_string(),
    }
}

// The DWARF type for `f32`, `u8`, `bool`, `bf16`, `vector<4xf32>`.
fn type_of(ty: &str) -> Option<String> {
    if let Some(inner) = ty.strip_prefix("vector<").and_then(|rest| rest.strip_suffix('>')) {
        let (lanes, element) = inner.split_once('x')?;
        let bits = lanes.parse::<u64>().ok()?.next_power_of_two() * bits_of(element)?;
        let (base, range) = (type_of(element)?, format!("#llvm.di_subrange<count = {lanes} : i64>"));
        return Some(format!(
            "#llvm.di_composite_type<tag = DW_TAG_array_type, baseType = {base}, flags = Vector, sizeInBits = {bits}, elements = {range}>"
        ));
    }
    let encoding = match ty.as_bytes().first()? {
        b'b' if ty == "bool" => "DW_ATE_boolean",
        b'i' => "DW_ATE_signed",
        b'u' => "DW_ATE_unsigned",
        b'f' | b'b' => "DW_ATE_float",
        _ => return None,
    };
    let bits = bits_of(ty)?;
    Some(format!(
        "#llvm.di_basic_type<tag = DW_TAG_base_type, name = {ty:?}, sizeInBits = {bits}, encoding = {encoding}>"
    ))
}

fn bits_of(ty: &str) -> Option<u64> {
    if ty == "bool" {
        return Some(8);
    }
    let digits: String = ty.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    digits.parse::<u64>().ok().map(|bits| bits.next_multiple_of(8))
}

// The address and the value of a store.
fn store_of(op: Op<'_>) -> Option<(Val<'_>, Val<'_>)> {
    let access = access_of(op).filter(|access| access.kind == AccessKind::Store)?;
    Some((access.value?, access.buffer))
}

struct Variable<'p> {
    text: String,
    stores: Vec<Op<'p>>,
}

// Attaches the variables of a function and the locations of its operations; returns the number of variables.
fn describe<'p>(function: Op<'p>, scope: &Scope) -> u64 {
    let cx = function.cx();
    let inside = function.walk();
    let mut variables: BTreeMap<String, Variable<'p>> = BTreeMap::new();
    let mut files: Vec<String> = Vec::new();
    for op in &inside {
        let Some(location) = location_of(op.location()) else { continue };
        if location.file != scope.location.file && !files.contains(&location.file) {
            files.push(location.file.clone());
        }
        let Some((value, _)) = store_of(*op).filter(|_| !scope.lines_only) else { continue };
        let Some(label) = name_of(op.location()) else { continue };
        let Some((name, ty)) = label.split_once(": ") else { continue };
        if let Some(text) = scope.variable(name, &of_all_lanes(ty, value.ty()), &location) {
            let variable = variables.entry(label.clone()).or_insert(Variable { text, stores: vec![] });
            variable.stores.push(*op);
        }
    }
    let buffers = if scope.lines_only { vec![] } else { scope.buffers(function) };
    // One attribute text, so that all references name one subprogram.
    let mut parts = vec![scope.text.clone()];
    parts.extend(files.iter().map(|name| scope.file_scope(name)));
    parts.extend(variables.values().map(|variable| variable.text.clone()));
    parts.extend(buffers.iter().map(|(_, text)| text.clone()));
    let parsed = cx.parse_attr(&format!("[{}]", parts.join(", "))).and_then(|all| all.as_array());
    let attributes = parsed.filter(|all| all.len() == parts.len()).expect("the text of LLVM's debug information");
    let located = |op: Op<'p>| {
        let location = location_of(op.location())?;
        let at = cx.file_location(&location.file, location.line, location.column);
        let other = files.iter().position(|file| *file == location.file);
        Some(other.map_or(at, |i| cx.fused_location(at, attributes[1 + i])))
    };
    inside.iter().filter(|op| **op != function).for_each(|op| {
        if let Some(at) = located(*op) {
            op.set_location(at);
        }
    });
    let start = cx.file_location(&scope.location.file, scope.location.line, scope.location.column);
    function.set_location(cx.fused_location(start, attributes[0]));
    let Some(first) = function.body().and_then(|block| block.first()) else { return 0 };
    let b = Builder::before(first).with_location(start);
    let (of_values, of_buffers) = attributes[1 + files.len()..].split_at(variables.len());
    for ((pointer, _), attribute) in buffers.iter().zip(of_buffers) {
        let cell = cell(b, *pointer);
        b.op(llvm::INTR_DBG_DECLARE).operands(&[cell]).attr("varInfo", *attribute).build();
    }
    for (variable, attribute) in variables.values().zip(of_values) {
        let cell = variable_cell(b, *attribute);
        for store in &variable.stores {
            let Some((_, address)) = store_of(*store) else { continue };
            let b = Builder::before(*store);
            b.op(llvm::STORE).operands(&[address, cell]).build();
        }
    }
    (variables.len() + buffers.len()) as u64
}

// A cell for the address of a variable. The debug information declares the variable at that address. The cell is null
// until the variable has a value.
fn variable_cell<'p>(b: Builder<'p>, variable: Attribute<'p>) -> Val<'p> {
    let cell = cell(b, b.op(llvm::MLIR_ZERO).result(b.cx().llvm_ptr(0)).value());
    let through = b.cx().deref_expression_attr();
    let declare = b.op(llvm::INTR_DBG_DECLARE).operands(&[cell]);
    declare.attr("varInfo", variable).attr("locationExpr", through).build();
    cell
}

// A cell that holds a pointer.
fn cell<'p>(b: Builder<'p>, pointer: Val<'p>) -> Val<'p> {
    let (cx, i64t) = (b.cx(), b.cx().int(64));
    let ptr = cx.llvm_ptr(0);
    let one = b.op(llvm::MLIR_CONSTANT).attr("value", cx.int_attr(i64t, 1)).result(i64t).value();
    let cell = b.op(llvm::ALLOCA).operands(&[one]).attr("elem_type", cx.type_attr(ptr)).result(ptr).value();
    b.op(llvm::STORE).operands(&[pointer, cell]).build();
    cell
}
