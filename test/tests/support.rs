//! The table of operations and targets against what the compiler does: the example of each operation compiles for a target
//! exactly if the table says so, and is refused with the operation, its place and the reason where it says no.
#![forbid(unsafe_code)]

use cube_test::toolbox::Toolbox;
use std::{path::Path, process::Command};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the checkout")
}

/// Header and rows of the table in docs/reference/levels.md, which `cube docs --check` holds to the declarations.
fn table() -> (Vec<String>, Vec<Vec<String>>) {
    let page = std::fs::read_to_string(root().join("docs/reference/levels.md")).unwrap();
    let cells = |line: &str| -> Vec<String> {
        line.trim().trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`').to_string()).collect()
    };
    let mut lines = page.lines().skip_while(|line| !line.starts_with("| Operation |"));
    let header = cells(lines.next().expect("the page has the table"));
    let rows = lines.skip(1).take_while(|line| line.starts_with('|')).map(cells).collect();
    (header, rows)
}

/// The example of an operation, which stands with its dialect.
fn example(op: &str) -> std::path::PathBuf {
    let (dialect, name) = op.split_once('.').expect("an operation has a dialect");
    root().join("dialects").join(dialect).join("examples").join(format!("{name}.mlir"))
}

#[test]
fn the_example_of_an_operation_compiles_where_the_table_says_so() {
    let tools = Toolbox::find();
    let (header, rows) = table();
    let first = header.iter().position(|name| name == "interp").expect("a column of the interpreter") + 1;
    assert!(rows.len() >= 73 && header.len() >= first + 3, "the table is whole: {} rows", rows.len());
    let mut wrong = Vec::new();
    for row in &rows {
        let example = example(&row[0]);
        for (backend, cell) in header[first..].iter().zip(&row[first..]) {
            let output = Command::new(&tools.cube)
                .args(["c", "--target", backend, "-o", "-"])
                .arg(&example)
                .output()
                .expect("the tool starts");
            let said = String::from_utf8_lossy(&output.stderr);
            // An example may use other operations than its own that the target lacks.
            let refused = said.contains("CUBE0412") && said.contains("has no code on target");
            let own = refused && said.contains(&format!("'{}' has no code", row[0]));
            let right = match cell.as_str() {
                "yes" => output.status.success() || refused && !own,
                _ => own && said.contains(".mlir:"),
            };
            if !right {
                wrong.push(format!("{} on {backend}: table says {cell}, the compiler: {said}", row[0]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The arguments that run the example `text`: counting numbers for buffers, 3 for scalars.
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

#[test]
fn the_example_of_an_operation_means_the_same_after_every_pass_and_on_the_cpu() {
    let tools = Toolbox::find();
    let (header, rows) = table();
    let cpu = header.iter().position(|name| name == "cpu").expect("a column of the CPU");
    let mut wrong = Vec::new();
    let mut ran = 0;
    for row in rows.iter().filter(|row| row[cpu] == "yes") {
        // All units of this one write one place, which the interpreter reports.
        if row[0] == "cube.topology" {
            continue;
        }
        let example = example(&row[0]);
        let text = std::fs::read_to_string(&example).unwrap();
        // Buffers are checked with the kernel's own values for its parameters.
        let output = Command::new(&tools.cube)
            .arg("run")
            .arg(&example)
            .args(["--cube-count", "1", "--backend", "cpu", "--bisect", "--bisect-folder", env!("CARGO_TARGET_TMPDIR")])
            .args(arguments(&text))
            .output()
            .expect("the tool starts");
        ran += 1;
        if !output.status.success() {
            wrong.push(format!("{}: {}", row[0], String::from_utf8_lossy(&output.stderr)));
        }
    }
    assert!(ran >= 70, "{ran} examples ran");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_example_is_the_same_after_bytecode_and_after_the_generic_form() {
    let tools = Toolbox::find();
    let opt = |arguments: &[&str], file: &Path| {
        let output = Command::new(&tools.cube).arg("opt").args(arguments).arg(file).output().expect("the tool starts");
        assert!(output.status.success(), "{}: {}", file.display(), String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let folder = tempfile::tempdir().unwrap();
    let mut seen = 0;
    let folders = ["dialects/cube/examples", "dialects/layout/examples"];
    for entry in folders.iter().flat_map(|folder| std::fs::read_dir(root().join(folder)).unwrap()) {
        let example = entry.unwrap().path();
        let text = opt(&[], &example);
        for (form, name) in [("--emit-bytecode", "kernel.mlirbc"), ("--mlir-print-op-generic", "kernel.mlir")] {
            let file = folder.path().join(name);
            std::fs::write(&file, opt(&[form], &example)).unwrap();
            assert_eq!(opt(&[], &file), text, "{} after {form}", example.display());
        }
        seen += 1;
    }
    assert!(seen >= 73, "{seen} examples were seen");
}
