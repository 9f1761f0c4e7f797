//! What each operation means: one table from the operation's name to its rule.
//!
//! The table is closed: a test compares it with the operations that the level contracts allow, read from the installed `.td`
//! files, so that an operation of a new MLIR has a rule or a reason before the suite is green again.
pub mod combine;
pub mod convert;
pub mod floats;
pub mod ints;
pub mod llvm;
pub mod math;
pub mod ring;

use crate::decode::{Decoder, buffers, casts, control, exits, lanes, layouts, masked, units, vectors};
use crate::program::{Flaw, Fn1, Fn2, Fn3};
use cube_ir::{Diagnostic, Op};
use floats::Four;

/// A rule that emits instructions by itself.
pub type Emit = for<'d, 'p> fn(&'d mut Decoder<'p>, Op<'p>) -> Result<(), Diagnostic>;

/// What an operation means.
#[derive(Clone, Copy)]
pub enum Rule {
    /// One function of integer lanes.
    Int1(Fn1),
    /// One function of two integer lanes, with what it leaves undefined.
    Int2(Fn2, &'static [Flaw]),
    /// One function of float lanes.
    Float1(Four<Fn1>),
    /// One function of two float lanes.
    Float2(Four<Fn2>),
    /// One function of three float lanes.
    Float3(Four<Fn3>),
    /// All else.
    Emit(Emit),
    /// Nothing: why not.
    Unsupported(&'static str),
}

use Rule::{Emit as E, Float1 as F1, Float2 as F2, Float3 as F3, Int1, Int2, Unsupported as No};

const SMALL_FLOATS: &str = "scaled small floats are storage types, which no level computes in";
const PARALLEL: &str = "a kernel's parallelism is its launch; use the unit's position";
const MEMORY: &str = "buffers are read and written by cube.load, cube.store and memref.load, memref.store";
const MASKS: &str = "masked vector code comes after level legal";
const SCALABLE: &str = "lanes are counted when the kernel is compiled";
const MANY_DIMS: &str = "no pass makes it; write it with one-dimensional vectors";

/// The rules by name.
pub const RULES: &[(&str, Rule)] = &[
    ("arith.addf", F2(floats::ADD)),
    ("arith.addi", Int2(ints::add, &[])),
    ("arith.addui_extended", E(casts::extended)),
    ("arith.andi", Int2(ints::and, &[])),
    ("arith.bitcast", E(casts::bitcast)),
    ("arith.ceildivsi", Int2(ints::ceil_divs, &[ints::BY_ZERO, ints::MIN_BY_MINUS_ONE])),
    ("arith.ceildivui", Int2(ints::ceil_divu, &[ints::BY_ZERO])),
    ("arith.cmpf", E(casts::cmpf)),
    ("arith.cmpi", E(casts::cmpi)),
    ("arith.constant", E(casts::constant)),
    ("arith.divf", F2(floats::DIV)),
    ("arith.divsi", Int2(ints::divs, &[ints::BY_ZERO, ints::MIN_BY_MINUS_ONE])),
    ("arith.divui", Int2(ints::divu, &[ints::BY_ZERO])),
    ("arith.extf", E(casts::float_to_float)),
    ("arith.extsi", E(casts::sign_extend)),
    ("arith.extui", E(casts::same_bits)),
    ("arith.floordivsi", Int2(ints::floor_divs, &[ints::BY_ZERO, ints::MIN_BY_MINUS_ONE])),
    ("arith.fptosi", E(casts::float_to_int)),
    ("arith.fptoui", E(casts::float_to_int)),
    ("arith.index_cast", E(casts::index_cast)),
    ("arith.index_castui", E(casts::index_cast)),
    ("arith.maximumf", F2(floats::MAXIMUM)),
    ("arith.maxnumf", F2(floats::MAXNUM)),
    ("arith.maxsi", Int2(ints::maxs, &[])),
    ("arith.maxui", Int2(ints::maxu, &[])),
    ("arith.minimumf", F2(floats::MINIMUM)),
    ("arith.minnumf", F2(floats::MINNUM)),
    ("arith.minsi", Int2(ints::mins, &[])),
    ("arith.minui", Int2(ints::minu, &[])),
    ("arith.mulf", F2(floats::MUL)),
    ("arith.muli", Int2(ints::mul, &[])),
    ("arith.mulsi_extended", E(casts::extended)),
    ("arith.mului_extended", E(casts::extended)),
    ("arith.negf", F1(floats::NEG)),
    ("arith.ori", Int2(ints::or, &[])),
    ("arith.remf", F2(floats::REM)),
    ("arith.remsi", Int2(ints::rems, &[ints::BY_ZERO, ints::MIN_BY_MINUS_ONE])),
    ("arith.remui", Int2(ints::remu, &[ints::BY_ZERO])),
    ("arith.scaling_extf", No(SMALL_FLOATS)),
    ("arith.scaling_truncf", No(SMALL_FLOATS)),
    ("arith.select", E(casts::select)),
    ("arith.shli", Int2(ints::shl, &[ints::WIDE_SHIFT])),
    ("arith.shrsi", Int2(ints::shrs, &[ints::WIDE_SHIFT])),
    ("arith.shrui", Int2(ints::shru, &[ints::WIDE_SHIFT])),
    ("arith.sitofp", E(casts::int_to_float)),
    ("arith.subf", F2(floats::SUB)),
    ("arith.subi", Int2(ints::sub, &[])),
    ("arith.truncf", E(casts::float_to_float)),
    ("arith.trunci", E(casts::truncate)),
    ("arith.uitofp", E(casts::int_to_float)),
    ("arith.xori", Int2(ints::xor, &[])),
    ("cube.addsi_sat", Int2(ints::adds_sat, &[])),
    ("cube.addui_sat", Int2(ints::addu_sat, &[])),
    ("cube.alloc", E(buffers::alloc)),
    ("cube.atomic_cas", E(buffers::atomic)),
    ("cube.atomic_load", E(buffers::atomic)),
    ("cube.atomic_rmw", E(buffers::atomic)),
    ("cube.atomic_store", E(buffers::atomic)),
    ("cube.break", E(exits::leave)),
    ("cube.buffer_len", E(buffers::measure)),
    ("cube.call", E(exits::call)),
    ("cube.cast", E(casts::cast)),
    ("cube.comptime_for", E(exits::counted)),
    ("cube.comptime_if", E(exits::branch)),
    ("cube.constant", E(casts::cube_constant)),
    ("cube.generic", E(casts::generic)),
    ("cube.continue", E(exits::leave)),
    ("cube.coordinate", E(buffers::measure)),
    ("cube.divsi", Int2(ints::divs, &[])),
    ("cube.divui", Int2(ints::divu, &[])),
    ("cube.extract", E(lanes::extract)),
    ("cube.for", E(exits::counted)),
    ("cube.func", No("functions are decoded where they are called")),
    ("cube.if", E(exits::branch)),
    ("cube.insert", E(lanes::insert)),
    ("cube.kernel", No("a kernel stands in a module only")),
    ("cube.len", E(buffers::measure)),
    ("cube.load", E(buffers::load)),
    ("cube.loop", E(exits::endless)),
    ("cube.plane_ballot", E(units::plane)),
    ("cube.plane_broadcast", E(units::plane)),
    ("cube.plane_elect", E(units::plane)),
    ("cube.plane_reduce", E(units::plane)),
    ("cube.plane_scan", E(units::plane)),
    ("cube.plane_shuffle", E(units::plane)),
    ("cube.plane_vote", E(units::plane)),
    ("cube.print", E(units::print)),
    ("cube.rank", E(buffers::measure)),
    ("cube.remsi", Int2(ints::rems, &[])),
    ("cube.remui", Int2(ints::remu, &[])),
    ("cube.return", E(exits::give_back)),
    ("cube.reverse_bits", Int1(ints::reverse)),
    ("cube.shape", E(buffers::measure)),
    ("cube.shl", Int2(ints::shl, &[])),
    ("cube.shrsi", Int2(ints::shrs, &[])),
    ("cube.shrui", Int2(ints::shru, &[])),
    ("cube.slice", E(buffers::slice)),
    ("cube.store", E(buffers::store)),
    ("cube.stride", E(buffers::measure)),
    ("cube.subsi_sat", Int2(ints::subs_sat, &[])),
    ("cube.subui_sat", Int2(ints::subu_sat, &[])),
    ("cube.sync", E(units::sync)),
    ("cube.terminate", E(exits::terminate)),
    ("cube.topology", E(buffers::topology)),
    ("cube.turn", E(control::nothing)),
    ("cube.yield", E(control::nothing)),
    ("math.absf", F1(floats::ABS)),
    ("math.absi", Int1(ints::abs)),
    ("math.atan2", F2(math::ATAN2)),
    ("math.ceil", F1(floats::CEIL)),
    ("math.clampf", F3(floats::CLAMP)),
    ("math.copysign", F2(floats::COPYSIGN)),
    ("math.ctlz", Int1(ints::leading_zeros)),
    ("math.ctpop", Int1(ints::ones)),
    ("math.cttz", Int1(ints::trailing_zeros)),
    ("math.floor", F1(floats::FLOOR)),
    ("math.fma", F3(floats::FMA)),
    ("math.fpowi", E(casts::fpowi)),
    ("math.ipowi", Int2(ints::power, &[])),
    ("math.isfinite", F1(floats::ISFINITE)),
    ("math.isinf", F1(floats::ISINF)),
    ("math.isnan", F1(floats::ISNAN)),
    ("math.isnormal", F1(floats::ISNORMAL)),
    ("math.powf", F2(math::POW)),
    ("math.round", F1(floats::ROUND)),
    ("math.roundeven", F1(floats::ROUNDEVEN)),
    ("math.sincos", E(casts::sincos)),
    ("math.sqrt", F1(floats::SQRT)),
    ("math.trunc", F1(floats::TRUNC)),
    ("memref.alloca", E(buffers::alloc)),
    ("memref.dim", E(buffers::dim)),
    ("memref.load", E(buffers::load)),
    ("memref.store", E(buffers::store)),
    ("scf.condition", E(control::nothing)),
    ("scf.execute_region", E(control::execute_region)),
    ("scf.for", E(control::for_loop)),
    ("scf.forall", No(PARALLEL)),
    ("scf.forall.in_parallel", No(PARALLEL)),
    ("scf.if", E(control::if_else)),
    ("scf.index_switch", E(control::index_switch)),
    ("scf.parallel", No(PARALLEL)),
    ("scf.reduce", No(PARALLEL)),
    ("scf.reduce.return", No(PARALLEL)),
    ("scf.while", E(control::while_loop)),
    ("scf.yield", E(control::nothing)),
    ("ub.poison", E(casts::poison)),
    ("ub.unreachable", No("it ends a block of unstructured control flow")),
    ("vector.bitcast", E(casts::bitcast)),
    ("vector.broadcast", E(vectors::broadcast)),
    ("vector.compressstore", No(MEMORY)),
    ("vector.constant_mask", No(MASKS)),
    ("vector.contract", No(MANY_DIMS)),
    ("vector.create_mask", No(MASKS)),
    ("vector.deinterleave", E(vectors::deinterleave)),
    ("vector.expandload", No(MEMORY)),
    ("vector.extract", E(vectors::extract)),
    ("vector.extract_strided_slice", E(vectors::part)),
    ("vector.fma", F3(floats::FMA)),
    ("vector.from_elements", E(vectors::from_elements)),
    ("vector.gather", E(masked::gather)),
    ("vector.insert", E(vectors::insert)),
    ("vector.insert_strided_slice", E(vectors::with_part)),
    ("vector.interleave", E(vectors::interleave)),
    ("vector.load", E(buffers::neighbours)),
    ("vector.mask", No(MASKS)),
    ("vector.maskedload", E(masked::load)),
    ("vector.maskedstore", E(masked::store)),
    ("vector.multi_reduction", No(MANY_DIMS)),
    ("vector.outerproduct", No(MANY_DIMS)),
    ("vector.print", No("a kernel has nowhere to print to")),
    ("vector.reduction", E(vectors::reduction)),
    ("vector.scalable.extract", No(SCALABLE)),
    ("vector.scalable.insert", No(SCALABLE)),
    ("vector.scan", No(MANY_DIMS)),
    ("vector.scatter", E(masked::scatter)),
    ("vector.shape_cast", E(vectors::shape_cast)),
    ("vector.shuffle", E(vectors::shuffle)),
    ("vector.step", E(vectors::step)),
    ("vector.store", E(buffers::neighbours)),
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
    let unary = || math::UNARY.iter().find(|(n, _)| *n == name).map(|(_, four)| Rule::Float1(*four));
    let refused = || llvm::REFUSED.iter().find(|(_, names)| names.contains(&name)).map(|(why, _)| No(why));
    in_table(RULES)
        .or_else(|| in_table(layouts::RULES))
        .or_else(|| in_table(llvm::RULES))
        .or_else(unary)
        .or_else(refused)
}

/// All operations that the table answers for, with the reason where the answer is no.
pub fn names() -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
    let why = |rule: &Rule| match rule {
        Rule::Unsupported(why) => Some(*why),
        _ => None,
    };
    let refused = llvm::REFUSED.iter().flat_map(|(why, names)| names.iter().map(|name| (*name, Some(*why))));
    let rules = RULES.iter().chain(layouts::RULES).chain(llvm::RULES).map(move |(name, rule)| (*name, why(rule)));
    rules.chain(math::UNARY.iter().map(|(name, _)| (*name, None))).chain(refused)
}
