//! Puts values in the place of comptime parameters, and says of each access whether it is checked.
//!
//! ```mlir
//! // before, with params=N=8                          // after
//! cube.kernel @k comptime(@N : i32 = 4) (...) {       cube.kernel @k(...) {
//!   %n = cube.constant <@N> : i32                       %n = arith.constant 8 : i32
//!   %v = cube.load %x[%n] : ...                         %v = cube.load %x[%n] checked : ...
//! ```
//!
//! Invariant: no parameter, call or undecided access is left. Cost: linear.
use cube_dialect::{Bounds, bounds_of, ops, param_name, set_bounds, substitute_params};
use cube_ir::{Attribute, Failed, Op, PassResult, Run, pass};

pass! {
    name: "specialize",
    summary: "replaces comptime parameters by values and decides which accesses are checked",
    on: "cube.kernel",
    level: Source => Flat,
    dialects: ["arith"],
    options: { params: List = "values as NAME=VALUE, for example params=N=8,F=f16" },
    statistics: ["parameters replaced"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let Some(kernel) = ops::Kernel::of(run.root()) else { return Ok(()) };
    let values = chosen(run, kernel)?;
    if !values.is_empty() {
        // Before the rest: `cube.constant` can hold a parameter only, not the value that takes its place.
        for op in kernel.op().walk() {
            constant(run, op, &values);
        }
        substitute_params(kernel.op(), &values);
        run.count("parameters replaced", values.len() as u64);
    }
    kernel.op().remove_attr("comptime");
    let checked = kernel.unchecked().is_none();
    for op in kernel.op().walk() {
        match op.name() {
            "arith.constant" => value_has_type(op)?,
            "cube.load" | "cube.store" if bounds_of(op).is_none() => {
                set_bounds(op, if checked { Bounds::Checked } else { Bounds::Inbounds });
            }
            "cube.call" => {
                let callee = op.attr("callee").map(|c| c.to_string()).unwrap_or_default();
                op.error(format!("the call of {callee} cannot be inlined because the function calls itself; kernels have no recursion, use a loop [CUBE0300]"));
                return Err(Failed);
            }
            _ => leftover(op)?,
        }
    }
    Ok(())
}

// The value of every declared parameter: from the option, else the default.
fn chosen<'p>(run: &Run<'p>, kernel: ops::Kernel<'p>) -> Result<Vec<(String, Attribute<'p>)>, Failed> {
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
            kernel.op().error(format!(
                "kernel @{} has no comptime parameter {name}; it declares {known:?} [CUBE0301]",
                kernel.name()
            ));
            return Err(Failed);
        }
    }
    let mut values = Vec::new();
    for param in params {
        let text = given.iter().find(|(n, _)| n == param.name).map(|(_, v)| v.as_str());
        let parsed = text.map(|text| match param.ty {
            None => run.cx().parse_type(text).map(|t| run.cx().type_attr(t)),
            Some(ty) if text.contains(':') => run.cx().parse_attr(text).filter(|_| text.ends_with(&ty.to_string())),
            Some(ty) => run.cx().parse_attr(&format!("{text} : {ty}")),
        });
        let kind = param.ty.map_or("a type".to_string(), |t| format!("a value of type {t}"));
        match (parsed, param.default) {
            (Some(Some(value)), _) | (None, Some(value)) => values.push((param.name.to_string(), value)),
            (Some(None), _) => {
                kernel.op().error(format!(
                    "comptime parameter @{} wants {kind}, not '{}' [CUBE0302]",
                    param.name,
                    text.unwrap_or("")
                ));
                return Err(Failed);
            }
            (None, None) => {
                kernel.op().error(format!("comptime parameter @{} of kernel @{} has no value and no default; give it with params={}=... [CUBE0303]", param.name, kernel.name(), param.name));
                return Err(Failed);
            }
        }
    }
    Ok(values)
}

fn constant<'p>(run: &mut Run<'p>, op: Op<'p>, values: &[(String, Attribute<'p>)]) {
    let Some(constant) = ops::Constant::of(op) else { return };
    let Some((_, value)) = values.iter().find(|(name, _)| Some(name.as_str()) == param_name(constant.value(), None))
    else {
        return;
    };
    let new = run.before(op).op("arith.constant").attr("value", *value).result(op.result(0).ty()).value();
    run.replace(op, &[new]);
}

// A type that was a parameter may have become another than the value's.
fn value_has_type(op: Op<'_>) -> PassResult {
    let Some(value) = op.attr("value").map(|a| a.to_string()) else { return Ok(()) };
    let ty = op.result(0).ty().to_string();
    if !value.ends_with(&ty) && value != "true" && value != "false" {
        op.error(format!("the parameter's value {value} does not have type {ty} [CUBE0302]"));
        return Err(Failed);
    }
    Ok(())
}

// A parameter that nothing declares, in a type or as a constant.
fn leftover(op: Op<'_>) -> PassResult {
    let types = op.results().map(|r| r.ty());
    let in_type = types.filter_map(|t| param_name(None, Some(t))).next();
    let name = in_type.or_else(|| op.attr("value").and_then(|a| param_name(Some(a), None)));
    match name {
        Some(name) => {
            op.error(format!(
                "comptime parameter @{name} is not declared by the kernel; add it to comptime(...) [CUBE0304]"
            ));
            Err(Failed)
        }
        None => Ok(()),
    }
}
