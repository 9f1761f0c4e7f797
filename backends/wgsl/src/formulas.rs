//! The value of an operation in each lane, as an expression.
use crate::planes;
use crate::scalar::{Scalar, as_word, is_literal, signed, word};
use cube_ir::Op;
use cube_ir::ops::{arith, cube, math, vector, vector::CombiningKind};
use cube_ir::upstream::{FloatCmp, IntCmp};
use cube_structured::planes::combine_of;
use cube_structured::{Logic, OfBools};

/// One lane of the result of an operation; `None` for an operation that does not compute each lane
/// separately.
pub fn lane(op: Op<'_>, operands: &[String]) -> Option<String> {
    let from = Scalar::of(op.operands().next()?.ty())?;
    let to = Scalar::of(op.results().next()?.ty())?;
    let mut operands = operands.to_vec();
    // An expression of only literals would be a constant expression. WGSL forbids overflow and NaN in constant
    // expressions.
    if operands.iter().all(|operand| is_literal(operand)) {
        let first = operands.first_mut()?;
        *first = from.at_run_time(first);
    }
    let at = |number: usize| operands.get(number).map_or("", String::as_str);
    let (a, b, c) = (at(0), at(1), at(2));
    match op.kind() {
        arith::SELECT => return Some(format!("select({c}, {b}, {a})")),
        arith::BITCAST => return bits(from, to, a),
        arith::CMPF => return Some(float_compare(arith::Cmpf::of(op)?.predicate()?, from, a, b)),
        _ => {}
    }
    match from {
        Scalar::Bool => of_bools(op, to, a, b),
        Scalar::Byte => of_small(op, to, 24, a, b),
        Scalar::Short => of_small(op, to, 16, a, b),
        Scalar::Word => of_words(op, to, a, b),
        Scalar::Half | Scalar::Float => of_floats(op, to, a, b),
    }
}

fn of_words(op: Op<'_>, to: Scalar, a: &str, b: &str) -> Option<String> {
    let as_signed = |sign: &str| format!("bitcast<u32>({} {sign} {})", signed(a), signed(b));
    let call = |name: &str| format!("{name}({a}, {b})");
    let call_signed = |name: &str| format!("bitcast<u32>({name}({}, {}))", signed(a), signed(b));
    // WGSL forbids a division by 0 and a shift by the width in constant expressions.
    let by = as_word(b).map_or_else(|| format!("({b} & 31u)"), |by| word(by & 31));
    let by_zero = as_word(b) == Some(0);
    Some(match op.kind() {
        arith::ADDI => format!("{a} + {b}"),
        arith::SUBI => format!("{a} - {b}"),
        arith::MULI => format!("{a} * {b}"),
        arith::ANDI => format!("{a} & {b}"),
        arith::ORI => format!("{a} | {b}"),
        arith::XORI => format!("{a} ^ {b}"),
        arith::SHLI | cube::SHL => format!("{a} << {by}"),
        arith::SHRUI | cube::SHRUI => format!("{a} >> {by}"),
        arith::SHRSI | cube::SHRSI => format!("bitcast<u32>({} >> {by})", signed(a)),
        arith::DIVUI | arith::DIVSI | cube::DIVUI | cube::DIVSI if by_zero => a.into(),
        arith::REMUI | arith::REMSI | cube::REMUI | cube::REMSI if by_zero => "0u".into(),
        arith::DIVUI | cube::DIVUI => format!("{a} / {b}"),
        arith::REMUI | cube::REMUI => format!("{a} % {b}"),
        arith::DIVSI | cube::DIVSI => as_signed("/"),
        arith::REMSI | cube::REMSI => as_signed("%"),
        arith::MINUI => call("min"),
        arith::MAXUI => call("max"),
        arith::MINSI => call_signed("min"),
        arith::MAXSI => call_signed("max"),
        arith::CMPI => compare(arith::Cmpi::of(op)?.predicate()?, a, b),
        arith::TRUNCI if to == Scalar::Bool => format!("({a} & 1u) != 0u"),
        arith::TRUNCI if to == Scalar::Byte => format!("{a} & 0xffu"),
        arith::INDEX_CAST | arith::INDEX_CASTUI if to == Scalar::Bool => format!("({a} & 1u) != 0u"),
        arith::INDEX_CAST | arith::INDEX_CASTUI | arith::TRUNCI => a.into(),
        arith::UITOFP => format!("{}({a})", to.wgsl()),
        arith::SITOFP => format!("{}({})", to.wgsl(), signed(a)),
        math::ABSI => format!("bitcast<u32>(abs({}))", signed(a)),
        math::CTPOP => format!("countOneBits({a})"),
        math::CTLZ => format!("countLeadingZeros({a})"),
        math::CTTZ => format!("countTrailingZeros({a})"),
        cube::REVERSE_BITS => format!("reverseBits({a})"),
        _ => return None,
    })
}

fn of_bools(op: Op<'_>, to: Scalar, a: &str, b: &str) -> Option<String> {
    let number = |one: &str, zero: &str| format!("select({zero}, {one}, {a})");
    Some(match op.kind() {
        arith::EXTUI | arith::INDEX_CASTUI => number("1u", "0u"),
        arith::EXTSI | arith::INDEX_CAST if to == Scalar::Byte => number("0xffu", "0u"),
        arith::EXTSI | arith::INDEX_CAST => number("0xffffffffu", "0u"),
        arith::UITOFP if to == Scalar::Half => number("1.0h", "0.0h"),
        arith::UITOFP => number("1.0f", "0.0f"),
        arith::SITOFP if to == Scalar::Half => number("-1.0h", "0.0h"),
        arith::SITOFP => number("-1.0f", "0.0f"),
        _ => {
            let OfBools { not: [first, second], logic } = OfBools::of(op)?;
            let (first, second) = (if first { "!" } else { "" }, if second { "!" } else { "" });
            let sign = match logic {
                Logic::Both => "&",
                Logic::Either => "|",
                Logic::Equal => "==",
                Logic::Differ => "!=",
                Logic::First => return Some(a.into()),
                Logic::False => return Some(format!("{a} & false")),
            };
            format!("{first}{a} {sign} {second}{b}")
        }
    })
}

// Operations on integers that are `spare` bits narrower than a word.
fn of_small(op: Op<'_>, to: Scalar, spare: u32, a: &str, b: &str) -> Option<String> {
    Some(match op.kind() {
        arith::ANDI => format!("{a} & {b}"),
        arith::ORI => format!("{a} | {b}"),
        arith::XORI => format!("{a} ^ {b}"),
        arith::CMPI => match arith::Cmpi::of(op)?.predicate()? {
            signed @ (IntCmp::Slt | IntCmp::Sle | IntCmp::Sgt | IntCmp::Sge) => {
                compare(signed, &format!("({a} << {spare}u)"), &format!("({b} << {spare}u)"))
            }
            predicate => compare(predicate, a, b),
        },
        arith::TRUNCI if to == Scalar::Bool => format!("({a} & 1u) != 0u"),
        arith::EXTUI | arith::INDEX_CASTUI => a.into(),
        _ => return None,
    })
}

fn of_floats(op: Op<'_>, to: Scalar, a: &str, b: &str) -> Option<String> {
    Some(match op.kind() {
        arith::ADDF => format!("{a} + {b}"),
        // lavapipe folds `a - a` to 0, also for infinities.
        arith::SUBF if a == b => format!("{a} + -{b}"),
        arith::SUBF => format!("{a} - {b}"),
        arith::MULF => format!("{a} * {b}"),
        arith::DIVF => format!("{a} / {b}"),
        arith::NEGF => format!("-{a}"),
        arith::EXTF | arith::TRUNCF => format!("{}({a})", to.wgsl()),
        arith::FPTOUI if to == Scalar::Bool => format!("u32({a}) != 0u"),
        arith::FPTOSI if to == Scalar::Bool => format!("i32({a}) != 0i"),
        arith::FPTOUI if to == Scalar::Word => format!("u32({a})"),
        arith::FPTOSI if to == Scalar::Word => format!("bitcast<u32>(i32({a}))"),
        math::ABSF => format!("abs({a})"),
        math::CEIL => format!("ceil({a})"),
        math::FLOOR => format!("floor({a})"),
        math::TRUNC => format!("trunc({a})"),
        math::ROUNDEVEN => format!("round({a})"),
        math::RSQRT => format!("inverseSqrt({a})"),
        // Earlier passes expand these functions, except on operations whose fast-math flags permit an
        // approximation.
        math::EXP => format!("exp({a})"),
        math::EXP2 => format!("exp2({a})"),
        math::LOG => format!("log({a})"),
        math::LOG2 => format!("log2({a})"),
        math::SIN => format!("sin({a})"),
        math::COS => format!("cos({a})"),
        math::TAN => format!("tan({a})"),
        math::TANH => format!("tanh({a})"),
        _ => return None,
    })
}

fn bits(from: Scalar, to: Scalar, a: &str) -> Option<String> {
    match (from, to) {
        (Scalar::Word, Scalar::Float) => Some(format!("bitcast<f32>({a})")),
        (Scalar::Float, Scalar::Word) => Some(format!("bitcast<u32>({a})")),
        // naga 30 has no bit casts between vectors of f16 and words; the conversion of f16 to f32 is exact.
        (Scalar::Half, Scalar::Short) => Some(format!("pack2x16float(vec2<f32>(f32({a}), 0.0f))")),
        (Scalar::Short, Scalar::Half) => Some(format!("f16(unpack2x16float({a}).x)")),
        _ => (from == to).then(|| a.to_string()),
    }
}

fn compare(predicate: IntCmp, a: &str, b: &str) -> String {
    let sign = match predicate {
        IntCmp::Eq => "==",
        IntCmp::Ne => "!=",
        IntCmp::Slt | IntCmp::Ult => "<",
        IntCmp::Sle | IntCmp::Ule => "<=",
        IntCmp::Sgt | IntCmp::Ugt => ">",
        IntCmp::Sge | IntCmp::Uge => ">=",
    };
    match predicate {
        IntCmp::Slt | IntCmp::Sle | IntCmp::Sgt | IntCmp::Sge => format!("{} {sign} {}", signed(a), signed(b)),
        _ => format!("{a} {sign} {b}"),
    }
}

// In WGSL a comparison with NaN is false, but implementations can assume that NaN does not occur. A test for NaN
// therefore reads the bits.
fn float_compare(predicate: FloatCmp, ty: Scalar, a: &str, b: &str) -> String {
    let not = |predicate| format!("!({})", float_compare(predicate, ty, a, b));
    match predicate {
        FloatCmp::False => "false".into(),
        FloatCmp::True => "true".into(),
        FloatCmp::Oeq => format!("{a} == {b}"),
        FloatCmp::Ogt => format!("{a} > {b}"),
        FloatCmp::Oge => format!("{a} >= {b}"),
        FloatCmp::Olt => format!("{a} < {b}"),
        FloatCmp::Ole => format!("{a} <= {b}"),
        FloatCmp::One => format!("({a} < {b}) | ({a} > {b})"),
        FloatCmp::Uno if a == b => is_nan(ty, a),
        FloatCmp::Uno => format!("{} | {}", is_nan(ty, a), is_nan(ty, b)),
        FloatCmp::Ord => not(FloatCmp::Uno),
        FloatCmp::Ueq => not(FloatCmp::One),
        FloatCmp::Ugt => not(FloatCmp::Ole),
        FloatCmp::Uge => not(FloatCmp::Olt),
        FloatCmp::Ult => not(FloatCmp::Oge),
        FloatCmp::Ule => not(FloatCmp::Ogt),
        FloatCmp::Une => not(FloatCmp::Oeq),
    }
}

fn is_nan(ty: Scalar, a: &str) -> String {
    let single = match ty {
        _ if is_literal(a) => return "false".into(),
        Scalar::Half => format!("f32({a})"),
        _ => a.to_string(),
    };
    format!("((bitcast<u32>({single}) & 0x7fffffffu) > 0x7f800000u)")
}

/// Combines two lanes of a vector reduction; `None` for reductions that an earlier pass expands.
pub fn combined(op: Op<'_>, a: &str, b: &str) -> Option<String> {
    let ty = Scalar::of(op.results().next()?.ty())?;
    let a = if is_literal(a) && is_literal(b) { ty.at_run_time(a) } else { a.to_string() };
    match vector::Reduction::of(op)?.kind()? {
        CombiningKind::Minimumf => extreme(ty, "min_nan", &a, b),
        CombiningKind::Maximumf => extreme(ty, "max_nan", &a, b),
        kind => planes::combined(combine_of(kind, cube_structured::Scalar::of(op.result(0).ty())?)?, ty, &a, b),
    }
}

// Minimum or maximum of two floats, through functions in the text (`planes::ORDER`).
fn extreme(ty: Scalar, name: &str, a: &str, b: &str) -> Option<String> {
    match ty {
        Scalar::Float => Some(format!("{name}({a}, {b})")),
        Scalar::Half => Some(format!("f16({name}(f32({a}), f32({b})))")),
        _ => None,
    }
}
