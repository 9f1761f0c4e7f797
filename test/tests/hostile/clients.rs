//! Tests hostile input for the tools that do not read kernel files: layouts, messages of editors, and reproducers. The
//! tests also cover wrong usage of all tools.
use crate::{Bench, Random, rounds};

/// For a wrong command line, every tool returns exit code 2 and prints one message with an error code.
#[test]
fn wrong_usage_is_2_in_every_tool() {
    let bench = Bench::new();
    bench.write("k.mlir", "cube.kernel @k() { cube.return }");
    let cases: &[&[&str]] = &[
        &["c"],
        &["c", "k.mlir", "--wrong"],
        &["c", "k.mlir", "--remarks=nothing"],
        &["c", "--explain", "CUBE9999"],
        &["opt", "k.mlir", "--diff"],
        &["opt", "k.mlir", "--dump-tree"],
        &["opt", "k.mlir", "--expand-cheks"],
        &["opt", "k.mlir", "--cube-remarks=nothing"],
        &["opt", "--explain", "CUBE9999"],
        &["run"],
        &["run", "k.mlir", "--wrong"],
        &["run", "k.mlir", "--arg", "x"],
        &["layout", "--wrong"],
        &["reduce"],
        &["reduce", "k.mlir"],
        &["reduce", "k.mlir", "--fails", "x"],
        &["reduce", "k.mlir", "--fails", "crash", "--test", "true"],
        &["reduce", "--explain", "CUBE9999"],
        &["lsp-server", "--wrong"],
        &["lsp-server", "--explain", "CUBE9999"],
        &["docs", "--wrong"],
        &["demo", "--wrong"],
        &["nothing"],
        &[],
    ];
    let before = bench.names();
    for words in cases {
        let ended = bench.run(words);
        assert_eq!(ended.code, 2, "cube {words:?}:\n{}", ended.stderr);
        let coded = ended.stderr.contains("error[CUBE06") || words.is_empty();
        assert!(coded, "cube {words:?} says no code:\n{}", ended.stderr);
        assert_eq!(bench.names(), before, "cube {words:?}");
    }
}

/// The options for help and version are not errors, and their output contains the name of the tool.
#[test]
fn help_is_0_in_every_tool() {
    let bench = Bench::new();
    for tool in ["c", "opt", "run", "layout", "reduce", "lsp-server", "docs", "demo"] {
        let ended = bench.run(&[tool, "--help"]);
        assert_eq!(ended.code, 0, "cube {tool} --help:\n{}", ended.stderr);
        assert!(ended.stdout.len() > 50, "cube {tool} --help says nothing");
    }
}

#[test]
fn invalid_layouts_are_reported() {
    let bench = Bench::new();
    let deep = format!("{}4{}:1", "(".repeat(50_000), ")".repeat(50_000));
    let long = format!("({}1):1", "4,".repeat(200_000));
    let huge = "(9223372036854775807,9223372036854775807):(9223372036854775807,1)";
    let texts = [
        "",
        "(",
        ")",
        ":",
        "4:",
        "(4,8):(1",
        "Sw<99,99,99> o 4:1",
        "\u{1d11e}",
        &deep,
        &long,
        huge,
        "4:1 o o 2:1",
        "print(",
    ];
    for text in texts {
        bench.write("in.layout", text);
        let ended = bench.run_on(&["layout"], &[], text.as_bytes());
        let shown: String = text.chars().take(40).collect();
        assert!(matches!(ended.code, 0..=2), "cube layout of {shown}: {}", ended.code);
        assert!(ended.code == 0 || ended.stderr.contains("error"), "cube layout of {shown}:\n{}", ended.stderr);
    }
}

fn framed(body: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// The server reports input that no editor sends, and ends immediately.
#[test]
fn invalid_messages_end_the_language_server() {
    let bench = Bench::new();
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("nothing", vec![]),
        ("prose", b"hello\n".to_vec()),
        ("zeros", vec![0; 100_000]),
        ("a negative length", b"Content-Length: -1\r\n\r\n".to_vec()),
        ("a length beyond all memory", b"Content-Length: 18446744073709551615\r\n\r\n{}".to_vec()),
        ("a message that ends early", b"Content-Length: 100\r\n\r\n{}".to_vec()),
        ("no JSON", framed("{")),
        ("deep JSON", framed(&"[".repeat(1_000_000))),
        ("exit at once", framed(r#"{"jsonrpc":"2.0","method":"exit"}"#)),
        ("bytes", (0..5000u32).map(|i| ((i * 7919) >> 3) as u8).collect()),
    ];
    for (name, bytes) in cases {
        let ended = bench.run_on(&["lsp-server"], &[], &bytes);
        assert!(ended.code == 1 && ended.stderr.contains("error[CUBE0615]"), "{name}: {ended:?}");
    }
}

/// Well-formed messages with invalid contents do not end the server, and the session ends when the client
/// ends it.
#[test]
fn malformed_messages_do_not_stop_the_language_server() {
    let bench = Bench::new();
    let open = |text: &str| {
        serde_json::json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument":
            {"uri": "file:///k.mlir", "languageId": "mlir", "version": 1, "text": text}}})
        .to_string()
    };
    let texts = ["\u{0}", "tuple<", "ML\u{ef}R", "// -----\n// -----\n", "#a = #a\nmodule {} loc(#a)\n"];
    let mut messages =
        vec![r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#.to_string()];
    messages.extend(texts.iter().map(|text| open(text)));
    messages.push(open(&format!("func.func private @f({})", "tuple<".repeat(20_000))));
    for odd in [
        r#"{"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///none"},"position":{"line":99999999,"character":99999999}}}"#,
        r#"{"jsonrpc":"2.0","id":"three","method":"textDocument/hover","params":{"textDocument":{"uri":"file:///k.mlir"},"position":{"line":-1,"character":0}}}"#,
        r#"{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///none"},"contentChanges":[]}}"#,
        r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"no/such/method","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"shutdown"}"#,
        r#"{"jsonrpc":"2.0","method":"exit"}"#,
    ] {
        messages.push(odd.into());
    }
    let bytes: Vec<u8> = messages.iter().flat_map(|m| framed(m)).collect();
    let ended = bench.run_on(&["lsp-server"], &[], &bytes);
    let stdout = String::from_utf8_lossy(&ended.stdout);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(stdout.contains("CUBE0102") && stdout.contains(r#""id":9"#), "{stdout}");
}

/// Tests reproducers whose last line is arbitrary. No reproducer starts a tool that replays the same reproducer
/// again, or a program that is not a tool.
#[test]
fn invalid_reproducers_are_refused() {
    let bench = Bench::new();
    let head = "cube.kernel @k() { cube.return }\n// cube-reproducer 1, made by x\n";
    for tail in [
        "",
        "// tool: sh\n// word: -c\n// end: exit 1\n",
        "// tool: cubec\n// word: --replay\n// word: %s\n",
        "// tool: cubec\n// word: %s\n// file: nohash\n",
        "// tool: cubec\n// word: %s\n// file: 00 /no/such/file.npy\n",
        "\u{0}\u{1}",
    ] {
        bench.write("r.mlir", format!("{head}{tail}"));
        for tool in ["c", "opt", "run"] {
            let ended = bench.run(&[tool, "--replay", "r.mlir"]);
            assert!(ended.code == 1 && ended.stderr.contains("CUBE0612"), "cube {tool} on {tail:?}: {ended:?}");
        }
    }
    // A valid reproducer, mutated.
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let sound = format!(
        "{head}// tool: cubec\n// word: %s\n// word: --target\n// word: nvptx:none\n// end: exit 1\n// code: CUBE0501\n"
    );
    for _ in 0..rounds(30) {
        let mut bytes = sound.clone().into_bytes();
        for _ in 0..3 {
            let at = random.below(bytes.len());
            bytes[at] = random.below(256) as u8;
        }
        bench.write("r.mlir", &bytes);
        let ended = bench.run(&["c", "--replay", "r.mlir"]);
        assert!(matches!(ended.code, 0..=2), "{:?}: {ended:?}", String::from_utf8_lossy(&bytes));
    }
}
