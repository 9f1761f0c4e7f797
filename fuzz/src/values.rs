//! Test operands: edge values and random numbers.
use cube_artifact::ElemType;
use cube_semantics::Number;
use cube_target::{Element, Format};

/// The format of an IR type, or `None` if the type is not a float.
fn format(ty: &str) -> Option<Format> {
    Element::from_ir(ty).and_then(Element::format)
}

const fn count(stored: bool) -> usize {
    let (mut at, mut n) = (0, 0);
    while at < Element::ALL.len() {
        n += (Element::ALL[at].format().is_some() && Element::ALL[at].is_computed() != stored) as usize;
        at += 1;
    }
    n
}

const fn floats<const N: usize>(stored: bool) -> [&'static str; N] {
    let (mut all, mut at, mut n) = ([""; N], 0, 0);
    while at < Element::ALL.len() {
        let element = Element::ALL[at];
        if element.format().is_some() && element.is_computed() != stored {
            all[n] = element.ir();
            n += 1;
        }
        at += 1;
    }
    all
}

/// The floats that kernels compute with.
pub const FLOATS: [&str; count(false)] = floats(false);

/// The storage floats, which are only loaded, stored and converted.
pub const STORED: [&str; count(true)] = floats(true);

/// The element type of a buffer of this IR type.
pub fn elem(ty: &str) -> ElemType {
    ElemType::storing(ty).unwrap_or(ElemType::I32)
}

/// Bits of an IR type in memory.
pub fn bits(ty: &str) -> u32 {
    let digits = || ty.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok();
    Element::from_ir(ty).map(Element::bits).or_else(digits).unwrap_or(32)
}

/// Whether `ty` is a float type.
pub fn is_float(ty: &str) -> bool {
    ty.contains('f')
}

/// Edge values and some random values of a type, as bit patterns.
pub fn edges(ty: &str) -> Vec<u64> {
    let width = bits(ty);
    let mask = u64::MAX >> (64 - width);
    let mut all: Vec<u64> = match ty {
        "i1" => vec![0, 1],
        _ if is_float(ty) => float_edges(ty),
        _ => {
            let (min, w) = (1u64 << (width - 1), u64::from(width));
            let small =
                [0, 1, 2, 3, 5, 7, 10, 100, w - 1, w, w + 1, min - 1, min - 2, min, min + 1, 0x5555_5555_5555_5555];
            small.into_iter().chain(small.map(u64::wrapping_neg)).collect()
        }
    };
    let mut state = 0x1234_5678u64;
    all.extend((0..if ty == "i1" { 0 } else { 6 }).map(|_| random(&mut state)));
    all.iter_mut().for_each(|v| *v &= mask);
    all.sort_unstable();
    all.dedup();
    all
}

fn float_edges(ty: &str) -> Vec<u64> {
    let format = format(ty).expect("a float");
    let (sign, infinity) = (format.sign() << format.unused, format.beyond() << format.unused);
    let fraction = format.fraction + format.unused;
    let one = (infinity >> 1) & !((1 << fraction) - 1);
    let step = 1u64 << fraction;
    let half = step >> 1;
    let positive = [
        0,
        1,
        step - 1,
        step,
        step + 1,
        one - step,
        one - 1,
        one,
        one + 1,
        one + half,
        one + step,
        one + step + half / 2,
        one + step + half,
        one + 3 * step,
        one + 4 * step + 12345 % step,
        one.saturating_sub(4 * step) + 777 % step,
        one + u64::from(fraction) * step,
        one + u64::from(fraction + 1) * step + 1,
        infinity - 1,
        infinity - step,
        infinity,
        one - 3 * step + half / 4,
    ];
    let negative = positive.map(|v| v | sign);
    positive.into_iter().chain(negative).chain([infinity | half]).collect()
}

/// The next number of a fixed sequence (SplitMix64).
pub fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The value of a bit pattern of float type `ty`.
pub fn value(ty: &str, v: u64) -> f64 {
    Number::named(ty).map_or(f64::NAN, |number| number.to_double(v))
}
