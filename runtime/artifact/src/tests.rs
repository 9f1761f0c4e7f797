//! A sample artifact for the tests of this crate, and tests with damaged artifact files.
use crate::*;

/// An artifact in which every field has content.
pub fn sample() -> Artifact {
    let buffer = |name: &str, access| Param {
        name: name.into(),
        kind: ParamKind::Buffer { elem: ElemType::F32, line: 4, align: 1, access },
    };
    Artifact {
        kernel: "scale".into(),
        entry: "cube_scale".into(),
        target: "cpu:x86-64-v3".parse().unwrap(),
        format: CodeFormat::ELF_OBJECT,
        code: (0..=255).collect(),
        params: vec![
            buffer("x", BufferAccess::Read),
            buffer("y", BufferAccess::ReadWrite),
            Param { name: "a".into(), kind: ParamKind::Scalar { elem: ElemType::F16 } },
        ],
        derived: vec![],
        info: vec![InfoWord::Length { param: 0 }, InfoWord::Length { param: 1 }],
        cube_dim: [32, 4, 1],
        checked: true,
        shared_bytes: 1024,
        scratch_bytes: 0,
        prints: vec![],
        overwritten: vec![],
        plane_dim: None,
        cube_count: None,
        unit_limit: Some(1 << 32),
        first_cubes: None,
        features: vec!["avx2".into(), "fma".into()],
    }
}

/// An artifact file with a valid checksum around arbitrary bytes, as a malicious writer could create it.
fn container(payload: &[u8]) -> Vec<u8> {
    let mut bytes = sample().to_bytes()[..12].to_vec();
    bytes.extend_from_slice(blake3::hash(payload).as_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

#[test]
fn an_artifact_survives_a_round_trip_with_equal_bytes() {
    let bytes = sample().to_bytes();
    assert_eq!(Artifact::from_bytes(&bytes), Ok(sample()));
    assert_eq!(sample().to_bytes(), bytes);
}

#[test]
fn every_truncation_is_refused() {
    let bytes = sample().to_bytes();
    for end in 0..bytes.len() {
        let expected = if end < 8 { ArtifactError::NotAnArtifact } else { ArtifactError::Corrupt };
        assert_eq!(Artifact::from_bytes(&bytes[..end]), Err(expected), "cut at {end}");
    }
}

#[test]
fn every_flipped_bit_is_rejected_with_a_specific_error() {
    let bytes = sample().to_bytes();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut bad = bytes.clone();
            bad[at] ^= 1 << bit;
            let error = Artifact::from_bytes(&bad).expect_err("a flipped bit must not pass");
            match at {
                0..8 => assert_eq!(error, ArtifactError::NotAnArtifact),
                8..12 => assert!(matches!(error, ArtifactError::Version { found } if found != ARTIFACT_VERSION)),
                _ => assert_eq!(error, ArtifactError::Corrupt, "byte {at}"),
            }
        }
    }
}

#[test]
fn a_version_of_the_future_is_named() {
    let mut bytes = sample().to_bytes();
    bytes[8..12].copy_from_slice(&99u32.to_le_bytes());
    let error = Artifact::from_bytes(&bytes).unwrap_err();
    assert_eq!(error, ArtifactError::Version { found: 99 });
    assert!(error.to_string().contains("format version 99"), "{error}");
}

#[test]
fn a_payload_with_a_right_checksum_and_wrong_content_is_refused() {
    let payload = postcard::to_stdvec(&sample()).unwrap();
    // The test writes a length of 2^63 at each position of the file, and then makes random changes. The decoder must
    // neither panic nor reserve that much memory.
    let huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    for at in 0..payload.len() {
        let mut bad = payload[..at].to_vec();
        bad.extend_from_slice(&huge);
        assert_eq!(Artifact::from_bytes(&container(&bad)), Err(ArtifactError::Corrupt), "length at {at}");
        let mut bad = payload.clone();
        for value in [0, 1, 0x7f, 0xff] {
            bad[at] = value;
            // Some changes give a different valid artifact. The test therefore only checks that no change causes a
            // panic.
            let _ = Artifact::from_bytes(&container(&bad));
        }
    }
}

#[test]
fn bytes_after_the_artifact_are_refused() {
    let mut payload = postcard::to_stdvec(&sample()).unwrap();
    payload.push(0);
    assert_eq!(Artifact::from_bytes(&container(&payload)), Err(ArtifactError::Corrupt));
}

#[test]
fn too_many_bytes_are_refused_before_they_are_read() {
    let mut bytes = sample().to_bytes();
    bytes.resize(container::MAX_BYTES + 1, 0);
    assert_eq!(Artifact::from_bytes(&bytes), Err(ArtifactError::TooLarge { bytes: bytes.len() as u64 }));
}

#[test]
fn excessively_nested_notes_are_rejected_without_recursion() {
    let nested = |depth: usize| {
        let note = |notes| Diagnostic { notes, ..Diagnostic::new(Severity::Note, "", None) };
        let mut inner = note(Vec::new());
        for _ in 1..depth {
            inner = note(vec![inner]);
        }
        postcard::to_stdvec(&CompileError { diagnostics: vec![inner] }).unwrap()
    };
    assert!(postcard::from_bytes::<CompileError>(&nested(16)).is_ok());
    assert!(postcard::from_bytes::<CompileError>(&nested(17)).is_err());
    // Each further level is the byte sequence "note, no code, no message, no location, one note". The test repeats it a
    // million times.
    let mut hostile = vec![1];
    hostile.extend([3, 0, 0, 0, 1].repeat(1_000_000));
    assert!(postcard::from_bytes::<CompileError>(&hostile).is_err());
    // The decoder counts the depth of notes separately for each message.
    assert!(postcard::from_bytes::<CompileError>(&nested(16)).is_ok());
}

#[test]
fn targets_print_as_written() {
    for text in ["cpu", "cpu:x86-64-v3", "nvptx:sm_90a", "amdgpu:gfx1100", "a.b-c_d:e+f"] {
        let target: Target = text.parse().unwrap();
        assert_eq!(target.to_string(), text);
    }
    assert_eq!("cpu".parse(), Ok(Target::cpu()));
    assert_eq!("nvptx:sm_90a".parse(), Ok(Target { backend: "nvptx".into(), chip: Some("sm_90a".into()) }));
}

#[test]
fn invalid_targets_are_quoted_with_a_fix() {
    for text in ["", ":", "cpu:", ":sm_90", "cpu:a:b", "c pu", "cpu:ä", "cpu\n"] {
        let error = text.parse::<Target>().expect_err(text);
        assert!(error.to_string().starts_with(&format!("'{text}' is not a target; write BACKEND")), "{error}");
    }
}

#[test]
fn names_of_element_types_are_unique_and_parse() {
    for elem in ElemType::ALL {
        assert_eq!(ElemType::from_name(elem.name()), Some(elem));
        assert!([1, 2, 4, 8].contains(&elem.size()));
    }
    assert_eq!(ElemType::from_name("f128"), None);
}
