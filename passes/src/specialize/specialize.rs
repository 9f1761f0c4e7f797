//! Replaces comptime parameters by their values, and decides for each access whether it is checked.
//!
//! ```mlir
//! // before, with params=N=8                          // after
//! cube.kernel @k comptime(@N : i32 = 4) (...) {       cube.kernel @k(...) {
//!   %n = cube.constant <@N> : i32                       %n = arith.constant 8 : i32
//!   %v = cube.load %x[%n] : ...                         %v = cube.load %x[%n] checked : ...
//! ```
//!
//! The module `chosen_types` handles type parameters that become an integer or a line.
//!
//! Invariant: no parameter, call or undecided access is left. Cost: linear.
use super::chosen_types::ChosenTypes;
use cube_dialect::{Bounds, BufferType, access_of, bounds_of, ops, param_name, set_bounds, substitute_params};
use cube_ir::ops::{arith, cube};
use cube_ir::{AttrExt, Attribute, Failed, Op, PassResult, Run, Type, TypeExt, pass};

pass! {
    name: "specialize",
    summary: "replaces comptime parameters by values and decides which accesses are checked",
    on: cube::KERNEL,
    level: Source => Source,
    dialects: ["arith", "math", "vector"],
    options: { params: List = "values as NAME=VALUE, for example params=N=8,F=f16" },
    statistics: ["parameters replaced"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let Some(kernel) = ops::Kernel::of(run.root()) else { return Ok(()) };
    let values = chosen_values(run, kernel)?;
    // Constants come first. Their values can have parameter types, which the substitution then makes concrete.
    for op in kernel.op().walk() {
        if op.is(cube::CONSTANT) {
            constant(run, op, &values)?;
        }
    }
    let chosen = ChosenTypes::find(kernel.op(), &values)?;
    let values = converted_values(kernel, values)?;
    kernel.op().walk().into_iter().try_for_each(|op| check_size(op, &values))?;
    if !values.is_empty() {
        substitute_params(kernel.op(), &values);
        run.count("parameters replaced", values.len() as u64);
    }
    chosen.settle(run)?;
    kernel.op().remove_attr("comptime");
    let checked = kernel.unchecked().is_none();
    for op in kernel.op().walk() {
        match op.kind() {
            _ if access_of(op).is_some() && bounds_of(op).is_none() => {
                set_bounds(op, if checked { Bounds::Checked } else { Bounds::Inbounds });
            }
            cube::CALL => {
                let callee = op.attr("callee").and_then(|c| c.as_symbol()).unwrap_or_default();
                op.error(cube_ir::diagnostic!(CUBE0300.calls_itself { callee }));
                return Err(Failed);
            }
            _ => undeclared_type_parameter(op)?,
        }
    }
    Ok(())
}

// The value of every declared parameter: the value in the option `params`, or the default.
fn chosen_values<'p>(run: &Run<'p>, kernel: ops::Kernel<'p>) -> Result<Vec<(String, Attribute<'p>)>, Failed> {
    let given: Vec<(String, String)> = run
        .list("params")
        .iter()
        .filter_map(|p| {
            p.split_once('=').map(|(n, v)| (n.trim().trim_start_matches('@').to_string(), v.trim().to_string()))
        })
        .collect();
    let params = kernel.comptime_params();
    for (name, _) in &given {
        if !params.iter().any(|p| p.name == name) {
            let known: Vec<&str> = params.iter().map(|p| p.name).collect();
            let known = if known.is_empty() { "none".into() } else { known.join(", ") };
            kernel.op().error(cube_ir::diagnostic!(CUBE0301.unknown { kernel: kernel.name(), name, known }));
            return Err(Failed);
        }
    }
    let mut values = Vec::new();
    for param in params {
        let text = given.iter().find(|(n, _)| n == param.name).map(|(_, v)| v.as_str());
        let parsed = text.map(|text| param.value(run.cx(), text));
        let kind =
            param.ty.map_or("a float, an integer or a line of them".to_string(), |t| format!("a value of type {t}"));
        match (parsed, param.default) {
            (Some(Some(value)), _) | (None, Some(value)) => values.push((param.name.to_string(), value)),
            (Some(None), _) => {
                kernel
                    .op()
                    .error(cube_ir::diagnostic!(CUBE0302.value { param: param.name, kind, given: text.unwrap_or("") }));
                return Err(Failed);
            }
            (None, None) => {
                kernel.op().error(cube_ir::diagnostic!(CUBE0303.missing { param: param.name, kernel: kernel.name() }));
                return Err(Failed);
            }
        }
    }
    Ok(values)
}

// The parameter values. Values whose type is a parameter are converted to the chosen type.
fn converted_values<'p>(
    kernel: ops::Kernel<'p>,
    values: Vec<(String, Attribute<'p>)>,
) -> Result<Vec<(String, Attribute<'p>)>, Failed> {
    let one = |(name, value): &(String, Attribute<'p>)| match ChosenTypes::value(kernel.op().cx(), *value, &values) {
        Some(converted) => Ok((name.clone(), converted)),
        None => {
            kernel.op().error(cube_ir::diagnostic!(CUBE0316.value { value, name }));
            Err(Failed)
        }
    };
    values.iter().map(one).collect()
}

// The type verifier checks only a size that is a number in the text. This function checks a size from a parameter.
fn check_size(op: Op<'_>, values: &[(String, Attribute<'_>)]) -> PassResult {
    let buffer = op.is(ops::Alloc::KIND).then(|| BufferType::of(op.result(0).ty())).flatten();
    let Some(name) = buffer.and_then(|buffer| param_name(buffer.size, None)) else { return Ok(()) };
    let Some((_, value)) = values.iter().find(|(n, _)| n == name) else { return Ok(()) };
    if value.as_int().is_some_and(|lines| lines < 1) {
        op.error(cube_ir::diagnostic!(CUBE0114.size { name, value }));
        return Err(Failed);
    }
    Ok(())
}

fn constant<'p>(run: &mut Run<'p>, op: Op<'p>, values: &[(String, Attribute<'p>)]) -> PassResult {
    let name = param_name(op.attr("value"), None).unwrap_or("");
    let Some((_, value)) = values.iter().find(|(n, _)| n == name) else { return Err(undeclared(op, name)) };
    let ty = op.result(0).ty();
    if value.value_type() != Some(ty) {
        op.error(cube_ir::diagnostic!(CUBE0302.other_type { value, name, ty }));
        return Err(Failed);
    }
    let new = run.before(op).op(arith::CONSTANT).attr("value", *value).result(ty).value();
    run.replace(op, &[new]);
    Ok(())
}

// Reports a parameter that no kernel declares, if it occurs in the type of a value.
fn undeclared_type_parameter(op: Op<'_>) -> PassResult {
    let args = op.regions().flat_map(|r| r.blocks()).flat_map(|b| b.args().collect::<Vec<_>>());
    let param = |ty: Type<'_>| {
        let element = BufferType::of(ty).map_or(ty.element(), |a| a.element);
        param_name(None, Some(element)).map(String::from)
    };
    match op.results().chain(args).find_map(|v| param(v.ty())) {
        Some(name) => Err(undeclared(op, &name)),
        None => Ok(()),
    }
}

fn undeclared(op: Op<'_>, name: &str) -> Failed {
    op.error(cube_ir::diagnostic!(CUBE0304.left { name }));
    Failed
}
