//! Reads and writes JSON-RPC messages with the headers of the language server protocol.
use serde_json::Value;
use std::io::{BufRead, Write};

/// Maximum length of a message in bytes.
const MAX_BYTES: usize = 512 << 20;

/// Reads a message; `None` at the end of the stream.
///
/// # Errors
/// A message is malformed.
pub fn read(from: &mut impl BufRead) -> Result<Option<Value>, String> {
    let mut length = None;
    let mut begun = false;
    loop {
        let mut line = Vec::new();
        let read = from.by_ref_limited(&mut line)?;
        if read == 0 {
            return if begun { Err("a header that ends early".into()) } else { Ok(None) };
        }
        begun = true;
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end();
        if text.is_empty() {
            break;
        }
        let (name, value) =
            text.split_once(':').ok_or_else(|| format!("a header line without a colon: '{}'", start(text)))?;
        if name.eq_ignore_ascii_case("content-length") {
            length = Some(
                value
                    .trim()
                    .parse::<usize>()
                    .map_err(|_| format!("a length that is not a number: '{}'", start(value)))?,
            );
        }
    }
    let length = length.ok_or("a header without Content-Length")?;
    if length > MAX_BYTES {
        return Err(format!("a message of {length} bytes; the limit is {MAX_BYTES}"));
    }
    let mut body = Vec::new();
    let got = std::io::Read::take(&mut *from, length as u64);
    let got = std::io::Read::read_to_end(&mut { got }, &mut body).map_err(|e| e.to_string())?;
    if got < length {
        return Err(format!("a message of {length} bytes that ends after {got}"));
    }
    serde_json::from_slice(&body).map(Some).map_err(|e| format!("no JSON: {e}"))
}

fn start(text: &str) -> String {
    text.chars().take(40).collect()
}

trait Limited {
    fn by_ref_limited(&mut self, line: &mut Vec<u8>) -> Result<usize, String>;
}

impl<R: BufRead> Limited for R {
    // Reads a line of at most 4096 bytes, so that a stream without line ends is not read completely.
    fn by_ref_limited(&mut self, line: &mut Vec<u8>) -> Result<usize, String> {
        let read = std::io::Read::take(&mut *self, 4096).read_until(b'\n', line).map_err(|e| e.to_string())?;
        if read == 4096 { Err("a header line of more than 4096 bytes".into()) } else { Ok(read) }
    }
}

/// Writes a message.
///
/// # Errors
/// The pipe is closed.
pub fn write(to: &mut impl Write, message: &Value) -> std::io::Result<()> {
    let body = message.to_string();
    write!(to, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn messages_are_read_as_written() {
        let mut bytes = Vec::new();
        write(&mut bytes, &json!({"id": 1, "text": "ü"})).unwrap();
        write(&mut bytes, &json!({"id": 2})).unwrap();
        let mut from = bytes.as_slice();
        assert_eq!(read(&mut from).unwrap().unwrap(), json!({"id": 1, "text": "ü"}));
        assert_eq!(read(&mut from).unwrap().unwrap(), json!({"id": 2}));
        assert_eq!(read(&mut from), Ok(None));
    }

    #[test]
    fn an_invalid_message_is_reported() {
        let message_of = |text: &str| read(&mut text.as_bytes()).unwrap_err();
        assert!(message_of("hello\r\n").contains("without a colon"));
        assert!(message_of("Content-Length: x\r\n").contains("is not a number"));
        assert!(message_of("A: b\r\n\r\n{}").contains("without Content-Length"));
        assert!(message_of("Content-Length: 5\r\n\r\n{}").contains("ends after 2"));
        assert!(message_of("Content-Length: 2\r\n\r\n{]").contains("no JSON"));
        assert!(message_of("Content-Length: 99999999999\r\n\r\n").contains("the limit is"));
        assert!(message_of(&"x".repeat(9999)).contains("more than 4096"));
        let deep = "[".repeat(100_000);
        assert!(message_of(&format!("Content-Length: {}\r\n\r\n{deep}", deep.len())).contains("no JSON"));
    }
}
