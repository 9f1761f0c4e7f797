//! Generated contents of arrays, which are the same on every machine.
use super::DataError;
use super::array::{HostArray, byte_size, reserve};
use crate::launch::Scalar;
use cube_artifact::ElemType;

/// A rule that computes each element from its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// All 0.
    Zeros,
    /// All elements are 1, or `true` for bool.
    Ones,
    /// The index. Integers wrap to the type's width, floats are rounded to nearest, and bool is `index % 2`.
    Iota,
    /// Random elements: floats are uniform in [-1, 1), integers use their whole range, and bools are true or
    /// false with equal probability.
    Random {
        /// Different seeds generate different contents.
        seed: u64,
    },
}

impl std::str::FromStr for Fill {
    type Err = DataError;

    /// Parses `zeros`, `ones`, `iota` or `random:SEED`.
    fn from_str(text: &str) -> Result<Fill, DataError> {
        match text {
            "zeros" => return Ok(Fill::Zeros),
            "ones" => return Ok(Fill::Ones),
            "iota" => return Ok(Fill::Iota),
            _ => {}
        }
        let seed = text.strip_prefix("random:").and_then(|seed| seed.parse().ok());
        let seed = seed.ok_or_else(|| {
            DataError::new(format!(
                "'{text}' is not a rule for content; write zeros, ones, iota or random:SEED, for example random:1"
            ))
        })?;
        Ok(Fill::Random { seed })
    }
}

impl std::fmt::Display for Fill {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fill::Zeros => f.write_str("zeros"),
            Fill::Ones => f.write_str("ones"),
            Fill::Iota => f.write_str("iota"),
            Fill::Random { seed } => write!(f, "random:{seed}"),
        }
    }
}

impl Fill {
    /// Generates an array with this content.
    ///
    /// # Errors
    /// The memory for the array cannot be allocated.
    pub fn array(self, elem: ElemType, shape: Vec<u64>) -> Result<HostArray, DataError> {
        let size = byte_size(elem, &shape)?;
        let mut bytes = reserve(size)?;
        if self == Fill::Zeros {
            // For all types, 0 has only zero bits.
            bytes.resize(size as usize, 0);
            return HostArray::new(elem, shape, bytes);
        }
        for index in 0..size / elem.size() as u64 {
            let element = match self {
                Fill::Zeros => 0,
                Fill::Ones => whole(elem, 1),
                Fill::Iota => whole(elem, index),
                Fill::Random { seed } => random(elem, mix(seed, index)),
            };
            bytes.extend_from_slice(&element.to_le_bytes()[..elem.size()]);
        }
        HostArray::new(elem, shape, bytes)
    }
}

/// The bits of an element whose value is the whole number `value`. Integers wrap to the width of the element
/// type.
fn whole(elem: ElemType, value: u64) -> u64 {
    match elem {
        ElemType::Bool => value % 2,
        // Whole numbers up to 2^53 are exact in f64, so the conversion through f64 does not round twice.
        _ if elem.is_float() => Scalar::of_number(elem, value as f64).slot(),
        _ => value,
    }
}

/// Computes the bits of a random element from 64 random bits.
fn random(elem: ElemType, bits: u64) -> u64 {
    match elem.element().format() {
        // The stored bits of the fraction, and the implicit bit.
        Some(format) => Scalar::of_number(elem, unit(bits, format.fraction + 1)).slot(),
        None if elem == ElemType::Bool => bits >> 63,
        None => bits,
    }
}

/// Computes a random number in [-1, 1) that is a multiple of `2^-precision`. A float with a precision of
/// `precision` bits represents this number exactly.
fn unit(bits: u64, precision: u32) -> f64 {
    let steps = (bits >> (63 - precision)) as i64 - (1 << precision);
    steps as f64 / (1u64 << precision) as f64
}

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014) as a function of seed and
/// index.
fn mix(seed: u64, index: u64) -> u64 {
    let finish = |z: u64| {
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    // The function also mixes the bits of the seed. Otherwise, the sequence of seed 2 would be the sequence of seed 1,
    // shifted by one element.
    finish(finish(seed).wrapping_add(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(fill: &str, elem: ElemType, len: u64) -> Vec<String> {
        let array = fill.parse::<Fill>().unwrap().array(elem, vec![len]).unwrap();
        (0..array.len()).map(|i| array.show(i).unwrap()).collect()
    }

    #[test]
    fn fills_round_trip_and_unknown_fills_are_rejected() {
        for text in ["zeros", "ones", "iota", "random:0", "random:18446744073709551615"] {
            assert_eq!(text.parse::<Fill>().unwrap().to_string(), text);
        }
        for text in ["", "zero", "random", "random:", "random:-1", "random:x"] {
            let error = text.parse::<Fill>().expect_err(text);
            assert!(error.message.starts_with(&format!("'{text}' is not a rule for content; write zeros")), "{error}");
        }
    }

    #[test]
    fn zeros_ones_and_iota_hold_for_every_type() {
        for elem in ElemType::ALL {
            let (zero, one) = if elem == ElemType::Bool { ("false", "true") } else { ("0", "1") };
            assert_eq!(shown("zeros", elem, 2), [zero, zero]);
            assert_eq!(shown("ones", elem, 2), [one, one]);
            let iota = shown("iota", elem, 300);
            assert_eq!((iota.len(), iota[0].as_str(), iota[1].as_str()), (300, zero, one), "{elem}");
        }
        assert_eq!(shown("iota", ElemType::U8, 258)[256..], ["0", "1"]);
        assert_eq!(shown("iota", ElemType::I8, 129)[128], "-128");
        assert_eq!(shown("iota", ElemType::BF16, 258)[257], "256", "257 is halfway, the even one is taken");
    }

    #[test]
    fn random_floats_fill_their_interval_and_stay_inside() {
        for elem in [ElemType::F16, ElemType::BF16, ElemType::F32, ElemType::F64] {
            let values: Vec<f64> = shown("random:7", elem, 10_000).iter().map(|v| v.parse().unwrap()).collect();
            assert!(values.iter().all(|v| (-1.0..1.0).contains(v)), "{elem}");
            let mean = values.iter().sum::<f64>() / 1e4;
            // The standard error of the mean is 0.0058.
            assert!(mean.abs() < 0.03, "{elem}: mean {mean}");
            let spread = |low: f64| values.iter().filter(|&&v| v >= low && v < low + 0.25).count();
            for quarter in 0..8 {
                assert!((1050..1450).contains(&spread(quarter as f64 * 0.25 - 1.0)), "{elem}, part {quarter}");
            }
        }
    }

    #[test]
    fn random_is_the_same_everywhere_and_another_for_another_seed() {
        // These values must not change: users have stored results that depend on the generated data.
        assert_eq!(shown("random:1", ElemType::U32, 3), PINNED);
        assert_ne!(shown("random:2", ElemType::U32, 3), PINNED);
        let (one, two) = (shown("random:1", ElemType::U64, 100), shown("random:2", ElemType::U64, 100));
        assert!(one.iter().all(|value| !two.contains(value)));
    }

    const PINNED: [&str; 3] = ["3720533874", "2196941383", "3673413799"];

    #[test]
    fn shapes_beyond_memory_are_an_error() {
        assert!(Fill::Zeros.array(ElemType::U8, vec![1 << 62]).is_err());
    }
}
