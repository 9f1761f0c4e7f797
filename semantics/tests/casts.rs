//! Compares `cube.cast` with LLVM's soft floats (rustc_apfloat) and Rust's own conversions. The tests use every bit
//! pattern of formats of up to 16 bits, a sample of wider bit patterns, and all four rounding modes.
use cube_semantics::ints::{mask, signed};
use cube_semantics::{Cast, Conversion, Meaning, Number, Outcome, Promise, Rounding, meanings};
use rustc_apfloat::ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, IeeeFloat, Semantics, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

/// The format tf32, whose values have nineteen bits.
struct Tf32S;
impl Semantics for Tf32S {
    const BITS: usize = 19;
    const EXP_BITS: usize = 8;
}
type Tf32 = IeeeFloat<Tf32S>;

fn round_of(rounding: Rounding) -> Round {
    match rounding {
        Rounding::NearestEven => Round::NearestTiesToEven,
        Rounding::TowardZero => Round::TowardZero,
        Rounding::Upward => Round::TowardPositive,
        Rounding::Downward => Round::TowardNegative,
    }
}

fn cast(value: u64, from: Number, to: Number, cast: Cast) -> u64 {
    match Conversion::Cast(cast).evaluate(from, to, value) {
        Outcome::Value(value) => value,
        other => panic!("a cast of {value:#x} from {from:?} to {to:?} is total, and this is {other:?}"),
    }
}

/// The position of the lowest significant bit of a format.
fn shift(kind: Number) -> u32 {
    if kind == Number::TF32 { 13 } else { 0 }
}

fn patterns(bits: u32) -> Vec<u64> {
    if bits <= 16 {
        return (0..1 << bits).collect();
    }
    let mut state = 1u64;
    let mut all = Vec::new();
    for step in 0..40_000u32 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Exponents near those of narrow formats, fractions near a tie.
        let wide = state >> (64 - bits);
        let near = match (bits, step % 3) {
            (32, 1) => wide & 0x87ff_ffff | 0x3000_0000,
            (32, 2) => {
                wide & 0xbff0_0000 | [0, 0x0fff, 0x1000, 0x1001, 0x7_ffff, 0x8_0000, 0x8_0001][step as usize % 7]
            }
            (64, 1) => wide & 0x80ff_ffff_ffff_ffff | 0x3f00_0000_0000_0000,
            (64, 2) => wide & 0xbfff_f000_0000_0000 | (u64::from(step) % 3).wrapping_sub(1) & 0xfff_ffff_ffff,
            _ => wide,
        };
        all.push(near);
    }
    all
}

fn pair<A: Float + FloatConvert<B> + FloatConvert<Double> + Copy, B: Float>(from: Number, to: Number) {
    for bits in patterns(A::BITS as u32) {
        let bits = bits & (u64::MAX >> (64 - A::BITS as u32));
        for rounding in Rounding::ALL {
            let round = round_of(rounding);
            let value = A::from_bits(bits.into());
            let expected: B = value.convert_r(round, &mut false).value;
            let how = Cast { rounding, ..Cast::default() };
            let actual = cast(bits << shift(from), from, to, how) >> shift(to);
            // e4m3 has no number above 448. Such a value is NaN if it is rounded away from zero, and 448 if it is
            // rounded towards zero. rustc_apfloat 0.2.3 treats the pattern of NaN as 480. It therefore returns 448 and
            // NaN the wrong way round for some values.
            let wide: Double = value.convert(&mut false).value;
            let size = f64::from_bits(wide.to_bits() as u64);
            if to == Number::F8E4M3 && rounding != Rounding::NearestEven && size.abs() > 448.0 && size.is_finite() {
                let away = rounding == if size > 0.0 { Rounding::Upward } else { Rounding::Downward };
                assert_eq!(actual & 0x7f, if away { 0x7f } else { 0x7e }, "{from:?} {bits:#x} to {to:?}, {round:?}");
                continue;
            }
            let right = if expected.is_nan() {
                B::from_bits(actual.into()).is_nan()
            } else {
                expected.to_bits() == actual.into()
            };
            assert!(right, "{from:?} {bits:#x} to {to:?}, {round:?}: {actual:#x} instead of {:#x}", expected.to_bits());
        }
    }
}

macro_rules! pairs {
    ($($name:ident: $a:ident $from:ident => $($b:ident $to:ident),+;)+) => {
        $(#[test]
        fn $name() {
            $(pair::<$a, $b>(Number::$from, Number::$to);)+
        })+
    };
}

pairs! {
    half_to_others: Half F16 => BFloat BF16, Single F32, Double F64, Float8E4M3FN F8E4M3, Float8E5M2 F8E5M2, Tf32 TF32;
    bfloat_to_others: BFloat BF16 => Half F16, Single F32, Double F64, Float8E4M3FN F8E4M3, Float8E5M2 F8E5M2, Tf32 TF32;
    single_to_others: Single F32 => Half F16, BFloat BF16, Double F64, Float8E4M3FN F8E4M3, Float8E5M2 F8E5M2, Tf32 TF32;
    double_to_others: Double F64 => Half F16, BFloat BF16, Single F32, Float8E4M3FN F8E4M3, Float8E5M2 F8E5M2, Tf32 TF32;
    e4m3_to_others: Float8E4M3FN F8E4M3 => Half F16, BFloat BF16, Single F32, Double F64, Float8E5M2 F8E5M2;
    e5m2_to_others: Float8E5M2 F8E5M2 => Half F16, BFloat BF16, Single F32, Double F64, Float8E4M3FN F8E4M3;
    tf32_to_others: Tf32 TF32 => Half F16, BFloat BF16, Single F32, Double F64, Float8E4M3FN F8E4M3, Float8E5M2 F8E5M2;
}

#[test]
fn floats_become_integers_as_rust_converts_them() {
    for bits in patterns(64) {
        let x = f64::from_bits(bits);
        let all = [
            (8, false, u64::from((x as i8).cast_unsigned())),
            (16, false, u64::from((x as i16).cast_unsigned())),
            (32, false, u64::from((x as i32).cast_unsigned())),
            (64, false, (x as i64).cast_unsigned()),
            (8, true, u64::from(x as u8)),
            (32, true, u64::from(x as u32)),
            (64, true, x as u64),
        ];
        for (width, to_unsigned, expected) in all {
            let actual = cast(bits, Number::F64, Number::Int(width), Cast { to_unsigned, ..Cast::default() });
            assert_eq!(actual, expected, "{x} to {width} bits, unsigned: {to_unsigned}");
        }
    }
}

#[test]
fn integers_become_floats_as_rust_converts_them() {
    for bits in patterns(64) {
        let check = |to: Number, from_unsigned: bool, expected: u64| {
            let actual = cast(bits, Number::Int(64), to, Cast { from_unsigned, ..Cast::default() });
            assert_eq!(actual, expected, "{bits:#x}");
        };
        check(Number::F32, false, u64::from((bits.cast_signed() as f32).to_bits()));
        check(Number::F32, true, u64::from((bits as f32).to_bits()));
        check(Number::F64, false, (bits.cast_signed() as f64).to_bits());
        check(Number::F64, true, (bits as f64).to_bits());
    }
}

#[test]
fn integers_are_clamped_or_cut() {
    for a in 0..=0xffffu64 {
        for (from_unsigned, to_unsigned) in [(false, false), (false, true), (true, false), (true, true)] {
            let number = if from_unsigned { a as i64 } else { signed(a, 16) };
            let (least, most) = if to_unsigned { (0, 255) } else { (-128, 127) };
            for saturate in [false, true] {
                let how = Cast { from_unsigned, to_unsigned, saturate, ..Cast::default() };
                let expected = if saturate { number.clamp(least, most) } else { number } as u64 & 0xff;
                assert_eq!(cast(a, Number::Int(16), Number::Int(8), how), expected, "{number} with {how:?}");
                assert_eq!(cast(a, Number::Int(16), Number::Int(1), how), u64::from(a != 0));
            }
        }
    }
}

const FLOATS: [Number; 11] = [
    Number::F16,
    Number::BF16,
    Number::F32,
    Number::F64,
    Number::F8E4M3,
    Number::F8E5M2,
    Number::TF32,
    Number::F4E2M1,
    Number::F6E2M3,
    Number::F6E3M2,
    Number::F8E8M0,
];
const INTS: [Number; 6] =
    [Number::Int(1), Number::Int(4), Number::Int(8), Number::Int(16), Number::Int(32), Number::Int(64)];

// The expected value of a conversion; `None` if it is undefined. A new conversion does not compile here until it has an
// arm.
fn expected(conversion: Conversion, from: Number, to: Number, a: u64) -> Option<u64> {
    let (f, t) = (from.bits(), to.bits());
    let sign_extended = || signed(a, f) as u64 & mask(t);
    let float = |from_unsigned| cast(a, from, to, Cast { from_unsigned, ..Cast::default() });
    // If a number is near an end of the type's range, the number rounded towards zero can be in the range.
    let whole = |least: f64, beyond: f64| {
        let x = from.to_double(a).trunc();
        (x >= least && x < beyond).then_some(x as i128 as u64 & mask(t))
    };
    match conversion {
        Conversion::Truncate | Conversion::ZeroExtend => Some(a & mask(t)),
        Conversion::SignExtend => Some(sign_extended()),
        Conversion::IndexSigned => Some(sign_extended()),
        Conversion::IndexUnsigned => Some(a & mask(t)),
        Conversion::Float => Some(float(false)),
        // An i1 is 0 or -1 here, but 0 or 1 in `cube.cast`.
        Conversion::OfSigned if f == 1 => Some(cast(sign_extended_to_64(a, f), Number::Int(64), to, Cast::default())),
        Conversion::OfSigned => Some(float(false)),
        Conversion::OfUnsigned => Some(float(true)),
        Conversion::ToSigned => whole(-(2f64.powi(t as i32 - 1)), 2f64.powi(t as i32 - 1)),
        Conversion::ToUnsigned => whole(0.0, 2f64.powi(t as i32)),
        Conversion::Bits => Some(a),
        Conversion::Cast(how) => Some(cast(a, from, to, how)),
    }
}

fn sign_extended_to_64(a: u64, bits: u32) -> u64 {
    signed(a, bits) as u64
}

// Whether a conversion is defined between two types.
fn is_defined(conversion: Conversion, from: Number, to: Number) -> bool {
    let (f, t, ints) = (from.bits(), to.bits(), !from.is_float() && !to.is_float());
    match conversion {
        Conversion::Truncate => ints && f >= t,
        Conversion::SignExtend | Conversion::ZeroExtend => ints && f <= t,
        Conversion::IndexSigned | Conversion::IndexUnsigned => ints,
        Conversion::Float => from.is_float() && to.is_float(),
        Conversion::OfSigned | Conversion::OfUnsigned => !from.is_float() && to.format().is_some(),
        Conversion::ToSigned | Conversion::ToUnsigned => from.format().is_some() && !to.is_float(),
        Conversion::Bits => f == t,
        Conversion::Cast(_) => true,
    }
}

fn some_patterns(number: Number) -> Vec<u64> {
    let all = patterns(number.bits());
    let used = if number == Number::TF32 { !0x1fff } else { !0 };
    let step = (all.len() / 3000).max(1);
    let edges = [0, 1, mask(number.bits()), mask(number.bits()) >> 1, (mask(number.bits()) >> 1) + 1];
    all.into_iter().step_by(step).chain(edges).map(|v| v & used).collect()
}

#[test]
fn every_conversion_between_all_types() {
    let types: Vec<Number> = INTS.into_iter().chain(FLOATS).collect();
    for conversion in Conversion::ALL.into_iter().chain([Conversion::Cast(Cast::default())]) {
        let mut open = 0;
        for (from, to) in types.iter().flat_map(|from| types.iter().map(move |to| (*from, *to))) {
            let what = || format!("{conversion:?} from {from:?} to {to:?}");
            assert_eq!(conversion.plan(from, to).is_some(), is_defined(conversion, from, to), "{}", what());
            for a in some_patterns(from) {
                let actual = conversion.evaluate(from, to, a);
                if !is_defined(conversion, from, to) {
                    assert!(matches!(actual, Outcome::Unsupported(_)), "{}", what());
                    break;
                }
                match expected(conversion, from, to, a) {
                    Some(expected) => assert_eq!(actual, Outcome::Value(expected), "{} of {a:#x}", what()),
                    None => assert!(matches!(actual, Outcome::Poison(_)), "{} of {a:#x}: {actual:?}", what()),
                }
                open += u32::from(actual.value().is_none());
            }
        }
        let has_poison = matches!(conversion, Conversion::ToSigned | Conversion::ToUnsigned);
        assert_eq!(open > 0, has_poison, "{conversion:?}");
    }
}

#[test]
fn invalid_number_types_have_no_conversion() {
    for conversion in Conversion::ALL {
        for to in [Number::Int(0), Number::Int(65), Number::Int(4000)] {
            assert!(conversion.plan(Number::Int(8), to).is_none() && conversion.plan(to, Number::F32).is_none());
        }
    }
    assert_eq!(Conversion::SignExtend.of_signed(8, 16, -3), Some(-3));
    assert_eq!(Conversion::ZeroExtend.of_signed(8, 16, -3), Some(253));
    assert_eq!(Conversion::ZeroExtend.of_signed(8, 128, -3), None);
}

#[test]
fn truncation_flag_is_violated_if_bits_are_lost() {
    for a in 0..=0xffffu64 {
        let lost = |promise| Conversion::Truncate.violation_of(promise).map(|flaw| (flaw.test)(a, 0, 16 | 8 << 8));
        assert_eq!(lost(Promise::NoUnsignedWrap), Some(a > 255));
        assert_eq!(lost(Promise::NoSignedWrap), Some(i8::try_from(signed(a, 16)).is_err()));
        assert_eq!(lost(Promise::Exact), None);
    }
    assert!(Promise::ALL.iter().all(|promise| Conversion::SignExtend.violation_of(*promise).is_none()));
}

#[test]
fn every_conversion_but_casts_is_one_of_mlir() {
    for conversion in Conversion::ALL {
        assert!(meanings().any(|(_, meaning)| meaning == Meaning::Convert(conversion)), "{conversion:?}");
    }
}
