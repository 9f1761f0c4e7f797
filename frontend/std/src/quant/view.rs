//! Views that convert quantised values to numbers.
use super::scheme::{QuantScheme, QuantStore, QuantValue};
use crate::tensor::layout::Coordinates;
use crate::tensor::view_storage::{ViewStorage, read_if};
use crate::tensor::{View, ViewExpand};
use cube_frontend::__private::{Val, unexpanded};
use cube_frontend::ir;
use cube_frontend::lang::containers::MemRef;
use cube_frontend::prelude::*;
use cube_frontend::{e4m3, e5m2};
use std::marker::PhantomData;
use std::rc::Rc;

/// Quantised values with their scales. The scales have the coordinates of the values, so the layout of the scales maps
/// each line of values to its scale.
#[derive(CubeType, CubeLaunch, Clone, Copy)]
pub struct QuantizedView<Q: CubePrimitive, S: CubePrimitive, F: Numeric, C: Coordinates> {
    values: View<Line<Q>, C>,
    scales: View<S, C>,
    #[cube(comptime)]
    scheme: QuantScheme,
    #[cube(comptime)]
    of: PhantomData<F>,
}

#[cube]
impl<Q: CubePrimitive, S: CubePrimitive, F: Numeric, C: Coordinates> QuantizedView<Q, S, F, C> {
    /// Combines values and scales.
    pub fn new(values: View<Line<Q>, C>, scales: View<S, C>, #[comptime] scheme: QuantScheme) -> Self {
        QuantizedView::<Q, S, F, C> { values, scales, scheme, of: comptime!(PhantomData) }
    }
}

impl<Q: CubePrimitive, S: CubePrimitive, F: Numeric, C: Coordinates> QuantizedView<Q, S, F, C> {
    /// Converts stored values to numbers. The packed values of a line of `u32` become a longer line of numbers.
    pub fn view(self) -> View<Line<F>, C> {
        unexpanded()
    }
}

#[doc(hidden)]
#[allow(missing_docs)]
impl<Q: CubePrimitive, S: CubePrimitive, F: Numeric, C: Coordinates> QuantizedViewExpand<Q, S, F, C> {
    pub fn __expand_view_method(self) -> ViewExpand<Line<F>, C> {
        ViewExpand::new(Rc::new(self))
    }
}

impl<Q: CubePrimitive, S: CubePrimitive, F: Numeric, C: Coordinates> QuantizedViewExpand<Q, S, F, C> {
    /// Reports an access that quantised views do not support.
    fn refuse(&self, what: &str) {
        ir::fail(format!("a quantised view {what}; read its values, or use the memory of the quantised values"));
    }
}

impl<Q: CubePrimitive, S: CubePrimitive, F: Numeric, C: Coordinates> ViewStorage<Line<F>, C>
    for QuantizedViewExpand<Q, S, F, C>
{
    fn read(&self, pos: C::ExpandType, inbounds: bool) -> Val<Line<F>> {
        let value = self.values.storage.read(pos.clone(), inbounds);
        let scale = self.scales.storage.read(pos, inbounds);
        dequantize_aligned::dequantize_aligned::<Q, S, F>(value, scale, self.scheme)
    }
    fn read_or(&self, pos: C::ExpandType, other: Val<Line<F>>) -> Val<Line<F>> {
        read_if(self.is_in_bounds(pos.clone()), || self.read(pos, false), other)
    }
    fn write(&self, _pos: C::ExpandType, _value: Val<Line<F>>) {
        self.refuse("cannot be written");
    }
    fn write_if(&self, _pos: C::ExpandType, _value: Val<Line<F>>) {
        self.refuse("cannot be written");
    }
    fn shape(&self) -> C::ExpandType {
        self.values.storage.shape()
    }
    fn is_in_bounds(&self, pos: C::ExpandType) -> Val<bool> {
        self.values.storage.is_in_bounds(pos)
    }
    fn linear(&self, from: C::ExpandType, to: C::ExpandType) -> MemRef {
        self.refuse("is not memory");
        self.values.storage.linear(from, to)
    }
    fn line_size(&self) -> u32 {
        self.values.storage.line_size() * self.scheme.num_quants() as u32
    }
}

/// Converts a line of stored values to numbers.
#[cube]
pub fn dequantize_aligned<Q: CubePrimitive, S: CubePrimitive, F: Numeric>(
    value: Line<Q>,
    scale: S,
    #[comptime] scheme: QuantScheme,
) -> Line<F> {
    let numbers = match scheme.store {
        QuantStore::Native => {
            assert!(scheme.num_quants() == 1, "quantised values of fewer than 8 bits need the store `QuantStore::U32`");
            Line::<F>::cast_from(value)
        }
        QuantStore::U32 => unpack_cast_u32::<F>(Line::<u32>::cast_from(value), scheme),
    };
    numbers * Line::<F>::cast_from(scale)
}

/// Converts packed values to numbers.
#[cube]
pub fn unpack_cast_u32<F: Numeric>(value: Line<u32>, #[comptime] scheme: QuantScheme) -> Line<F> {
    let count = comptime!(scheme.num_quants() as u32);
    let bits = comptime!(scheme.size_bits_value() as u32);
    let words = value.size();
    let mut numbers = Line::<F>::empty(comptime!(words * count));
    #[unroll]
    for word in 0..words {
        #[unroll]
        for i in 0..count {
            let code = value[word] >> (i * bits);
            numbers[word * count + i] = F::cast_from(number_of_code(code, scheme.value));
        }
    }
    numbers
}

/// The number that the low bits of a word encode. The other bits are ignored.
#[cube]
fn number_of_code(word: u32, #[comptime] format: QuantValue) -> f32 {
    match format {
        QuantValue::E5M2 => f32::cast_from(e5m2::reinterpret(u8::cast_from(word & 0xffu32))),
        QuantValue::E4M3 => f32::cast_from(e4m3::reinterpret(u8::cast_from(word & 0xffu32))),
        QuantValue::E2M1 => {
            let exponent = (word >> 1u32) & 3u32;
            let mantissa = word & 1u32;
            // The bias of this format's exponent is 1, and the bias of the exponent of f32 is 127.
            let normal = f32::reinterpret(((exponent + 126u32) << 23u32) | (mantissa << 22u32));
            let magnitude = select(exponent == 0u32, f32::cast_from(mantissa) * 0.5f32, normal);
            select(word & 8u32 == 0u32, magnitude, -magnitude)
        }
        _ => {
            // The arithmetic shift to the right extends the sign.
            let unused = comptime!(32 - format.size_bits() as u32);
            f32::cast_from(i32::reinterpret(word << unused) >> i32::cast_from(unused))
        }
    }
}
