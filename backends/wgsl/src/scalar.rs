//! The types of WGSL, and its literals.
use cube_ir::{AttrExt, Attribute, Type};

/// A type of one lane. Integers have no sign in the IR, and are `u32` in the generated WGSL. Signed operations
/// convert their operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scalar {
    /// `i1`.
    Bool,
    /// `i8`, which only memory of bools uses: 0 to 255 in a `u32`.
    Byte,
    /// `i16`, which only contains the bits of an `f16`: 0 to 65535 in a `u32`.
    Short,
    /// `i32` and `index`.
    Word,
    /// `f16`.
    Half,
    /// `f32`.
    Float,
}

impl Scalar {
    /// The type of the lanes of a value; `None` for a type that WGSL lacks.
    pub fn of(ty: Type<'_>) -> Option<Scalar> {
        use cube_structured::Scalar as Lane;
        match Lane::of(ty)? {
            Lane::Bool => Some(Scalar::Bool),
            Lane::Int(8) => Some(Scalar::Byte),
            Lane::Int(16) => Some(Scalar::Short),
            Lane::Int(32) => Some(Scalar::Word),
            Lane::Float(16) => Some(Scalar::Half),
            Lane::Float(32) => Some(Scalar::Float),
            Lane::Int(_) | Lane::Float(_) => None,
        }
    }

    /// Name of the type in the generated WGSL.
    pub fn wgsl(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::Byte | Scalar::Short | Scalar::Word => "u32",
            Scalar::Half => "f16",
            Scalar::Float => "f32",
        }
    }

    /// Bytes of an element in memory that the host does not access.
    pub fn bytes(self) -> u64 {
        if self == Scalar::Half { 2 } else { 4 }
    }

    /// The literal of a constant. Infinities, NaN, -0 and subnormal numbers are made from their bits at run
    /// time. WGSL forbids infinities and NaN in constant expressions, and permits changes of -0 and subnormal
    /// numbers.
    pub fn literal(self, number: Attribute<'_>) -> Option<String> {
        Some(match self {
            Scalar::Bool => (number.as_int()? != 0).to_string(),
            Scalar::Byte => format!("{}u", number.as_int()? & 0xff),
            Scalar::Short => format!("{}u", number.as_int()? & 0xffff),
            Scalar::Word => {
                let number = number.as_int()?;
                // An index can exceed 32 bits, and the text of a word can have a sign.
                word(u32::try_from(number).ok().or_else(|| i32::try_from(number).ok().map(|n| n as u32))?)
            }
            Scalar::Half | Scalar::Float => self.float(number.as_float()? as f32),
        })
    }

    /// The expression for a number of this float type.
    pub fn float(self, number: f32) -> String {
        let (suffix, smallest) = if self == Scalar::Half { ("h", 2f32.powi(-14)) } else { ("f", f32::MIN_POSITIVE) };
        let zero = number == 0.0 && number.is_sign_positive();
        if number.abs() == f32::MAX {
            // Tint refuses the shortest decimal form, because it exceeds the number.
            return format!("{:?}{suffix}", f64::from(number));
        }
        if zero || number.is_finite() && number.abs() >= smallest {
            return format!("{number:?}{suffix}");
        }
        self.at_run_time(&format!("{number:?}{suffix}"))
    }

    /// A literal of this type, as an expression that WGSL does not evaluate at compile time.
    pub fn at_run_time(self, literal: &str) -> String {
        match self {
            Scalar::Bool => format!("(run_time({}) != 0u)", if literal == "true" { "1u" } else { "0u" }),
            Scalar::Byte | Scalar::Short | Scalar::Word => format!("run_time({literal})"),
            Scalar::Half | Scalar::Float => {
                let number: f32 = literal.strip_suffix(['f', 'h']).unwrap_or(literal).parse().unwrap_or(f32::NAN);
                let single = format!("bitcast<f32>(run_time({}))", word(number.to_bits()));
                if self == Scalar::Half { format!("f16({single})") } else { single }
            }
        }
    }
}

/// A `u32` literal: small numbers in decimal, others in hexadecimal.
pub fn word(number: u32) -> String {
    if number < 1 << 16 { format!("{number}u") } else { format!("{number:#x}u") }
}

/// The number of a `u32` literal.
pub fn as_word(text: &str) -> Option<u32> {
    let digits = text.strip_suffix('u')?;
    digits.strip_prefix("0x").map_or_else(|| digits.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok())
}

/// Whether the text of a value is a literal instead of a name.
pub fn is_literal(text: &str) -> bool {
    let number = text.strip_prefix('-').unwrap_or(text);
    let is_number = number.starts_with(|c: char| c.is_ascii_digit())
        && number.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-'));
    matches!(text, "true" | "false") || is_number
}

/// The expression for a word as a signed number.
pub fn signed(text: &str) -> String {
    match as_word(text).map(|number| number as i32) {
        // The literal of `i32::MIN` would contain its magnitude, which is too large.
        Some(number) if number != i32::MIN => format!("{number}i"),
        _ => format!("bitcast<i32>({text})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_read_back() {
        for number in [0, 7, 65535, 65536, 0x8000_0000, u32::MAX] {
            assert_eq!(as_word(&word(number)), Some(number));
            assert!(is_literal(&word(number)));
        }
        assert_eq!(as_word("v1"), None);
        assert!(is_literal("-1.5f") && is_literal("true") && !is_literal("v3.x") && !is_literal("truth"));
        assert!(is_literal("1e-7f") && !is_literal("4.0f < v7"));
        assert_eq!([signed("0xffffffffu"), signed("v1")], ["-1i".to_string(), "bitcast<i32>(v1)".into()]);
        assert_eq!(signed("0x80000000u"), "bitcast<i32>(0x80000000u)");
    }

    #[test]
    fn imprecise_float_literals_are_bitcasts() {
        for (number, text) in [
            (1.0f32, "1.0f".to_string()),
            (-2.5e-20, "-2.5e-20f".into()),
            (-0.0, "bitcast<f32>(run_time(0x80000000u))".into()),
            (f32::INFINITY, "bitcast<f32>(run_time(0x7f800000u))".into()),
            (1e-45, "bitcast<f32>(run_time(1u))".into()),
        ] {
            assert_eq!(Scalar::Float.float(number), text);
        }
        assert_eq!(Scalar::Half.float(1e-7), "f16(bitcast<f32>(run_time(0x33d6bf95u)))");
        assert!(Scalar::Float.float(f32::NAN).contains("0x7fc00000u"));
    }
}
