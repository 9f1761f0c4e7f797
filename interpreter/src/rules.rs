//! The semantics of each operation: one table from operations to rules.
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
use cube_ir::ops::{self, arith, cube, memref, scf, ub, vector};
use cube_semantics::FloatFunctions;
pub use rule::Rule;

use Rule::{Emit as E, Math, Unsupported as No};

const SMALL_FLOATS: &str = "scaled small floats are storage types, and no level computes in them";
const PARALLEL: &str =
    "the units of the launch run in parallel, so a kernel has no parallel loops; use the unit's position";
const MEMORY: &str = "buffers are read and written by cube.load, cube.store and memref.load, memref.store";
const MASKS: &str = "modules up to level legal do not contain operations that create masks of vectors";
const SCALABLE: &str = "the number of lanes is fixed at compile time";
const MANY_DIMS: &str = "no pass creates the operation; write it with one-dimensional vectors";

/// The rules of operations. The table omits functions of scalars (cube-semantics) and memory accesses.
/// [`memory::access`] derives the rules of memory accesses from their declarations. The decoder refuses memory
/// accesses without a declaration.
pub const RULES: &[(OpKind, Rule)] = &[
    (arith::CONSTANT, E(casts::constant)),
    (arith::SCALING_EXTF, No(SMALL_FLOATS)),
    (arith::SCALING_TRUNCF, No(SMALL_FLOATS)),
    (arith::SELECT, E(casts::select)),
    (cube::ALLOC, E(buffers::alloc)),
    (cube::BREAK, E(exits::break_or_continue)),
    (cube::BUFFER_LEN, E(buffers::measure)),
    (cube::CALL, E(exits::call)),
    (cube::CAST, E(casts::cast)),
    (cube::COMPTIME_FOR, E(exits::counted)),
    (cube::COMPTIME_IF, E(exits::branch)),
    (cube::CONSTANT, E(casts::cube_constant)),
    (cube::GENERIC, E(casts::generic)),
    (cube::CONTINUE, E(exits::break_or_continue)),
    (cube::COORDINATE, E(buffers::measure)),
    (cube::EXTRACT, E(lanes::extract)),
    (cube::FOR, E(exits::counted)),
    (cube::FUNC, No("functions are inlined at their calls")),
    (cube::IF, E(exits::branch)),
    (cube::INSERT, E(lanes::insert)),
    (cube::KERNEL, No("a kernel is a child of a module only")),
    (cube::LEN, E(buffers::measure)),
    (cube::LOOP, E(exits::infinite_loop)),
    (cube::PRINT, E(units::print)),
    (cube::RANK, E(buffers::measure)),
    (cube::RETURN, E(exits::return_values)),
    (cube::SHAPE, E(buffers::measure)),
    (cube::SLICE, E(buffers::slice)),
    (cube::STRIDE, E(buffers::measure)),
    (cube::SYNC, E(units::sync)),
    (cube::TERMINATE, E(exits::terminate)),
    (cube::TOPOLOGY, E(buffers::topology)),
    (cube::MAY_NOT_TERMINATE, E(control::no_code)),
    (cube::YIELD, E(control::no_code)),
    (ops::math::ATAN2, Math(FloatFunctions::Two(math::ATAN2))),
    (ops::math::FPOWI, E(casts::fpowi)),
    (ops::math::POWF, Math(FloatFunctions::Two(math::POW))),
    (ops::math::SINCOS, E(casts::sincos)),
    (memref::ALLOCA, E(buffers::alloc)),
    (memref::DIM, E(buffers::dim)),
    (memref::PREFETCH, E(control::no_code)),
    (scf::CONDITION, E(control::no_code)),
    (scf::EXECUTE_REGION, E(control::execute_region)),
    (scf::FOR, E(control::for_loop)),
    (scf::FORALL, E(control::unit_loop)),
    (scf::FORALL_IN_PARALLEL, E(control::no_code)),
    (scf::IF, E(control::if_else)),
    (scf::INDEX_SWITCH, E(control::index_switch)),
    (scf::PARALLEL, No(PARALLEL)),
    (scf::REDUCE, No(PARALLEL)),
    (scf::REDUCE_RETURN, No(PARALLEL)),
    (scf::WHILE, E(control::while_loop)),
    (scf::YIELD, E(control::no_code)),
    (ub::POISON, E(casts::poison)),
    (ub::UNREACHABLE, No("it ends a block of unstructured control flow")),
    (vector::BROADCAST, E(vectors::broadcast)),
    (vector::COMPRESSSTORE, No(MEMORY)),
    (vector::CONSTANT_MASK, No(MASKS)),
    (vector::CONTRACT, No(MANY_DIMS)),
    (vector::CREATE_MASK, No(MASKS)),
    (vector::DEINTERLEAVE, E(vectors::deinterleave)),
    (vector::EXPANDLOAD, No(MEMORY)),
    (vector::EXTRACT, E(vectors::extract)),
    (vector::EXTRACT_STRIDED_SLICE, E(vectors::part)),
    (vector::FROM_ELEMENTS, E(vectors::from_elements)),
    (vector::INSERT, E(vectors::insert)),
    (vector::INSERT_STRIDED_SLICE, E(vectors::with_part)),
    (vector::INTERLEAVE, E(vectors::interleave)),
    (vector::MASK, No(MASKS)),
    (vector::MULTI_REDUCTION, No(MANY_DIMS)),
    (vector::OUTERPRODUCT, No(MANY_DIMS)),
    (vector::PRINT, No("a kernel prints with cube.print")),
    (vector::REDUCTION, E(vectors::reduction)),
    (vector::SCALABLE_EXTRACT, No(SCALABLE)),
    (vector::SCALABLE_INSERT, No(SCALABLE)),
    (vector::SCAN, No(MANY_DIMS)),
    (vector::SHAPE_CAST, E(vectors::shape_cast)),
    (vector::SHUFFLE, E(vectors::shuffle)),
    (vector::STEP, E(vectors::step)),
    (vector::TO_ELEMENTS, E(vectors::to_elements)),
    (vector::TRANSFER_READ, No(MEMORY)),
    (vector::TRANSFER_WRITE, No(MEMORY)),
    (vector::TRANSPOSE, No(MANY_DIMS)),
    (vector::TYPE_CAST, No(MEMORY)),
    (vector::VSCALE, No(SCALABLE)),
    (vector::YIELD, No(MASKS)),
];

/// The rule of an operation.
pub fn of(kind: OpKind) -> Option<Rule> {
    let in_table = |table: &[(OpKind, Rule)]| table.iter().find(|(own, _)| *own == kind).map(|(_, rule)| *rule);
    let unary = || math::unary(kind).map(|by_format| Math(FloatFunctions::One(by_format)));
    let refused = || llvm::REFUSED.iter().find(|(_, kinds)| kinds.contains(&kind)).map(|(why, _)| No(why));
    let plane = || planes().any(|own| own == kind).then_some(E(units::plane));
    in_table(RULES)
        .or_else(plane)
        .or_else(|| in_table(layouts::RULES))
        .or_else(|| in_table(llvm::RULES))
        .or_else(unary)
        .or_else(|| cube_dialect::meaning_of(kind).map(Rule::Means))
        .or_else(refused)
        .or_else(|| memory::is_access(kind).then_some(E(memory::access)))
}

// Memory accesses that no table lists.
fn accesses() -> impl Iterator<Item = OpKind> {
    let refused = |kind: OpKind| llvm::REFUSED.iter().any(|(_, kinds)| kinds.contains(&kind));
    let in_table = move |kind: OpKind| RULES.iter().chain(llvm::RULES).any(|(own, _)| *own == kind) || refused(kind);
    OpKind::all().filter(move |kind| memory::is_access(*kind) && !in_table(*kind))
}

// Plane operations share one rule, which queries the operation's class.
fn planes() -> impl Iterator<Item = OpKind> {
    cube_dialect::ops::PLANE_OPERATIONS.iter().map(|(kind, ..)| *kind)
}

/// All operations in the table. For an operation without a rule, the list contains the reason.
pub fn all() -> impl Iterator<Item = (OpKind, Option<&'static str>)> {
    let why = |rule: &Rule| match rule {
        Rule::Unsupported(why) => Some(*why),
        _ => None,
    };
    let refused = llvm::REFUSED.iter().flat_map(|(why, kinds)| kinds.iter().map(|kind| (*kind, Some(*why))));
    let rules = RULES.iter().chain(layouts::RULES).chain(llvm::RULES).map(move |(kind, rule)| (*kind, why(rule)));
    let means = cube_semantics::meanings().map(|(name, _)| (OpKind::from_name(name), None));
    rules
        .chain(planes().map(|kind| (kind, None)))
        .chain(accesses().map(|kind| (kind, None)))
        .chain(math::UNARY.iter().map(|(kind, _)| (*kind, None)))
        .chain(means)
        .chain(refused)
}
