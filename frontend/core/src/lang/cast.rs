//! Conversions between number types.
use super::math::bitcast;
use super::ops::{binary, ty_of};
use super::value::{CubePrimitive, Operand, Val};
use crate::ir::{Elem, Lit, Raw, Ty, with};

/// Operands of `as`: numbers, and enums without fields.
pub trait Castable {
    /// Returns the operand as a number. The number of an enum is its discriminant.
    fn number(self) -> Raw;
}

impl<A: Operand> Castable for A {
    fn number(self) -> Raw {
        self.val().raw
    }
}

/// The operator `as`, with the semantics of Rust's `as`. A conversion to a narrower float rounds to nearest.
pub fn cast<To: CubePrimitive, A: Castable>(value: A, position: u32) -> Val<To> {
    Val::new(convert(value.number(), To::elem(), position))
}

/// Converts a value to the element type `to`.
pub fn convert(raw: Raw, to: Elem, position: u32) -> Raw {
    crate::ir::at(position);
    let ty = match raw {
        Raw::Const(_, ty) | Raw::Ssa(_, ty) | Raw::Cell(_, ty) => ty,
        Raw::Unset(_) => Ty::scalar(to),
    };
    let from = ty.elem;
    if from == to {
        return with(|b| b.load(raw));
    }
    if let Raw::Const(lit, _) = raw
        && let Some(lit) = fold(lit, to)
    {
        return Raw::Const(lit, ty.with(to));
    }
    if from.mlir() == to.mlir() {
        // The IR's integers are signless, so integers of one width have the same representation.
        let (id, _) = with(|b| b.id(raw));
        return Raw::Ssa(id, ty.with(to));
    }
    let is_scale = to.element().format().is_some_and(|format| !format.is_signed());
    let raw = if is_scale && !from.is_float() { convert(raw, Elem::F32, position) } else { raw };
    with(|b| {
        let (x, ty) = b.id(raw);
        let out = ty.with(to);
        let text = match (from, to) {
            // A scale factor rounds up, so that a scaled number does not exceed the range of its type.
            _ if is_scale => format!("cube.cast %{x} saturate round upward : {ty} to {out}"),
            (f, Elem::Bool) if f.is_float() && !is_computed_float(f) => format!("cube.cast %{x} : {ty} to {out}"),
            (_, Elem::Bool) => {
                let zero = b.constant(Lit::zero(from), ty);
                if from.is_float() {
                    format!("arith.cmpf une, %{x}, %{zero} : {ty}")
                } else {
                    format!("arith.cmpi ne, %{x}, %{zero} : {ty}")
                }
            }
            (f, t) if f.is_float() && t.is_int() => {
                let unsigned = if t.is_signed() { "" } else { " to_unsigned" };
                format!("cube.cast %{x}{unsigned} : {ty} to {out}")
            }
            (f, t) if is_computed_float(f) && is_computed_float(t) && f.is_float() && f.bits() < t.bits() => {
                format!("arith.extf %{x} : {ty} to {out}")
            }
            (f, t) if is_computed_float(f) && is_computed_float(t) && f.is_float() && f.bits() > t.bits() => {
                format!("arith.truncf %{x} : {ty} to {out}")
            }
            (f, t) if !f.is_float() && is_computed_float(t) && t.is_float() => {
                let op = if f.is_signed() { "sitofp" } else { "uitofp" };
                format!("arith.{op} %{x} : {ty} to {out}")
            }
            (f, t) if f.is_float() || t.is_float() => {
                let unsigned = if f.is_float() || f.is_signed() { "" } else { " from_unsigned" };
                format!("cube.cast %{x}{unsigned} : {ty} to {out}")
            }
            (f, t) if f.bits() > t.bits() => format!("arith.trunci %{x} : {ty} to {out}"),
            (f, _) if f.is_signed() => format!("arith.extsi %{x} : {ty} to {out}"),
            _ => format!("arith.extui %{x} : {ty} to {out}"),
        };
        b.value(out, &text)
    })
}

/// Converts a value of type `From` to the element type of `To`. A number of a packed type is two numbers of `e2m1`, so
/// that a line of packed numbers has half as many elements as a line of other numbers.
pub fn convert_elements<To: CubePrimitive, From: CubePrimitive>(raw: Raw, position: u32) -> Raw {
    match (From::packing_factor(), To::packing_factor()) {
        (1, 1) => convert(raw, To::elem(), position),
        (1, _) => packed(convert(raw, Elem::E2M1, position), position),
        (_, 1) => convert(unpacked(raw, position), To::elem(), position),
        _ => load(raw),
    }
}

fn load(raw: Raw) -> Raw {
    with(|b| b.load(raw))
}

/// Stores each two numbers of `e2m1` in one byte, the first number in the lower four bits.
fn packed(raw: Raw, position: u32) -> Raw {
    let line = ty_of(raw).line;
    if !line.is_multiple_of(2) {
        crate::ir::fail(format!(
            "an `e2m1x2` is two numbers, and {line} of them cannot be divided into pairs: cast a line of an even size"
        ));
        return Raw::Const(Lit::zero(Elem::U8), Ty::scalar(Elem::U8));
    }
    // A word has the bits of the second number above the byte of the first number.
    let words = bitcast(bitcast(raw, Elem::U8), Elem::U16);
    let second = binary("shr", words, word(4), position);
    convert(binary("bitor", words, second, position), Elem::U8, position)
}

/// The numbers of `e2m1` in each byte.
fn unpacked(raw: Raw, position: u32) -> Raw {
    let words = convert(raw, Elem::U16, position);
    let second = binary("shl", words, word(4), position);
    let both = binary("bitand", binary("bitor", words, second, position), word(0x0f0f), position);
    bitcast(bitcast(both, Elem::U8), Elem::E2M1)
}

fn word(value: i128) -> Raw {
    Raw::Const(Lit::Int(value), Ty::scalar(Elem::U16))
}

/// Whether the dialect `arith` computes with the type: a float of an IEEE format, or bf16.
fn is_computed_float(elem: Elem) -> bool {
    elem.is_float() && elem.element().is_computed()
}

/// Folds the conversion of a constant, if the conversion is exact or equals Rust's conversion.
fn fold(lit: Lit, to: Elem) -> Option<Lit> {
    Some(match (lit, to) {
        (Lit::Int(v), t) if t.is_int() => Lit::wrapped(v, t),
        (Lit::Int(v), Elem::F32 | Elem::Flex32) => Lit::Float(f64::from(v as f32)),
        (Lit::Int(v), Elem::F64) => Lit::Float(v as f64),
        (Lit::Int(v), Elem::Bool) => Lit::Bool(v != 0),
        (Lit::Bool(v), t) if t.is_int() => Lit::Int(v.into()),
        (Lit::Bool(v), t) if t.is_float() => Lit::Float(f64::from(u8::from(v))),
        (Lit::Float(v), Elem::F32 | Elem::Flex32) => Lit::Float(f64::from(v as f32)),
        (Lit::Float(v), Elem::F64) => Lit::Float(v),
        (Lit::Float(v), t) if is_computed_float(t) => {
            let format = t.element().format()?;
            Lit::Float(format.decode(format.encode(v)))
        }
        (Lit::Float(v), t) if t.is_int() => {
            let (low, high) = match (t.is_signed(), t.bits()) {
                (true, bits) => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
                (false, bits) => (0, (1i128 << bits) - 1),
            };
            Lit::Int((v as i128).clamp(low, high))
        }
        _ => return None,
    })
}
