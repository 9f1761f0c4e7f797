//! The attribute `cube.target` of a module: the description of the chip for which the module is compiled.
use crate::TARGET;
use cube_bridge::{cubeTargetFields, cubeTargetGet};
use cube_ir::{AttrExt, Attribute, AttributeLike, Cx, Message, Op, TypeExt, read_once};
use cube_target::Target;
use mlir_sys::MlirAttribute;
use serde_json::{Map, Value};
use std::ffi::c_void;
use std::sync::Arc;

/// The description of the chip for which a pass compiles `op`: the description on the module, or
/// [`Target::generic`], with which the code is correct on every chip. A pass that requires a certain chip uses
/// [`attached_target`], and reports CUBE0352 if the module has no description.
pub fn target_of(op: Op<'_>) -> Arc<Target> {
    attached_target(op).unwrap_or_else(Target::generic)
}

/// The description on the module of `op`; `None` if the module has no description. The fields of a
/// description are read once per context.
pub fn attached_target(op: Op<'_>) -> Option<Arc<Target>> {
    let fields = described(op)?;
    // The verifier of the attribute has already parsed the same fields.
    let read = read_once(fields, || value(fields).and_then(|fields| Target::from_fields(fields).ok()).map(Arc::new));
    Option::clone(&read)
}

/// Maximum lanes of a plane on the chip of the module.
pub fn widest_plane(op: Op<'_>) -> u32 {
    // Fold functions call this function often, so it reads only the list of widths.
    let read = |fields: Attribute<'_>| {
        let widths = fields.entry("planes")?.entry("widths")?.as_array()?;
        u32::try_from(widths.last()?.as_int()?).ok()
    };
    described(op).and_then(read).unwrap_or_else(|| target_of(op).planes.widths.last().copied().unwrap_or(1))
}

// The fields on the module that contains `op`.
fn described(op: Op<'_>) -> Option<Attribute<'_>> {
    let mut top = op;
    while let Some(parent) = top.block().and_then(|block| block.parent()) {
        top = parent;
    }
    fields(top.attr(TARGET)?)
}

/// Attaches a description to a module; panics if the description is inconsistent.
pub fn set_target(module: Op<'_>, target: &Target) {
    let make = || {
        target.check().expect("the description agrees with itself");
        let fields = attribute(module.cx(), &target.to_fields());
        read_once(fields, || Some(Arc::new(target.clone())));
        // SAFETY: a dictionary, of the same context.
        unsafe { cubeTargetGet(fields.to_raw()).ptr as usize }
    };
    // A compiler compiles most kernels for the same chip. Two descriptions with the same name can differ.
    let last =
        read_once(module.cx().str_attr(&target.name()), || Described { target: target.clone(), attribute: make() });
    let address = if last.target == *target { last.attribute } else { make() };
    // SAFETY: an attribute of the same context, in which it lives as long as the context.
    module.set_attr(TARGET, unsafe { Attribute::from_raw(MlirAttribute { ptr: address as *const c_void }) });
}

/// A description, and the address of its attribute in the context.
struct Described {
    target: Target,
    attribute: usize,
}

/// Checks the fields of a `#cube.target`; the error names the first broken rule.
pub(crate) fn verify(name: &str, parameters: Attribute<'_>) -> Result<(), Message> {
    if name != TARGET {
        return Ok(());
    }
    let fields =
        value(parameters).ok_or("a field is neither a number, a text, true or false, nor a list or dictionary of them");
    let read = fields.map_err(String::from).and_then(|fields| Target::from_fields(fields).map_err(|e| e.to_string()));
    read.map(drop).map_err(|why| cube_ir::diagnostic!(CUBE0153.fields { why }))
}

/// The dictionary in a `#cube.target`.
fn fields(attribute: Attribute<'_>) -> Option<Attribute<'_>> {
    // SAFETY: a live attribute; the result is null for other attributes, and lives as long as the context.
    let raw = unsafe { cubeTargetFields(attribute.to_raw()) };
    // SAFETY: a pointer that is not null is a valid attribute.
    (!raw.ptr.is_null()).then(|| unsafe { Attribute::from_raw(raw) })
}

fn value(attribute: Attribute<'_>) -> Option<Value> {
    if let Some(text) = attribute.as_str() {
        return Some(text.into());
    }
    if let Some(items) = attribute.as_array() {
        return items.into_iter().map(value).collect();
    }
    if let Some(number) = attribute.as_int() {
        let is_bool = attribute.value_type().and_then(|ty| ty.bits()) == Some(1);
        return Some(if is_bool { Value::Bool(number != 0) } else { number.into() });
    }
    if !attribute.is_dictionary() {
        return None;
    }
    let entry = |name: &str| Some((name.to_string(), value(attribute.entry(name)?)?));
    attribute.entry_names().into_iter().map(entry).collect::<Option<Map<_, _>>>().map(Value::Object)
}

/// The attribute that the parser of `#cube.target` creates for the given fields.
fn attribute<'p>(cx: Cx<'p>, fields: &Value) -> Attribute<'p> {
    match fields {
        Value::Null => cx.unit_attr(),
        Value::Bool(yes) => cx.int_attr(cx.int(1), i64::from(*yes)),
        Value::Number(number) => cx.int_attr(cx.int(64), number.as_i64().expect("a field has at most 64 bits")),
        Value::String(text) => cx.str_attr(text),
        Value::Array(items) => cx.array_attr(&items.iter().map(|item| attribute(cx, item)).collect::<Vec<_>>()),
        Value::Object(entries) => {
            let entries: Vec<_> = entries.iter().map(|(name, item)| (name.as_str(), attribute(cx, item))).collect();
            cx.dictionary_attr(&entries)
        }
    }
}
