//! Tests the output, the exit codes and the files of the program `cube-layout`.

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn tool(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cube-layout")).args(arguments).output().unwrap()
}

fn parts_of(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn statements_share_names_and_print_their_values() {
    let (code, out, err) = parts_of(&tool(&["A = (4,8):(1,4)", "composition(A, 8:4)", "# a comment", "size(A)"]));
    assert_eq!((code, out.as_str(), err.as_str()), (0, "A = (4,8):(1,4)\n8:4\n32\n", ""));
}

#[test]
fn errors_in_the_input_are_1_and_in_the_options_2() {
    let (code, out, err) = parts_of(&tool(&["size(4:1)", "size(4:1, 2)", "size(8:1)"]));
    assert_eq!((code, out.as_str()), (1, "4\n"));
    assert!(err.contains("`size` takes 1 argument, found 2") && err.contains("= note: usage: size(L)"), "{err}");
    let (code, _, err) = parts_of(&tool(&["--svgg", "x"]));
    assert_eq!(code, 2);
    assert!(err.contains("did you mean --svg?"), "{err}");
    assert_eq!(tool(&[]).status.code(), Some(2));
    assert_eq!(tool(&["help", "nothing"]).status.code(), Some(2));
}

#[test]
fn the_help_teaches() {
    let (code, out, _) = parts_of(&tool(&["--help"]));
    assert_eq!(code, 0);
    for part in ["usage:", "exit codes:", "composition(A, B)", "synthesize(tile, bytes", "--svg FILE"] {
        assert!(out.contains(part), "{part}");
    }
    assert!(parts_of(&tool(&["--version"])).1.starts_with("cube-layout "));
}

#[test]
fn every_mistake_in_an_expression_has_its_message() {
    let cases = [
        ("mode(4:1, 4:1)", "expected a number, found a layout"),
        ("size((4,8))", "expected a layout, found a tuple"),
        ("size(S<1,0,1>)", "expected a layout, found a swizzle"),
        ("compose_swizzles(4, S<1,0,1>, 8)", "expected a swizzle such as S<3,4,3>, found a number"),
        ("slice(4:1, (S<1,0,1>))", "expected a tuple of numbers, found a swizzle"),
        ("tensr", "no name `tensr`; define the name"),
        ("size", "`size` is a function; call it: `size(...)`"),
        ("4:1 4:1", "expected the end of the text, found `4`"),
        ("*", "expected a layout, a number or a function, found `*`"),
        ("<4;2", "expected `>` or `;`, found the end of the text"),
        ("S<3,2,2>", "the 3 source bits overlap the target bits"),
        ("mode(4:1, 7)", "mode 7 of 4:1, which has rank 1"),
        ("offset(4:1, 9)", "index 9 is outside 4:1"),
        ("plain(S<1,2,1> o 0 o 21:1)", "no ordinary layout computes"),
        ("synthesize(32:1, 4, 32:1, 1, 32:1)", "an access requires two arguments"),
        ("left_inverse((2,10):(24,59))", "offset 555 must map to 19"),
    ];
    for (code, message) in cases {
        let (status, out, err) = parts_of(&tool(&[code]));
        assert_eq!((status, out.as_str()), (1, ""), "{code}");
        assert!(err.contains(message), "{code}: {err}");
        assert!(err.contains("^"), "{code} has no caret: {err}");
    }
    let (_, _, err) = parts_of(&tool(&["tensor = 4:1", "size(tenser)"]));
    assert!(err.contains("no name `tenser`; did you mean `tensor`?"), "{err}");
    let deep = format!("{}4:1{}", "size(".repeat(300), ")".repeat(300));
    assert!(parts_of(&tool(&[&deep])).2.contains("the nesting exceeds 256 levels"));
}

#[test]
fn a_file_is_evaluated_line_by_line_with_its_name_in_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernel.lay");
    std::fs::write(&path, "# a tile\nA = (4,8):(8,1)\n\nA o 4:1\nA o 64:1\n").unwrap();
    let (code, out, err) = parts_of(&tool(&["-f", path.to_str().unwrap()]));
    assert_eq!((code, out.as_str()), (1, "A = (4,8):(8,1)\n4:8\n"));
    assert!(err.contains("kernel.lay:5:1") && err.contains("round the outer shape up"), "{err}");
    let (code, _, err) = parts_of(&tool(&["-f", "/no/such/file"]));
    assert!(code == 1 && err.contains("cannot read /no/such/file"), "{err}");
    std::fs::write(&path, [0xff, 0xfe]).unwrap();
    assert!(parts_of(&tool(&["-f", path.to_str().unwrap()])).2.contains("is not UTF-8 text"));
}

#[test]
fn prompt_continues_after_an_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_cube-layout"))
        .arg("repl")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"A = 8:2\nbad\nA o 2:1\nquit\nA\n").unwrap();
    let (code, out, err) = parts_of(&child.wait_with_output().unwrap());
    assert_eq!((code, out.as_str()), (1, "A = 8:2\n2:2\n"));
    assert!(err.contains("no name `bad`") && err.contains("2 | bad"), "{err}");
}

#[test]
fn pictures_are_the_same_bytes_on_every_run() {
    let folder = tempfile::tempdir().unwrap();
    let draw = |name: &str| {
        let path = folder.path().join(name);
        let tv = "make_layout_tv((8,8):(8,1), (4,4):(4,1))";
        assert_eq!(tool(&[tv, "--svg", path.to_str().unwrap()]).status.code(), Some(0));
        std::fs::read(path).unwrap()
    };
    assert_eq!(draw("a.svg"), draw("b.svg"));
    let page = folder.path().join("all.html");
    let (code, ..) = parts_of(&tool(&["A = 4:1", "A o 2:2", "--html", page.to_str().unwrap()]));
    let html = std::fs::read_to_string(page).unwrap();
    assert_eq!((code, html.matches("<svg").count()), (0, 2));
    let (code, _, err) = parts_of(&tool(&["4:1", "--svg", "/no/such/folder/a.svg"]));
    assert!(code == 1 && err.contains("cannot write /no/such/folder/a.svg"), "{err}");
    assert!(parts_of(&tool(&["# nothing", "--svg", "x.svg"])).2.contains("nothing to draw"));
    assert!(parts_of(&tool(&["(2,2):(2,1)", "--tv"])).2.contains("requires a tile"));
}
