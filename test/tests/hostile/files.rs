//! Tests files that are not kernels, and paths that cannot be read or written.
use crate::Bench;
use std::os::unix::fs::PermissionsExt;

#[test]
fn non_text_input_is_rejected() {
    let bench = Bench::new();
    let garbage: Vec<u8> = (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for (name, bytes, code) in [
        ("empty", vec![], "CUBE0105"),
        ("blank", b" \n\t\n".to_vec(), "CUBE0105"),
        ("garbage", garbage, "CUBE0104"),
        ("zero bytes", b"cube.kernel @k() {\0 cube.return }".to_vec(), "CUBE0104"),
        ("half a character", b"// \xe2\x82\ncube.kernel @k() { cube.return }".to_vec(), "CUBE0104"),
        ("utf-16", "cube.kernel @k() { cube.return }".encode_utf16().flat_map(u16::to_le_bytes).collect(), "CUBE0104"),
        ("the first bytes of bytecode", b"ML\xefR".to_vec(), "CUBE010"),
        ("bytecode and garbage", [b"ML\xefR".as_slice(), &[0xff; 300]].concat(), "CUBE010"),
        ("a picture", b"\x89PNG\r\n\x1a\n".to_vec(), "CUBE0104"),
        ("prose", b"Multiply every element by two.\n".to_vec(), "CUBE0100"),
        ("an unclosed string", b"module attributes {a = \"x} {}".to_vec(), "CUBE0100"),
    ] {
        println!("{name}");
        bench.write("in.mlir", bytes);
        bench.refused("in.mlir", code);
    }
}

#[test]
fn an_empty_module_has_no_kernel() {
    let bench = Bench::new();
    bench.write("in.mlir", "module {}");
    let ended = bench.accepted_or_refused(&["c", "in.mlir", "-o", "out"]);
    assert!(ended.code == 1 && ended.stderr.contains("CUBE0503"), "{ended:?}");
}

/// The tool must refuse a sparse file of 4 GiB without reading the file.
#[test]
fn a_huge_file_is_refused_unread() {
    let bench = Bench::new();
    let file = std::fs::File::create(bench.path("in.mlir")).unwrap();
    file.set_len(4 << 30).unwrap();
    bench.refused("in.mlir", "CUBE0103");
    // A file below the limit is read, and its first zero byte is refused.
    file.set_len(64 << 20).unwrap();
    bench.refused("in.mlir", "CUBE0104");
}

#[test]
fn unreadable_inputs_are_reported() {
    let bench = Bench::new();
    bench.refused("absent.mlir", "CUBE0602");
    bench.refused("no/such/folder.mlir", "CUBE0602");
    std::fs::create_dir(bench.path("folder.mlir")).unwrap();
    bench.refused("folder.mlir", "CUBE0602");
    let secret = bench.write("secret.mlir", "cube.kernel @k() { cube.return }");
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o0)).unwrap();
    // The superuser can read every file.
    if std::fs::read(&secret).is_err() {
        bench.refused("secret.mlir", "CUBE0602");
    }
}

#[test]
fn unwritable_outputs_are_reported_and_leave_no_file() {
    let bench = Bench::new();
    bench.write("in.mlir", "cube.kernel @k() { cube.return }");
    std::fs::create_dir(bench.path("folder")).unwrap();
    let before = bench.names();
    for place in ["no/such/place", "in.mlir/x", "folder", "/proc/self/x"] {
        for words in [["opt", "in.mlir", "-o", place], ["c", "in.mlir", "-o", place]] {
            let ended = bench.run(&words);
            assert!(ended.code == 1 && ended.stderr.contains("CUBE0603"), "{words:?}: {ended:?}");
            assert_eq!(bench.names(), before, "{words:?}");
        }
    }
}

/// If a command compiles for several targets and the compilation for one target fails, the tool writes no
/// file.
#[test]
fn several_outputs_are_written_together_or_not_at_all() {
    let bench = Bench::new();
    bench.write("in.mlir", "cube.kernel @k() { cube.return }");
    let before = bench.names();
    let ended = bench.run(&["c", "in.mlir", "--target", "nvptx", "--target", "amdgpu:gfx000"]);
    assert!(ended.code == 1 && ended.stderr.contains("CUBE0501"), "{ended:?}");
    assert_eq!(bench.names(), before);
}

/// A failed command does not change the output file of an earlier command.
#[test]
fn a_failure_does_not_touch_the_old_output() {
    let bench = Bench::new();
    bench.write("bad.mlir", "cube.kernel @k( {");
    bench.write("out", "precious");
    for words in [["opt", "bad.mlir", "-o", "out"], ["c", "bad.mlir", "-o", "out"]] {
        assert_eq!(bench.run(&words).code, 1);
        assert_eq!(std::fs::read(bench.path("out")).unwrap(), b"precious", "{words:?}");
    }
}

/// The user's umask determines the permissions of an output file.
#[test]
fn outputs_have_the_rights_of_other_files() {
    let bench = Bench::new();
    bench.write("in.mlir", "cube.kernel @k() { cube.return }");
    let usual = bench.path("in.mlir").metadata().unwrap().permissions().mode();
    for words in [["opt", "in.mlir", "-o", "out"], ["c", "in.mlir", "-o", "out"]] {
        assert_eq!(bench.accepted_or_refused(&words).code, 0);
        assert_eq!(bench.path("out").metadata().unwrap().permissions().mode(), usual, "{words:?}");
    }
}
