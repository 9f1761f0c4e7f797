//! Constants of the IR, and their representation as text.
use super::ty::{Elem, Ty};

/// A compile-time constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lit {
    /// An integer, within the range of its type.
    Int(i128),
    /// A float. An `f64` represents the values of all narrower float types exactly.
    Float(f64),
    /// A boolean.
    Bool(bool),
}

impl Lit {
    /// Zero of a type.
    pub fn zero(elem: Elem) -> Self {
        match elem {
            Elem::Bool => Lit::Bool(false),
            e if e.is_float() => Lit::Float(0.0),
            _ => Lit::Int(0),
        }
    }

    /// The integer, or `None` for other constants.
    pub fn int(self) -> Option<i128> {
        match self {
            Lit::Int(v) => Some(v),
            _ => None,
        }
    }

    /// The low 32 bits of the integer; `None` for floats and booleans.
    pub fn try_as_u32(&self) -> Option<u32> {
        self.int().map(|v| v as u32)
    }

    /// The low 64 bits of the integer; `None` for floats and booleans.
    pub fn try_as_u64(&self) -> Option<u64> {
        self.int().map(|v| v as u64)
    }

    /// The low 64 bits of the integer, signed; `None` for floats and booleans.
    pub fn try_as_i64(&self) -> Option<i64> {
        self.int().map(|v| v as i64)
    }

    /// The low bits of the integer, as a `usize`; `None` for floats and booleans.
    pub fn try_as_usize(&self) -> Option<usize> {
        self.int().map(|v| v as usize)
    }

    /// The boolean, or `None` for other constants.
    pub fn try_as_bool(&self) -> Option<bool> {
        match self {
            Lit::Bool(v) => Some(*v),
            _ => None,
        }
    }

    /// The low 32 bits of the integer.
    ///
    /// # Panics
    /// The constant is not an integer.
    pub fn as_u32(&self) -> u32 {
        self.try_as_u32().unwrap_or_else(|| not_of("an integer", *self))
    }

    /// The low 64 bits of the integer.
    ///
    /// # Panics
    /// The constant is not an integer.
    pub fn as_u64(&self) -> u64 {
        self.try_as_u64().unwrap_or_else(|| not_of("an integer", *self))
    }

    /// The low 64 bits of the integer, signed.
    ///
    /// # Panics
    /// The constant is not an integer.
    pub fn as_i64(&self) -> i64 {
        self.try_as_i64().unwrap_or_else(|| not_of("an integer", *self))
    }

    /// The low bits of the integer, as a `usize`.
    ///
    /// # Panics
    /// The constant is not an integer.
    pub fn as_usize(&self) -> usize {
        self.try_as_usize().unwrap_or_else(|| not_of("an integer", *self))
    }

    /// The boolean.
    ///
    /// # Panics
    /// The constant is not a boolean.
    pub fn as_bool(&self) -> bool {
        self.try_as_bool().unwrap_or_else(|| not_of("a boolean", *self))
    }

    /// The integer `value`, wrapped into the range of the integer type `elem`.
    pub fn wrapped(value: i128, elem: Elem) -> Self {
        let bits = elem.bits();
        let low = value & ((1i128 << bits) - 1);
        let negative = elem.is_signed() && low >> (bits - 1) & 1 == 1;
        Lit::Int(if negative { low - (1i128 << bits) } else { low })
    }

    /// The attribute of `arith.constant`, without its type.
    pub fn attribute(self, ty: Ty) -> String {
        let one = match self {
            Lit::Bool(v) => v.to_string(),
            Lit::Int(v) => {
                // MLIR's integers are signless; the bits are printed as a signed number.
                let bits = ty.elem.bits();
                let v = if v >> (bits - 1) & 1 == 1 && v > 0 { v - (1i128 << bits) } else { v };
                v.to_string()
            }
            Lit::Float(v) => float(v, ty.elem),
        };
        if ty.line == 1 { one } else { format!("dense<{one}>") }
    }
}

/// Panics, because code in `intrinsic!` reads a constant as a type that the constant does not have. The launch
/// reports the panic with its source location.
fn not_of<T>(kind: &str, lit: Lit) -> T {
    panic!("the constant `{lit:?}` is not {kind}; use `try_as_…` for constants of unknown type")
}

/// A float in MLIR's syntax. Every finite number has a decimal point, and infinities and NaNs are written as
/// bit patterns.
fn float(v: f64, elem: Elem) -> String {
    if v.is_finite() {
        let text = match elem {
            Elem::F64 => format!("{v:?}"),
            _ => format!("{:?}", v as f32),
        };
        return match text.split_once('e') {
            Some((mantissa, exponent)) if !mantissa.contains('.') => format!("{mantissa}.0e{exponent}"),
            _ => text,
        };
    }
    match elem.element().format() {
        Some(format) if format.unused == 0 => {
            let sign = if v.is_sign_negative() && format.is_signed() { format.sign() } else { 0 };
            format!("0x{:0digits$X}", format.encode(v) | sign, digits = (elem.bits() as usize).div_ceil(4))
        }
        _ => format!("0x{:08X}", (v as f32).to_bits()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_have_mlir_syntax() {
        let at = |lit: Lit, elem| lit.attribute(Ty::scalar(elem));
        assert_eq!(at(Lit::Float(1.0), Elem::F32), "1.0");
        assert_eq!(at(Lit::Float(f64::from(1e-8f32)), Elem::F32), "1.0e-8");
        assert_eq!(at(Lit::Float(1.5e300), Elem::F64), "1.5e300");
        assert_eq!(at(Lit::Float(f64::INFINITY), Elem::F32), "0x7F800000");
        assert_eq!(at(Lit::Float(f64::NEG_INFINITY), Elem::F16), "0xFC00");
        assert_eq!(at(Lit::Float(f64::NAN), Elem::E4M3), "0x7F");
        assert_eq!(at(Lit::Float(f64::NAN), Elem::UE8M0), "0xFF");
        assert_eq!(at(Lit::Float(f64::INFINITY), Elem::E2M3), "0x1F");
        assert_eq!(at(Lit::Int(4_294_967_295), Elem::U32), "-1");
        assert_eq!(at(Lit::Int(-128), Elem::I8), "-128");
        assert_eq!(at(Lit::Int(i128::from(u64::MAX)), Elem::U64), "-1");
        assert_eq!(Lit::Int(3).attribute(Ty { elem: Elem::I32, line: 4 }), "dense<3>");
    }

    #[test]
    fn integers_wrap_into_their_type() {
        assert_eq!(Lit::wrapped(256, Elem::U8), Lit::Int(0));
        assert_eq!(Lit::wrapped(128, Elem::I8), Lit::Int(-128));
        assert_eq!(Lit::wrapped(-1, Elem::U32), Lit::Int(4_294_967_295));
        assert_eq!(Lit::wrapped(-1, Elem::I64), Lit::Int(-1));
    }
}
