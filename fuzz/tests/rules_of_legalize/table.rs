//! For each legalisation rule, the bug that a test inserts, or the reason why no bug is inserted.
use cube_fuzz::mutate::Bug;

/// The kernel that detects a bug.
#[derive(Clone, Copy)]
pub enum On {
    /// A row of the table of operations: type of the operands, text, type of the result.
    Row(&'static str, &'static str, &'static str),
    /// A kernel whose buffers are named after their contents.
    Kernel(&'static str),
}
use self::On::{Kernel, Row};

/// One entry: rule, kernel, inserted bug, index of the changed operation among the candidates, and name of
/// the operation.
pub const PLANTED: &[(&str, On, Bug, usize, &str)] = &[
    ("expand_integers::divui", Row("i32", "cube.divui %a, %b : T", "i32"), Bug::Select, 0, "arith.select"),
    ("expand_integers::unsigned", Row("i64", "cube.divui %a, %b : T", "i64"), Bug::Predicate, 0, "arith.cmpi"),
    ("expand_integers::remui", Row("i32", "cube.remui %a, %b : T", "i32"), Bug::Select, 0, "arith.select"),
    ("expand_integers::one_bit", Row("i1", "cube.remsi %a, %b : T", "i1"), Bug::Lower, 0, "arith.constant"),
    ("expand_integers::divsi", Row("i32", "cube.divsi %a, %b : T", "i32"), Bug::FirstOperand, 1, "arith.ori"),
    ("expand_integers::remsi", Row("i32", "cube.remsi %a, %b : T", "i32"), Bug::FirstOperand, 1, "arith.ori"),
    ("expand_integers::signed", Row("i8", "cube.divsi %a, %b : T", "i8"), Bug::FirstOperand, 0, "arith.andi"),
    ("expand_integers::shl", Row("i32", "cube.shl %a, %b : T", "i32"), Bug::Constant, 0, "arith.constant"),
    ("expand_integers::shrui", Row("i32", "cube.shrui %a, %b : T", "i32"), Bug::Unsigned, 0, "arith.shrui"),
    ("expand_integers::shrsi", Row("i32", "cube.shrsi %a, %b : T", "i32"), Bug::Sign, 0, "arith.shrsi"),
    ("expand_integers::shift", Row("i8", "cube.shl %a, %b : T", "i8"), Bug::FirstOperand, 0, "arith.andi"),
    ("expand_integers::addui_sat", Row("i32", "cube.addui_sat %a, %b : T", "i32"), Bug::Predicate, 0, "arith.cmpi"),
    ("expand_integers::unsigned_sum", Row("i64", "cube.addui_sat %a, %b : T", "i64"), Bug::Lower, 0, "arith.constant"),
    ("expand_integers::subui_sat", Row("i32", "cube.subui_sat %a, %b : T", "i32"), Bug::Operands, 0, "arith.subi"),
    (
        "expand_integers::unsigned_difference",
        Row("i64", "cube.subui_sat %a, %b : T", "i64"),
        Bug::Select,
        0,
        "arith.select",
    ),
    ("expand_integers::addsi_sat", Row("i32", "cube.addsi_sat %a, %b : T", "i32"), Bug::FirstOperand, 0, "arith.xori"),
    ("expand_integers::subsi_sat", Row("i32", "cube.subsi_sat %a, %b : T", "i32"), Bug::FirstOperand, 1, "arith.xori"),
    (
        "expand_integers::signed_clamped",
        Row("i64", "cube.addsi_sat %a, %b : T", "i64"),
        Bug::Lower,
        1,
        "arith.constant",
    ),
    (
        "expand_integers::reverse_bits",
        Row("i32", "cube.reverse_bits %a : T", "i32"),
        Bug::Constant,
        3,
        "arith.constant",
    ),
    ("expand_integers::dot", Row("i32", "cube.dot %a, %b : T", "i32"), Bug::Sign, 0, "arith.shrsi"),
    ("expand_integers::reverse", Row("i64", "cube.reverse_bits %a : T", "i64"), Bug::Constant, 6, "arith.constant"),
    ("expand_lanes::lane_index", Row("i32", LANE_OUT, "i32"), Bug::Predicate, 0, "arith.cmpi"),
    ("expand_lanes::extract", Row("f32", LANE_OUT, "f32"), Bug::Select, 1, "arith.select"),
    ("expand_lanes::insert", Row("i32", LANE_IN, "i32"), Bug::Select, 1, "arith.select"),
    ("expand_casts::truncf", Row("f64", "arith.truncf %a : T to R", "f16"), Bug::Select, 0, "arith.select"),
    ("expand_casts::fptosi", Row("f32", "arith.fptosi %a : T to R", "i1"), Bug::Cut, 0, "arith.trunci"),
    ("expand_casts::fptoui", Row("f32", "arith.fptoui %a : T to R", "i1"), Bug::Cut, 0, "arith.trunci"),
    ("expand_casts::to_bool", Row("f16", "arith.fptosi %a : T to R", "i1"), Bug::Cut, 0, "arith.trunci"),
    ("expand_casts::round_to_odd", Row("f64", "arith.truncf %a : T to R", "bf16"), Bug::FirstOperand, 2, "arith.subi"),
    ("expand_conversions::expanded", Row("i1", "cube.cast %a : T to R", "i32"), Bug::Unsigned, 0, "arith.extui"),
    ("expand_conversions::int_to_int", Row("i32", "cube.cast %a : T to R", "i1"), Bug::Predicate, 0, "arith.cmpi"),
    (
        "expand_conversions::int_to_int",
        Row("i8", "cube.cast %a from_unsigned : T to R", "i64"),
        Bug::Unsigned,
        0,
        "arith.extui",
    ),
    ("expand_conversions::int_to_int", Row("i8", "cube.cast %a : T to R", "i64"), Bug::Sign, 0, "arith.extsi"),
    ("expand_conversions::clamp", Row("i32", "cube.cast %a saturate : T to R", "i16"), Bug::Lower, 0, "arith.constant"),
    (
        "expand_conversions::clamp",
        Row("i32", "cube.cast %a saturate : T to R", "i16"),
        Bug::Constant,
        1,
        "arith.constant",
    ),
    (
        "expand_conversions::clamp",
        Row("i64", "cube.cast %a from_unsigned to_unsigned saturate : T to R", "i8"),
        Bug::Unsigned,
        0,
        "arith.minui",
    ),
    ("expand_conversions::float_to_int", Row("f32", "cube.cast %a : T to R", "i8"), Bug::Lower, 1, "arith.constant"),
    (
        "expand_conversions::float_to_int",
        Row("f64", "cube.cast %a to_unsigned : T to R", "i64"),
        Bug::Unsigned,
        0,
        "arith.fptoui",
    ),
    (
        "expand_conversions::int_to_float",
        Row("i32", "cube.cast %a from_unsigned : T to R", "f16"),
        Bug::Unsigned,
        0,
        "arith.uitofp",
    ),
    ("expand_conversions::int_to_float", Row("i64", "cube.cast %a : T to R", "f64"), Bug::Sign, 0, "arith.sitofp"),
    ("expand_conversions/odd::double", Row("i64", "cube.cast %a : T to R", "bf16"), Bug::FirstOperand, 1, "arith.andi"),
    (
        "expand_conversions/odd::cut",
        Row("i64", "cube.cast %a from_unsigned : T to R", "bf16"),
        Bug::Select,
        0,
        "arith.select",
    ),
    ("expand_conversions/odd::above", Row("i64", "cube.cast %a : T to R", "bf16"), Bug::Predicate, 1, "arith.cmpi"),
    (
        "expand_conversions::float_to_float",
        Row("f64", "cube.cast %a : T to R", "f8E5M2"),
        Bug::Ordered,
        0,
        "arith.cmpf",
    ),
    ("expand_conversions::constant", Row("f8E5M2", CONSTANT, "f32"), Bug::Constant, 0, "arith.constant"),
    ("expand_conversions/fp8::encode", Row("f8E4M3FN", CONSTANT, "f32"), Bug::Lower, 0, "arith.constant"),
    (
        "expand_conversions/fp8::shift",
        Row("f8E4M3FN", "cube.cast %a : T to R", "f32"),
        Bug::Constant,
        1,
        "arith.constant",
    ),
    ("expand_conversions/fp8::natural", Row("f8E5M2", "cube.cast %a : T to R", "f32"), Bug::Select, 0, "arith.select"),
    ("expand_conversions/fp8::natural", Row("f8E5M2", "cube.cast %a : T to R", "f32"), Bug::Float, 0, "arith.constant"),
    (
        "expand_conversions/fp8::decode",
        Row("f8E4M3FN", "cube.cast %a : T to R", "f32"),
        Bug::Predicate,
        1,
        "arith.cmpi",
    ),
    ("expand_conversions/fp8::decode", Row("f8E5M2", "cube.cast %a : T to R", "f32"), Bug::Predicate, 2, "arith.cmpi"),
    (
        "expand_conversions/fp8::from_f32",
        Row("f32", "cube.cast %a saturate : T to R", "f8E4M3FN"),
        Bug::Select,
        1,
        "arith.select",
    ),
    (
        "expand_conversions/fp8::nearest",
        Row("f32", "cube.cast %a : T to R", "f8E4M3FN"),
        Bug::FirstOperand,
        2,
        "arith.andi",
    ),
    (
        "expand_conversions/fp8::directed",
        Row("f32", "cube.cast %a round upward : T to R", "f8E4M3FN"),
        Bug::Select,
        3,
        "arith.select",
    ),
    (
        "expand_conversions/fp8::directed",
        Row("f32", "cube.cast %a round downward : T to R", "f8E5M2"),
        Bug::Select,
        3,
        "arith.select",
    ),
    (
        "expand_conversions/fp8::directed",
        Row("f64", "cube.cast %a round toward_zero : T to R", "f8E4M3FN"),
        Bug::Select,
        3,
        "arith.select",
    ),
    ("expand_conversions/fp8::stored", Row("f6E3M2FN", CONSTANT, "f32"), Bug::Constant, 0, "arith.constant"),
    (
        "expand_conversions::reinterpreted",
        Row("f4E2M1FN", "%n = arith.bitcast %a : T to N ; %r = arith.extui %n : N to R", "i8"),
        Bug::Constant,
        0,
        "arith.constant",
    ),
    (
        "expand_conversions/scale::decode",
        Row("f8E8M0FNU", "cube.cast %a : T to R", "f32"),
        Bug::Select,
        0,
        "arith.select",
    ),
    (
        "expand_conversions/scale::from_f32",
        Row("f32", "cube.cast %a saturate round upward : T to R", "f8E8M0FNU"),
        Bug::Select,
        0,
        "arith.select",
    ),
    (
        "expand_conversions/rounding::truncf",
        Row("f32", "cube.cast %a round upward : T to R", "f16"),
        Bug::Select,
        0,
        "arith.select",
    ),
    (
        "expand_conversions/rounding::truncf",
        Row("f32", "cube.cast %a round downward : T to R", "bf16"),
        Bug::Select,
        0,
        "arith.select",
    ),
    (
        "expand_conversions/rounding::truncf",
        Row("f64", "cube.cast %a round toward_zero : T to R", "f32"),
        Bug::Select,
        0,
        "arith.select",
    ),
    (
        "expand_conversions/rounding::max_of",
        Row("f32", "cube.cast %a saturate : T to R", "f16"),
        Bug::Float,
        0,
        "arith.constant",
    ),
    (
        "expand_conversions/rounding::finite",
        Row("f64", "cube.cast %a saturate : T to R", "f32"),
        Bug::Select,
        1,
        "arith.select",
    ),
    ("expand_conversions/rounding::tf32", Row("f32", "cube.cast %a : T to R", "tf32"), Bug::Lower, 2, "arith.constant"),
    (
        "expand_conversions/rounding::tf32",
        Row("f32", "cube.cast %a round upward : T to R", "tf32"),
        Bug::Select,
        0,
        "arith.select",
    ),
    (
        "expand_conversions/rounding::tf32",
        Row("f32", "cube.cast %a round downward : T to R", "tf32"),
        Bug::Lower,
        1,
        "arith.constant",
    ),
    (
        "expand_conversions/rounding::tf32",
        Row("f32", "cube.cast %a round toward_zero : T to R", "tf32"),
        Bug::Lower,
        1,
        "arith.constant",
    ),
    (
        "expand_conversions/rounding::tf32",
        Row("f64", "cube.cast %a saturate : T to R", "tf32"),
        Bug::Select,
        2,
        "arith.select",
    ),
    (
        "expand_conversions/rounding::of_tf32",
        Row("tf32", "cube.cast %a : T to R", "f32"),
        Bug::FirstOperand,
        0,
        "arith.andi",
    ),
    ("expand_math::class_of", Row("f32", "math.isfinite %a : T", "i1"), Bug::Ordered, 0, "arith.cmpf"),
    ("expand_math::class_of", Row("f64", "math.isinf %a : T", "i1"), Bug::Ordered, 0, "arith.cmpf"),
    ("expand_math::class_of", Row("f16", "math.isnan %a : T", "i1"), Bug::Ordered, 0, "arith.cmpf"),
    ("expand_math::class_of", Row("bf16", "math.isnormal %a : T", "i1"), Bug::FirstOperand, 2, "arith.andi"),
    (
        "expand_math::apply",
        Row("f32", "math.clampf %a to [ %b, %c ] : T", "f32"),
        Bug::FirstOperand,
        0,
        "arith.maximumf",
    ),
    ("expand_math::apply", Row("f32", "%r, %s = math.sincos %a : T", "f32"), Bug::Float, 0, "arith.constant"),
    ("expand_math::f", Row("f32", "math.exp %a : T", "f32"), Bug::Float, 0, "arith.constant"),
    ("expand_math::i", Row("f32", "math.exp %a : T", "f32"), Bug::Constant, 1, "arith.constant"),
    ("expand_math::select", Row("f32", "math.exp %a : T", "f32"), Bug::Select, 0, "arith.select"),
    ("expand_math::add", Row("f32", "math.exp %a : T", "f32"), Bug::Stale, 0, "arith.addf"),
    ("expand_math::fma", Row("f32", "math.exp %a : T", "f32"), Bug::FirstOperand, 0, "math.fma"),
    ("expand_math::near_fma", Row("f32", "math.exp %a : T", "f32"), Bug::FirstOperand, 0, "math.fma"),
    ("expand_checks::inside", Kernel(LOADS), Bug::Predicate, 0, "arith.cmpi"),
    ("expand_checks::guard", Kernel(STORES), Bug::Predicate, 0, "arith.cmpi"),
    ("expand_checks::guard", Kernel(ATOMICS), Bug::Predicate, 0, "arith.cmpi"),
    ("normalize_loops::count", Kernel(COUNTED), Bug::Select, 1, "arith.select"),
    ("normalize_loops::count", Kernel(COUNTED), Bug::Operands, 0, "arith.subi"),
    ("normalize_loops::count", Kernel(COUNTED), Bug::Predicate, 1, "arith.cmpi"),
    ("buffers_to_memref::lowered", Kernel(LOADS), Bug::Elsewhere, 0, "memref.load"),
    ("buffers_to_memref::lowered", Kernel(BOOLS), Bug::Predicate, 0, "arith.cmpi"),
    ("expand_math::sub", Row("f32", "math.exp %a : T", "f32"), Bug::Operands, 0, "arith.subf"),
    ("expand_math::mul", Row("f32", "math.exp %a : T", "f32"), Bug::Stale, 2, "arith.mulf"),
    ("expand_math::div", Row("f32", "math.tanh %a : T", "f32"), Bug::Operands, 5, "arith.divf"),
    ("expand_math::sqrt", Row("f32", "math.asin %a : T", "f32"), Bug::FirstOperand, 3, "math.sqrt"),
    ("expand_math::neg", Row("f32", "math.asin %a : T", "f32"), Bug::FirstOperand, 1, "arith.negf"),
    ("expand_math::abs", Row("f32", "math.tanh %a : T", "f32"), Bug::FirstOperand, 0, "math.absf"),
    ("expand_math::copysign", Row("f32", "math.asin %a : T", "f32"), Bug::FirstOperand, 10, "math.copysign"),
    ("expand_math::of_int", Row("f32", "math.powf %a, %b : T", "f32"), Bug::Sign, 1, "arith.sitofp"),
    ("expand_math::iadd", Row("f32", "math.exp %a : T", "f32"), Bug::Stale, 1, "arith.addi"),
    ("expand_math::isub", Row("f32", "math.exp %a : T", "f32"), Bug::Operands, 1, "arith.subi"),
    ("expand_math::div", Row("f16", "math.tanh %a : T", "f16"), Bug::FirstOperand, 17, "arith.divf f32"),
    ("expand_math::copysign", Row("f16", "math.tanh %a : T", "f16"), Bug::Exchanged, 3, "arith.cmpi i1 2"),
    ("expand_math::imul", Row("f32", "arith.remf %a, %b : T", "f32"), Bug::Stale, 2, "arith.muli"),
    ("expand_math::iand", Row("f32", "arith.remf %a, %b : T", "f32"), Bug::FirstOperand, 4, "arith.andi i32"),
    ("expand_math::ior", Row("f32", "arith.remf %a, %b : T", "f32"), Bug::FirstOperand, 5, "arith.ori i32"),
    ("expand_math::shl", Row("f32", "math.exp %a : T", "f32"), Bug::Operands, 3, "arith.shli"),
    ("expand_math::shr_s", Row("f32", "math.powf %a, %b : T", "f32"), Bug::Sign, 0, "arith.shrsi"),
    ("expand_math::shr_u", Row("f32", "arith.remf %a, %b : T", "f32"), Bug::FirstOperand, 2, "arith.shrui"),
    ("buffers_to_memref::lowered", Kernel(BOOLS), Bug::Unsigned, 2, "arith.extui"),
    ("buffers_to_memref::lowered", Kernel(BOOLS), Bug::Lower, 0, "arith.constant i8"),
    ("buffers_to_memref::lowered", Kernel(STORES), Bug::Constant, 0, "arith.constant index"),
    ("buffers_to_memref::lowered", Kernel(SHARED), Bug::Constant, 0, "arith.constant i32"),
    ("buffers_to_memref::memory", Kernel(SHARED), Bug::Shorter, 0, "memref.alloca"),
    ("buffers_to_memref::memory", Kernel(SHARED), Bug::Shorter, 1, "memref.alloca"),
    ("buffers_to_memref::index", Kernel(LOADS), Bug::Elsewhere, 0, "memref.load"),
    ("buffers_to_memref::lowered", Kernel(ALIGNED), Bug::Elsewhere, 0, "vector.load"),
    ("buffers_to_memref::lowered", Kernel(ALIGNED), Bug::Elsewhere, 1, "vector.store"),
    ("expand_math::iselect", Row("f32", "arith.remf %a, %b : T", "f32"), Bug::Select, 1, "arith.select i32"),
    ("expand_math::ilt", Row("f32", "arith.remf %a, %b : T", "f32"), Bug::Predicate, 1, "arith.cmpi i1 2"),
    ("expand_math::ieq", Row("f32", "math.sin %a : T", "f32"), Bug::Predicate, 0, "arith.cmpi i1 0"),
    ("expand_math::lt", Row("f32", "arith.remf %a, %b : T", "f32"), Bug::Ordered, 2, "arith.cmpf i1 4"),
    ("expand_math::eq", Row("f32", "math.powf %a, %b : T", "f32"), Bug::Ordered, 9, "arith.cmpf i1 1"),
    ("expand_math::and", Row("f32", "math.atan2 %a, %b : T", "f32"), Bug::FirstOperand, 3, "arith.andi i1"),
    ("expand_math::bits", Row("f32", "math.log %a : T", "f32"), Bug::Recast, 0, "arith.bitcast i32"),
    ("expand_math::of_bits", Row("f32", "math.log %a : T", "f32"), Bug::Recast, 2, "arith.bitcast f32"),
    ("expand_math::to_int", Row("f32", "math.powf %a, %b : T", "f32"), Bug::Recast, 7, "arith.fptosi i32"),
    ("expand_math::ixor", Row("f32", "math.sin %a : T", "f32"), Bug::FirstOperand, 55, "arith.xori i32"),
    ("expand_math::le", Row("f32", "math.asin %a : T", "f32"), Bug::Exchanged, 0, "arith.cmpf i1 5"),
    ("expand_math::ult", Row("f32", "math.cos %a : T", "f32"), Bug::Exchanged, 2, "arith.cmpi i1 6"),
    ("expand_math::not", Row("f32", "math.powf %a, %b : T", "f32"), Bug::FirstOperand, 53, "arith.xori i1"),
    ("expand_math::or", Row("f32", "math.powf %a, %b : T", "f32"), Bug::FirstOperand, 47, "arith.ori i1"),
    ("expand_math::one", Row("f32", "math.asin %a : T", "f32"), Bug::FirstOperand, 1, "arith.negf f32"),
    ("expand_math::umul_hi", Row("f32", "math.sin %a : T", "f32"), Bug::Half, 1, "arith.mului_extended"),
];

const LANE_OUT: &str = "%e = cube.extract %a [ %j ] : T -> E ; %r = vector.broadcast %e : E to T";
const LANE_IN: &str =
    "%s = arith.constant 2 : i32 ; %e = cube.extract %b [ %s ] : T -> E ; %r = cube.insert %e, %a [ %j ] : E, T";
const CONSTANT: &str = "%s = arith.constant 1.5 : T ; %r = cube.cast %s : T to R";

/// A kernel that reads outside of a buffer of 40 elements.
const LOADS: &str = "cube.kernel @k(%s: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %s[%i] : !cube.array<i32> -> i32
  cube.store %v, %y[%i] inbounds : i32, !cube.array<i32>
  cube.return
}";
/// A kernel that writes outside of a buffer of 40 elements.
const STORES: &str = "cube.kernel @k(%x: !cube.array<i32>, %s: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] inbounds : !cube.array<i32> -> i32
  cube.store %v, %s[%i] : i32, !cube.array<i32>
  cube.return
}";
const ATOMICS: &str = "cube.kernel @k(%x: !cube.array<i32>, %s: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] inbounds : !cube.array<i32> -> i32
  %old = cube.atomic_rmw addi %v, %s[%i] : i32, !cube.array<i32>
  cube.return
}";
/// A kernel whose units beyond the first 8 write out of bounds. The launch has several cubes, so that the
/// position of a unit in its cube differs from its position in the launch.
const SHARED: &str = "cube.kernel @k(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %all = cube.alloc : !cube.shared<8 x i32>
  %own = cube.alloc : !cube.local<64 x i32>
  %v = cube.load %x[%i] inbounds : !cube.array<i32> -> i32
  cube.store %v, %all[%i] : i32, !cube.shared<8 x i32>
  cube.store %v, %own[%i] inbounds : i32, !cube.local<64 x i32>
  %u = cube.topology unit_pos
  %w = cube.load %own[%u] inbounds : !cube.local<64 x i32> -> i32
  cube.sync cube
  %c = cube.topology cube_pos
  %s = cube.load %all[%c] inbounds : !cube.shared<8 x i32> -> i32
  %r = arith.subi %w, %s : i32
  cube.store %r, %y[%i] inbounds : i32, !cube.array<i32>
  cube.return
}";
const BOOLS: &str = "cube.kernel @k(%p: !cube.array<i1>, %q: !cube.array<i1>) cube_dim(64) unchecked {
  %i = cube.topology absolute_pos
  %v = cube.load %p[%i] : !cube.array<i1> -> i1
  cube.store %v, %q[%i] : i1, !cube.array<i1>
  cube.return
}";
/// A loop with so few iterations that `normalize-wide-loops` leaves the loop unchanged.
const COUNTED: &str = "cube.kernel @k(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) unchecked {
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %sum = scf.for unsigned %c = %zero to %i step %three iter_args(%so_far = %v) -> (i32) : i32 {
    %double = arith.muli %so_far, %three : i32
    %next = arith.xori %double, %c : i32
    scf.yield %next : i32
  }
  cube.store %sum, %y[%i] : i32, !cube.array<i32>
  cube.return
}";
/// A kernel that accesses four adjacent elements at once.
const ALIGNED: &str = "cube.kernel @k(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(16) unchecked {
  %two = arith.constant 2 : i32
  %i = cube.topology absolute_pos
  %at = arith.shli %i, %two : i32
  %v = cube.load %x[%at] inbounds {align = 4 : i32} : !cube.array<i32> -> vector<4xi32>
  cube.store %v, %y[%at] inbounds {align = 4 : i32} : vector<4xi32>, !cube.array<i32>
  cube.return
}";

/// Functions that do not create operations of a kernel, with the reason.
pub const WITHOUT: &[(&str, &[&str])] = &[
    (
        "only chips without a fused multiply-add need it: test/legalize/expand_math.targets.mlir and test/vulkan cover it",
        &["expand_math::nearest_to_product"],
    ),
    (
        "it changes nothing: the pass coarsen keeps one copy of what is expanded, and no result depends on the number of copies",
        &["expand_math::is_expanded"],
    ),
    (
        "it leaves out a comparison: test/legalize/expand_lanes.mlir has indices with both answers",
        &["expand_lanes::is_counter_below"],
    ),
    (
        "it applies the rules to a kernel, each of which is here",
        &[
            "buffers_to_memref::run",
            "normalize_loops::run",
            "expand_casts::run",
            "expand_checks::run",
            "expand_conversions::run",
            "expand_integers::run",
            "expand_lanes::run",
            "expand_math::run",
            "expand_missing::run",
        ],
    ),
    (
        "it names a type, a width or a format; another one does not verify",
        &[
            "expand_conversions/fp8::rebias",
            "expand_conversions::bits",
            "expand_conversions::is_wide",
            "expand_conversions::of",
            "expand_conversions::register",
            "expand_conversions/odd::kind",
            "expand_conversions::store",
            "expand_math::new",
        ],
    ),
    (
        "it is a table: a unit test compares it with the names of the operations or of the bounds",
        &["expand_math/function::expansion", "expand_math/function::bound_name"],
    ),
    (
        "it passes an operand that exists, and makes no operation: the kernel @extended of test/legalize/expand_conversions.mlir",
        &["expand_conversions::before_extension"],
    ),
    (
        "it refuses: tests of messages hold it",
        &[
            "expand_conversions::check",
            "expand_conversions::has_code",
            "expand_conversions::moves",
            "expand_math::checked",
            "expand_math::function_of",
            "expand_missing::types",
        ],
    ),
    (
        "the CPU lacks none of these operations and has f64: fuzz/tests/chips.rs compares them for chips that do not",
        &[
            "expand_conversions::is_native",
            "expand_conversions/odd::is_faster",
            "expand_conversions/odd::short",
            "expand_conversions/odd::single",
            "expand_conversions/rounding::halves",
            "expand_conversions/rounding::words",
            "expand_math/in_double::fused",
            "expand_math/in_double::has",
            "expand_math/in_double::rounded",
            "expand_math/in_double::widened",
            "expand_math::fused",
            "expand_math::strict_difference",
            "expand_math::strict_product",
            "expand_math::strict_sum",
            "expand_missing/division::by_digits",
            "expand_missing/division::digit",
            "expand_missing/division::divided",
            "expand_missing/division::divsi",
            "expand_missing/division::divui",
            "expand_missing/division::number_of",
            "expand_missing/division::remsi",
            "expand_missing/division::remui",
            "expand_missing/division::signed",
            "expand_missing/division::unsigned",
            "expand_missing/division::wide_of",
            "expand_missing::absf",
            "expand_missing::addui_extended",
            "expand_missing::below",
            "expand_missing::bits_of",
            "expand_missing::copysign",
            "expand_missing::count",
            "expand_missing::ctlz",
            "expand_missing::ctpop",
            "expand_missing::cttz",
            "expand_missing::extreme",
            "expand_missing::fill_below_leading_one",
            "expand_missing::has_ones",
            "expand_missing::leading",
            "expand_missing::magnitude",
            "expand_missing::maximumf",
            "expand_missing::maxnumf",
            "expand_missing::minimumf",
            "expand_missing::minnumf",
            "expand_missing::mulsi_extended",
            "expand_missing::mului_extended",
            "expand_missing::not",
            "expand_missing::ones",
            "expand_missing::product",
            "expand_missing::sign_of_other",
            "expand_missing::signed_product",
            "expand_missing::stripes",
            "expand_missing::sum_and_carry",
            "expand_missing::trailing",
            "expand_missing::unsigned_product",
            "expand_missing::width",
        ],
    ),
    (
        "it counts, reports or chooses, and makes no operation",
        &[
            "expand_math::is_approximated",
            "expand_math::is_short",
            "expand_math::report_ignored_flags",
            "expand_math::size_around",
        ],
    ),
    (
        "no chip of the CPU emulates planes: `cargo test -p cube-vulkan-test --test kernels -- plane` compares each operation",
        &[
            "emulate_planes::barrier",
            "emulate_planes::div",
            "emulate_planes::load",
            "emulate_planes::moved",
            "emulate_planes::of",
            "emulate_planes::of_both",
            "emulate_planes::of_words",
            "emulate_planes::plane_dim",
            "emulate_planes::position",
            "emulate_planes::read",
            "emulate_planes::reduce",
            "emulate_planes::rem",
            "emulate_planes::run",
            "emulate_planes::scan",
            "emulate_planes::store",
            "emulate_planes::sync",
            "emulate_planes::tile",
            "emulate_planes::units",
            "emulate_planes::value",
            "emulate_planes::word",
        ],
    ),
    (
        "no formula of a position in a plane has this input or operation",
        &[
            "emulate_planes::add",
            "emulate_planes::cluster",
            "emulate_planes::count",
            "emulate_planes::cube",
            "emulate_planes::dim",
            "emulate_planes::mul",
            "emulate_planes::unit",
        ],
    ),
    (
        "the CPU rounds quotients correctly: passes/math/tests, expand_math.targets.mlir",
        &["expand_math::division_error"],
    ),
    (
        "they are for PTX and AMD GPUs: test/legalize/near_exp2.mlir, benches/kernels/erf_error.mlir",
        &[
            "expand_math::has_near_exp2",
            "expand_math::has_near_inverse",
            "expand_math::near_exp2",
            "expand_math::near_inverse",
        ],
    ),
    ("a loop that it leaves alone means the same when it is counted", &["normalize_loops::steps_by_one"]),
];
