//! Scalar arguments, which a launch passes to a kernel by value.
use crate::floats::*;
use cube_artifact::ElemType;

/// Conversions of values of a host type; each row of `cube_target::host_types!` has one implementation.
trait Host: Copy {
    fn bits(self) -> u64;
    fn of_bytes(bytes: &[u8]) -> Option<Self>;
    fn of_text(text: &str) -> Option<Self>;
    fn of_number(number: f64) -> Self;
    fn is_finite(self) -> bool;
}

macro_rules! host {
    ($($ty:ident $unsigned:ident: |$text:ident| $of_text:expr, |$number:ident| $of_number:expr, |$value:ident| $bits:expr, $finite:expr;)*) => {$(
        impl Host for $ty {
            fn bits(self) -> u64 {
                let $value = self;
                u64::from($bits as $unsigned)
            }
            fn of_bytes(bytes: &[u8]) -> Option<Self> {
                Some(<$ty>::from_ne_bytes(bytes.try_into().ok()?))
            }
            fn of_text($text: &str) -> Option<Self> {
                $of_text
            }
            fn of_number($number: f64) -> Self {
                $of_number
            }
            fn is_finite(self) -> bool {
                let finite: fn($ty) -> bool = $finite;
                finite(self)
            }
        }
    )*};
}

macro_rules! integer {
    ($($ty:ident $unsigned:ident)*) => {
        host!($($ty $unsigned: |text| text.parse().ok(), |number| number as $ty, |value| value, |_| true;)*);
    };
}

integer!(i8 u8 i16 u16 i32 u32 i64 u64 u8 u8 u16 u16 u32 u32 u64 u64);
host! {
    f32 u32: |text| text.parse().ok(), |number| number as f32, |value| value.to_bits(), f32::is_finite;
    f64 u64: |text| text.parse().ok(), |number| number, |value| value.to_bits(), f64::is_finite;
}

macro_rules! narrow {
    ($($name:ident $ty:ident;)*) => {$(
        impl Host for $ty {
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
            fn of_bytes(bytes: &[u8]) -> Option<Self> {
                Some($ty::from_ne_bytes(bytes.try_into().ok()?))
            }
            // Parses through f64. The result differs from a direct parse only for texts of more than 17 digits.
            fn of_text(text: &str) -> Option<Self> {
                text.parse().ok().map($ty::from_f64)
            }
            fn of_number(number: f64) -> Self {
                $ty::from_f64(number)
            }
            fn is_finite(self) -> bool {
                $ty::is_finite(self)
            }
        }
    )*};
}

cube_target::narrow_floats! { [narrow] }

impl Host for bool {
    fn bits(self) -> u64 {
        self.into()
    }
    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        (bytes.len() == 1).then(|| bytes[0] != 0)
    }
    fn of_text(text: &str) -> Option<Self> {
        text.parse().ok()
    }
    fn of_number(number: f64) -> Self {
        number % 2.0 != 0.0
    }
    fn is_finite(self) -> bool {
        true
    }
}

macro_rules! scalars {
    ($($name:ident $rust:ident $element:ident $sign:ident $numpy:literal;)*) => {
        /// One scalar argument with its host type.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum Scalar {
            $($name($rust)),*
        }

        impl Scalar {
            /// The host type.
            pub fn elem(self) -> ElemType {
                match self { $(Scalar::$name(_) => ElemType::$name),* }
            }

            /// The 8-byte slot of the calling convention: little endian, with the value in the low bytes and
            /// zeros above.
            pub fn slot(self) -> u64 {
                match self { $(Scalar::$name(value) => value.bits()),* }
            }

            /// The value of this type that is nearest to a number. Integers are truncated and saturated, as by Rust's
            /// operator `as`. A bool is true if the number is odd.
            pub fn of_number(elem: ElemType, number: f64) -> Scalar {
                match elem { $(ElemType::$name => Scalar::$name(Host::of_number(number))),* }
            }

            fn of_bytes(elem: ElemType, bytes: &[u8]) -> Option<Scalar> {
                match elem { $(ElemType::$name => Host::of_bytes(bytes).map(Scalar::$name)),* }
            }

            fn of_text(elem: ElemType, text: &str) -> Option<Scalar> {
                match elem { $(ElemType::$name => Host::of_text(text).map(Scalar::$name)),* }
            }

            fn is_finite(self) -> bool {
                match self { $(Scalar::$name(value) => Host::is_finite(value)),* }
            }
        }

        impl std::fmt::Display for Scalar {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self { $(Scalar::$name(value) => write!(f, "{value}")),* }
            }
        }
    };
}

cube_target::host_types!(scalars);

impl Scalar {
    /// The value whose bytes in the byte order of this machine are `bytes`; the type has [`ElemType::size`]
    /// bytes.
    ///
    /// # Errors
    /// `bytes` has a wrong length, or a `Bool` is neither 0 nor 1.
    pub fn from_bytes(elem: ElemType, bytes: &[u8]) -> Result<Scalar, String> {
        if elem == ElemType::Bool
            && let [other] = bytes
            && *other > 1
        {
            return Err(format!("a bool has the byte {other}; pass 0 or 1"));
        }
        Scalar::of_bytes(elem, bytes)
            .ok_or_else(|| format!("a value of type {elem} has {} bytes, not {} bytes", elem.size(), bytes.len()))
    }

    /// Parses a value of the given type, for example `true`, `-3`, `0.5`, `1e-3`, `inf` or `nan`.
    ///
    /// # Errors
    /// The text is not a value of the type, or is out of the type's range.
    pub fn parse(elem: ElemType, text: &str) -> Result<Scalar, String> {
        let parsed = Scalar::of_text(elem, text);
        if let Some(scalar) = parsed.filter(|scalar| !scalar.is_finite()) {
            // Rust parses a number that is too large as infinity.
            if text.bytes().any(|b| b.is_ascii_digit()) {
                return Err(format!(
                    "'{text}' exceeds the largest {elem}; write a smaller number, or inf for infinity"
                ));
            }
            return Ok(scalar);
        }
        parsed.ok_or_else(|| {
            let form = match elem {
                ElemType::Bool => "write true or false",
                _ if elem.is_float() => "write a number such as 0.5 or 1e-3",
                _ => "write a whole number within the type's range",
            };
            format!("'{text}' is not a value of type {elem}; {form}")
        })
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
        assert_eq!(Scalar::from_bytes(ElemType::Bool, &[2]).unwrap_err(), "a bool has the byte 2; pass 0 or 1");
        for elem in ElemType::ALL {
            let zero = Scalar::from_bytes(elem, &vec![0; elem.size()]).expect("enough bytes");
            assert_eq!((zero.elem(), zero.slot()), (elem, 0));
            let error = Scalar::from_bytes(elem, &vec![0; elem.size() + 1]).unwrap_err();
            assert!(error.starts_with(&format!("a value of type {elem} has {} bytes", elem.size())), "{error}");
        }
    }

    #[test]
    fn every_scalar_type_parses_its_values_and_rejects_others() {
        for elem in ElemType::ALL {
            let good = if elem == ElemType::Bool { "true" } else { "1" };
            let scalar = Scalar::parse(elem, good).unwrap();
            assert_eq!((scalar.elem(), scalar.to_string().as_str()), (elem, good));
            let error = Scalar::parse(elem, "one").unwrap_err();
            assert!(error.starts_with(&format!("'one' is not a value of type {elem}; write ")), "{error}");
        }
        for (elem, text) in [(ElemType::U8, "256"), (ElemType::U32, "-1"), (ElemType::I8, "1.0"), (ElemType::Bool, "1")]
        {
            assert!(Scalar::parse(elem, text).is_err(), "{text} as {elem}");
        }
        for (elem, text) in [(ElemType::F32, "1e999"), (ElemType::F16, "70000"), (ElemType::BF16, "-1e39")] {
            let error = Scalar::parse(elem, text).unwrap_err();
            assert!(error.starts_with(&format!("'{text}' exceeds the largest {elem}")), "{error}");
        }
        assert_eq!(Scalar::parse(ElemType::F32, "-inf"), Ok(Scalar::F32(f32::NEG_INFINITY)));
        assert!(matches!(Scalar::parse(ElemType::F64, "nan"), Ok(Scalar::F64(v)) if v.is_nan()));
    }
}
