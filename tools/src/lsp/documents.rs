//! The client's open documents, and the texts that MLIR's server receives for them.
use crate::opt;
use cube_artifact::messages::Language;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Default)]
pub struct Document {
    pub text: String,
    version: Value,
    language: Value,
    /// The reason why MLIR's server receives an empty text and not the text of this document.
    held: Option<Value>,
}

/// All open documents, by URI.
#[derive(Default)]
pub struct Documents {
    open: BTreeMap<String, Document>,
    /// The URI of the document that the proxy sent to MLIR's server last.
    pub last: Option<String>,
}

impl Documents {
    /// The text of an open document.
    pub fn text(&self, uri: &str) -> Option<&str> {
        self.open.get(uri).map(|d| d.text.as_str())
    }

    /// Whether MLIR's server receives an empty text and not the text of this document.
    #[cfg(debug_assertions)]
    pub fn is_held(&self, uri: &str) -> bool {
        self.open.get(uri).is_some_and(|d| d.held.is_some())
    }

    /// Processes a message of the client about a document, and adapts the message for MLIR's server.
    pub fn note(&mut self, method: &str, message: &mut Value) {
        let Some(uri) = message.pointer("/params/textDocument/uri").and_then(Value::as_str).map(String::from) else {
            return;
        };
        match method {
            "textDocument/didOpen" => {
                let given = message["params"]["textDocument"].clone();
                let text = given["text"].as_str().unwrap_or_default().to_string();
                let held = look(&text);
                if held.is_some() {
                    message["params"]["textDocument"]["text"] = json!("");
                }
                let (version, language) = (given["version"].clone(), given["languageId"].clone());
                let document = Document { text, version, language, held };
                self.open.insert(uri.clone(), document);
            }
            "textDocument/didChange" => {
                let Some(document) = self.open.get_mut(&uri) else { return };
                // The proxy requests whole texts, so the last change is the text.
                let last = message["params"]["contentChanges"]
                    .as_array()
                    .and_then(|c| c.last())
                    .and_then(|c| c["text"].as_str());
                document.text = last.unwrap_or_default().to_string();
                document.version = message["params"]["textDocument"]["version"].clone();
                document.held = look(&document.text);
                let seen = if document.held.is_some() { "" } else { &document.text };
                message["params"]["contentChanges"] = json!([{ "text": seen }]);
            }
            "textDocument/didClose" => {
                self.open.remove(&uri);
            }
            _ => {}
        }
        self.last = Some(uri);
    }

    /// Marks the last sent document as withheld, because MLIR's server has crashed on it. Returns the messages that
    /// open all documents in the new server.
    pub fn reopened(&mut self) -> Vec<Value> {
        if let Some(document) = self.last.take().and_then(|uri| self.open.get_mut(&uri)) {
            let why = "MLIR's parser crashed on this document; change the text to parse it again";
            document.held.get_or_insert_with(|| diagnostic("CUBE0616", why, None));
        }
        let open = |(uri, document): (&String, &Document)| {
            let text = if document.held.is_some() { "" } else { &document.text };
            json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {
                "uri": uri, "languageId": document.language, "version": document.version, "text": text
            }}})
        };
        self.open.iter().map(open).collect()
    }

    /// Adds error codes to the diagnostics of MLIR's server. For a withheld document, adds a diagnostic with
    /// the reason.
    pub fn complete(&self, message: &mut Value) {
        let uri = message.pointer("/params/uri").and_then(Value::as_str).unwrap_or_default();
        let document = self.open.get(uri);
        if let Some(held) = document.and_then(|d| d.held.as_ref()) {
            message["params"]["diagnostics"] = json!([held]);
            return;
        }
        let text = document.map_or("", |d| d.text.as_str());
        let Some(list) = message.pointer_mut("/params/diagnostics").and_then(Value::as_array_mut) else { return };
        list.iter_mut().for_each(|one| coded(one, text));
    }
}

// Cube's messages end with a code in brackets; MLIR's have none.
fn coded(one: &mut Value, text: &str) {
    let Some(message) = one["message"].as_str().map(String::from) else { return };
    one["source"] = json!("cube");
    let code =
        message.rfind("[CUBE").and_then(|at| message[at + 1..].split_once(']').map(|(code, rest)| (at, code, rest)));
    if let Some((at, code, rest)) = code {
        one["code"] = json!(code);
        one["message"] = json!(format!("{}{rest}", message[..at].trim_end()));
    } else if one["severity"] == json!(1) {
        one["code"] = json!("CUBE0100");
        let unknown = message.contains("is unknown").then(|| crate::hints::unknown_op(text)).flatten();
        if let Some(hint) = unknown {
            one["message"] = json!(format!("{message}; {hint}"));
        }
    }
}

// The error of a text that MLIR's parser must not read.
fn look(text: &str) -> Option<Value> {
    let error = opt::scan(text.as_bytes(), true).err().filter(|e| e.code() != "CUBE0105")?;
    Some(diagnostic(error.code(), &error.message.words(Language::Mlir), error.at))
}

fn diagnostic(code: &str, message: &str, at: Option<(u32, u32)>) -> Value {
    let (line, column) = at.map_or((0, 0), |(line, column)| (line.saturating_sub(1), column.saturating_sub(1)));
    json!({
        "range": {"start": {"line": line, "character": column}, "end": {"line": line, "character": column + 1}},
        "severity": 1, "source": "cube", "code": code, "message": message
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(text: &str) -> (Documents, Value) {
        let mut message = json!({"method": "textDocument/didOpen", "params": {"textDocument": {
            "uri": "file:///k", "languageId": "mlir", "version": 1, "text": text
        }}});
        let mut documents = Documents::default();
        documents.note("textDocument/didOpen", &mut message);
        (documents, message)
    }

    #[test]
    fn deep_documents_are_not_parsed() {
        let (documents, message) = open(&format!("func.func private @f({})", "tuple<".repeat(20_000)));
        assert_eq!(message["params"]["textDocument"]["text"], "");
        let mut published = json!({"params": {"uri": "file:///k", "diagnostics": []}});
        documents.complete(&mut published);
        assert_eq!(published["params"]["diagnostics"][0]["code"], "CUBE0102");
    }

    #[test]
    fn codes_move_out_of_messages() {
        let (documents, _) = open("cube.kernel @k() { cube.retrun }");
        let mut published = json!({"params": {"uri": "file:///k", "diagnostics": [
            {"severity": 1, "message": "a kernel returns nothing [CUBE0123]"},
            {"severity": 1, "message": "custom op 'cube.retrun' is unknown"},
            {"severity": 3, "message": "a note"}
        ]}});
        documents.complete(&mut published);
        let list = &published["params"]["diagnostics"];
        assert_eq!((&list[0]["code"], &list[0]["message"]), (&json!("CUBE0123"), &json!("a kernel returns nothing")));
        assert_eq!(list[1]["code"], "CUBE0100");
        assert!(list[1]["message"].as_str().unwrap().starts_with("custom op"));
        assert_eq!(list[2]["code"], Value::Null);
    }

    #[test]
    fn the_document_of_a_crash_waits_for_a_change() {
        let (mut documents, _) = open("module {}");
        assert_eq!(documents.reopened()[0]["params"]["textDocument"]["text"], "");
        let mut change = json!({"params": {"textDocument": {"uri": "file:///k", "version": 2}, "contentChanges": [{"text": "// ok"}]}});
        documents.note("textDocument/didChange", &mut change);
        assert_eq!(change["params"]["contentChanges"], json!([{"text": "// ok"}]));
    }
}
