//! A pass that panics, to test the handling of panics. Tools register this pass if the variable
//! `CUBE_TEST_PASSES` is set.
use cube_ir::{PassResult, Run, pass};

pass! {
    name: "test-panic",
    summary: "panics after unlinking an operation that is in use",
    on: cube::KERNEL,
    level: Any => Any,
    options: { message: Text("as requested") = "the message of the panic" },
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let used = run.root().walk().into_iter().find(|op| op.results().len() > 0 && !op.is_unused());
    if let Some(op) = used {
        run.erase(op);
    }
    panic!("{}", run.text("message"));
}
