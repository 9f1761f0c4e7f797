//! Supports integers and lines as the chosen types of type parameters.
//!
//! `!cube.param` counts as a float until its type is chosen. Constants whose type is a type parameter are written as
//! floats, and become constants of the chosen type. A `cube.generic` becomes the operation that it names for the
//! chosen type. If the elements of the chosen type are integers, the pass refuses all other operations of arith and
//! math that compute with floats.
use cube_dialect::{BufferType, ops, param_name};
use cube_ir::ops::arith;
use cube_ir::{AttrExt, Attribute, Cx, Failed, Op, PassResult, Run, Type, TypeExt};
use cube_ir::{Dialect, OpKind};

/// Operations of the dialect arith that support every type.
const ANY_TYPE: &[OpKind] = &[arith::CONSTANT, arith::SELECT, arith::BITCAST];

/// The largest integer up to which a double represents every integer exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The operations of a kernel that depend on the chosen types of its type parameters. The pass finds the
/// operations that depend on chosen types before it substitutes the parameters.
pub(super) struct ChosenTypes<'p> {
    constants: Vec<(Op<'p>, Vec<f64>)>,
    generics: Vec<(Op<'p>, TypeClass)>,
}

/// The classes of types that a type parameter can have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TypeClass {
    Float,
    Int,
}

impl TypeClass {
    fn of(ty: Type<'_>) -> TypeClass {
        if ty.element().is_int() { TypeClass::Int } else { TypeClass::Float }
    }
}

impl<'p> ChosenTypes<'p> {
    /// Finds the operations of `kernel` that depend on chosen types; `values` are the values of the kernel's
    /// parameters. The function also removes the float values of constants whose chosen type is an integer or a line.
    /// If the values remained, their attributes would get a wrong type.
    pub fn find(kernel: Op<'p>, values: &[(String, Attribute<'p>)]) -> Result<Self, Failed> {
        let chosen = |ty: Type<'p>| {
            let name = param_name(None, Some(BufferType::of(ty).map_or(ty.element(), |b| b.element)))?;
            let (name, value) = values.iter().find(|(n, _)| n == name)?;
            Some((name.as_str(), value.as_type()?))
        };
        let mut found = ChosenTypes { constants: Vec::new(), generics: Vec::new() };
        for op in kernel.walk() {
            let args = op.regions().flat_map(|r| r.blocks()).flat_map(|b| b.args().collect::<Vec<_>>());
            let types: Vec<Type<'p>> = op.operands().chain(op.results()).chain(args).map(|v| v.ty()).collect();
            let Some((name, to)) = types.iter().find_map(|ty| chosen(*ty)) else {
                if let Some(generic) = ops::Generic::of(op) {
                    found
                        .generics
                        .push((op, generic.inputs().first().map_or(TypeClass::Float, |v| TypeClass::of(v.ty()))));
                }
                continue;
            };
            if let Some(nested) =
                types.iter().find(|ty| is_line(**ty) && chosen(**ty).is_some_and(|(_, to)| is_line(to)))
            {
                op.error(cube_ir::diagnostic!(CUBE0316.nested { nested, name, to }));
                return Err(Failed);
            }
            let kind = op.kind();
            if ops::Generic::of(op).is_some() {
                found.generics.push((op, TypeClass::of(to)));
            } else if kind == arith::CONSTANT && !is_plain_float(to) {
                found.constants.push((op, take_values(op)));
            } else if computes_with_floats(kind) && TypeClass::of(to) == TypeClass::Int {
                op.error(cube_ir::diagnostic!(CUBE0316.floats { name, to }));
                return Err(Failed);
            }
        }
        Ok(found)
    }

    /// Converts a value to the chosen type if its type is a type parameter. Values of other types are
    /// unchanged.
    pub fn value(cx: Cx<'p>, value: Attribute<'p>, values: &[(String, Attribute<'p>)]) -> Option<Attribute<'p>> {
        let of = value.value_type().and_then(|ty| param_name(None, Some(ty)));
        let to = of.and_then(|of| values.iter().find(|(n, _)| n == of)).and_then(|(_, to)| to.as_type());
        match to {
            Some(to) if !is_plain_float(to) => elements_attr(cx, &[number(cx, value.as_float()?, to.element())?], to),
            _ => Some(value),
        }
    }

    /// Inserts constants and operations of the chosen types.
    pub fn settle(self, run: &mut Run<'p>) -> PassResult {
        for (op, values) in self.constants {
            let ty = op.result(0).ty();
            let cx = run.cx();
            let elements: Option<Vec<Attribute<'p>>> = values.iter().map(|v| number(cx, *v, ty.element())).collect();
            let value = elements.and_then(|elements| elements_attr(cx, &elements, ty));
            let Some(value) = value else {
                op.error(cube_ir::diagnostic!(CUBE0316.constant { values: format!("{values:?}"), ty }));
                return Err(Failed);
            };
            op.set_attr("value", value);
        }
        self.generics.into_iter().try_for_each(|(op, kind)| generic(run, op, kind))
    }
}

fn is_plain_float(ty: Type<'_>) -> bool {
    ty.is_fp() && ty.is_scalar()
}

fn is_line(ty: Type<'_>) -> bool {
    BufferType::of(ty).map_or(ty.elements().is_some(), |b| b.line > 1)
}

fn computes_with_floats(kind: OpKind) -> bool {
    matches!(kind.dialect(), Some(Dialect::Arith | Dialect::Math)) && !ANY_TYPE.contains(&kind)
}

// Removes and returns the values of a constant. The constant gets a value of type f64 instead.
fn take_values(op: Op<'_>) -> Vec<f64> {
    let value = op.attr("value");
    let elements = value.and_then(|v| v.as_elements()).unwrap_or_else(|| value.into_iter().collect());
    let values = elements.iter().filter_map(|e| e.as_float()).collect();
    op.set_attr("value", op.cx().float_attr(op.cx().f64(), 0.0));
    values
}

// A value as a constant of this element type; `None` if the type cannot represent the value.
fn number<'p>(cx: Cx<'p>, value: f64, element: Type<'p>) -> Option<Attribute<'p>> {
    if element.is_fp() {
        return value.is_finite().then(|| cx.float_attr(element, value));
    }
    let bits = element.bits()?.min(64) as i32;
    let fits = value >= -(2f64.powi(bits - 1)) && value < 2f64.powi(bits) && value.abs() <= EXACT;
    (fits && value.fract() == 0.0).then(|| match bits {
        1 => cx.int_attr(element, i64::from(value != 0.0)),
        _ => cx.int_attr(element, value as i64),
    })
}

fn elements_attr<'p>(cx: Cx<'p>, elements: &[Attribute<'p>], ty: Type<'p>) -> Option<Attribute<'p>> {
    match (ty.elements(), elements) {
        (None, [one]) => Some(*one),
        (None, _) => None,
        (Some(_), all) => cx.elements_attr(ty, all),
    }
}

// Creates the operation whose name a `cube.generic` has for this class of types.
fn generic<'p>(run: &mut Run<'p>, op: Op<'p>, kind: TypeClass) -> PassResult {
    let (name, attrs) = named(op, kind == TypeClass::Int);
    let ty = op.result(0).ty();
    let Some(name) = name else {
        let (word, what) = if kind == TypeClass::Int { ("int", "integers") } else { ("float", "floats") };
        op.error(cube_ir::diagnostic!(CUBE0316.generic { what, word }));
        return Err(Failed);
    };
    let operands: Vec<_> = op.operands().collect();
    let b = run.before(op);
    if !b.cx().knows_op(name) {
        op.error(cube_ir::diagnostic!(CUBE0152.unknown { name }));
        return Err(Failed);
    }
    let given = attrs.map(|a| a.entry_names()).unwrap_or_default();
    let given: Vec<_> = given.into_iter().filter_map(|entry| Some((entry, attrs?.entry(entry)?))).collect();
    let spec = b.op(name).operands(&operands).result(ty);
    let new = given.iter().fold(spec, |spec, (entry, value)| spec.attr(entry, *value)).build();
    // MLIR ignores an attribute of the wrong kind. Its verifier and printer would then miss a required attribute.
    if let Some((entry, value)) = given.iter().find(|(entry, value)| new.attr(entry) != Some(*value)) {
        run.erase(new);
        op.error(cube_ir::diagnostic!(CUBE0152.attribute { name, value, entry }));
        return Err(Failed);
    }
    if !new.verify() {
        return Err(Failed);
    }
    run.replace(op, &[new.result(0)]);
    Ok(())
}

/// The operation name and attributes that a `cube.generic` has for integers (if `int` is true) or for floats.
fn named<'p>(op: Op<'p>, int: bool) -> (Option<&'p str>, Option<Attribute<'p>>) {
    let (name, attrs) = if int { ("int_op", "int_attrs") } else { ("float_op", "float_attrs") };
    (op.attr(name).and_then(|a| a.as_str()), op.attr(attrs))
}
