//! The semantics of each operation: one table from operation names to rules.
//!
//! The table of rules is complete. A test compares the table with the operations that the level contracts allow, read
//! from the installed `.td` files. The test therefore fails until each operation of a new MLIR version has a rule or a
//! reason to have no rule.
pub mod atomics;
pub mod combine;
pub mod llvm;
pub mod math;
pub mod ring;
pub mod rule;

use crate::decode::{buffers, casts, control, exits, lanes, layouts, memory, units, vectors};
use cube_ir::OpKind;
use cube_semantics::FloatFunctions;
pub use rule::Rule;

use Rule::{Emit as E, Math, Unsupported as No};

const SMALL_FLOATS: &str = "scaled small floats are storage types, and no level computes in them";
const PARALLEL: &str = "a kernel's parallelism is its launch; use the unit's position";
const MEMORY: &str = "buffers are read and written by cube.load, cube.store and memref.load, memref.store";
const MASKS: &str = "masked vector code does not exist before the end of level legal";
const SCALABLE: &str = "the number of lanes is fixed at compile time";
const MANY_DIMS: &str = "no pass makes it; write it with one-dimensional vectors";

/// The rules by operation name. The table omits functions of scalars (cube-semantics) and memory accesses.
/// [`memory::access`] derives the rules of memory accesses from their declarations. The decoder refuses memory
/// accesses without a declaration.
pub const RULES: &[(&str, Rule)] = &[
    ("arith.constant", E(casts::constant)),
    ("arith.scaling_extf", No(SMALL_FLOATS)),
    ("arith.scaling_truncf", No(SMALL_FLOATS)),
    ("arith.select", E(casts::select)),
    ("cube.alloc", E(buffers::alloc)),
    ("cube.break", E(exits::break_or_continue)),
    ("cube.buffer_len", E(buffers::measure)),
    ("cube.call", E(exits::call)),
    ("cube.cast", E(casts::cast)),
    ("cube.comptime_for", E(exits::counted)),
    ("cube.comptime_if", E(exits::branch)),
    ("cube.constant", E(casts::cube_constant)),
    ("cube.generic", E(casts::generic)),
    ("cube.continue", E(exits::break_or_continue)),
    ("cube.coordinate", E(buffers::measure)),
    ("cube.extract", E(lanes::extract)),
    ("cube.for", E(exits::counted)),
    ("cube.func", No("functions are inlined at their calls")),
    ("cube.if", E(exits::branch)),
    ("cube.insert", E(lanes::insert)),
    ("cube.kernel", No("a kernel is a child of a module only")),
    ("cube.len", E(buffers::measure)),
    ("cube.loop", E(exits::infinite_loop)),
    ("cube.print", E(units::print)),
    ("cube.rank", E(buffers::measure)),
    ("cube.return", E(exits::return_values)),
    ("cube.shape", E(buffers::measure)),
    ("cube.slice", E(buffers::slice)),
    ("cube.stride", E(buffers::measure)),
    ("cube.sync", E(units::sync)),
    ("cube.terminate", E(exits::terminate)),
    ("cube.topology", E(buffers::topology)),
    ("cube.may_not_terminate", E(control::no_code)),
    ("cube.yield", E(control::no_code)),
    ("math.atan2", Math(FloatFunctions::Two(math::ATAN2))),
    ("math.fpowi", E(casts::fpowi)),
    ("math.powf", Math(FloatFunctions::Two(math::POW))),
    ("math.sincos", E(casts::sincos)),
    ("memref.alloca", E(buffers::alloc)),
    ("memref.dim", E(buffers::dim)),
    ("scf.condition", E(control::no_code)),
    ("scf.execute_region", E(control::execute_region)),
    ("scf.for", E(control::for_loop)),
    ("scf.forall", E(control::unit_loop)),
    ("scf.forall.in_parallel", E(control::no_code)),
    ("scf.if", E(control::if_else)),
    ("scf.index_switch", E(control::index_switch)),
    ("scf.parallel", No(PARALLEL)),
    ("scf.reduce", No(PARALLEL)),
    ("scf.reduce.return", No(PARALLEL)),
    ("scf.while", E(control::while_loop)),
    ("scf.yield", E(control::no_code)),
    ("ub.poison", E(casts::poison)),
    ("ub.unreachable", No("it ends a block of unstructured control flow")),
    ("vector.broadcast", E(vectors::broadcast)),
    ("vector.compressstore", No(MEMORY)),
    ("vector.constant_mask", No(MASKS)),
    ("vector.contract", No(MANY_DIMS)),
    ("vector.create_mask", No(MASKS)),
    ("vector.deinterleave", E(vectors::deinterleave)),
    ("vector.expandload", No(MEMORY)),
    ("vector.extract", E(vectors::extract)),
    ("vector.extract_strided_slice", E(vectors::part)),
    ("vector.from_elements", E(vectors::from_elements)),
    ("vector.insert", E(vectors::insert)),
    ("vector.insert_strided_slice", E(vectors::with_part)),
    ("vector.interleave", E(vectors::interleave)),
    ("vector.mask", No(MASKS)),
    ("vector.multi_reduction", No(MANY_DIMS)),
    ("vector.outerproduct", No(MANY_DIMS)),
    ("vector.print", No("a kernel prints with cube.print")),
    ("vector.reduction", E(vectors::reduction)),
    ("vector.scalable.extract", No(SCALABLE)),
    ("vector.scalable.insert", No(SCALABLE)),
    ("vector.scan", No(MANY_DIMS)),
    ("vector.shape_cast", E(vectors::shape_cast)),
    ("vector.shuffle", E(vectors::shuffle)),
    ("vector.step", E(vectors::step)),
    ("vector.to_elements", E(vectors::to_elements)),
    ("vector.transfer_read", No(MEMORY)),
    ("vector.transfer_write", No(MEMORY)),
    ("vector.transpose", No(MANY_DIMS)),
    ("vector.type_cast", No(MEMORY)),
    ("vector.vscale", No(SCALABLE)),
    ("vector.yield", No(MASKS)),
];

/// The rule of an operation.
pub fn of(name: &str) -> Option<Rule> {
    let in_table = |table: &[(&str, Rule)]| table.iter().find(|(n, _)| *n == name).map(|(_, rule)| *rule);
    let unary = || math::UNARY.iter().find(|(n, _)| *n == name).map(|(_, four)| Math(FloatFunctions::One(*four)));
    let refused = || llvm::REFUSED.iter().find(|(_, names)| names.contains(&name)).map(|(why, _)| No(why));
    let plane = || planes().any(|own| own == name).then_some(E(units::plane));
    in_table(RULES)
        .or_else(plane)
        .or_else(|| in_table(layouts::RULES))
        .or_else(|| in_table(llvm::RULES))
        .or_else(unary)
        .or_else(|| cube_semantics::meaning(name).map(Rule::Means))
        .or_else(refused)
        .or_else(|| memory::is_access(OpKind::from_name(name)).then_some(E(memory::access)))
}

// Memory accesses that no table lists.
fn accesses() -> impl Iterator<Item = &'static str> {
    let refused = |name: &str| llvm::REFUSED.iter().any(|(_, names)| names.contains(&name));
    let in_table = move |name: &str| RULES.iter().chain(llvm::RULES).any(|(own, _)| *own == name) || refused(name);
    OpKind::all().filter(|kind| memory::is_access(*kind)).map(OpKind::name).filter(move |name| !in_table(name))
}

// Plane operations share one rule, which queries the operation's class.
fn planes() -> impl Iterator<Item = &'static str> {
    cube_dialect::ops::PLANE_OPERATIONS.iter().map(|(kind, ..)| kind.name())
}

/// All operations in the table. For an operation without a rule, the list contains the reason.
pub fn names() -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
    let why = |rule: &Rule| match rule {
        Rule::Unsupported(why) => Some(*why),
        _ => None,
    };
    let refused = llvm::REFUSED.iter().flat_map(|(why, names)| names.iter().map(|name| (*name, Some(*why))));
    let rules = RULES.iter().chain(layouts::RULES).chain(llvm::RULES).map(move |(name, rule)| (*name, why(rule)));
    let means = cube_semantics::meanings().map(|(name, _)| (name, None));
    rules
        .chain(planes().map(|name| (name, None)))
        .chain(accesses().map(|name| (name, None)))
        .chain(math::UNARY.iter().map(|(name, _)| (*name, None)))
        .chain(means)
        .chain(refused)
}
