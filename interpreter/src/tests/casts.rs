//! `cube.cast` against LLVM's soft floats (rustc_apfloat) and Rust's own conversions: every pattern of the formats of up to 16
//! bits, a spread of the wider ones, all four roundings.
use crate::rules::convert::{How, cast, plan};
use crate::shape::Kind;
use rustc_apfloat::ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, IeeeFloat, Semantics, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

/// The nineteen bits of tf32 that count.
struct Tf32S;
impl Semantics for Tf32S {
    const BITS: usize = 19;
    const EXP_BITS: usize = 8;
}
type Tf32 = IeeeFloat<Tf32S>;

const ROUNDINGS: [Round; 4] =
    [Round::NearestTiesToEven, Round::TowardZero, Round::TowardPositive, Round::TowardNegative];

/// Where the bits that count of a format begin.
fn shift(kind: Kind) -> u32 {
    if kind == Kind::TF32 { 13 } else { 0 }
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

fn pair<A: Float + FloatConvert<B> + FloatConvert<Double> + Copy, B: Float>(from: Kind, to: Kind) {
    for bits in patterns(A::BITS as u32) {
        let bits = bits & (u64::MAX >> (64 - A::BITS as u32));
        for (number, round) in ROUNDINGS.into_iter().enumerate() {
            let value = A::from_bits(bits.into());
            let theirs: B = value.convert_r(round, &mut false).value;
            let how = How { rounding: number as u32, ..How::default() };
            let ours = cast(bits << shift(from), plan(from, to, how).expect("floats")) >> shift(to);
            // Beyond 448 e4m3 has nothing: rounded away from zero that is NaN, towards it 448. rustc_apfloat 0.2.3 takes the
            // pattern of NaN for 480 there, and gives 448 and NaN the other way round for some.
            let wide: Double = value.convert(&mut false).value;
            let size = f64::from_bits(wide.to_bits() as u64);
            if to == Kind::F8E4M3 && number > 0 && size.abs() > 448.0 && size.is_finite() {
                let away = (number == 2) == (size > 0.0) && number > 1;
                assert_eq!(ours & 0x7f, if away { 0x7f } else { 0x7e }, "{from:?} {bits:#x} to {to:?}, {round:?}");
                continue;
            }
            let right =
                if theirs.is_nan() { B::from_bits(ours.into()).is_nan() } else { theirs.to_bits() == ours.into() };
            assert!(right, "{from:?} {bits:#x} to {to:?}, {round:?}: {ours:#x} instead of {:#x}", theirs.to_bits());
        }
    }
}

macro_rules! pairs {
    ($($name:ident: $a:ident $from:ident => $($b:ident $to:ident),+;)+) => {
        $(#[test]
        fn $name() {
            $(pair::<$a, $b>(Kind::$from, Kind::$to);)+
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
    let to =
        |bits: u32, unsigned: bool| plan(Kind::F64, Kind::Int(bits), How { to_unsigned: unsigned, ..How::default() });
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
        for (width, unsigned, theirs) in all {
            let ours = cast(bits, to(width, unsigned).expect("numbers"));
            assert_eq!(ours, theirs, "{x} to {width} bits, unsigned: {unsigned}");
        }
    }
}

#[test]
fn integers_become_floats_as_rust_converts_them() {
    for bits in patterns(64) {
        let from =
            |to: Kind, unsigned: bool| plan(Kind::Int(64), to, How { from_unsigned: unsigned, ..How::default() });
        let check =
            |ours: Option<u32>, theirs: u64| assert_eq!(cast(bits, ours.expect("numbers")), theirs, "{bits:#x}");
        check(from(Kind::F32, false), u64::from((bits.cast_signed() as f32).to_bits()));
        check(from(Kind::F32, true), u64::from((bits as f32).to_bits()));
        check(from(Kind::F64, false), (bits.cast_signed() as f64).to_bits());
        check(from(Kind::F64, true), (bits as f64).to_bits());
    }
}
