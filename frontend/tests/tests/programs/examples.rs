//! The programs of `examples/rust`: each file is a module of this test, which runs the tests of the file. A test
//! checks that the table in `examples/rust/README.md` lists all files.
//! On a GPU, the test `on_the_runtime_under_test` runs the programs that accept a runtime.
#![cfg_attr(any(feature = "on-cuda", feature = "on-hip", feature = "on-wgpu"), allow(dead_code))]
macro_rules! examples {
    ($($name:ident $file:literal),* $(,)?) => {
        $(#[path = $file] mod $name;)*
        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

examples! {
    comptime "../../../../examples/rust/comptime.rs",
    device_sharing "../../../../examples/rust/device_sharing.rs",
    integers "../../../../examples/rust/integers.rs",
    kmeans "../../../../examples/rust/kmeans.rs",
    layouts "../../../../examples/rust/layouts.rs",
    matmul "../../../../examples/rust/matmul.rs",
    recipes "../../../../examples/rust/recipes.rs",
    reduction "../../../../examples/rust/reduction.rs",
    rows "../../../../examples/rust/rows.rs",
    sums "../../../../examples/rust/sums.rs",
    topology "../../../../examples/rust/topology.rs",
    types "../../../../examples/rust/types.rs",
}

#[test]
fn every_program_is_tested_and_documented() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |file: &str| std::fs::read_to_string(root.join(file)).unwrap();
    let (table, manifest) = (read("examples/rust/README.md"), read("cube/Cargo.toml"));
    let files = std::fs::read_dir(root.join("examples/rust")).unwrap().map(|e| e.unwrap().path());
    let mut programs: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|end| end == "rs"))
        .map(|file| file.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    programs.sort();
    assert_eq!(programs, NAMES, "each file of examples/rust is a module of this test");
    for name in &programs {
        assert!(table.contains(&format!("| `{name}.rs` | `cargo run")), "{name} is not in the table");
        assert!(
            manifest.contains(&format!("path = \"../examples/rust/{name}.rs\"")),
            "{name} is not an example of the crate"
        );
        assert!(
            read(&format!("examples/rust/{name}.rs")).contains(&format!("--example {name}`")),
            "{name} says how it is run"
        );
    }
    let named = table.split("--example ").skip(1).map(|rest| rest.split('`').next().unwrap_or_default());
    assert!(named.clone().count() >= programs.len());
    named.for_each(|name| {
        assert!(programs.iter().any(|program| program == name), "{name} of the table is not a program")
    });
}

/// The programs on the runtime under test. `device_sharing` is for wgpu only.
#[cfg(any(feature = "on-cuda", feature = "on-hip", feature = "on-wgpu"))]
mod on_the_runtime_under_test {
    use crate::common::R;
    macro_rules! run {
        ($($name:ident $(($sizes:expr))?),* $(,)?) => {
            $(#[test]
            fn $name() {
                super::$name::run::<R>(&Default::default() $(, $sizes)?);
            })*
        };
    }

    run! {
        comptime, integers, kmeans, layouts, matmul(&[[1, 1, 1], [33, 20, 17]]), recipes, reduction, rows, sums,
        topology, types,
    }
}
