//! The text of each generated page.
use super::targets::tables;
use cube_artifact::{CompileError, codes::CODES as RUNTIME, messages::rules};
use cube_dialect::attributes::{ATTRIBUTE_KEYS, Writer};
use cube_dialect::{OpDecl, PartDecl, ops};
use cube_driver::{BACKENDS, CODES};
use cube_ir::{Level, OptionDefault, Pass};
use cube_passes::{
    PASSES,
    levels::CONTRACTS,
    phases::{COMMON, Step, StepAction, Variant},
};
use cube_target::Target;
use std::fmt::Write;

/// Folder of the dialects and their examples.
pub const DIALECTS: &str = "dialects";

/// The path of the example of an operation, which is a file with a kernel that uses the operation.
fn example_of(op: &str) -> String {
    format!("{DIALECTS}/{}.mlir", op.replacen('.', "/examples/", 1))
}

type Page = Result<String, CompileError>;

/// The page of the operations, types and attributes of the dialect `cube`.
pub fn dialect() -> Page {
    let mut page = String::from(
        "# The cube dialect\n\n\
         After reading this page you can write any operation, type and attribute of kernels in text.\n\n\
         The dialect has the operations that kernels need in addition to upstream MLIR. Kernels use `arith` and `math` for arithmetic, `scf` for\n\
         control flow, and `vector` for lanes. [Errors](errors.md) explains the error codes; [levels](levels.md) lists the operations of each level.\n\n## Operations\n\n",
    );
    parts_of(&mut page, ops::OPS, ops::TYPES, ops::ATTRS)?;
    page += "\n## Discardable attributes\n\nOperations of any dialect can have the attributes of this table. `dialects/cube/src/attributes.rs` is the only definition\nof their keys, including keys of the dialects `layout`, `nvvm`, `rocdl` and `llvm`. A source can contain the attributes\nof the program. The driver refuses a source with an attribute of the compiler.\n\n\
             | key | on | written by | meaning |\n|---|---|---|---|\n";
    for key in ATTRIBUTE_KEYS {
        let by = match key.by {
            Writer::Program => "program",
            Writer::Compiler => "compiler",
        };
        let _ = writeln!(page, "| `{}` | {} | {by} | {} |", key.name, key.on, key.summary);
    }
    Ok(page)
}

/// The page of the operations, types and attributes of the dialect `layout`.
pub fn layout() -> Page {
    use cube_layout_dialect::ops;
    let mut page = String::from(
        "# The layout dialect\n\n\
         After reading this page you can write views and layouts of kernels in text.\n\n\
         The dialect has the operations of CuTe's layout algebra, and views of buffers under layouts. The phase `layout` lowers the dialect: see\n\
         [passes](passes.md), and [the reasons](../why/layout-dialect.md). If a layout operation has no result, the error contains an index\n\
         that proves that no layout satisfies the request.\n\n## Operations\n\n",
    );
    parts_of(&mut page, ops::OPS, ops::TYPES, ops::ATTRS)?;
    Ok(page)
}

fn parts_of(page: &mut String, ops: &[OpDecl], types: &[PartDecl], attrs: &[PartDecl]) -> Result<(), CompileError> {
    for op in ops {
        let _ = writeln!(page, "* [`{}`](#{}): {}.", op.name, op.name.replace('.', ""), op.summary);
    }
    for op in ops {
        operation(page, op)?;
    }
    part_list(page, "Types", types);
    part_list(page, "Attributes", attrs);
    Ok(())
}

fn operation(page: &mut String, op: &OpDecl) -> Result<(), CompileError> {
    let _ = writeln!(page, "\n### `{}`\n\n{}.", op.name, sentence(op.summary));
    prose(page, op.description);
    if !op.assembly.is_empty() {
        let _ = writeln!(page, "\n```text\n{} {}\n```", op.name, op.assembly);
    }
    for (title, fields) in [("Operand", op.operands), ("Attribute", op.attributes), ("Result", op.results)] {
        if !fields.is_empty() {
            let _ = writeln!(page, "\n| {title} | |\n|---|---|");
        }
        for (name, what) in fields {
            let _ = writeln!(page, "| `{name}` | {what} |");
        }
    }
    let file = example_of(op.name);
    let example = std::fs::read_to_string(&file).map_err(|error| {
        CompileError::from(cube_artifact::diagnostic!(CUBE0602.example { name: op.name, file, error }))
    })?;
    if !example.contains(op.name) {
        return Err(CompileError::from(cube_artifact::diagnostic!(CUBE0602.uses { file, name: op.name })));
    }
    let _ = writeln!(page, "\n```mlir\n{}\n```", example.trim_end());
    Ok(())
}

fn part_list(page: &mut String, title: &str, parts: &[PartDecl]) {
    let _ = writeln!(page, "\n## {title}");
    for part in parts {
        let _ = writeln!(page, "\n### `{}`\n\n{}.", part.name, sentence(part.summary));
        prose(page, part.description);
        if !part.words.is_empty() {
            let _ = writeln!(page, "\nThe value is one of `{}`.", part.words.join("`, `"));
        } else if !part.assembly.is_empty() {
            let _ = writeln!(page, "\n```text\n{}{}\n```", part.name, part.assembly);
        }
    }
}

// A description without its indentation in the `.td` file.
fn prose(page: &mut String, text: &str) {
    let lines: Vec<&str> = text.trim().lines().map(str::trim).collect();
    if !text.trim().is_empty() {
        let _ = writeln!(page, "\n{}", lines.join("\n"));
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The page of the passes and phases.
pub fn passes() -> Page {
    let mut page = String::from(
        "# Passes and phases\n\n\
         After reading this page you can run any pass by its name, with its options, and know its place in the pipeline.\n\n\
         Every pass runs by its name: `cube-opt --pass-pipeline='builtin.module(cube.kernel(expand-checks))'`. A phase is a\n\
         pass pipeline `phase-NAME`; `--compile-to=PHASE` runs all phases up to PHASE. The page of [targets](targets.md) describes the phase\n\
         `lower` of each target.\n\n## Phases\n",
    );
    for phase in COMMON {
        let _ = writeln!(
            page,
            "\n### `{}`\n\n{}. Leaves level `{}`.\n",
            phase.name,
            sentence(phase.summary),
            phase.produces.name()
        );
        let _ = writeln!(page, "| Step | On | Why here |\n|---|---|---|");
        for step in phase.steps.iter() {
            let own = matches!(step.action, StepAction::Own(_));
            let name = if own { format!("[`{0}`](#{0})", step.name()) } else { format!("`{}`", step.name()) };
            let _ = writeln!(page, "| {name} | `{}` | {}{} |", step.anchor(), step.why, variant(step));
        }
    }
    let _ = writeln!(page, "\n## Passes");
    PASSES.iter().for_each(|one| pass(&mut page, one));
    Ok(page)
}

// The pipelines that contain a step, unless all contain it.
fn variant(step: &Step) -> &'static str {
    match step.variant {
        Variant::Always => "",
        Variant::NotDebug => " (not for a debugger)",
        Variant::OnlyDebug => " (only for a debugger)",
        Variant::OnlyLines => " (only with line tables)",
    }
}

fn pass(page: &mut String, pass: &Pass) {
    let anchor = if pass.anchor.is_empty() { "any operation".into() } else { format!("`{}`", pass.anchor) };
    let _ = writeln!(page, "\n### `{}`\n\n{}. Runs on {anchor}{}.", pass.name, sentence(pass.summary), levels_of(pass));
    if !pass.options.is_empty() {
        let _ = writeln!(page, "\n| Option | Default | |\n|---|---|---|");
    }
    for option in pass.options {
        let default = match option.default {
            OptionDefault::Bool(flag) => format!("`{flag}`"),
            OptionDefault::Int(number) => format!("`{number}`"),
            OptionDefault::Text(text) => format!("`{text}`"),
            OptionDefault::List => "empty list".into(),
        };
        let _ = writeln!(page, "| `{}` | {default} | {} |", option.name, option.help);
    }
    if !pass.statistics.is_empty() {
        let _ = writeln!(page, "\n`--cube-stats` prints the counts: {}.", pass.statistics.join(", "));
    }
}

fn levels_of(pass: &Pass) -> String {
    let needs: Vec<String> = pass.needs.iter().map(|level| format!("`{}`", level.name())).collect();
    let needs = needs.join(" or ");
    match pass.produces {
        _ if pass.needs.contains(&Level::Any) => ", at any level".into(),
        Level::Any => format!(", at level {needs}"),
        produces if pass.needs == [produces] => format!(", at level {needs}"),
        produces => format!(", from level {needs} to `{}`", produces.name()),
    }
}

/// The page of the operations and types of each level.
pub fn levels() -> Page {
    let mut page = String::from(
        "# Levels\n\n\
         After reading this page you know the operations and types of each level, and the operations that each target supports.\n\n\
         A kernel is always at one level, and each level has a contract. The pass `check-level{level=NAME}` checks that a module obeys the\n\
         contract of a level; debug builds run this pass after every other pass. At all levels, vectors have one dimension of a fixed size; the\n\
         first pass refuses all other vectors.\n",
    );
    for contract in CONTRACTS {
        // The levels that each target defines precede the last one.
        if contract.level == Level::Llvm {
            of_backends(&mut page);
        }
        let _ = writeln!(page, "\n## `{}`\n\n{}.\n", contract.level.name(), sentence(contract.meaning));
        let _ = writeln!(page, "| Allowed operations | {} |\n|---|---|", code(&contract.ops.concat()));
        let _ = writeln!(page, "| Not in any type | {} |", code(contract.no_types));
    }
    support(&mut page);
    Ok(page)
}

fn code(words: &[impl std::fmt::Display]) -> String {
    words.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", ")
}

// The contracts that the backends supply for the phase `lower`.
fn of_backends(page: &mut String) {
    page.push_str(
        "\n## `mixed` and `device`\n\nEach backend defines a contract for these levels. A kernel at level `mixed` has the operations of level `legal`, and\n\
         operations of the target or of the backend. At level `device`, the kernel is a function of the target. A backend also adds the\n\
         operations of its target to level `llvm`.\n\n",
    );
    let _ = writeln!(page, "| Target | Level | Meaning | Operations | Not in any type |\n|---|---|---|---|---|");
    for backend in BACKENDS {
        for contract in backend.contracts() {
            // A level that extends a level of all targets is listed by its additional operations only.
            let base = if contract.level == Level::Mixed { Level::Legal } else { contract.level };
            let shared = CONTRACTS.iter().find(|shared| shared.level == base);
            let mut own = vec![];
            for op in contract.ops.concat() {
                // A contract can contain several lists with the same operation.
                if shared.is_none_or(|shared| !shared.ops.concat().contains(&op)) && !own.contains(&op) {
                    own.push(op);
                }
            }
            let also = if shared.is_some() { "also " } else { "" };
            let (level, no_types) = (contract.level.name(), code(contract.no_types));
            let name = backend.name();
            let _ =
                writeln!(page, "| `{name}` | `{level}` | {} | {also}{} | {no_types} |", contract.meaning, code(&own));
        }
    }
}

// Every operation by level and by backend.
fn support(page: &mut String) {
    page.push_str(
        "\n## Operations by level and target\n\n\
         The interpreter runs all operations of level `source`. Passes that all targets share expand the operations that are not allowed at level\n\
         `legal`.",
    );
    let sentences: String = BACKENDS.iter().map(|backend| evidence_of(backend.name())).collect();
    let _ = writeln!(page, "{sentences}\n");
    let levels: Vec<&str> = CONTRACTS.iter().map(|c| c.level.name()).collect();
    let backends: Vec<&str> = BACKENDS.iter().map(|b| b.name()).collect();
    let _ = writeln!(page, "| Operation | {} | interp | {} |", levels.join(" | "), backends.join(" | "));
    let _ = writeln!(page, "|---{}|", "|---".repeat(levels.len() + backends.len() + 1));
    let mut reasons = Vec::new();
    for row in cube_driver::support_table() {
        let level = |yes: &bool| if *yes { "x" } else { "" };
        let levels: Vec<&str> = row.levels.iter().map(level).collect();
        let ruled = cube_backend_interp::operations().any(|(kind, why)| kind.name() == row.op && why.is_none());
        // The interpreter decodes kernels and functions. All other operations have a rule.
        let decoded = ["cube.kernel", "cube.func"].contains(&row.op);
        let interp = if ruled || decoded { "yes" } else { "no" };
        let backends: Vec<&str> = row.backends.iter().map(|why| if why.is_none() { "yes" } else { "no" }).collect();
        let _ = writeln!(page, "| `{}` | {} | {interp} | {} |", row.op, levels.join(" | "), backends.join(" | "));
        for (backend, why) in BACKENDS.iter().zip(&row.backends) {
            reasons.extend(why.map(|why| format!("* `{}` on {}: {why}", row.op, backend.name())));
        }
    }
    if !reasons.is_empty() {
        let _ = writeln!(page, "\n{}", reasons.join("\n"));
    }
}

/// The sentence about a backend whose code no test runs on hardware, with a space before it; empty for other backends.
pub(super) fn evidence_of(backend: &str) -> String {
    Target::evidence(backend).map_or_else(String::new, |sentence| format!(" {sentence}"))
}

/// The page of the backends and chips, with the phase `lower` of each backend.
pub fn targets() -> Page {
    let mut page = String::from(
        "# Targets\n\n\
         After reading this page you can choose a target, and know the limits, types and operations of each chip.\n\n\
         A target is `BACKEND` or `BACKEND:CHIP`. `cubec --list-targets` prints all targets, and `cube-opt --show-pipeline=TARGET`\n\
         prints the whole pipeline of a target. Legalisation keeps the functions and operations in the tables, and expands all other operations. A\n\
         function that is not correctly rounded is kept only if its error is within the bound in semantics/tables/ulp.toml. A cost is a time\n\
         relative to an f32 multiply-add at full occupancy, which means enough resident planes to hide latencies. Latencies are in cycles, and `~`\n\
         marks an estimate. The compiler does not report the occupancy of a kernel, which registers and shared memory per cube limit. The\n\
         last table of each backend lists the source of each number, or the rule of the estimate.\n",
    );
    for backend in BACKENDS {
        let _ = writeln!(page, "\n## `{}`\n\n{}.\n", backend.name(), sentence(backend.summary()));
        let _ = writeln!(page, "The default chip is `{}`.{}\n", backend.default_chip(), evidence_of(backend.name()));
        let described: Vec<Target> = backend.chips().iter().filter_map(|chip| backend.target(chip)).collect();
        tables(&mut page, &described);
        let _ = writeln!(page, "| Step of `lower` | Reason |\n|---|---|");
        let chip = backend.target(&backend.default_chip()).ok_or_else(|| {
            CompileError::from(cube_artifact::diagnostic!(CUBE0501.described { target: backend.name() }))
        })?;
        for step in backend.lower(&chip) {
            let options = if step.options.is_empty() { String::new() } else { format!("{{{}}}", step.options) };
            let _ = writeln!(page, "| `{}{options}` | {}{} |", step.name(), step.why, variant(step));
        }
    }
    for name in Target::backends().into_iter().filter(|name| !BACKENDS.iter().any(|backend| backend.name() == *name)) {
        let _ = writeln!(page, "\n## `{name}`\n\nThe chips are described; the backend does not exist yet.\n");
        let described: Vec<Target> =
            Target::chips(name).into_iter().filter_map(|chip| Target::known(name, chip)).collect();
        tables(&mut page, &described);
    }
    Ok(page.trim_end().to_string() + "\n")
}

/// The page of the rewrite rules and their proofs.
pub fn rewrite_rules() -> Page {
    // A test checks the file. On a page without proofs, each rule is marked.
    let proofs = cube_prove::record::read(cube_prove::record::STORED).unwrap_or_default();
    Ok(cube_prove::report::page(cube_rules::rules(), &proofs))
}

/// The page of the tolerances of each backend.
pub fn tolerance() -> Page {
    let mut page = String::from(
        "# Tolerance\n\n\
         After reading this page you know the largest difference that tests allow between a backend and the interpreter.\n\n\
         The page shows `semantics/tables/tolerance.toml`: the largest allowed difference between a result and the interpreter's result. The run tests,\n\
         `cube-run --against interp` and `cube-run --bisect` use this table for every backend. An operation that is not in the table must be exact,\n\
         except for the bit pattern of a NaN. The tolerance of a kernel is the sum of the tolerances of its operations. `N of largest` counts units in the last place of the largest\n\
         element of a buffer, and `ulp.toml` is the bound that semantics/tables/ulp.toml publishes for the function.\n",
    );
    for (section, title) in [("operation", "Operations"), ("pass", "Passes"), ("backend", "Backends")] {
        let _ = writeln!(page, "\n## {title}\n\n| | Allowed | Why |\n|---|---|---|");
        for (name, allowed, why) in cube_backend_interp::tolerance::lines(section) {
            let _ = writeln!(page, "| `{name}` | {allowed} | {why} |");
        }
    }
    Ok(page)
}

/// All error codes.
pub fn errors() -> Page {
    let mut page = String::from(
        "# Error codes\n\n\
         After reading this page you can look up the rule of an error code, and every message with this code.\n\n\
         A message has its code in brackets; `cubec --explain CODE` prints the explanation of a code. Codes that begin with CUBE01 are about\n\
         the input and the dialect, CUBE02 and CUBE03 about passes, and CUBE04 about code generation. CUBE05 is about requests, CUBE06\n\
         about tools, CUBE07 about the interpreter, and CUBE09 about the runtime.\n\n\
         Every message belongs to a rule. `cubec --message-format=json` writes the code, rule, operation, location, arguments and notes of a\n\
         message. A test expects a message with a comment such as `// expected-error@+1 CUBE0143.step {step = \"-1\"}`. The tables below\n\
         contain the text of each rule, with a placeholder `{name}` for each argument.\n",
    );
    for code in CODES.iter().chain(RUNTIME) {
        let _ = writeln!(page, "\n## {}", escaped(&code.page()));
        let of_code: Vec<_> = rules().filter(|rule| rule.name.split('.').next() == Some(code.code)).collect();
        if !of_code.is_empty() {
            let _ = writeln!(page, "\n| rule | message |\n|---|---|");
        }
        for rule in of_code {
            let name = rule.name.split('.').nth(1).unwrap_or_default();
            let rust = rule.rust.map(|rust| format!("; in Rust: {}", in_cell(rust))).unwrap_or_default();
            let _ = writeln!(page, "| `{name}` | {}{rust} |", in_cell(rule.mlir));
        }
    }
    Ok(page)
}

// The text of a rule in a table; backticks are part of it.
fn in_cell(words: &str) -> String {
    format!("`` {} ``", words.replace('|', "\\|"))
}

// Angle brackets outside of code would be read as HTML.
fn escaped(text: &str) -> String {
    text.replace('<', "\\<")
}
