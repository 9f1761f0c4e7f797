//! The crates of `two_crates`: a library of kernels, a program that launches kernels over the library, and a crate with mistakes
//! in two files.
use super::{Case, Tools};
use std::path::{Path, PathBuf};

fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("two_crates").join(path)
}

/// Compiles the library, and returns the tools for the crates that name it.
fn tools(name: &str) -> Tools {
    let mut tools = Tools::new();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("two_crates").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let library = folder.join("liblibrary.rlib");
    let made = tools.rustc(&file("library/lib.rs"), "rlib", &library).arg("--crate-name=library").output().unwrap();
    assert!(made.status.success() && made.stderr.is_empty(), "{}", String::from_utf8_lossy(&made.stderr));
    tools.libraries.push(("library", library));
    tools
}

#[test]
fn a_program_launches_kernels_over_a_library() {
    let tools = tools("program");
    let program = tools.libraries[1].1.with_file_name("program");
    let made = tools.rustc(&file("program/main.rs"), "bin", &program).output().unwrap();
    assert!(made.status.success() && made.stderr.is_empty(), "{}", String::from_utf8_lossy(&made.stderr));
    let compiler = std::env::var_os("CUBE_COMPILER");
    let compiler = compiler.unwrap_or_else(|| tools.folder.with_file_name("cube").into());
    let output = std::process::Command::new(&program).env("CUBE_COMPILER", compiler).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.trim(), "16 units of 3 kernels are equal", "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn each_mistake_with_a_library_has_an_error_at_its_line() {
    let files = ["main.rs", "kernels.rs"].map(|name| file("mistakes").join(name));
    let cases = tools("mistakes").compiled(&files[0], &files);
    let wrong: Vec<String> = cases.iter().flat_map(Case::unmarked).collect();
    let errors = cases.iter().flat_map(|case| &case.errors).flat_map(|error| &error.texts);
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), errors.cloned().collect::<Vec<_>>().join("\n"));
    let leaked: Vec<&String> = cases
        .iter()
        .flat_map(|case| case.errors.iter().flat_map(|error| &error.texts))
        .filter(|text| super::INTERNAL.iter().any(|name| text.contains(name)))
        .collect();
    assert!(leaked.is_empty(), "{leaked:#?}");
}
