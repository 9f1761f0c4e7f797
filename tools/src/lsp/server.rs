//! The proxy between the client and MLIR's server.
use super::{CHILD, documents::Documents, hover, rpc};
use crate::say;
use cube_artifact::diagnostic;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufReader, Stdout};
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Maximum number of restarts of MLIR's server in a session.
const MAX_RESTARTS: usize = 100;

/// The id of the request `initialize` that the proxy sends to a restarted server.
const AGAIN: &str = "cube-started-again";

enum Event {
    Client(Result<Option<Value>, String>),
    /// A message from the server process with this number; `None` if the output of the process has ended.
    Server(usize, Option<Value>),
}

/// A pending request: its id, and for a hover request the position of the word.
struct Pending {
    id: Value,
    hover: Option<(String, usize, usize)>,
}

struct Proxy {
    out: Stdout,
    events: Sender<Event>,
    server: Child,
    to_server: Option<ChildStdin>,
    number: usize,
    documents: Documents,
    pending: BTreeMap<String, Pending>,
    initialize: Option<Value>,
    answered: bool,
    shutdown: bool,
}

/// Serves a client on standard input and output.
pub fn serve() -> ExitCode {
    let (events, inbox) = channel();
    let client = events.clone();
    std::thread::spawn(move || {
        let mut input = BufReader::new(std::io::stdin());
        loop {
            let message = rpc::read(&mut input);
            let last = !matches!(message, Ok(Some(_)));
            if client.send(Event::Client(message)).is_err() || last {
                return;
            }
        }
    });
    let started = start(&events, 0);
    let (server, to_server) = match started {
        Ok(started) => started,
        Err(error) => return failed(&format!("MLIR's server cannot be started: {error}")),
    };
    let mut proxy = Proxy {
        out: std::io::stdout(),
        events,
        server,
        to_server,
        number: 0,
        documents: Documents::default(),
        pending: BTreeMap::new(),
        initialize: None,
        answered: false,
        shutdown: false,
    };
    let code = proxy.run(&inbox);
    proxy.end();
    code
}

fn failed(message: &str) -> ExitCode {
    say::error("cube-lsp-server", diagnostic!(CUBE0615.server { why: message }))
}

fn start(events: &Sender<Event>, number: usize) -> std::io::Result<(Child, Option<ChildStdin>)> {
    let log = std::env::var_os("CUBE_LSP_LOG").is_some();
    let mut child = Command::new(std::env::current_exe()?)
        .arg("cube-lsp-server")
        .env(CHILD, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(if log { Stdio::inherit() } else { Stdio::null() })
        .spawn()?;
    let (pipe, output) = (child.stdin.take(), child.stdout.take());
    let events = events.clone();
    std::thread::spawn(move || {
        let mut output = BufReader::new(output.expect("the pipe was requested"));
        // An invalid message counts as the end of the child, so the proxy starts a new child.
        while let Ok(Some(message)) = rpc::read(&mut output) {
            if events.send(Event::Server(number, Some(message))).is_err() {
                return;
            }
        }
        let _ = events.send(Event::Server(number, None));
    });
    Ok((child, pipe))
}

impl Proxy {
    fn run(&mut self, inbox: &Receiver<Event>) -> ExitCode {
        while let Ok(event) = inbox.recv() {
            match event {
                Event::Client(Ok(Some(message))) => {
                    if message["method"] == "exit" {
                        self.send(&message);
                        self.drain(inbox);
                        return if self.shutdown {
                            ExitCode::SUCCESS
                        } else {
                            failed("the client ended without a shutdown request")
                        };
                    }
                    self.of_client(message);
                }
                Event::Client(Ok(None)) if self.shutdown => return ExitCode::SUCCESS,
                Event::Client(Ok(None)) => {
                    return failed("the client closed the connection without a shutdown request");
                }
                Event::Client(Err(why)) => return failed(&format!("the client sent {why}")),
                Event::Server(number, Some(message)) if number == self.number => self.of_server(message),
                Event::Server(number, None) if number == self.number => {
                    if let Err(why) = self.restart() {
                        return failed(&why);
                    }
                }
                // A message of a child that has ended.
                Event::Server(..) => {}
            }
        }
        failed("the client has disconnected")
    }

    // Forwards the output of MLIR's server after the request to end.
    fn drain(&mut self, inbox: &Receiver<Event>) {
        self.to_server = None;
        while let Ok(event) = inbox.recv_timeout(Duration::from_secs(5)) {
            match event {
                Event::Server(number, Some(message)) if number == self.number => self.of_server(message),
                Event::Server(number, None) if number == self.number => return,
                // Further messages of the client, and children that have ended, are ignored.
                _ => {}
            }
        }
    }

    fn of_client(&mut self, mut message: Value) {
        let method = message["method"].as_str().unwrap_or_default().to_string();
        match method.as_str() {
            "initialize" => self.initialize = Some(message.clone()),
            "shutdown" => self.shutdown = true,
            _ => {}
        }
        if method.starts_with("textDocument/did") {
            self.documents.note(&method, &mut message);
        }
        if !method.is_empty() && message.get("id").is_some() {
            let at = |name: &str| message["params"]["position"][name].as_u64().map(|n| n as usize);
            let uri = message.pointer("/params/textDocument/uri").and_then(Value::as_str);
            let position = uri.map(String::from).zip(at("line").zip(at("character"))).map(|(uri, (l, c))| (uri, l, c));
            let hover = position.filter(|_| method == "textDocument/hover");
            let id = message["id"].clone();
            self.pending.insert(id.to_string(), Pending { id, hover });
        }
        self.send(&message);
        #[cfg(debug_assertions)]
        self.planted_crash();
    }

    // For tests of a crash of MLIR's parser: the proxy kills the child if the last document contains the word
    // in `CUBE_TEST_LSP_CRASH`.
    #[cfg(debug_assertions)]
    fn planted_crash(&mut self) {
        let Ok(word) = std::env::var("CUBE_TEST_LSP_CRASH") else { return };
        let last = self.documents.last.clone().unwrap_or_default();
        if self.documents.text(&last).is_some_and(|text| text.contains(&word)) && !self.documents.is_held(&last) {
            let _ = self.server.kill();
        }
    }

    // A closed pipe is detected later, as the end of the child.
    fn send(&mut self, message: &Value) {
        if let Some(pipe) = &mut self.to_server {
            let _ = rpc::write(pipe, message);
        }
    }

    fn answer(&mut self, message: &Value) {
        // The end of a client is detected as the end of its messages.
        let _ = rpc::write(&mut self.out, message);
    }

    fn of_server(&mut self, mut message: Value) {
        if message["method"] == "textDocument/publishDiagnostics" {
            self.documents.complete(&mut message);
        } else if message["id"] == AGAIN {
            return;
        } else if message.get("method").is_none() {
            let pending = self.pending.remove(&message["id"].to_string());
            if let Some((uri, line, character)) = pending.and_then(|p| p.hover) {
                let text = self.documents.text(&uri).unwrap_or_default();
                if let Some(reference) = hover::reference(text, line, character) {
                    add(&mut message, &reference);
                }
            }
            if let Some(info) = message.pointer_mut("/result/serverInfo") {
                *info = json!({"name": "cube-lsp-server", "version": env!("CARGO_PKG_VERSION")});
                self.answered = true;
            }
        }
        self.answer(&message);
    }

    // MLIR's server has ended. Its pending requests get an error as answer, and a new server receives the documents.
    fn restart(&mut self) -> Result<(), String> {
        if self.shutdown {
            return Ok(());
        }
        if !self.answered || self.number >= MAX_RESTARTS {
            return Err("MLIR's server ends as soon as it is started".into());
        }
        for pending in std::mem::take(&mut self.pending).into_values() {
            let message = diagnostic!(CUBE0616.restarted).text_with_code();
            self.answer(&json!({"jsonrpc": "2.0", "id": pending.id, "error": {"code": -32603, "message": message}}));
        }
        self.end();
        self.number += 1;
        let (server, pipe) =
            start(&self.events, self.number).map_err(|e| format!("MLIR's server cannot be started: {e}"))?;
        (self.server, self.to_server) = (server, pipe);
        if let Some(mut first) = self.initialize.clone() {
            first["id"] = json!(AGAIN);
            self.send(&first);
            self.send(&json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}));
        }
        for message in self.documents.reopened() {
            self.send(&message);
        }
        Ok(())
    }

    // Gives the child a moment to end by itself.
    fn end(&mut self) {
        self.to_server = None;
        for _ in 0..100 {
            if !matches!(self.server.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

// Adds the reference to a hover, or creates a hover from it.
fn add(message: &mut Value, reference: &str) {
    if message.get("error").is_some() {
        return;
    }
    match message.pointer_mut("/result/contents/value") {
        Some(value) => *value = json!(format!("{reference}\n---\n\n{}", value.as_str().unwrap_or_default())),
        None => message["result"] = json!({"contents": {"kind": "markdown", "value": reference}}),
    }
}
