//! Tests with files as numpy writes them, and with malformed files.
use super::*;

/// A `.npy` file of version 1 with this header and data.
fn file(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(header.len() as u16).to_le_bytes());
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(data);
    bytes
}

fn parsed(bytes: &[u8]) -> Result<HostArray, DataError> {
    let known = parse(bytes, Some(bytes.len() as u64));
    // Reading from a pipe must give the same result as reading from a file.
    assert_eq!(known.is_ok(), parse(bytes, None).is_ok());
    known
}

#[track_caller]
fn refused(bytes: &[u8], words: &str) {
    let error = parsed(bytes).expect_err("it must be refused");
    assert!(error.message.contains(words), "{error}\n  lacks: {words}");
}

const GOOD: &str = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";

#[test]
fn written_bytes_equal_those_of_numpy() {
    // numpy.save of numpy.arange(6, dtype='<f4').reshape(2, 3), numpy 1.24.
    let mut expected = b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }".to_vec();
    expected.resize(127, b' ');
    expected.push(b'\n');
    let data: Vec<u8> = (0..6).flat_map(|i| (i as f32).to_le_bytes()).collect();
    expected.extend_from_slice(&data);
    let array = HostArray::new(ElemType::F32, vec![2, 3], data).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    write(&path, &array).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), expected);
    assert_eq!(read(&path), Ok(array));
}

#[test]
fn every_type_and_shape_round_trips() {
    for elem in ElemType::ALL {
        for shape in [vec![], vec![0], vec![5], vec![2, 0, 3], vec![1, 2, 3, 4]] {
            let len = shape.iter().product::<u64>() as usize * elem.size();
            let array = HostArray::new(elem, shape, (0..len).map(|i| i as u8).collect()).unwrap();
            let mut bytes = Header::of(&array).to_bytes();
            assert_eq!(bytes.len() % 64, 0);
            bytes.extend_from_slice(array.bytes());
            assert_eq!(parsed(&bytes), Ok(array));
        }
    }
}

#[test]
fn versions_two_and_three_and_other_spellings_are_read() {
    for version in [2, 3] {
        let mut bytes = vec![0x93, b'N', b'U', b'M', b'P', b'Y', version, 0];
        bytes.extend_from_slice(&(GOOD.len() as u32).to_le_bytes());
        bytes.extend_from_slice(GOOD.as_bytes());
        bytes.extend_from_slice(&[0; 8]);
        assert_eq!(parsed(&bytes).unwrap().shape(), [2]);
    }
    let spelled = "{\"shape\":(2L,),\"fortran_order\" : True,'descr':'<u1'}";
    assert_eq!(parsed(&file(spelled, &[1, 2])).unwrap().elem(), ElemType::U8);
    let bf16 = GOOD.replace("<f4", "|V2");
    assert_eq!(parsed(&file(&bf16, &[0; 4])).unwrap().elem(), ElemType::BF16);
}

#[test]
fn other_files_and_versions_are_named() {
    refused(b"", "it is not a .npy file; write one with numpy.save");
    refused(b"PK\x03\x04 an .npz file", "it is not a .npy file");
    refused(b"\x93NUMPY", "the file is truncated in its first bytes");
    refused(b"\x93NUMPY\x04\x00\x00\x00", "it has .npy version 4.0, but only versions 1.0, 2.0 and 3.0 are supported");
}

#[test]
fn every_truncation_is_refused() {
    let good = file(GOOD, &[0; 8]);
    assert!(parsed(&good).is_ok());
    for end in 0..good.len() {
        assert!(parsed(&good[..end]).is_err(), "cut at {end}");
    }
    refused(&good[..30], "the file is truncated inside its header");
    refused(
        &good[..good.len() - 1],
        "the file is truncated: its header says shape [2] of f32, which takes 8 bytes, but 7 bytes follow",
    );
}

#[test]
fn invalid_header_size_allocates_no_memory() {
    refused(&file(GOOD, &[0; 9]), "the file continues after its array: its header says shape [2]");
    let shape = |shape: &str| file(&GOOD.replace("(2,)", shape), &[0; 8]);
    refused(&shape("(1000000000000,)"), "which takes 4000000000000 bytes, but 8 bytes follow");
    refused(&shape("(9999999999, 9999999999)"), "is larger than any memory");
    refused(&shape("(99999999999999999999,)"), "its shape is not made of whole numbers below 2^64");
    refused(&shape("(-1,)"), "its shape is not made of whole numbers");
    let mut bytes = b"\x93NUMPY\x02\x00".to_vec();
    bytes.extend_from_slice(&u32::MAX.to_le_bytes());
    refused(&bytes, "its header has 4294967295 bytes, but at most 65536 are supported");
}

#[test]
fn unsupported_layouts_and_types_are_reported_with_a_fix() {
    let with = |from: &str, to: &str| file(&GOOD.replace(from, to), &[0; 8]);
    refused(
        &file("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 1), }", &[0; 8]),
        "it is in Fortran order; save numpy.ascontiguousarray(array)",
    );
    refused(&with("<f4", ">f4"), "it is big-endian ('>f4'); save array.astype(numpy.dtype('<f4'))");
    refused(&with("<f4", "<c8"), "its elements have type '<c8', which kernels do not support; save array.astype of");
    refused(&with("<f4", "|O"), "its elements have type '|O'");
    refused(&with("'<f4'", "[('a', '<f4')]"), "its elements are records of several fields");
}

#[test]
fn damaged_headers_are_reported_with_the_reason() {
    refused(&file("", &[]), "'{' is expected before ''");
    refused(&file("{'descr'", &[]), "':' is expected before ''");
    refused(&file("{'descr", &[]), "a string does not end");
    refused(&file("{'descr': '<f4'}", &[]), "it lacks one of descr, fortran_order and shape");
    refused(&file("{'speed': 3}", &[]), "it has an unknown key 'speed'");
    refused(&file(&format!("{GOOD}x"), &[0; 8]), "it continues after its dictionary");
    refused(&file(&GOOD.replace("False", "Maybe"), &[0; 8]), "fortran_order is neither True nor False");
    refused(&file(&"(".repeat(60_000), &[]), "'{' is expected before '(((((((((('");
    refused(
        &file("{'descr': '<f4', 'fortran_order': False, 'shape': (2 3), }", &[0; 8]),
        "')' is expected before '3), }'",
    );
    let mut bytes = file(GOOD, &[0; 8]);
    bytes[15] = 0xff;
    refused(&bytes, "it is not text");
}

#[test]
fn every_changed_header_byte_is_read_or_refused_without_a_panic() {
    let good = file(GOOD, &[0; 8]);
    for at in 0..good.len() - 8 {
        for value in 0..=255 {
            let mut bytes = good.clone();
            bytes[at] = value;
            let _ = parsed(&bytes);
        }
    }
}

#[test]
fn files_that_cannot_be_read_or_are_of_another_type_are_named_with_their_path() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.npy");
    let error = read(&missing).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("error[CUBE0930]: {}: the file does not exist; check the path", missing.display())
    );
    assert!(read(folder.path()).unwrap_err().message.starts_with("it is a folder; name a file"));
    let path = folder.path().join("ints.npy");
    write(&path, &HostArray::new(ElemType::I32, vec![1], vec![0; 4]).unwrap()).unwrap();
    assert!(read_as(&path, ElemType::I32).is_ok());
    let error = read_as(&path, ElemType::F32).unwrap_err();
    assert!(
        error.to_string().ends_with(
            "ints.npy: it has elements of type i32, but f32 is required; save array.astype(numpy.dtype('<f4'))"
        ),
        "{error}"
    );
    // Both were tried with numpy 2.3; `array.astype('<V2')` would keep the lower two bytes of each number.
    let error = read_as(&path, ElemType::BF16).unwrap_err().to_string();
    assert!(
        error.ends_with("save array.astype(ml_dtypes.bfloat16), or, rounded toward zero, (array.astype('<f4').view('<u4') >> 16).astype('<u2').view('V2')"),
        "{error}"
    );
    write(&path, &HostArray::new(ElemType::BF16, vec![1], vec![0; 2]).unwrap()).unwrap();
    let error = read_as(&path, ElemType::F32).unwrap_err().to_string();
    assert!(error.ends_with("save (array.view('<u2').astype('<u4') << 16).view('<f4')"), "{error}");
}
