//! Tests that write skeletons into a small checkout.

use super::*;

const OPS: &str = "#ifndef X\n#endif // inner\ndef Cube_OldOp;\n#endif\n";
const MANIFEST: &str = "[workspace]\nmembers = [\n    \"xtask\",\n]\n[workspace.dependencies]\n\
                        cube-backend = { path = \"backends/api\" }\n";

fn checkout() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("passes/src/optimize")).unwrap();
    std::fs::create_dir_all(folder.path().join("dialects/cube/td")).unwrap();
    std::fs::write(folder.path().join("passes/src/optimize.rs"), "//! Phase.\npub mod a;\npub mod z;\n").unwrap();
    std::fs::write(
        folder.path().join("passes/src/lib.rs"),
        "[\n    &specialize::b::PASS,\n    &optimize::z::PASS,\n]\n",
    )
    .unwrap();
    std::fs::write(folder.path().join("dialects/cube/td/CubeOps.td"), OPS).unwrap();
    std::fs::write(folder.path().join("Cargo.toml"), MANIFEST).unwrap();
    folder
}

fn names(name: &str) -> Names {
    Names::of(name, "optimize").unwrap()
}

#[test]
fn a_pass_is_two_files_and_two_words() {
    let folder = checkout();
    write(folder.path(), &PASS, &names("merge_sums")).unwrap();
    let read = |path: &str| std::fs::read_to_string(folder.path().join(path)).unwrap();
    let (pass, test) = (read("passes/src/optimize/merge_sums.rs"), read("test/optimize/merge_sums.mlir"));
    assert!(pass.contains("name: \"merge-sums\","), "{pass}");
    assert!(test.contains("cube.kernel(merge-sums)"), "{test}");
    assert_eq!(read("passes/src/optimize.rs"), "//! Phase.\npub mod a;\npub mod merge_sums;\npub mod z;\n");
    let registry = "[\n    &specialize::b::PASS,\n    &optimize::z::PASS,\n    &optimize::merge_sums::PASS,\n]\n";
    assert_eq!(read("passes/src/lib.rs"), registry);
}

#[test]
fn a_pass_of_a_backend_is_in_its_crate() {
    let folder = checkout();
    let lib = folder.path().join("backends/cpu/src/lib.rs");
    std::fs::create_dir_all(lib.parent().unwrap()).unwrap();
    std::fs::write(&lib, "mod a;\nmod z;\n\nconst PASSES: &[&Pass] = &[\n    &a::PASS,\n];\n").unwrap();
    assert!(is_backend(folder.path(), "cpu") && !is_backend(folder.path(), "optimize"));
    write(folder.path(), &BACKEND_PASS, &Names::of("merge_sums", "cpu").unwrap()).unwrap();
    assert!(folder.path().join("backends/cpu/src/merge_sums.rs").exists());
    assert!(folder.path().join("test/lower/merge_sums.mlir").exists());
    let expected =
        "mod a;\nmod merge_sums;\nmod z;\n\nconst PASSES: &[&Pass] = &[\n    &a::PASS,\n    &merge_sums::PASS,\n];\n";
    assert_eq!(std::fs::read_to_string(lib).unwrap(), expected);
}

#[test]
fn existing_file_stops_the_skeleton_before_any_write() {
    let folder = checkout();
    write(folder.path(), &PASS, &names("unroll")).unwrap();
    std::fs::remove_file(folder.path().join("passes/src/optimize/unroll.rs")).unwrap();
    let message = write(folder.path(), &PASS, &names("unroll")).unwrap_err();
    assert!(message.contains("test/optimize/unroll.mlir is there already"), "{message}");
    assert!(!folder.path().join("passes/src/optimize/unroll.rs").exists());
}

#[test]
fn new_operation_is_inserted_once_before_the_end_of_the_list() {
    let folder = checkout();
    write(folder.path(), &OP, &names("mul_hi")).unwrap();
    let ops = std::fs::read_to_string(folder.path().join("dialects/cube/td/CubeOps.td")).unwrap();
    assert!(ops.contains("def Cube_MulHiOp : Cube_Op<\"mul_hi\""), "{ops}");
    assert!(ops.ends_with("}\n\n#endif\n") && ops.contains("#endif // inner\ndef Cube_OldOp;\n"), "{ops}");
    let message = write(folder.path(), &OP, &names("mul_hi")).unwrap_err();
    assert!(message.contains("already"), "{message}");
}

#[test]
fn new_backend_is_added_to_members_and_dependencies() {
    let folder = checkout();
    write(folder.path(), &BACKEND, &names("metal")).unwrap();
    let manifest = std::fs::read_to_string(folder.path().join("Cargo.toml")).unwrap();
    assert!(manifest.contains("members = [\n    \"backends/metal\",\n    \"xtask\",\n]"), "{manifest}");
    let expected_lines =
        "cube-backend = { path = \"backends/api\" }\ncube-backend-metal = { path = \"backends/metal\" }\n";
    assert!(manifest.ends_with(expected_lines), "{manifest}");
    assert!(write(folder.path(), &BACKEND, &names("metal")).is_err());
}

#[test]
fn missing_dialect_file_is_reported_before_any_write() {
    let folder = tempfile::tempdir().unwrap();
    let message = write(folder.path(), &OP, &names("x")).unwrap_err();
    assert_eq!(message, "no dialects/cube/td/CubeOps.td in this checkout yet");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn no_template_leaves_a_gap() {
    let names = names("x");
    for skeleton in [&PASS, &OP, &BACKEND] {
        for (place, template) in skeleton.places {
            let (File(path) | Lines(path, _)) = place;
            for text in [names.fill(template), names.fill(path), names.fill(skeleton.next)] {
                assert!(!text.contains("<<") && !text.contains(">>"), "{text}");
            }
        }
    }
}

#[test]
fn unknown_phase_and_invalid_name_are_rejected() {
    let folder = checkout();
    assert_eq!(known_phase(folder.path(), "optimize"), Ok(()));
    let message = known_phase(folder.path(), "optimise").unwrap_err();
    let end = "a pass of a backend is made with its name, such as cpu";
    assert_eq!(message, format!("no phase is called `optimise`; the phases are optimize; {end}"));
    for bad in ["Unroll", "un-roll", "", "1st", "loop", "a/b", "é"] {
        assert!(Names::of(bad, "").is_err(), "{bad}");
    }
}

/// A skeleton must pass `cargo xtask check`.
#[test]
fn skeletons_are_formatted() {
    let folder = checkout();
    write(folder.path(), &PASS, &names("x")).unwrap();
    write(folder.path(), &BACKEND, &names("x")).unwrap();
    std::fs::copy(workspace::root().join("rustfmt.toml"), folder.path().join("rustfmt.toml")).unwrap();
    for file in ["passes/src/optimize/x.rs", "backends/x/src/lib.rs"] {
        let mut rustfmt = std::process::Command::new("rustfmt");
        let output = rustfmt.args(["--edition", "2024", "--check"]).arg(folder.path().join(file)).output();
        let output = output.expect("rustfmt is there (rustup component add rustfmt)");
        assert!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn a_rule_is_a_line_and_a_test() {
    let folder = checkout();
    let family = folder.path().join("rules/families/bits.rules");
    std::fs::create_dir_all(family.parent().unwrap()).unwrap();
    std::fs::write(&family, "# Bits.\ntypes int\nand-zero: (andi x 0) => 0\n").unwrap();
    assert_eq!(names_in(family.parent().unwrap(), "rules"), ["bits"]);
    let names = Names::of("or_of_parts", "bits").unwrap();
    write(folder.path(), &RULE, &names).unwrap();
    let text = std::fs::read_to_string(&family).unwrap();
    assert!(text.starts_with("# Bits.\ntypes int\nand-zero: (andi x 0) => 0\nor-of-parts: "), "{text}");
    assert!(folder.path().join("test/optimize/egraph.or_of_parts.mlir").exists());
    // The second call writes nothing.
    assert!(write(folder.path(), &RULE, &names).is_err());
    assert_eq!(std::fs::read_to_string(&family).unwrap(), text);
}
