//! Compares the table of operations and targets with the compiler. The example of an operation compiles for a target if
//! and only if the table lists the operation for this target. If an example does not compile, the error names the
//! operation, its location and the reason. The results of an example must be equal after every pass, on the CPU, and
//! after a round trip through bytecode and MLIR's generic syntax. `-- mulhi` and `-- toy` choose an operation or a
//! target.
#![forbid(unsafe_code)]

use cube_test::toolbox::Toolbox;
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::sync::LazyLock;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let (header, rows) = table();
    let first = header.iter().position(|name| name == "interp").map_or(header.len(), |at| at + 1);
    let cpu = header.iter().position(|name| name == "cpu");
    let mut trials = vec![Trial::test("the tables are complete", table_is_complete)];
    for row in rows {
        let op = row[0].clone();
        for (target, cell) in header[first..].iter().zip(&row[first..]) {
            // The column of AMD GPUs holds for a chip of each plane width.
            let chips: &[&str] = if target == "amdgpu" { &["amdgpu:gfx942", "amdgpu:gfx1100"] } else { &[target] };
            for target in chips {
                let (op, target, cell) = (op.clone(), (*target).to_string(), cell.clone());
                trials.push(Trial::test(format!("{op} for {target}"), move || compiles_as_listed(&op, &target, &cell)));
            }
        }
        // All units of this example write one address, which the interpreter reports.
        if op != "cube.topology" && cpu.is_some_and(|cpu| row[cpu] == "yes") {
            let op = op.clone();
            trials.push(Trial::test(format!("{op} after every pass and on the CPU"), move || results_agree(&op)));
        }
    }
    for example in examples() {
        let name = example.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        trials.push(Trial::test(format!("{name} after bytecode and the generic form"), move || {
            survives_roundtrip(&example)
        }));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the checkout")
}

/// The header and the rows of the table in docs/reference/levels.md. `cube docs --check` compares this table with the
/// declarations.
fn table() -> (Vec<String>, Vec<Vec<String>>) {
    let page = std::fs::read_to_string(root().join("docs/reference/levels.md")).unwrap_or_default();
    let cells = |line: &str| -> Vec<String> {
        line.trim().trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`').to_string()).collect()
    };
    let mut lines = page.lines().skip_while(|line| !line.starts_with("| Operation |"));
    let header = lines.next().map(cells).unwrap_or_default();
    let rows = lines.skip(1).take_while(|line| line.starts_with('|')).map(cells).collect();
    (header, rows)
}

/// Checks that every operation has a row and an example, and that every row has a cell for each target.
fn table_is_complete() -> Result<(), Failed> {
    let (header, rows) = table();
    let targets = header.iter().skip_while(|name| *name != "interp").count();
    if rows.len() < 73 || targets < 4 || rows.iter().any(|row| row.len() != header.len()) {
        return Err(
            format!("docs/reference/levels.md: {} rows, {targets} targets, header {header:?}", rows.len()).into()
        );
    }
    if !header.iter().any(|name| name == "cpu") {
        return Err("docs/reference/levels.md has no column of the CPU".into());
    }
    match rows.iter().find(|row| !example(&row[0]).is_file()) {
        Some(row) => Err(format!("{}: no {}", row[0], example(&row[0]).display()).into()),
        None => Ok(()),
    }
}

/// The path of an operation's example, in the folder of the operation's dialect.
fn example(op: &str) -> PathBuf {
    let (dialect, name) = op.split_once('.').unwrap_or(("cube", op));
    root().join("dialects").join(dialect).join("examples").join(format!("{name}.mlir"))
}

/// The examples of all operations. If a folder is not readable, the list is empty, and `table_is_complete` reports the
/// missing examples.
fn examples() -> Vec<PathBuf> {
    let folders = ["dialects/cube/examples", "dialects/layout/examples"].map(|folder| root().join(folder));
    let files = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let mut files: Vec<PathBuf> = files.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    files
}

fn cube(arguments: &[&str], file: &Path) -> Result<Output, Failed> {
    // The check reads the times of all sources, so one check serves all tests of this program.
    static TOOLS: LazyLock<Result<Toolbox, String>> = LazyLock::new(|| {
        let tools = Toolbox::find();
        tools.check().map(|()| tools)
    });
    let tools = TOOLS.as_ref()?;
    Ok(Command::new(tools.start()).args(arguments).arg(file).output()?)
}

fn compiles_as_listed(op: &str, target: &str, cell: &str) -> Result<(), Failed> {
    let output = cube(&["c", "--target", target, "-o", "-"], &example(op))?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    // An example can use further operations that the target lacks.
    let refusals = ["is not supported on target", "requires type "];
    let refused = stderr.contains("CUBE0412") && refusals.iter().any(|words| stderr.contains(words));
    let own = refused && stderr.contains(&format!("'{op}' is not supported"));
    let right = match cell {
        "yes" => output.status.success() || refused && !own,
        _ => own && stderr.contains(".mlir:"),
    };
    if right { Ok(()) } else { Err(format!("the table says {cell}, the compiler: {stderr}").into()) }
}

/// The arguments for the example `text`: buffers contain 0, 1, 2 and so on, and scalars are 3.
fn arguments(text: &str) -> Vec<String> {
    let signature = text.split("cube.kernel @").nth(1).expect("an example has a kernel");
    let signature = &signature[..signature.find(") cube_dim").expect("an example has a cube dim")];
    let mut args = Vec::new();
    for part in signature.split('%').skip(1) {
        let (name, ty) = part.split_once(':').expect("an argument has a type");
        let value = match ty.contains("!cube.") {
            true if ty.contains("<i1>") => "zeros:256",
            true => "iota:256",
            false => "3",
        };
        args.extend(["--arg".to_string(), format!("{name}={value}")]);
    }
    args
}

fn results_agree(op: &str) -> Result<(), Failed> {
    let example = example(op);
    let text = std::fs::read_to_string(&example)?;
    // Uses the kernel's own values for its parameters.
    let own = arguments(&text);
    let mut words = vec!["run", "--cube-count", "1", "--backend", "cpu", "--bisect"];
    words.extend(["--bisect-folder", env!("CARGO_TARGET_TMPDIR")]);
    words.extend(own.iter().map(String::as_str));
    let output = cube(&words, &example)?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned().into()) }
}

fn survives_roundtrip(example: &Path) -> Result<(), Failed> {
    let opt = |arguments: &[&str], file: &Path| {
        let output = cube(&[&["opt"], arguments].concat(), file)?;
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok(output.stdout) } else { Err(Failed::from(stderr)) }
    };
    let folder = tempfile::tempdir()?;
    let text = opt(&[], example)?;
    for (form, name) in [("--emit-bytecode", "kernel.mlirbc"), ("--mlir-print-op-generic", "kernel.mlir")] {
        let file = folder.path().join(name);
        std::fs::write(&file, opt(&[form], example)?)?;
        if opt(&[], &file)? != text {
            return Err(format!("another text after {form}").into());
        }
    }
    Ok(())
}
