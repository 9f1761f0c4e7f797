//! WGSL functions that combine and move the lanes of a plane.
//!
//! Sums of floats have the same bits as in the interpreter. A reduction combines the upper half of the lanes with the
//! lower half. A scan adds the lanes at distances 1, 2, 4 and so on below each lane. WGSL's `subgroupAdd` can add the
//! lanes in a different order than the interpreter, and the sum is then rounded differently.
use crate::scalar::{Scalar, word};
use cube_dialect::Combine;
use cube_structured::WORD;
use cube_structured::planes::{Collective, of_bools, scan_start};

/// The WGSL function that returns the number of active units of the plane.
pub const COUNT: &str = "\
fn plane_count() -> u32 {
    let lanes = countOneBits(subgroupBallot(true));
    return lanes.x + lanes.y + lanes.z + lanes.w;
}
";

/// The name and text of the function that returns another lane's value. If the other lane is absent, the function
/// returns the current lane's value. A plane has at most `widest` units.
pub fn moved(ty: Scalar, widest: u32) -> Option<(String, String)> {
    let name = format!("plane_lane_{}", ty.wgsl());
    let lane = format!("min(from_lane, {}u)", widest - 1);
    let (head, shuffled) = match ty {
        Scalar::Byte | Scalar::Short => return None,
        Scalar::Bool => (format!("subgroupShuffle(select(0u, 1u, value), {lane}) != 0u"), "bool"),
        Scalar::Word => (format!("subgroupShuffle(value, {lane})"), "u32"),
        Scalar::Half => (format!("subgroupShuffle(value, {lane})"), "f16"),
        Scalar::Float => (format!("subgroupShuffle(value, {lane})"), "f32"),
    };
    let text = format!(
        "fn {name}(value: {shuffled}, from_lane: u32) -> {shuffled} {{\n    let other = {head};\n    \
         return select(value, other, from_lane < plane_count());\n}}\n"
    );
    Some((name, text))
}

/// The function that combines a value over the lanes: its name, and its text with the functions that it calls. The
/// result is `None` if WGSL does not support the combination for the type. A plane has at most `widest` units.
pub fn call(form: Collective, kind: Combine, ty: Scalar, widest: u32) -> Option<(String, String)> {
    let (scalar, word) = (ty.wgsl(), kind.word());
    if ty == Scalar::Bool {
        return call_of_bools(form, kind, widest);
    }
    let both = |a: &str, b: &str| combined(kind, ty, a, b);
    both("a", "b")?;
    let name = match form {
        Collective::Reduce => format!("plane_{word}_{scalar}"),
        Collective::Inclusive => format!("plane_inclusive_{word}_{scalar}"),
        Collective::Exclusive => format!("plane_exclusive_{word}_{scalar}"),
    };
    let head = format!("fn {name}(value: {scalar}, lane: u32) -> {scalar} {{\n");
    if let (Collective::Reduce, Some(own)) = (form, own_reduction(kind)) {
        return Some((name, format!("{head}    return {own};\n}}\n")));
    }
    let steps = match form {
        Collective::Reduce => format!(
            "    let count = plane_count();\n    var all = value;\n    \
             for (var half = {}u; half != 0u; half = half / 2u) {{\n        \
             let other = subgroupShuffle(all, min(lane + half, {}u));\n        \
             if ((lane < half) & (lane + half < count)) {{\n            all = {};\n        }}\n    }}\n    \
             return subgroupShuffle(all, 0u);\n}}\n",
            widest / 2,
            widest - 1,
            both("all", "other")?
        ),
        Collective::Inclusive | Collective::Exclusive => format!(
            "    var all = value;\n    for (var step = 1u; step < {widest}u; step = step * 2u) {{\n        \
             let other = subgroupShuffle(all, select(lane, lane - step, step <= lane));\n        \
             if (step <= lane) {{\n            all = {};\n        }}\n    }}\n",
            both("other", "all")?
        ),
    };
    let end = match form {
        Collective::Reduce => String::new(),
        Collective::Inclusive => "    return all;\n}\n".into(),
        Collective::Exclusive => format!(
            "    let before = subgroupShuffle(all, select(lane, lane - 1u, lane != 0u));\n    \
             return select({}, before, lane != 0u);\n}}\n",
            first_lane(kind, ty)?
        ),
    };
    Some((name, format!("{head}{steps}{end}")))
}

// WGSL's own reduction for a combination of integers, whose order does not change the result.
fn own_reduction(kind: Combine) -> Option<&'static str> {
    Some(match kind {
        Combine::AddI => "subgroupAdd(value)",
        Combine::MulI => "subgroupMul(value)",
        Combine::MinUI => "subgroupMin(value)",
        Combine::MaxUI => "subgroupMax(value)",
        Combine::MinSI => "bitcast<u32>(subgroupMin(bitcast<i32>(value)))",
        Combine::MaxSI => "bitcast<u32>(subgroupMax(bitcast<i32>(value)))",
        Combine::AndI => "subgroupAnd(value)",
        Combine::OrI => "subgroupOr(value)",
        Combine::XOrI => "subgroupXor(value)",
        _ => return None,
    })
}

// Bools are words of one bit.
fn call_of_bools(form: Collective, kind: Combine, widest: u32) -> Option<(String, String)> {
    let (of_words, text) = call(form, of_bools(kind)?, Scalar::Word, widest)?;
    let name = format!("{of_words}_of_bool");
    let whole = format!(
        "{text}\nfn {name}(value: bool, lane: u32) -> bool {{\n    \
         return ({of_words}(select(0u, 1u, value), lane) & 1u) != 0u;\n}}\n"
    );
    Some((name, whole))
}

/// Combines two lanes; `None` if WGSL does not support the combination for the type.
pub fn combined(kind: Combine, ty: Scalar, a: &str, b: &str) -> Option<String> {
    let signed = |name: &str| format!("bitcast<u32>({name}(bitcast<i32>({a}), bitcast<i32>({b})))");
    let half = |name: &str| match ty {
        Scalar::Half => format!("f16({name}(f32({a}), f32({b})))"),
        _ => format!("{name}({a}, {b})"),
    };
    let is_float = matches!(ty, Scalar::Half | Scalar::Float);
    let kind = if ty == Scalar::Bool { of_bools(kind)? } else { kind };
    Some(match kind {
        Combine::XOrI if ty == Scalar::Bool => format!("{a} != {b}"),
        Combine::AddF if is_float => format!("{a} + {b}"),
        Combine::SubF if is_float => format!("{a} - {b}"),
        Combine::MulF if is_float => format!("{a} * {b}"),
        Combine::MinF if is_float => half("min_num"),
        Combine::MaxF if is_float => half("max_num"),
        _ if is_float => return None,
        Combine::AddI => format!("{a} + {b}"),
        Combine::SubI => format!("{a} - {b}"),
        Combine::MulI => format!("{a} * {b}"),
        Combine::AndI => format!("{a} & {b}"),
        Combine::OrI => format!("{a} | {b}"),
        Combine::XOrI => format!("{a} ^ {b}"),
        Combine::MinUI => format!("min({a}, {b})"),
        Combine::MaxUI => format!("max({a}, {b})"),
        Combine::MinSI => signed("min"),
        Combine::MaxSI => signed("max"),
        Combine::Exchange | Combine::AddF | Combine::SubF | Combine::MulF | Combine::MinF | Combine::MaxF => {
            return None;
        }
    })
}

// The result of an exclusive scan in the first lane.
fn first_lane(kind: Combine, ty: Scalar) -> Option<String> {
    let is_float = matches!(ty, Scalar::Half | Scalar::Float);
    let bits = scan_start(kind, if is_float { cube_structured::Scalar::Float(32) } else { WORD })? as u32;
    Some(if is_float { ty.float(f32::from_bits(bits)) } else { word(bits) })
}

/// Minimum or maximum of two floats by their bits. WGSL's `min` and `max` can return either of two zeros, and any
/// number if an operand is NaN. `min_num` and `max_num` prefer a number to NaN, `min_nan` and `max_nan` return NaN.
pub const ORDER: &str = "\
fn order_of(number: f32) -> u32 {
    let bits = bitcast<u32>(number);
    return bits ^ select(0x80000000u, 0xffffffffu, (bits & 0x80000000u) != 0u);
}

fn is_nan(number: f32) -> bool {
    return (bitcast<u32>(number) & 0x7fffffffu) > 0x7f800000u;
}

fn min_num(a: f32, b: f32) -> f32 {
    return select(b, a, is_nan(b) | (!is_nan(a) & (order_of(a) < order_of(b))));
}

fn max_num(a: f32, b: f32) -> f32 {
    return select(b, a, is_nan(b) | (!is_nan(a) & (order_of(a) > order_of(b))));
}

fn min_nan(a: f32, b: f32) -> f32 {
    return select(b, a, is_nan(a) | (!is_nan(b) & (order_of(a) < order_of(b))));
}

fn max_nan(a: f32, b: f32) -> f32 {
    return select(b, a, is_nan(a) | (!is_nan(b) & (order_of(a) > order_of(b))));
}
";
