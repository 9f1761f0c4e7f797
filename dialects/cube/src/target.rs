//! The attribute `cube.target` of a module: the description of the chip that it is compiled for.
use cube_bridge::cubeTargetFields;
use cube_ir::{AttrExt, Attribute, AttributeLike, Message, Op, TypeExt};
use cube_target::{Element, Target};
use serde_json::{Map, Value};

/// The attribute's name on the module.
pub const TARGET: &str = "cube.target";

/// The description on the module that `op` belongs to; `None` where there is none. Reads all fields: ask once a pass.
pub fn target_of(op: Op<'_>) -> Option<Target> {
    // The verifier of the attribute has read the same fields.
    Target::from_fields(value(described(op)?)?).ok()
}

/// Most lanes that a plane can have on the chip that the module is described for; `None` where it is not.
pub fn widest_plane(op: Op<'_>) -> Option<u32> {
    let widths = described(op)?.entry("planes")?.entry("widths")?.as_array()?;
    u32::try_from(widths.last()?.as_int()?).ok()
}

/// Whether the chip that the module is described for has an element type at all; yes where it is not described.
pub fn has_element(op: Op<'_>, element: Element) -> bool {
    let Some(fields) = described(op) else { return true };
    fields.entry("elements").and_then(|elements| elements.entry(element.ir())).is_some()
}

// The fields on the module that `op` belongs to.
fn described(op: Op<'_>) -> Option<Attribute<'_>> {
    let mut top = op;
    while let Some(parent) = top.block().and_then(|block| block.parent()) {
        top = parent;
    }
    fields(top.attr(TARGET)?)
}

/// Puts a description on a module.
pub fn set_target(module: Op<'_>, target: &Target) {
    let text = format!("#cube.target<{}>", Text(&target.to_fields()));
    let attribute = module.cx().parse_attr(&text).expect("a description that agrees with itself is an attribute");
    module.set_attr(TARGET, attribute);
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
    // SAFETY: a live attribute; the answer is null for another one, and lives as long as the context.
    let raw = unsafe { cubeTargetFields(attribute.to_raw()) };
    // SAFETY: not null, so an attribute.
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

/// A tree of fields in the syntax of MLIR's attributes.
struct Text<'v>(&'v Value);

impl std::fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |f: &mut std::fmt::Formatter<'_>, parts: Vec<String>, [open, close]: [&str; 2]| {
            write!(f, "{open}{}{close}", parts.join(", "))
        };
        match self.0 {
            Value::Null => f.write_str("unit"),
            Value::Bool(yes) => write!(f, "{yes}"),
            Value::Number(number) => write!(f, "{number}"),
            Value::String(text) => write!(f, "{text:?}"),
            Value::Array(items) => list(f, items.iter().map(|item| Text(item).to_string()).collect(), ["[", "]"]),
            Value::Object(entries) => {
                list(f, entries.iter().map(|(name, item)| format!("{name} = {}", Text(item))).collect(), ["{", "}"])
            }
        }
    }
}
