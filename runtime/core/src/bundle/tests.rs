use super::*;
use cube_artifact::CodeFormat;

fn artifact(kernel: &str, target: &Target) -> Artifact {
    Artifact {
        kernel: kernel.to_string(),
        entry: "entry".into(),
        target: target.clone(),
        format: CodeFormat::ELF_OBJECT,
        code: format!("{kernel} for {target}").into_bytes(),
        params: vec![],
        derived: vec![],
        info: vec![],
        cube_dim: [1, 1, 1],
        checked: true,
        shared_bytes: 0,
        scratch_bytes: 0,
        prints: vec![],
        overwritten: vec![],
        plane_dim: None,
        cube_count: None,
        unit_limit: None,
        first_cubes: None,
        features: vec![],
    }
}

fn target(name: &str) -> Target {
    name.parse().unwrap()
}

/// A bundle with the kernels `a` and `b` for three targets.
fn bytes() -> Vec<u8> {
    let mut writer = BundleWriter::default();
    for kernel in ["a", "b"] {
        for target in ["cpu:x86-64-v3", "cpu", "nvptx:sm_90"].map(target) {
            let options = CompileOptions::default();
            assert!(writer.add(kernel.as_bytes(), &target, &options, &artifact(kernel, &target)));
            assert!(!writer.add(kernel.as_bytes(), &target, &options, &artifact("another", &target)), "it exists");
        }
    }
    writer.to_bytes()
}

fn found(bundle: &Bundle, source: &str, to: &str, options: &CompileOptions) -> Vec<String> {
    let entries = bundle.find(source.as_bytes(), &target(to), options);
    entries.into_iter().map(|entry| String::from_utf8(bundle.artifact(entry).unwrap().code).unwrap()).collect()
}

#[test]
fn kernels_are_found_by_source_target_and_options() {
    let bundle = Bundle::from_bytes(bytes()).unwrap();
    let plain = CompileOptions::default();
    assert_eq!(bundle.entries().len(), 6);
    assert_eq!(found(&bundle, "a", "nvptx:sm_90", &plain), ["a for nvptx:sm_90"]);
    assert_eq!(found(&bundle, "b", "cpu", &plain), ["b for cpu", "b for cpu:x86-64-v3"]);
    let named = CompileOptions { file_name: Some("x.mlir".into()), folder: "/src".into(), ..plain.clone() };
    assert_eq!(found(&bundle, "a", "cpu:x86-64-v3", &named), ["a for cpu:x86-64-v3"]);
    for (source, to) in [("c", "cpu"), ("a", "nvptx:sm_80"), ("a", "nvptx:sm_90a"), ("a", "spirv")] {
        assert_eq!(found(&bundle, source, to, &plain), [""; 0], "{source} for {to}");
    }
    let others = [
        CompileOptions { kernel: Some("a".into()), ..plain.clone() },
        CompileOptions { params: vec![("N".into(), "4".into())], ..plain.clone() },
        CompileOptions { debug: true, ..plain.clone() },
        CompileOptions { reports: cube_artifact::Reports { explain: true, ..Default::default() }, ..plain.clone() },
    ];
    for options in others {
        assert_eq!(found(&bundle, "a", "cpu", &options), [""; 0], "{options:?}");
    }
    assert_eq!(bytes(), bytes());
}

#[test]
fn kernels_for_a_debugger_are_not_bundled() {
    let mut writer = BundleWriter::default();
    let options = CompileOptions { debug: true, ..Default::default() };
    assert!(!writer.add(b"a", &Target::cpu(), &options, &artifact("a", &Target::cpu())));
    assert_eq!(Bundle::from_bytes(writer.to_bytes()).unwrap().entries().len(), 0);
}

/// Whether each kernel of a damaged bundle is either an error or correct.
fn is_safe(bytes: Vec<u8>) -> bool {
    let Ok(bundle) = Bundle::from_bytes(bytes) else { return true };
    ["a", "b"].iter().all(|kernel| {
        ["cpu", "cpu:x86-64-v3", "nvptx:sm_90"].iter().all(|to| {
            let entries = bundle.find(kernel.as_bytes(), &target(to), &CompileOptions::default());
            entries.iter().all(|entry| match bundle.artifact(entry) {
                Ok(found) => found == artifact(kernel, &entry.target),
                Err(error) => error.cause == BundleErrorCause::Damaged("a kernel"),
            })
        })
    })
}

#[test]
fn every_changed_byte_is_an_error_or_has_no_effect() {
    let good = bytes();
    let mut refused = 0;
    for at in 0..good.len() {
        for bit in [0x01, 0x80] {
            let mut bad = good.clone();
            bad[at] ^= bit;
            refused += usize::from(Bundle::from_bytes(bad.clone()).is_err());
            assert!(is_safe(bad), "byte {at}");
        }
    }
    // A change of any byte of the header or of the index is detected when the bundle is opened. A change of an artifact
    // is detected when the artifact is read.
    let artifacts = Bundle::from_bytes(good).unwrap().artifacts as usize;
    assert_eq!(refused, artifacts * 2);
}

#[test]
fn every_truncation_and_extension_is_refused() {
    let good = bytes();
    for end in 0..good.len() {
        let cause = Bundle::from_bytes(good[..end].to_vec()).unwrap_err().cause;
        match end {
            0..8 => assert_eq!(cause, BundleErrorCause::NotABundle, "cut at {end}"),
            _ => assert!(matches!(cause, BundleErrorCause::Truncated { .. }), "cut at {end}: {cause:?}"),
        }
    }
    let longer = Bundle::from_bytes([&good[..], b"x"].concat()).unwrap_err();
    let (expected, found) = (good.len() as u64, good.len() as u64 + 1);
    assert_eq!(longer.cause, BundleErrorCause::Truncated { expected, found });
}

#[test]
fn another_version_or_build_is_refused_by_name() {
    let mut other = bytes();
    other[8] = 9;
    let error = Bundle::from_bytes(other).unwrap_err();
    assert_eq!(error.cause, BundleErrorCause::Version { found: 9 });
    let text = error.to_string();
    assert!(text.starts_with("error[CUBE0926]: the bundle has format version 9, but this program reads"), "{text}");

    let index = postcard::to_stdvec(&Index { build: "0.0.1+00".into(), entries: vec![] }).unwrap();
    let size = (HEAD + index.len()) as u64;
    let numbers =
        [&BUNDLE_VERSION.to_le_bytes()[..], &size.to_le_bytes(), &(index.len() as u64).to_le_bytes()].concat();
    let old = [&MAGIC[..], &numbers, blake3::hash(&index).as_bytes(), &index].concat();
    let error = Bundle::from_bytes(old).unwrap_err();
    assert_eq!(error.cause, BundleErrorCause::Build { found: "0.0.1+00".into() });
}

#[test]
fn a_file_is_read_on_demand_and_an_error_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernels.bundle");
    std::fs::write(&path, bytes()).unwrap();
    let bundle = Bundle::open(&path).unwrap();
    assert_eq!(found(&bundle, "a", "cpu", &CompileOptions::default()).len(), 2);
    // Another program shortens the file while the bundle is open.
    std::fs::File::options().write(true).open(&path).unwrap().set_len(bundle.artifacts + 1).unwrap();
    let error = bundle.artifact(&bundle.entries()[1]).unwrap_err();
    assert!(matches!(error.cause, BundleErrorCause::Unreadable(_)), "{error}");
    assert!(error.to_string().contains("kernels.bundle"), "{error}");
    for path in [folder.path().join("none"), folder.path().to_path_buf()] {
        let error = Bundle::open(&path).unwrap_err();
        assert!(matches!(error.cause, BundleErrorCause::Unreadable(_)), "{error}");
        assert_eq!(error.file, Some(path));
    }
}
