//! `cube-lsp-server`, used as by an editor: over its pipes, in the language server protocol.
#![forbid(unsafe_code)]

use cube_test::toolbox::Toolbox;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Time limit of an answer on a busy machine.
const LIMIT: Duration = Duration::from_secs(30);

const KERNEL: &str = "\
cube.kernel @scale(%x: !cube.array<f32>, %factor: f32) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %r = arith.mulf %v, %factor : f32
  cube.store %r, %x[%i] : f32, !cube.array<f32>
  cube.return
}
// RUN: cube-opt --pass-pipeline='builtin.module(cube.kernel(specialize{params=N=8}))'
";

const URI: &str = "file:///kernel.mlir";

/// A simulated editor with its language server process.
struct Editor {
    server: Child,
    to: Option<ChildStdin>,
    from: Receiver<Value>,
    last: u64,
}

impl Editor {
    fn start(environment: &[(&str, &str)]) -> Editor {
        let tools = Toolbox::find();
        if let Err(message) = tools.check() {
            panic!("{message}");
        }
        let mut server = Command::new(tools.cube)
            .arg("lsp-server")
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(server.stdout.take().unwrap());
        let (sender, from) = channel();
        std::thread::spawn(move || {
            while let Some(message) = message(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let to = server.stdin.take();
        let mut editor = Editor { server, to, from, last: 0 };
        let answer = editor.ask("initialize", json!({"processId": null, "rootUri": null, "capabilities": {}}));
        assert_eq!(answer["result"]["serverInfo"]["name"], "cube-lsp-server");
        assert_eq!(answer["result"]["capabilities"]["hoverProvider"], true);
        editor.notify("initialized", json!({}));
        editor
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        write!(self.to.as_mut().unwrap(), "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and returns the answer. The method skips messages that the server sends before the
    /// answer.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.from.recv_timeout(LIMIT).unwrap_or_else(|e| panic!("no answer to {method}: {e}"));
            if message["id"] == id {
                return message;
            }
        }
    }

    fn open(&mut self, uri: &str, text: &str) -> Vec<Value> {
        self.notify(
            "textDocument/didOpen",
            json!({"textDocument": {"uri": uri, "languageId": "mlir", "version": 1, "text": text}}),
        );
        self.diagnostics(uri, 1)
    }

    fn change(&mut self, uri: &str, version: u64, text: &str) -> Vec<Value> {
        let document = json!({"uri": uri, "version": version});
        self.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": [{"text": text}]}));
        self.diagnostics(uri, version)
    }

    /// Waits for the next diagnostics of the given version of a document.
    fn diagnostics(&mut self, uri: &str, version: u64) -> Vec<Value> {
        loop {
            let message = self.from.recv_timeout(LIMIT).expect("diagnostics");
            let of_it = message["params"]["uri"] == uri && message["params"]["version"] == version;
            if message["method"] == "textDocument/publishDiagnostics" && of_it {
                return message["params"]["diagnostics"].as_array().unwrap().clone();
            }
        }
    }

    /// The text of a hover at the first occurrence of `word` in line `line`.
    fn hover(&mut self, uri: &str, text: &str, line: usize, word: &str) -> String {
        let column = text.lines().nth(line).unwrap().find(word).unwrap() + 1;
        let position = json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": column}});
        let answer = self.ask("textDocument/hover", position);
        answer["result"]["contents"]["value"].as_str().unwrap_or_default().to_string()
    }

    fn end(mut self) {
        let answer = self.ask("shutdown", Value::Null);
        assert_eq!(answer.get("error"), None);
        self.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
        self.to = None;
        assert_eq!(self.server.wait().unwrap().code(), Some(0));
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        // The server has already ended, unless a test failed.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn message(from: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().split_once(": ") {
            Some(("Content-Length", value)) => length = value.parse().ok()?,
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

fn codes(diagnostics: &[Value]) -> Vec<&str> {
    diagnostics.iter().filter_map(|d| d["code"].as_str()).collect()
}

#[test]
fn wrong_kernels_have_diagnostics_with_codes() {
    let mut editor = Editor::start(&[]);
    let line_type =
        KERNEL.replace("array<f32> -> f32", "array<f32> -> f64").replace("mulf %v, %factor", "mulf %factor, %factor");
    let found = editor.open(URI, &line_type);
    assert_eq!(codes(&found), ["CUBE0133"], "{found:?}");
    assert_eq!((&found[0]["severity"], &found[0]["source"]), (&json!(1), &json!("cube")));
    assert_eq!(found[0]["range"]["start"]["line"], 2);
    assert!(!found[0]["message"].as_str().unwrap().contains("[CUBE"), "{found:?}");
    // MLIR reports parse errors, and the proxy adds the nearest name.
    let found = editor.change(URI, 2, &KERNEL.replace("cube.load", "cube.lod"));
    assert_eq!(codes(&found), ["CUBE0100"]);
    assert!(found[0]["message"].as_str().unwrap().ends_with("did you mean cube.load?"), "{found:?}");
    assert_eq!(editor.change(URI, 3, KERNEL), [] as [Value; 0]);
    editor.end();
}

#[test]
fn hovers_explain_operations_types_passes_and_options() {
    let mut editor = Editor::start(&[]);
    editor.open(URI, KERNEL);
    let load = editor.hover(URI, KERNEL, 2, "cube.load");
    assert!(load.starts_with("**cube.load**: reads a line of a buffer"), "{load}");
    // MLIR's own part is also present: types of operands and results.
    assert!(load.contains("(!cube.array<f32>, i32) -> f32"), "{load}");
    let value = editor.hover(URI, KERNEL, 2, "%v");
    assert!(value.contains("Type: `f32`"), "{value}");
    let array = editor.hover(URI, KERNEL, 0, "!cube.array");
    assert!(array.starts_with("**!cube.array**: a one-dimensional buffer"), "{array}");
    assert!(editor.hover(URI, KERNEL, 7, "specialize").starts_with("**pass specialize**: "));
    assert!(editor.hover(URI, KERNEL, 7, "params").starts_with("**params** of pass `specialize`: "));
    let upstream = editor.hover(URI, KERNEL, 3, "arith.mulf");
    assert!(upstream.contains("(f32, f32) -> f32"), "{upstream}");
    editor.end();
}

#[test]
fn definitions_are_found() {
    let mut editor = Editor::start(&[]);
    editor.open(URI, KERNEL);
    let position = json!({"textDocument": {"uri": URI}, "position": {"line": 4, "character": 15}});
    let answer = editor.ask("textDocument/definition", position);
    assert_eq!(answer["result"][0]["uri"], URI);
    assert_eq!(answer["result"][0]["range"]["start"]["line"], 3, "{answer}");
    editor.end();
}

/// The server does not pass a text to MLIR's parser if the parser would overflow its stack, and the session
/// continues.
#[test]
fn deep_document_is_rejected_and_the_server_continues() {
    let mut editor = Editor::start(&[]);
    editor.open(URI, KERNEL);
    let deep = format!("func.func private @f({}i32{})\n", "tuple<".repeat(20_000), ">".repeat(20_000));
    let found = editor.open("file:///deep.mlir", &deep);
    assert_eq!(codes(&found), ["CUBE0102"]);
    let found = editor.change("file:///deep.mlir", 2, "func.func private @f(tuple<i32>)\n");
    assert_eq!(codes(&found), [] as [&str; 0]);
    assert!(editor.hover(URI, KERNEL, 2, "cube.load").contains("-> f32"));
    editor.end();
}

/// The test causes the crash on purpose: a server process is killed when it receives a certain word.
#[test]
fn server_crash_disables_one_document_until_it_changes() {
    let mut editor = Editor::start(&[("CUBE_TEST_LSP_CRASH", "BOOM")]);
    editor.open(URI, KERNEL);
    editor.notify(
        "textDocument/didOpen",
        json!({"textDocument": {"uri": "file:///bad.mlir", "languageId": "mlir", "version": 1, "text": "// BOOM\n"}}),
    );
    // The child can answer before it crashes. Afterwards the document is withheld.
    while codes(&editor.diagnostics("file:///bad.mlir", 1)) != ["CUBE0616"] {}
    let load = editor.hover(URI, KERNEL, 2, "cube.load");
    assert!(load.contains("(!cube.array<f32>, i32) -> f32"), "the new server does not know the other document: {load}");
    let found = editor.change("file:///bad.mlir", 2, "cube.kernel @k() { cube.retrun }\n");
    assert_eq!(codes(&found), ["CUBE0100"]);
    editor.end();
}
