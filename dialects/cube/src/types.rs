//! The dialect's types, as the bridge to C++ provides them.
use cube_bridge::*;
use cube_ir::{AttrExt, Attribute, AttributeLike, Cx, Op, Type, TypeExt, TypeLike};
use cube_target::{Class, Element};
use mlir_sys::{MlirAttribute, MlirStringRef, MlirType};
use std::ptr::null;

pub use cube_bridge::BufferKind;

/// The parts of a buffer type: `!cube.array<T, line>`, or one of the four similar types.
#[derive(Clone, Copy, Debug)]
pub struct BufferType<'p> {
    /// The memory space.
    pub kind: BufferKind,
    pub element: Type<'p>,
    /// Elements of a line.
    pub line: u32,
    /// Number of lines of shared or local memory: an i32 attribute, or a parameter.
    pub size: Option<Attribute<'p>>,
}

impl<'p> BufferType<'p> {
    /// The parts of `ty`, if `ty` is a buffer type.
    pub fn of(ty: Type<'p>) -> Option<Self> {
        let (mut kind, mut line) = (BufferKind::Array, 0);
        let (mut element, mut size) = (MlirType { ptr: null() }, MlirAttribute { ptr: null() });
        // SAFETY: out-pointers are live; `element` is set when the answer is yes, `size` where the kind has one.
        unsafe {
            cubeBufferTypeParts(ty.to_raw(), &mut kind, &mut size, &mut element, &mut line).then(|| BufferType {
                kind,
                element: Type::from_raw(element),
                line: line as u32,
                size: (!size.ptr.is_null()).then(|| Attribute::from_raw(size)),
            })
        }
    }

    /// The parts of `!cube.array<T>`.
    pub fn array(element: Type<'p>) -> Self {
        BufferType { kind: BufferKind::Array, element, line: 1, size: None }
    }

    /// The parts of shared or local memory of `lines` lines of type `line`: an integer, a float, or a vector of 2, 4, 8
    /// or 16 integers or floats. `None` for other types.
    pub fn of_lines(cx: Cx<'p>, kind: BufferKind, lines: u32, line: Type<'p>) -> Option<Self> {
        let size = cx.int_attr(cx.int(32), i64::from(lines));
        let elements = match line.lanes() {
            Some(lanes @ (2 | 4 | 8 | 16)) => lanes as u32,
            None if line.is_scalar() => 1,
            _ => return None,
        };
        if !line.is_int() && !line.is_fp() {
            return None;
        }
        Some(BufferType { kind, element: line.element(), line: elements, size: Some(size) })
    }

    /// The buffer type with these parts.
    pub fn get(self) -> Type<'p> {
        let size = self.size.map_or(MlirAttribute { ptr: null() }, |s| s.to_raw());
        // SAFETY: live parts; shared and local types have a size by construction; the verifier of the type checks it.
        unsafe { Type::from_raw(cubeBufferTypeGet(self.kind, size, self.element.to_raw(), i64::from(self.line))) }
    }

    /// Type of one line: the scalar for one element, else a vector.
    pub fn line_type(self, cx: Cx<'p>) -> Type<'p> {
        if self.line == 1 { self.element } else { cx.vector(self.line as u64, self.element) }
    }

    /// Bytes of one line; a bool takes one byte.
    pub fn line_bytes(self) -> u64 {
        element_bytes(self.element).unwrap_or(1) * u64::from(self.line)
    }

    /// Number of lines of shared or local memory, if the number is known.
    pub fn lines(self) -> Option<u64> {
        self.size?.as_int().map(|n| n as u64)
    }

    /// Whether an argument can have this type: an array or a tensor in global memory.
    pub fn is_global(self) -> bool {
        matches!(self.kind, BufferKind::Array | BufferKind::Tensor)
    }
}

/// Bytes of a number in memory, or of an element of a line: a power of two. `None` for other types. An `index` has 64
/// bits on each target that stores it.
pub fn element_bytes(ty: Type<'_>) -> Option<u64> {
    let element = ty.element();
    let bits = if element.is_index() { 64 } else { element.bits()? };
    Some(u64::from(cube_target::bytes_of(bits)))
}

/// The type of a value in memory. A bool has one bit in a register and a byte in memory.
pub fn in_memory<'p>(cx: Cx<'p>, ty: Type<'p>) -> Type<'p> {
    if ty.bits() == Some(1) { ty.with_element(cx.int(8)) } else { ty }
}

/// Whether a number, or each element of a line, has the same representation in memory and in a register
/// ([`Element::is_same_in_memory`]). False for types that are not in the table.
pub fn is_same_in_memory(ty: Type<'_>) -> bool {
    element_of(ty).is_some_and(Element::is_same_in_memory)
}

/// The name of the parameter that an attribute or a type refers to.
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

/// Whether a type parameter can have this value: a float, an integer, or a line of 2, 4, 8 or 16 floats or
/// integers.
pub fn is_number(ty: Type<'_>) -> bool {
    let element = ty.element();
    let line = match ty.lanes() {
        Some(lanes) => element.lanes().is_none() && matches!(lanes, 2 | 4 | 8 | 16),
        None => element == ty,
    };
    line && (element.is_fp() || element.is_int()) && param_name(None, Some(element)).is_none()
}

/// Replaces each parameter that `values` names by its value, in all types and attributes inside `op`.
pub fn substitute_params<'p>(op: Op<'p>, values: &[(String, Attribute<'p>)]) {
    let names: Vec<MlirStringRef> =
        values.iter().map(|(n, _)| MlirStringRef { data: n.as_ptr().cast(), length: n.len() }).collect();
    let attrs: Vec<MlirAttribute> = values.iter().map(|(_, v)| v.to_raw()).collect();
    cube_ir::count_edit();
    // SAFETY: both arrays have `values.len()` entries and live during the call.
    unsafe { cubeSubstituteParams(op.to_raw(), values.len() as isize, names.as_ptr(), attrs.as_ptr()) }
}

/// The type of the IR with the element type `element`.
pub fn type_of<'p>(cx: Cx<'p>, element: Element) -> Type<'p> {
    match element.class() {
        Class::Bool | Class::Int => cx.int(element.bits()),
        // The table of element types has the syntax of each float, so this function needs no second table of floats.
        Class::Float => cx.parse_type(element.ir()).expect("MLIR has each float of the table of element types"),
    }
}

/// The element type of a type; `None` for a type outside the table of element types, such as an index. The text of a
/// type is read only if the width is ambiguous, as for 16-bit floats, because printing costs thousands of
/// instructions.
pub fn element_of(ty: Type<'_>) -> Option<Element> {
    let ty = ty.element();
    // MLIR reports a type parameter as a float of 64 bits, so the filter excludes type parameters.
    let bits = ty.bits().filter(|_| param_name(None, Some(ty)).is_none())?;
    let width = |element: Element| element.format().map_or(element.bits(), |format| format.width());
    let fits = |e: &Element| width(*e) == bits && (e.class() == Class::Float) == ty.is_fp();
    let mut candidates = Element::ALL.iter().copied().filter(fits);
    match (candidates.next(), candidates.next()) {
        (Some(only), None) if ty.is_fp() || ty.is_signless() => Some(only),
        (Some(_), Some(_)) => Element::from_ir(&ty.to_string()),
        _ => None,
    }
}
