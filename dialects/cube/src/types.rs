//! The dialect's types, through the bridge.
use cube_bridge::*;
use cube_ir::{Attribute, AttributeLike, Cx, Op, Type, TypeExt, TypeLike};
use mlir_sys::{MlirAttribute, MlirStringRef, MlirType};
use std::ptr::null;

/// The parts of a `!cube.array<T, line>`.
#[derive(Clone, Copy, Debug)]
pub struct ArrayType<'p> {
    /// Type of an element.
    pub element: Type<'p>,
    /// Elements of a line.
    pub line: u32,
}

impl<'p> ArrayType<'p> {
    /// The parts of `ty`, if it is an array.
    pub fn of(ty: Type<'p>) -> Option<Self> {
        let mut element = MlirType { ptr: null() };
        let mut line = 0;
        // SAFETY: out-pointers are live; `element` is set when the answer is yes.
        unsafe {
            cubeArrayTypeParts(ty.to_raw(), &mut element, &mut line)
                .then(|| ArrayType { element: Type::from_raw(element), line: line as u32 })
        }
    }

    /// Type of one line: the scalar for lines of one, else a vector.
    pub fn line_type(self, cx: Cx<'p>) -> Type<'p> {
        if self.line == 1 { self.element } else { cx.vector(self.line as u64, self.element) }
    }

    /// Bytes of one line.
    pub fn line_bytes(self) -> u64 {
        u64::from(self.element.bits().unwrap_or(8).div_ceil(8)) * u64::from(self.line)
    }
}

/// `!cube.array<element, line>`.
pub fn array_type<'p>(element: Type<'p>, line: u32) -> Type<'p> {
    // SAFETY: live element type; the verifier of the type checks it.
    unsafe { Type::from_raw(cubeArrayTypeGet(element.to_raw(), i64::from(line))) }
}

/// The name of the parameter that an attribute or a type stands for.
pub fn param_name<'p>(attr: Option<Attribute<'p>>, ty: Option<Type<'p>>) -> Option<&'p str> {
    let mut name = MlirStringRef { data: null(), length: 0 };
    let attr = attr.map_or(MlirAttribute { ptr: null() }, |a| a.to_raw());
    let ty = ty.map_or(MlirType { ptr: null() }, |t| t.to_raw());
    // SAFETY: null is allowed; the text lives as long as the context.
    unsafe {
        cubeParamName(attr, ty, &mut name)
            .then(|| std::str::from_utf8_unchecked(std::slice::from_raw_parts(name.data.cast(), name.length)))
    }
}

/// Puts `values` in the place of the parameters of these names, in all types and attributes inside `op`.
pub fn substitute_params<'p>(op: Op<'p>, values: &[(String, Attribute<'p>)]) {
    let names: Vec<MlirStringRef> =
        values.iter().map(|(n, _)| MlirStringRef { data: n.as_ptr().cast(), length: n.len() }).collect();
    let attrs: Vec<MlirAttribute> = values.iter().map(|(_, v)| v.to_raw()).collect();
    // SAFETY: both arrays have `values.len()` entries and live during the call.
    unsafe { cubeSubstituteParams(op.to_raw(), values.len() as isize, names.as_ptr(), attrs.as_ptr()) }
}
