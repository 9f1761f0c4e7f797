//! Compiles every kernel of the checkout, and random kernels, to WGSL for each chip. The compiler validates the WGSL
//! with naga, so each kernel either compiles or is refused with an error code. `CUBE_FUZZ_COUNT` sets the
//! number of random kernels, and `CUBE_FUZZ_SEED` the first seed.
use cube_artifact::{CodeFormat, CompileOptions, Compiler, Target};
use cube_driver::Driver;
use cube_fuzz::kernels::{PlaneScope, Scope, generate_in};
use cube_fuzz::settings::seeds;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the checkout");
    let folders =
        ["test/run", "examples/kernels", "benches/kernels", "dialects/cube/examples", "dialects/layout/examples"];
    let files = folders.iter().flat_map(|folder| root.join(folder).read_dir().expect("it is there"));
    let files = files.map(|entry| entry.expect("it can be read").path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "mlir")).collect();
    files.sort();
    files
}

/// The names of the kernels of a source.
fn kernels(text: &str) -> Vec<String> {
    let after = text.split("cube.kernel @").skip(1);
    after.map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()).collect()
}

/// Compiles a kernel for a chip. The error consists of the code and the message of the refusal.
fn compiled(text: &str, kernel: Option<String>, chip: &str) -> Result<(), (String, String)> {
    let options = CompileOptions { kernel, ..CompileOptions::default() };
    let target = Target { backend: "wgsl".into(), chip: Some(chip.into()) };
    match Driver.compile(text.as_bytes(), &target, &options) {
        Ok(artifact) => {
            assert_eq!(artifact.format, CodeFormat::WGSL);
            let text = String::from_utf8(artifact.code).expect("WGSL is text");
            assert!(text.contains(&format!("fn {}(", artifact.entry)), "the entry point is in the text");
            Ok(())
        }
        Err(error) => {
            let first = error.diagnostics.first().expect("a refusal has a reason");
            Err((first.code.clone().unwrap_or_default(), first.message.clone()))
        }
    }
}

/// For each chip, the number of compiled kernels, and the number of refused kernels by error code.
const COUNTS: &[(&str, &[(&str, usize)])] = &[
    ("core", &[("CUBE0412", 62), ("valid", 144)]),
    ("core-f16", &[("CUBE0412", 59), ("valid", 147)]),
    ("core-subgroups", &[("CUBE0410", 2), ("CUBE0412", 45), ("valid", 159)]),
    ("core-f16-subgroups", &[("CUBE0410", 5), ("CUBE0412", 39), ("valid", 162)]),
];

#[test]
fn every_kernel_of_the_checkout_is_valid_or_refused_with_its_code() {
    let mut wrong = Vec::new();
    for (chip, expected) in COUNTS {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for path in sources() {
            let text = std::fs::read_to_string(&path).expect("a file of the checkout");
            for kernel in kernels(&text) {
                let result = compiled(&text, Some(kernel.clone()), chip);
                let code = result.as_ref().err().map_or("valid", |(code, _)| code.as_str());
                *counts.entry(code.into()).or_default() += 1;
                if let Err((code, message)) = &result
                    && !["CUBE0410", "CUBE0411", "CUBE0412"].contains(&code.as_str())
                {
                    wrong.push(format!("{} @{kernel} on {chip}: [{code}] {message}", path.display()));
                }
            }
        }
        let expected: BTreeMap<String, usize> = expected.iter().map(|(code, n)| (code.to_string(), *n)).collect();
        if counts != expected {
            wrong.push(format!("{chip}: {counts:?}, and not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every random kernel that uses only types and plane operations of a chip compiles for this chip.
#[test]
fn random_kernel_with_supported_features_is_valid_wgsl() {
    let (first, count) = seeds(40);
    let (ints, planes): (&'static [&'static str], _) = (&["i32"], PlaneScope::Together);
    let mut wrong = Vec::new();
    for (chip, floats, planes) in [
        ("core", &["f32"] as &'static [&'static str], PlaneScope::Nowhere),
        ("core-f16-subgroups", &["f16", "f32"], planes),
    ] {
        for seed in first..first + count {
            let kernel = generate_in(seed, Scope { ints, floats, planes });
            if let Err((code, message)) = compiled(&kernel.text, None, chip) {
                wrong.push(format!("seed {seed} on {chip}: [{code}] {message}"));
            }
        }
    }
    for one in wrong.iter().take(40) {
        eprintln!("{one}");
    }
    assert!(wrong.is_empty(), "{} of {count} kernels from seed {first} on each chip", wrong.len());
}
