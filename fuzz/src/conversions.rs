//! Tests of `cube.cast` between all pairs of element types, with every valid combination of keywords. Most operands are
//! near the thresholds at which the result of a conversion changes.
//!
//! The operands are edge values, powers of two, midpoints between neighbours in narrower formats, limits of
//! integer types, and the neighbours of all these values. The tests also use random bit patterns as operands.
use crate::table::{Group, Operation};
use crate::values::{STORED, bits, edges, is_float, random, value};
use cube_dialect::Rounding;
use cube_target::{Class, Element, Format};
use std::collections::BTreeSet;

/// Element types that `cube.cast` converts.
pub fn types() -> Vec<&'static str> {
    let of = |float| Element::ALL.iter().filter(move |element| (element.class() == Class::Float) == float);
    of(false).chain(of(true)).map(|element| element.ir()).collect()
}

/// The keywords of a cast between two types: all combinations that the verifier of `cube.cast` accepts.
pub fn keywords(from: &str, to: &str) -> Vec<String> {
    let optional = |word: &str, legal: bool| {
        let word = format!("{word} ");
        if legal { vec![String::new(), word] } else { vec![String::new()] }
    };
    let mut roundings = vec![String::new()];
    if is_float(from) && is_float(to) {
        roundings.extend(Rounding::ALL.iter().map(|rounding| format!("round {} ", rounding.word())));
    }
    let mut all = Vec::new();
    for from_unsigned in optional("from_unsigned", !is_float(from)) {
        for to_unsigned in optional("to_unsigned", !is_float(to)) {
            for saturate in optional("saturate", true) {
                all.extend(roundings.iter().map(|round| format!("{from_unsigned}{to_unsigned}{saturate}{round}")));
            }
        }
    }
    all
}

/// The conversions are divided into groups by the classes of source and result type, because kernels with
/// hundreds of buffers compile slowly.
pub fn groups() -> Vec<Group> {
    let mut groups = Vec::new();
    for from in types() {
        let operands: Vec<Vec<u64>> = operands(from).into_iter().map(|v| vec![v, v, v]).collect();
        for (name, kind) in [("integers", false), ("floats", true)] {
            let mut operations = Vec::new();
            for to in types().into_iter().filter(|to| is_float(to) == kind) {
                operations.extend(keywords(from, to).into_iter().map(|words| Operation {
                    text: format!("cube.cast %a {words}: T to R"),
                    result: to.to_string(),
                    ulp: 0,
                }));
            }
            let name = format!("casts of {from} to {name}");
            groups.push(Group { name, ty: from.into(), operands: operands.clone(), operations });
        }
    }
    groups.extend(STORED.map(constants));
    groups.extend(STORED.into_iter().filter(|ty| bits(ty) < 8).flat_map(bytes));
    groups
}

/// Bit casts of a float of fewer than 8 bits, from and to a byte. The operands are all bytes, because the upper bits of
/// a byte in memory are not a part of the float.
fn bytes(ty: &str) -> [Group; 2] {
    let operands: Vec<Vec<u64>> = (0..256).map(|byte| vec![byte; 3]).collect();
    let row = |text: &str, result: &str| Operation { text: text.into(), result: result.into(), ulp: 0 };
    let to_byte = row("%n = arith.bitcast %a : T to N ; %r = arith.extui %n : N to R", "i8");
    let to_word = row("%n = arith.bitcast %a : T to N ; %r = arith.extui %n : N to R", "i32");
    let of_byte = row("%m = arith.trunci %a : T to M ; %r = arith.bitcast %m : M to R", ty);
    let group =
        |name: String, ty: &str, operations| Group { name, ty: ty.into(), operands: operands.clone(), operations };
    [group(format!("bytes of {ty}"), ty, vec![to_byte, to_word]), group(format!("bytes to {ty}"), "i8", vec![of_byte])]
}

/// Constants of a storage type, which the compiler encodes: zeros, normal numbers, subnormal numbers and the
/// largest numbers.
const CONSTANTS: &[&str] =
    &["0.0", "-0.0", "1.5", "-3.0", "448.0", "-0.001953125", "0.009765625", "57344.0", "0.0000152587890625"];

fn constants(ty: &str) -> Group {
    let format = Element::from_ir(ty).and_then(Element::format).expect("a float");
    let holds = |text: &&&str| {
        let size = text.parse::<f64>().expect("a number").abs();
        // The unit in the last place of a number of this size, which is at least the distance between subnormal
        // numbers.
        let unit = f64::exp2(size.log2().floor() - f64::from(format.fraction)).max(format.step());
        size == 0.0 || size <= format.largest() && (size / unit).fract() == 0.0
    };
    let row = |text: &&str| Operation {
        text: format!("%s = arith.constant {text} : T ; %r = cube.cast %s : T to R"),
        result: "f32".into(),
        ulp: 0,
    };
    let operations = CONSTANTS.iter().filter(holds).map(row).collect();
    Group { name: format!("constants of {ty}"), ty: ty.into(), operands: vec![vec![0; 3]], operations }
}

/// The numbers of fraction bits of the float formats.
fn fraction_widths() -> BTreeSet<u32> {
    Element::ALL.iter().filter_map(|element| Some(element.format()?.fraction)).collect()
}

fn operands(ty: &str) -> Vec<u64> {
    let width = bits(ty);
    if width <= 8 {
        return (0..1u64 << width).collect();
    }
    let mut state = 0x5eed_0001;
    let mut all = edges(ty);
    all.extend(if is_float(ty) { floats(ty) } else { integers(width, &mut state) });
    all.extend((0..32).map(|_| random(&mut state)));
    // The lowest bits of a tf32 in memory are kept. A conversion must not treat them as part of the number.
    all.iter_mut().for_each(|v| *v &= u64::MAX >> (64 - width));
    all.sort_unstable();
    all.dedup();
    all
}

// Powers of two, and numbers halfway between even and odd neighbours of a float format, each with its neighbours.
fn integers(width: u32, state: &mut u64) -> Vec<u64> {
    let mut middles: Vec<u64> = (0..width).map(|bit| 1u64 << bit).collect();
    for bits in fraction_widths().iter().filter(|bits| **bits + 2 < width) {
        for top in [bits + 1, (bits + 1 + width) / 2, width - 2, width - 1] {
            let half = 1u64 << (top - bits - 1);
            let base = 1u64 << top;
            middles.extend([base | half, base | (3 * half), (2u64 << top).wrapping_sub(half)]);
        }
    }
    let mut all: Vec<u64> = middles.iter().flat_map(|m| [m.wrapping_sub(1), *m, m.wrapping_add(1)]).collect();
    all.extend((0..width).map(|cut| random(state) >> (64 - width) >> cut));
    let negative: Vec<u64> = all.iter().map(|v| v.wrapping_neg()).collect();
    all.extend(negative);
    all
}

// The magnitudes at which conversions change their result. f16 and tf32 cannot represent all of these magnitudes, so
// the next smaller number is used.
fn decisions() -> Vec<f64> {
    let mut all: Vec<f64> = [0, 1, 7, 8, 15, 16, 31, 32, 63, 64].map(|power| 2f64.powi(power)).to_vec();
    all.extend(all.clone().iter().flat_map(|v| [v - 1.0, v - 0.5, v + 0.5, v + 1.0]));
    // For each format: the smallest normal number, the step of the subnormal numbers, and the largest number.
    for (normal, fraction_bits, largest) in [
        (0, 1, 2),
        (0, 3, 2),
        (-2, 2, 4),
        (-6, 3, 8),
        (-14, 2, 15),
        (-14, 10, 15),
        (-126, 7, 127),
        (-126, 10, 127),
        (-126, 23, 127),
    ] {
        let last = 2f64.powi(-fraction_bits);
        for exponent in [normal, 0, 4, largest] {
            let (base, step) = (2f64.powi(exponent), 2f64.powi(exponent) * last);
            let near = [1.0, 1.0 + last, 2.0 - 2.0 * last, 2.0 - last].map(|number| number * base);
            all.extend(near.iter().flat_map(|v| [*v, v + step / 2.0, v + step / 4.0]));
        }
        let step = 2f64.powi(normal) * last;
        all.extend([0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.5].map(|steps| steps * step));
        all.push(2f64.powi(normal) - step / 2.0);
    }
    // 480 and the numbers around the halfway point are at the end of the range of e4m3 only.
    all.extend([448.0, 456.0, 464.0, 472.0, 480.0]);
    all
}

fn floats(ty: &str) -> Vec<u64> {
    let format = Element::from_ir(ty).and_then(Element::format).expect("a float");
    let Format { fraction, unused, .. } = format;
    let bias = i64::from(format.bias());
    let sign = 1u64 << (bits(ty) - 1);
    let mut all = Vec::new();
    for number in decisions() {
        // Rounded towards zero to the fraction bits of this format. Numbers outside of its normal range are replaced by
        // another number.
        let wide = number.to_bits();
        let exponent = ((wide >> 52) as i64 - 1023 + bias).clamp(0, 2 * bias) as u64;
        let pattern = (exponent << fraction | (wide & ((1 << 52) - 1)) >> (52 - fraction)) << unused;
        let step = 1 << unused;
        all.extend([pattern, pattern + step, pattern.saturating_sub(step)]);
    }
    debug_assert!(ty != "f32" || all.iter().any(|v| value(ty, *v) == 2f64.powi(63)));
    let negative: Vec<u64> = all.iter().map(|v| v | sign).collect();
    all.extend(negative);
    all
}
