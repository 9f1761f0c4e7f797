//! The distance between two arrays.
use super::{DataError, HostArray};
use cube_target::{Format, Sign};

/// The result of [`compare`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// The largest distance between two elements: units in the last place for floats, the difference for integers.
    /// `u64::MAX` means that the distance is undefined (NaN against a number, infinity against any other value).
    pub max_ulp: u64,
    /// Index of the first element with the largest distance; `None` if all elements are equal.
    pub worst: Option<usize>,
    /// Number of elements whose distance exceeds the allowed distance.
    pub count: usize,
    /// Number of compared elements.
    pub total: usize,
}

impl Report {
    /// Whether the distance of all elements is at most the allowed distance.
    pub fn passes(&self) -> bool {
        self.count == 0
    }
}

/// Compares two arrays element by element. Floats can differ by at most `ulp` units in the last place of their type.
/// All other elements must be equal.
///
/// A NaN is equal to any NaN. 0 equals -0. An infinity is equal only to itself.
///
/// # Errors
/// The two arrays have different types or shapes.
pub fn compare(actual: &HostArray, expected: &HostArray, ulp: u64) -> Result<Report, DataError> {
    if actual.elem() != expected.elem() {
        return Err(DataError::new(format!(
            "the result has type {}, but {} is expected; convert one of the two",
            actual.elem(),
            expected.elem()
        )));
    }
    if actual.shape() != expected.shape() {
        return Err(DataError::new(format!(
            "the result has shape {:?}, but {:?} is expected; reshape one of the two",
            actual.shape(),
            expected.shape()
        )));
    }
    let float = actual.elem().element().format();
    let allowed = if float.is_some() { ulp } else { 0 };
    let signed = actual.elem().sign() == Sign::Signed;
    let size = actual.elem().size();
    let mut report = Report { max_ulp: 0, worst: None, count: 0, total: actual.len() };
    for (index, (a, b)) in actual.bytes().chunks_exact(size).zip(expected.bytes().chunks_exact(size)).enumerate() {
        if a == b {
            continue;
        }
        let (a, b) = (bits(a), bits(b));
        let distance = match float {
            Some(format) => distance(format, a, b),
            None if signed => extend(a, size).abs_diff(extend(b, size)),
            None => a.abs_diff(b),
        };
        report.count += usize::from(distance > allowed);
        if distance > report.max_ulp {
            (report.max_ulp, report.worst) = (distance, Some(index));
        }
    }
    Ok(report)
}

fn bits(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
}

/// The value of a signed integer of `size` bytes.
fn extend(bits: u64, size: usize) -> i64 {
    let shift = 64 - 8 * size as u32;
    (bits << shift) as i64 >> shift
}

/// The distance between two bit patterns of a float format, in units in the last place. The distance between a
/// finite and a non-finite value is `u64::MAX`.
fn distance(format: Format, a: u64, b: u64) -> u64 {
    let (magnitude, end) = (|bits: u64| bits & !format.sign(), format.beyond());
    match (magnitude(a) > end, magnitude(b) > end) {
        (true, true) => return 0,
        (false, false) => {}
        _ => return u64::MAX,
    }
    if a == b {
        return 0;
    }
    if magnitude(a) == end || magnitude(b) == end {
        return u64::MAX;
    }
    // Magnitudes of one sign have the order of integers. For different signs, the result is the sum of both distances
    // to zero.
    if (a ^ b) & format.sign() == 0 { a.abs_diff(b) } else { magnitude(a) + magnitude(b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cube_artifact::ElemType;
    use half::{bf16, f16};

    fn f32s(values: &[f32]) -> HostArray {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        HostArray::new(ElemType::F32, vec![values.len() as u64], bytes).unwrap()
    }

    fn distance(a: f32, b: f32) -> u64 {
        let forth = compare(&f32s(&[a]), &f32s(&[b]), 0).unwrap().max_ulp;
        assert_eq!(forth, compare(&f32s(&[b]), &f32s(&[a]), 0).unwrap().max_ulp, "{a} {b}: not symmetric");
        forth
    }

    #[test]
    fn distances_of_floats_are_those_of_the_number_line() {
        assert_eq!(distance(1.0, 1.0f32.next_up()), 1);
        assert_eq!(distance(1.0, 1.0f32.next_down().next_down()), 2);
        assert_eq!(distance(0.0, -0.0), 0);
        let tiny = f32::from_bits(1);
        assert_eq!(distance(-tiny, tiny), 2);
        assert_eq!(distance(-0.0, tiny), 1);
        assert_eq!(distance(-1.0, 1.0), 2 * 0x3f80_0000);
        assert_eq!(distance(f32::MAX, f32::MIN), 2 * 0x7f7f_ffff);
    }

    #[test]
    fn nan_equals_nan_and_infinities_only_themselves() {
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        assert_eq!(distance(nan, f32::from_bits(0xffc0_1234)), 0);
        assert_eq!(distance(nan, 1.0), u64::MAX);
        assert_eq!(distance(nan, inf), u64::MAX);
        assert_eq!(distance(inf, inf), 0);
        assert_eq!(distance(inf, -inf), u64::MAX);
        assert_eq!(distance(inf, f32::MAX), u64::MAX);
        let all = compare(&f32s(&[inf]), &f32s(&[f32::MAX]), u64::MAX - 1).unwrap();
        assert!(!all.passes(), "no tolerance makes infinity a number");
    }

    #[test]
    fn comparison_counts_mismatches_and_finds_the_first_largest() {
        let next = |v: f32, n: u32| f32::from_bits(v.to_bits() + n);
        let expected = f32s(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        let actual = f32s(&[1.0, next(2.0, 3), next(3.0, 1), next(4.0, 3), 5.0]);
        let report = compare(&actual, &expected, 1).unwrap();
        assert_eq!(report, Report { max_ulp: 3, worst: Some(1), count: 2, total: 5 });
        assert!(!report.passes() && compare(&actual, &expected, 3).unwrap().passes());
        let same = compare(&expected, &expected, 0).unwrap();
        assert_eq!(same, Report { max_ulp: 0, worst: None, count: 0, total: 5 });
    }

    #[test]
    fn float_distances_use_ulps_of_their_type() {
        let one = |elem, bytes: &[u8]| HostArray::new(elem, vec![1], bytes.to_vec()).unwrap();
        let ulp = |elem, a: &[u8], b: &[u8]| compare(&one(elem, a), &one(elem, b), 0).unwrap().max_ulp;
        let half = |v: f32| f16::from_f32(v).to_le_bytes();
        assert_eq!(ulp(ElemType::F16, &half(1.0), &half(1.0 + 1.0 / 1024.0)), 1);
        assert_eq!(ulp(ElemType::F16, &half(f32::INFINITY), &half(65504.0)), u64::MAX);
        let brainfloat = |v: f32| bf16::from_f32(v).to_le_bytes();
        assert_eq!(ulp(ElemType::BF16, &brainfloat(1.0), &brainfloat(1.0 + 1.0 / 128.0)), 1);
        assert_eq!(ulp(ElemType::BF16, &brainfloat(f32::NAN), &brainfloat(-f32::NAN)), 0);
        let (a, b) = (1.0f64.to_le_bytes(), 1.0f64.next_up().to_le_bytes());
        assert_eq!(ulp(ElemType::F64, &a, &b), 1);
        assert_eq!(ulp(ElemType::F64, &f64::MAX.to_le_bytes(), &f64::MIN.to_le_bytes()), 2 * 0x7fef_ffff_ffff_ffff);
    }

    #[test]
    fn integers_are_compared_exactly_for_any_tolerance() {
        let one = |elem, bytes: &[u8]| HostArray::new(elem, vec![1], bytes.to_vec()).unwrap();
        let report = compare(&one(ElemType::I8, &[0xff]), &one(ElemType::I8, &[1]), 100).unwrap();
        assert_eq!((report.max_ulp, report.count), (2, 1));
        let report = compare(&one(ElemType::U8, &[0xff]), &one(ElemType::U8, &[1]), 1000).unwrap();
        assert_eq!((report.max_ulp, report.passes()), (254, false));
        let (min, max) = (i64::MIN.to_le_bytes(), i64::MAX.to_le_bytes());
        assert_eq!(compare(&one(ElemType::I64, &min), &one(ElemType::I64, &max), 0).unwrap().max_ulp, u64::MAX);
    }

    #[test]
    fn different_types_or_shapes_are_errors() {
        let ints = HostArray::new(ElemType::I32, vec![1], vec![0; 4]).unwrap();
        let error = compare(&ints, &f32s(&[0.0]), 0).unwrap_err();
        assert_eq!(error.message, "the result has type i32, but f32 is expected; convert one of the two");
        let error = compare(&f32s(&[0.0, 1.0]), &f32s(&[0.0]), 0).unwrap_err();
        assert_eq!(error.message, "the result has shape [2], but [1] is expected; reshape one of the two");
    }
}
