//! The types of lanes.
use cube_dialect::element_of;
use cube_ir::{AttrExt, Attribute, Type, TypeExt};
use cube_semantics::Number;
use cube_semantics::convert::of_double;
use cube_target::Element;

/// The type of one lane. Integer types have no sign: the operations are signed or unsigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scalar {
    /// `i1`, which is a bool in shading languages.
    Bool,
    /// Integers of 8, 16, 32 or 64 bits. `index` has 32 bits.
    Int(u32),
    /// `f16`, `f32` and `f64`, by the number of bits.
    Float(u32),
}

/// A word of 32 bits.
pub const WORD: Scalar = Scalar::Int(32);

impl Scalar {
    /// The type of the lanes of a value; `None` for other types, which legalisation replaces.
    pub fn of(ty: Type<'_>) -> Option<Scalar> {
        if ty.element().is_index() {
            return Some(WORD);
        }
        Some(match element_of(ty)? {
            Element::I1 => Scalar::Bool,
            Element::I8 => Scalar::Int(8),
            Element::I16 => Scalar::Int(16),
            Element::I32 => WORD,
            Element::I64 => Scalar::Int(64),
            Element::F16 => Scalar::Float(16),
            Element::F32 => Scalar::Float(32),
            Element::F64 => Scalar::Float(64),
            _ => return None,
        })
    }

    /// Bits of the type; 1 for a bool.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            Scalar::Int(bits) | Scalar::Float(bits) => bits,
        }
    }

    /// Whether the type is a float type.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::Float(_))
    }

    /// The bit pattern of a number in this type.
    pub fn bits_of(self, number: Attribute<'_>) -> Option<u64> {
        match self {
            Scalar::Bool => Some(u64::from(number.as_int()? != 0)),
            Scalar::Int(bits) => Some(number.as_int()? as u64 & (u64::MAX >> (64 - bits))),
            Scalar::Float(_) => self.float_bits(number.as_float()?),
        }
    }

    /// The bit pattern of a float in this float type.
    pub fn float_bits(self, number: f64) -> Option<u64> {
        let element = match self {
            Scalar::Float(16) => Element::F16,
            Scalar::Float(32) => Element::F32,
            Scalar::Float(64) => return Some(number.to_bits()),
            _ => return None,
        };
        Some(of_double(number, Number::Float(element)))
    }
}
