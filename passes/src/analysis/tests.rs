//! Tests of the analyses. Each test parses a kernel and asserts the results for named values of the kernel's
//! text.
mod affine;
mod constants;
mod convergence;
mod decisions;
mod effects;
mod guards;
mod launch;
mod launch_bounds;
mod loop_termination;
mod loops;
mod moved_accesses;
mod ranges;
mod registers;
mod segments;
mod shared_ranges;
mod uniformity;
mod uniformity_unknown;
mod unit_addresses;

use cube_dialect::kernels_of;
use cube_ir::{Op, Session, Val, name_of};

/// Parses a kernel and passes it to `ask`. The test can find each result by its name in the text ([`value`]). An
/// operation with regions or without results has a name if its text ends with `loc("name")`.
fn inspect(text: &str, ask: impl for<'p> FnOnce(Op<'p>)) {
    inspect_in(&Session::new(), text, ask);
}

/// Like [`inspect`], but in a session that the caller provides.
fn inspect_in(session: &Session, text: &str, ask: impl for<'p> FnOnce(Op<'p>)) {
    crate::register();
    let text: String = text.lines().map(|line| named(line) + "\n").collect();
    let module = session.parse(text.as_bytes(), "k.mlir").unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    ask(kernels_of(module.op())[0].op());
}

// The line, with the name of its result as the location.
fn named(line: &str) -> String {
    let name = line.trim_start().strip_prefix('%').and_then(|rest| rest.split_once(" = ")).map(|(name, _)| name);
    match name.filter(|name| !name.contains([',', ':']) && !line.ends_with('{') && !line.contains(" loc(")) {
        Some(name) => format!("{line} loc(\"{name}\")"),
        None => line.to_string(),
    }
}

fn operation<'p>(kernel: Op<'p>, name: &str) -> Op<'p> {
    let found = kernel.walk().into_iter().find(|op| name_of(op.location()).as_deref() == Some(name));
    found.unwrap_or_else(|| panic!("the kernel has no %{name}"))
}

/// The result with the given name. `name#1` is the second result of the operation `name`.
fn value<'p>(kernel: Op<'p>, name: &str) -> Val<'p> {
    let (name, number) = name.split_once('#').unwrap_or((name, "0"));
    operation(kernel, name).result(number.parse().expect("a number of a result"))
}
