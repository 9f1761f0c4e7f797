//! Tests that the README names every backend, and does not describe a backend as missing.
use cube_driver::BACKENDS;

const README: &str = include_str!("../../README.md");

/// The names under which the README can mention a backend.
fn words(name: &str) -> &[&str] {
    match name {
        "cpu" => &["CPU"],
        "nvptx" => &["NVIDIA", "PTX"],
        "amdgpu" => &["AMD"],
        "spirv" => &["SPIR-V"],
        "wgsl" => &["WGSL"],
        other => panic!("{other} is a new backend; name it in the README, and add its word here"),
    }
}

#[test]
fn readme_lists_every_backend_as_existing() {
    let rows = || README.lines().filter(|line| line.starts_with('|'));
    for backend in BACKENDS {
        let words = words(backend.name());
        let names = |line: &str| words.iter().any(|word| line.contains(word));
        assert!(rows().any(names), "no row of the README names {}", backend.name());
        let denied =
            rows().find(|line| names(line) && line.split('|').nth(2).is_some_and(|state| state.contains("not yet")));
        assert_eq!(denied, None, "{} is in the list of backends", backend.name());
    }
}
