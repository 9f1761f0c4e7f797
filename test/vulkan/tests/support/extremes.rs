//! Kernels of extreme size and with difficult names. Each kernel reads its first buffer and writes its second buffer.
use std::fmt::Write;

/// The expected outcome for a kernel.
pub enum Expected {
    /// The adapter computes the result of the interpreter.
    Runs,
    /// The code is valid.
    Valid,
    /// The compiler refuses the kernel with a code.
    Refused(&'static str),
}

/// A kernel with a name for messages.
pub struct ExtremeKernel {
    pub name: &'static str,
    pub text: String,
    pub expected: Expected,
}

/// All kernels of this file, for a backend.
pub fn all(backend: &str) -> Vec<ExtremeKernel> {
    use Expected::{Refused, Runs, Valid};
    // WGSL allows 127 nested blocks.
    let deepest = if backend == "wgsl" { Refused("CUBE0410") } else { Valid };
    let all = [
        ("10,000 operations", long(5_000), Runs),
        // llvmpipe ignores the conditions of deeper branches (`LP_MAX_TGSI_NESTING`).
        ("79 branches in each other", nested(79), Runs),
        ("120 branches in each other", nested(120), Valid),
        ("250 branches in each other", nested(250), deepest),
        ("300 branches in each other", nested(300), Refused("CUBE0102")),
        ("keywords of WGSL as names", named("loop", "fn", "while"), Runs),
        ("names that the text of WGSL uses", named("main", "arguments", "unit_pos"), Runs),
        ("a name in another alphabet", named("größe_输入_вход", "x", "y"), Refused("CUBE0100")),
        ("a name of 5,000 letters", named(&"k".repeat(5_000), "x", "y"), Runs),
    ];
    all.map(|(name, text, expected)| ExtremeKernel { name, text, expected }).into()
}

fn kernel(name: &str, input: &str, output: &str, body: &str) -> String {
    format!(
        "cube.kernel @{name}(%{input}: !cube.array<f32>, %{output}: !cube.array<f32>) cube_dim(4) {{\n\
         %i = cube.topology absolute_pos\n%v0 = cube.load %{input}[%i] : !cube.array<f32> -> f32\n{body}cube.return\n}}\n"
    )
}

fn named(name: &str, input: &str, output: &str) -> String {
    kernel(name, input, output, &format!("cube.store %v0, %{output}[%i] : f32, !cube.array<f32>\n"))
}

/// A chain of products and sums, each of which depends on the one before.
fn long(steps: u32) -> String {
    let mut body = String::from("%half = arith.constant 0.5 : f32\n");
    for k in 0..steps {
        let _ = writeln!(body, "%m{k} = arith.mulf %v{k}, %half : f32\n%v{} = arith.addf %m{k}, %v0 : f32", k + 1);
    }
    let _ = writeln!(body, "cube.store %v{steps}, %y[%i] : f32, !cube.array<f32>");
    kernel("long", "x", "y", &body)
}

/// Nested branches. For the number `k`, a unit enters `k` of the branches.
fn nested(depth: u32) -> String {
    let mut body = String::new();
    for k in 0..depth {
        let _ = writeln!(
            body,
            "%c{k} = arith.constant {k}.5 : f32\n%b{k} = arith.cmpf ogt, %v0, %c{k} : f32\nscf.if %b{k} {{\n\
             cube.store %c{k}, %y[%i] : f32, !cube.array<f32>"
        );
    }
    body += &"}\n".repeat(depth as usize);
    kernel("nested", "x", "y", &body)
}
