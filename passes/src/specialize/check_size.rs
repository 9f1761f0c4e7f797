//! Refuses kernels, numbers and vectors that are too large to compile, before any pass makes them larger.
//!
//! ```mlir
//! cube.kernel @k() { cube.call @f() } the size of @k with @f inlined, wherever it is called: at most 262144 operations
//! cube.func @f() { cube.call @g() ... } cube.func @unused() { ... } removed: inlining would work on it
//! ```
//!
//! Inlining can increase the size exponentially: if each function calls the next function twice, each function doubles
//! the size. The pass therefore computes the size after inlining from the call graph. Recursive functions have no
//! finite size. The option `resumed` marks an input of `--compile-from`. This input can have [`GROWN`] times as many
//! operations as a source, because passes enlarge a kernel. The pass checks the sizes of numbers and vectors in all
//! functions, because each function can be inlined into a kernel. Invariant: no kernel reaches a recursive function.
//! Cost: linear.
use super::resolve_comptime::MAX_UNROLLED_OPS;
use cube_dialect::{BufferType, kernels_of};
use cube_ir::ops::cube;
use cube_ir::{AttrExt, Failed, Op, PassResult, Run, TypeExt, TypeLike, pass};
use std::collections::{HashMap, HashSet};

pass! {
    name: "check-size",
    summary: "refuses kernels, numbers and vectors that are too large to compile",
    on: builtin::MODULE,
    level: Any => Any,
    options: { resumed: Bool(false) = "the module is from the middle of the pipeline, so the limits allow more operations and no calls" },
    statistics: ["functions removed"],
    run: run,
}

/// Maximum nesting depth of regions after inlining. Later passes recurse once per nesting level.
const DEEPEST: u64 = 1024;

/// Maximum width of a number in bits. Processors have registers of 64 bits, and LLVM's compile time grows with the
/// square of larger widths.
const WIDEST: u32 = 64;

/// Maximum number of elements of a vector. LLVM splits longer vectors into registers, one by one.
const LONGEST: u64 = 1024;

/// The size limit of a module in the middle of the pipeline, as a multiple of the size limit of a source.
const GROWN: u64 = 64;

/// The size of a kernel or function after inlining.
#[derive(Clone, Copy, Default)]
struct Size {
    operations: u64,
    depth: u64,
}

struct Calls<'p> {
    functions: HashMap<&'p str, Op<'p>>,
    sizes: HashMap<&'p str, Size>,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    if run.flag("resumed") {
        run.unchanged();
        return resumed(run.root());
    }
    let ops = run.root().body().map(|b| b.ops()).unwrap_or_default();
    let named = ops.iter().filter(|op| op.is(cube::FUNC)).filter_map(|op| Some((op.attr("sym_name")?.as_str()?, *op)));
    let mut calls = Calls { functions: named.collect(), sizes: HashMap::new() };
    let kernels = kernels_of(run.root());
    for kernel in &kernels {
        calls.all_below(kernel.op())?;
        let size = calls.size_of(kernel.op());
        within(kernel.op(), &format!("kernel @{}", kernel.name()), size, MAX_UNROLLED_OPS)?;
    }
    let mut seen = HashSet::new();
    let reached = calls.functions.iter().filter(|(name, _)| calls.sizes.contains_key(*name)).map(|(_, op)| *op);
    for root in kernels.iter().map(|kernel| kernel.op()).chain(reached) {
        root.walk().into_iter().try_for_each(|op| small(op, &mut seen))?;
    }
    let unused = calls.functions.iter().filter(|(name, _)| !kernels.is_empty() && !calls.sizes.contains_key(*name));
    for (_, op) in unused {
        run.erase(*op);
        run.count("functions removed", 1);
    }
    Ok(())
}

impl<'p> Calls<'p> {
    /// Computes the sizes of all functions that `root` calls directly or indirectly, callees first. The search uses an
    /// explicit stack, because an input can have long call chains.
    fn all_below(&mut self, root: Op<'p>) -> PassResult {
        let mut path: Vec<(&'p str, Vec<Op<'p>>)> = vec![("", calls_in(root))];
        let mut on_path = HashSet::new();
        while let Some((name, left)) = path.last_mut() {
            let Some(call) = left.pop() else {
                if let Some(function) = self.functions.get(name) {
                    self.sizes.insert(name, self.size_of(*function));
                }
                on_path.remove(name);
                path.pop();
                continue;
            };
            let Some((callee, function)) = callee(call).and_then(|name| self.functions.get_key_value(name)) else {
                continue;
            };
            if on_path.contains(callee) {
                return Err(recursive(call, callee));
            }
            if !self.sizes.contains_key(callee) {
                on_path.insert(*callee);
                path.push((*callee, calls_in(*function)));
            }
        }
        Ok(())
    }

    fn size_of(&self, root: Op<'p>) -> Size {
        let mut size = Size::default();
        let mut open = vec![(root, 0)];
        while let Some((op, depth)) = open.pop() {
            let inlined = callee(op).and_then(|name| self.sizes.get(name)).copied().unwrap_or_default();
            size.operations = size.operations.saturating_add(inlined.operations.max(1));
            // Inlining removes the region of the function, so the nesting depth is one less.
            size.depth = size.depth.max(depth + inlined.depth.saturating_sub(1));
            let inside = op.regions().flat_map(|r| r.blocks()).flat_map(|b| b.ops());
            open.extend(inside.map(|inner| (inner, depth + 1)));
        }
        size
    }
}

// The calls in an operation, in reverse order.
fn calls_in<'p>(root: Op<'p>) -> Vec<Op<'p>> {
    root.walk().into_iter().rev().filter(|op| op.is(cube::CALL)).collect()
}

fn callee<'p>(call: Op<'p>) -> Option<&'p str> {
    call.attr("callee").filter(|_| call.is(cube::CALL))?.as_symbol()
}

fn recursive(call: Op<'_>, callee: &str) -> Failed {
    call.error(cube_ir::diagnostic!(CUBE0300.calls_itself { callee }));
    Failed
}

// Checks a module from the middle of the pipeline.
fn resumed(module: Op<'_>) -> PassResult {
    let calls = Calls { functions: HashMap::new(), sizes: HashMap::new() };
    within(module, "the module", calls.size_of(module), MAX_UNROLLED_OPS * GROWN)?;
    let mut seen = HashSet::new();
    module.walk().into_iter().try_for_each(|op| small(op, &mut seen))
}

fn within(kernel: Op<'_>, what: &str, size: Size, most: u64) -> PassResult {
    if size.operations > most {
        kernel.error(cube_ir::diagnostic!(CUBE0317.operations { what, operations: size.operations, limit: most }));
        return Err(Failed);
    }
    if size.depth > DEEPEST {
        kernel.error(cube_ir::diagnostic!(CUBE0317.depth { what, depth: size.depth, limit: DEEPEST }));
        return Err(Failed);
    }
    Ok(())
}

// Checks the types of results and block arguments, each type once.
fn small(op: Op<'_>, seen: &mut HashSet<usize>) -> PassResult {
    let arguments = op.regions().flat_map(|r| r.blocks()).flat_map(|b| b.args().collect::<Vec<_>>());
    for ty in op.results().chain(arguments).map(|value| value.ty()) {
        if !seen.insert(ty.to_raw().ptr as usize) {
            continue;
        }
        let element = BufferType::of(ty).map_or(ty.element(), |buffer| buffer.element);
        if let Some(bits) = element.bits().filter(|bits| *bits > WIDEST) {
            op.error(cube_ir::diagnostic!(CUBE0318.bits { ty, bits, limit: WIDEST }));
            return Err(Failed);
        }
        if let Some(lanes) = ty.elements().filter(|lanes| *lanes > LONGEST) {
            op.error(cube_ir::diagnostic!(CUBE0319.elements { ty, lanes, limit: LONGEST }));
            return Err(Failed);
        }
    }
    Ok(())
}
