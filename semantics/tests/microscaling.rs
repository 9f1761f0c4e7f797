//! Compares `cube.cast` to and from the formats of OCP Microscaling Formats 1.0 (E2M1, E2M3, E3M2, E8M0) with a search over
//! all numbers of the format. The numbers themselves are computed from the definition in the specification.
use cube_semantics::{Cast, Conversion, Number, Outcome, Rounding};

const SIGNED: [(Number, i32, i32); 3] = [(Number::F4E2M1, 2, 1), (Number::F6E2M3, 2, 3), (Number::F6E3M2, 3, 2)];

fn cast(value: u64, from: Number, to: Number, cast: Cast) -> u64 {
    match Conversion::Cast(cast).evaluate(from, to, value) {
        Outcome::Value(value) => value,
        other => panic!("a cast of {value:#x} from {from:?} to {to:?} is total, and this is {other:?}"),
    }
}

/// The number of a pattern of a signed format (section 5.3 of the specification).
fn signed(code: u64, exponent: i32, fraction: i32) -> f64 {
    let sign = if code >> (exponent + fraction) == 1 { -1.0 } else { 1.0 };
    let (e, m) = (code >> fraction & ((1 << exponent) - 1), code & ((1 << fraction) - 1));
    let bias = (1 << (exponent - 1)) - 1;
    let m = m as f64 / f64::from(1 << fraction);
    sign * if e == 0 { m * 2f64.powi(1 - bias) } else { (1.0 + m) * 2f64.powi(e as i32 - bias) }
}

/// Numbers at, between and outside the numbers of a format, with the neighbours of each in f64.
fn operands(numbers: &[f64]) -> Vec<f64> {
    let middles = numbers.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0);
    let mut all: Vec<f64> = numbers.iter().copied().chain(middles).collect();
    all.extend([0.0, -0.0, 1e30, -1e30, 1e-30, -1e-30, f64::MAX, f64::MIN, 5e-324, 2f64.powi(-128), 2f64.powi(-149)]);
    let beside = |x: &f64| [*x, x.next_up(), x.next_down(), x * 1.25, x * 0.75];
    let mut all: Vec<f64> = all.iter().flat_map(beside).collect();
    all.extend([f64::INFINITY, f64::NEG_INFINITY]);
    all
}

#[test]
fn signed_formats_hold_the_published_numbers() {
    for (number, exponent, fraction) in SIGNED {
        for code in 0..1u64 << (1 + exponent + fraction) {
            let expected = signed(code, exponent, fraction);
            assert_eq!(number.to_double(code).to_bits(), expected.to_bits(), "{number:?} {code:#x}");
            // The upper bits of the byte in memory are ignored.
            let above = code | 0xff << (1 + exponent + fraction) & 0xff;
            assert_eq!(number.to_double(above).to_bits(), expected.to_bits(), "{number:?} {above:#x}");
            let bits = Number::Int(number.bits());
            let whole = Conversion::Bits.evaluate(number, bits, above);
            assert_eq!(whole, Outcome::Value(code), "{number:?} {above:#x} as an integer");
        }
    }
    assert_eq!(Number::F4E2M1.to_double(7), 6.0);
    assert_eq!((Number::F6E2M3.to_double(31), Number::F6E2M3.to_double(1)), (7.5, 0.125));
    assert_eq!((Number::F6E3M2.to_double(31), Number::F6E3M2.to_double(1)), (28.0, 0.0625));
}

#[test]
fn casts_to_signed_formats_choose_the_neighbour_of_the_rounding() {
    for (to, exponent, fraction) in SIGNED {
        let sign = 1u64 << (exponent + fraction);
        let codes: Vec<u64> = (0..sign).collect();
        let numbers: Vec<f64> = codes.iter().map(|code| signed(*code, exponent, fraction)).collect();
        let both: Vec<f64> = numbers.iter().rev().map(|x| -x).chain(numbers.iter().copied()).collect();
        for x in operands(&both) {
            let below = numbers.iter().rposition(|n| *n <= x.abs()).unwrap() as u64;
            let above = numbers.iter().position(|n| *n >= x.abs()).unwrap_or(numbers.len() - 1) as u64;
            let distance = |code: u64| (numbers[code as usize] - x.abs()).abs();
            for rounding in Rounding::ALL {
                let magnitude = match rounding {
                    Rounding::NearestEven if distance(below) == distance(above) && below & 1 == 0 => below,
                    Rounding::NearestEven if distance(below) < distance(above) => below,
                    Rounding::NearestEven => above,
                    Rounding::TowardZero => below,
                    Rounding::Upward => {
                        if x > 0.0 {
                            above
                        } else {
                            below
                        }
                    }
                    Rounding::Downward => {
                        if x > 0.0 {
                            below
                        } else {
                            above
                        }
                    }
                };
                let expected = magnitude | if x.is_sign_negative() { sign } else { 0 };
                for saturate in [false, true] {
                    let how = Cast { rounding, saturate, ..Cast::default() };
                    let actual = cast(x.to_bits(), Number::F64, to, how);
                    assert_eq!(actual, expected, "{x:e} to {to:?}, {rounding:?}, saturate: {saturate}");
                }
            }
        }
        for nan in [f64::NAN, -f64::NAN] {
            let actual = cast(nan.to_bits(), Number::F64, to, Cast::default());
            assert_eq!(actual, sign - 1, "NaN becomes the largest number of {to:?}");
        }
    }
}

#[test]
fn scale_factors_are_powers_of_two() {
    for code in 0..=254u64 {
        assert_eq!(Number::F8E8M0.to_double(code), 2f64.powi(code as i32 - 127), "{code}");
        let single = cast(code, Number::F8E8M0, Number::F32, Cast::default());
        assert_eq!(f32::from_bits(single as u32), 2f32.powi(code as i32 - 127), "{code}");
    }
    assert!(Number::F8E8M0.to_double(255).is_nan());
}

#[test]
fn casts_to_scale_factors_choose_the_neighbour_of_the_rounding() {
    let numbers: Vec<f64> = (0..=254).map(|code| 2f64.powi(code - 127)).collect();
    let largest = 254u64;
    for x in operands(&numbers) {
        let below = numbers.iter().rposition(|n| *n <= x).unwrap_or(0) as u64;
        let above = numbers.iter().position(|n| *n >= x);
        for (rounding, saturate) in Rounding::ALL.into_iter().flat_map(|r| [(r, false), (r, true)]) {
            let beyond = if saturate { largest } else { 255 };
            let upper = above.map_or(beyond, |code| code as u64);
            let nearer = match above {
                Some(above) if x - numbers[below as usize] < numbers[above] - x => below,
                Some(above) => above as u64,
                // The number after the largest number would be 2^128.
                None if x < 1.5 * numbers[254] => largest,
                None => beyond,
            };
            let expected = match rounding {
                _ if x == f64::INFINITY => beyond,
                Rounding::NearestEven => nearer,
                Rounding::Upward => upper,
                Rounding::TowardZero | Rounding::Downward => below,
            };
            let how = Cast { rounding, saturate, ..Cast::default() };
            let actual = cast(x.to_bits(), Number::F64, Number::F8E8M0, how);
            assert_eq!(actual, expected, "{x:e}, {rounding:?}, saturate: {saturate}");
        }
    }
    assert_eq!(cast(f64::NAN.to_bits(), Number::F64, Number::F8E8M0, Cast::default()), 255);
    assert_eq!(cast(0, Number::Int(32), Number::F8E8M0, Cast::default()), 0);
    assert_eq!(cast(48, Number::Int(32), Number::F8E8M0, Cast::default()), 127 + 6, "a tie rounds up");
}
