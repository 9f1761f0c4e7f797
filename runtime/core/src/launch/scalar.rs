//! Values passed to a kernel by value.
use cube_artifact::ElemType;
use half::{bf16, f16};

/// One scalar argument with its host type.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Scalar {
    Bool(bool),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    F16(f16),
    BF16(bf16),
    F32(f32),
    F64(f64),
}

/// Applies `$body` to the value inside, whatever its type.
macro_rules! each {
    ($scalar:expr, $value:ident => $body:expr) => {
        match $scalar {
            Scalar::Bool($value) => $body,
            Scalar::I8($value) => $body,
            Scalar::I16($value) => $body,
            Scalar::I32($value) => $body,
            Scalar::I64($value) => $body,
            Scalar::U8($value) => $body,
            Scalar::U16($value) => $body,
            Scalar::U32($value) => $body,
            Scalar::U64($value) => $body,
            Scalar::F16($value) => $body,
            Scalar::BF16($value) => $body,
            Scalar::F32($value) => $body,
            Scalar::F64($value) => $body,
        }
    };
}

impl Scalar {
    /// The host type.
    pub fn elem(self) -> ElemType {
        match self {
            Scalar::Bool(_) => ElemType::Bool,
            Scalar::I8(_) => ElemType::I8,
            Scalar::I16(_) => ElemType::I16,
            Scalar::I32(_) => ElemType::I32,
            Scalar::I64(_) => ElemType::I64,
            Scalar::U8(_) => ElemType::U8,
            Scalar::U16(_) => ElemType::U16,
            Scalar::U32(_) => ElemType::U32,
            Scalar::U64(_) => ElemType::U64,
            Scalar::F16(_) => ElemType::F16,
            Scalar::BF16(_) => ElemType::BF16,
            Scalar::F32(_) => ElemType::F32,
            Scalar::F64(_) => ElemType::F64,
        }
    }

    /// The 8-byte slot of the calling convention: the value in the low bytes, zeros above, little endian.
    pub fn slot(self) -> u64 {
        match self {
            Scalar::Bool(v) => v.into(),
            Scalar::I8(v) => (v as u8).into(),
            Scalar::I16(v) => (v as u16).into(),
            Scalar::I32(v) => (v as u32).into(),
            Scalar::I64(v) => v as u64,
            Scalar::U8(v) => v.into(),
            Scalar::U16(v) => v.into(),
            Scalar::U32(v) => v.into(),
            Scalar::U64(v) => v,
            Scalar::F16(v) => v.to_bits().into(),
            Scalar::BF16(v) => v.to_bits().into(),
            Scalar::F32(v) => v.to_bits().into(),
            Scalar::F64(v) => v.to_bits(),
        }
    }

    /// The value whose bytes in memory, in the order of this machine, are `bytes`; as many as [`ElemType::size`] says.
    ///
    /// # Errors
    /// Another number of bytes, and a `Bool` that is neither 0 nor 1.
    pub fn from_bytes(elem: ElemType, bytes: &[u8]) -> Result<Scalar, String> {
        fn exact<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
            bytes.try_into().ok()
        }
        let scalar = match elem {
            ElemType::Bool => match bytes {
                [0] => Some(Scalar::Bool(false)),
                [1] => Some(Scalar::Bool(true)),
                [other] => return Err(format!("a bool holds the byte {other}: give 0 or 1")),
                _ => None,
            },
            ElemType::I8 => exact(bytes).map(|b| Scalar::I8(i8::from_ne_bytes(b))),
            ElemType::I16 => exact(bytes).map(|b| Scalar::I16(i16::from_ne_bytes(b))),
            ElemType::I32 => exact(bytes).map(|b| Scalar::I32(i32::from_ne_bytes(b))),
            ElemType::I64 => exact(bytes).map(|b| Scalar::I64(i64::from_ne_bytes(b))),
            ElemType::U8 => exact(bytes).map(|b| Scalar::U8(u8::from_ne_bytes(b))),
            ElemType::U16 => exact(bytes).map(|b| Scalar::U16(u16::from_ne_bytes(b))),
            ElemType::U32 => exact(bytes).map(|b| Scalar::U32(u32::from_ne_bytes(b))),
            ElemType::U64 => exact(bytes).map(|b| Scalar::U64(u64::from_ne_bytes(b))),
            ElemType::F16 => exact(bytes).map(|b| Scalar::F16(f16::from_ne_bytes(b))),
            ElemType::BF16 => exact(bytes).map(|b| Scalar::BF16(bf16::from_ne_bytes(b))),
            ElemType::F32 => exact(bytes).map(|b| Scalar::F32(f32::from_ne_bytes(b))),
            ElemType::F64 => exact(bytes).map(|b| Scalar::F64(f64::from_ne_bytes(b))),
        };
        scalar.ok_or_else(|| format!("a value of type {elem} has {} bytes, {} are given", elem.size(), bytes.len()))
    }

    fn is_finite(self) -> bool {
        match self {
            Scalar::F16(v) => v.is_finite(),
            Scalar::BF16(v) => v.is_finite(),
            Scalar::F32(v) => v.is_finite(),
            Scalar::F64(v) => v.is_finite(),
            _ => true,
        }
    }

    /// Reads a value of the given type as a person writes it: `true`, `-3`, `0.5`, `1e-3`, `inf`, `nan`.
    ///
    /// # Errors
    /// A text that is not such a value, or one beyond the type's range.
    pub fn parse(elem: ElemType, text: &str) -> Result<Scalar, String> {
        let parsed = match elem {
            ElemType::Bool => text.parse().ok().map(Scalar::Bool),
            ElemType::I8 => text.parse().ok().map(Scalar::I8),
            ElemType::I16 => text.parse().ok().map(Scalar::I16),
            ElemType::I32 => text.parse().ok().map(Scalar::I32),
            ElemType::I64 => text.parse().ok().map(Scalar::I64),
            ElemType::U8 => text.parse().ok().map(Scalar::U8),
            ElemType::U16 => text.parse().ok().map(Scalar::U16),
            ElemType::U32 => text.parse().ok().map(Scalar::U32),
            ElemType::U64 => text.parse().ok().map(Scalar::U64),
            // Through f64: the second rounding can differ from one only for texts of more than 17 digits.
            ElemType::F16 => text.parse().ok().map(|v| Scalar::F16(f16::from_f64(v))),
            ElemType::BF16 => text.parse().ok().map(|v| Scalar::BF16(bf16::from_f64(v))),
            ElemType::F32 => text.parse().ok().map(Scalar::F32),
            ElemType::F64 => text.parse().ok().map(Scalar::F64),
        };
        if let Some(scalar) = parsed.filter(|scalar| !scalar.is_finite()) {
            // Rust reads a number that is too large as infinity.
            if text.bytes().any(|b| b.is_ascii_digit()) {
                return Err(format!(
                    "'{text}' is beyond the largest {elem}: write a smaller number, or inf for infinity"
                ));
            }
            return Ok(scalar);
        }
        parsed.ok_or_else(|| {
            let form = match elem {
                ElemType::Bool => "write true or false",
                ElemType::F16 | ElemType::BF16 | ElemType::F32 | ElemType::F64 => "write a number such as 0.5 or 1e-3",
                _ => "write a whole number within the type's range",
            };
            format!("'{text}' is not a value of type {elem}: {form}")
        })
    }
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        each!(self, value => write!(f, "{value}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_hold_the_value_in_the_low_bytes_with_zeros_above() {
        assert_eq!(Scalar::I8(-1).slot(), 0xff);
        assert_eq!(Scalar::I16(-2).slot(), 0xfffe);
        assert_eq!(Scalar::I32(-1).slot(), 0xffff_ffff);
        assert_eq!(Scalar::I64(-1).slot(), u64::MAX);
        assert_eq!(Scalar::Bool(true).slot(), 1);
        assert_eq!(Scalar::F32(1.0).slot(), 0x3f80_0000);
        assert_eq!(Scalar::F16(f16::ONE).slot(), 0x3c00);
        assert_eq!(Scalar::BF16(bf16::ONE).slot(), 0x3f80);
        assert_eq!(Scalar::F64(1.0).slot(), 0x3ff0_0000_0000_0000);
    }

    #[test]
    fn bytes_in_memory_are_the_value() {
        assert_eq!(Scalar::from_bytes(ElemType::I16, &(-2i16).to_ne_bytes()), Ok(Scalar::I16(-2)));
        assert_eq!(Scalar::from_bytes(ElemType::F64, &0.5f64.to_ne_bytes()), Ok(Scalar::F64(0.5)));
        assert_eq!(Scalar::from_bytes(ElemType::Bool, &[1]), Ok(Scalar::Bool(true)));
        assert_eq!(Scalar::from_bytes(ElemType::Bool, &[2]).unwrap_err(), "a bool holds the byte 2: give 0 or 1");
        for elem in ElemType::ALL {
            let zero = Scalar::from_bytes(elem, &vec![0; elem.size()]).expect("enough bytes");
            assert_eq!((zero.elem(), zero.slot()), (elem, 0));
            let error = Scalar::from_bytes(elem, &vec![0; elem.size() + 1]).unwrap_err();
            assert!(error.starts_with(&format!("a value of type {elem} has {} bytes", elem.size())), "{error}");
        }
    }

    #[test]
    fn every_type_reads_its_own_values_and_refuses_others() {
        for elem in ElemType::ALL {
            let good = if elem == ElemType::Bool { "true" } else { "1" };
            let scalar = Scalar::parse(elem, good).unwrap();
            assert_eq!((scalar.elem(), scalar.to_string().as_str()), (elem, good));
            let error = Scalar::parse(elem, "one").unwrap_err();
            assert!(error.starts_with(&format!("'one' is not a value of type {elem}: write ")), "{error}");
        }
        for (elem, text) in [(ElemType::U8, "256"), (ElemType::U32, "-1"), (ElemType::I8, "1.0"), (ElemType::Bool, "1")]
        {
            assert!(Scalar::parse(elem, text).is_err(), "{text} as {elem}");
        }
        for (elem, text) in [(ElemType::F32, "1e999"), (ElemType::F16, "70000"), (ElemType::BF16, "-1e39")] {
            let error = Scalar::parse(elem, text).unwrap_err();
            assert!(error.starts_with(&format!("'{text}' is beyond the largest {elem}")), "{error}");
        }
        assert_eq!(Scalar::parse(ElemType::F32, "-inf"), Ok(Scalar::F32(f32::NEG_INFINITY)));
        assert!(matches!(Scalar::parse(ElemType::F64, "nan"), Ok(Scalar::F64(v)) if v.is_nan()));
    }
}
