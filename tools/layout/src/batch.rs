//! `cube-layout batch`: each input line is a JSON request, and each output line is a JSON result. The tool flushes its
//! output after each line.
//!
//! A request contains an operation and its operands in CuTe notation. The response contains the result, or an
//! error with a witness, for example an index and its required offset. Requests and responses have the same
//! format as the test vectors of layouts (`layout-algebra/tests/data`). A result is never approximate.

mod answer;
mod witness;

use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Maximum length of a request line in bytes. The tool answers a longer line with an error.
const LONGEST_LINE: usize = 16 << 20;

/// Reads every line of `input`, and writes the answers to `output` in order. Returns whether every line was a
/// valid request.
///
/// # Errors
/// Reading or writing fails.
pub fn batch(mut input: impl BufRead, mut output: impl Write) -> std::io::Result<bool> {
    let mut all_read = true;
    let mut line = Vec::new();
    loop {
        line.clear();
        let result = match read_line(&mut input, &mut line)? {
            Line::End => return Ok(all_read),
            Line::Read if line.iter().all(u8::is_ascii_whitespace) => continue,
            Line::Read => answer_line(&line),
            Line::TooLong => Err(format!("the line is longer than {LONGEST_LINE} bytes; split the request")),
        };
        let result = result.unwrap_or_else(|error| {
            all_read = false;
            json!({ "id": null, "error": error })
        });
        serde_json::to_writer(&mut output, &result)?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
}

enum Line {
    Read,
    TooLong,
    End,
}

/// Reads up to the next line feed. If a line is too long, the function stores only its beginning.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<Line> {
    let mut long = false;
    let mut any = false;
    loop {
        let part = input.fill_buf()?;
        if part.is_empty() {
            return Ok(if !any {
                Line::End
            } else if long {
                Line::TooLong
            } else {
                Line::Read
            });
        }
        any = true;
        let end = part.iter().position(|&byte| byte == b'\n');
        let taken = end.map_or(part.len(), |end| end + 1);
        long |= line.len() + taken > LONGEST_LINE;
        if !long {
            line.extend_from_slice(&part[..taken]);
        }
        input.consume(taken);
        if end.is_some() {
            return Ok(if long { Line::TooLong } else { Line::Read });
        }
    }
}

/// The response to one line, or the error for a line that is not a request.
fn answer_line(line: &[u8]) -> Result<Value, String> {
    let request: Value = serde_json::from_slice(line)
        .map_err(|error| format!("the line is not a JSON request ({error}); write one JSON object per line"))?;
    let Value::Object(request) = request else {
        return Err("the request is not a JSON object; write an object with the field `op`".into());
    };
    let id = request.get("id").cloned().unwrap_or(Value::Null);
    // The algebra is not expected to panic. If the algebra panics, the tool still answers the other lines.
    let answered = catch_unwind(AssertUnwindSafe(|| answer::answer(&request)));
    let mut result = answered.unwrap_or_else(|_| {
        let mut result = serde_json::Map::new();
        result.insert("error".into(), "internal error: the operation panicked; please report the request".into());
        result
    });
    result.insert("id".into(), id);
    Ok(Value::Object(result))
}

#[cfg(test)]
mod tests {
    use super::batch;

    fn run(input: &str) -> (bool, String) {
        let mut output = Vec::new();
        let all_read = batch(input.as_bytes(), &mut output).unwrap();
        (all_read, String::from_utf8(output).unwrap())
    }

    #[test]
    fn invalid_request_line_does_not_stop_the_batch() {
        let (all_read, output) = run("nonsense\n\n[1]\n{\"id\":\"a\",\"op\":\"swizzle\",\"swizzle\":\"S<1,0,1>\"}");
        let lines: Vec<&str> = output.lines().collect();
        assert!(!all_read);
        assert_eq!(lines.len(), 3);
        assert!(lines[0].contains("not a JSON request"), "{}", lines[0]);
        assert!(lines[1].contains("the request is not a JSON object"), "{}", lines[1]);
        assert!(lines[2].contains("\"basis\":[1,3]") && lines[2].contains("\"id\":\"a\""), "{}", lines[2]);
    }

    #[test]
    fn a_line_too_long_is_skipped() {
        let long = "x".repeat(super::LONGEST_LINE + 1);
        let (_, output) = run(&format!("{long}\n{{\"id\":1,\"op\":\"no such\"}}\n"));
        let lines: Vec<&str> = output.lines().collect();
        assert!(lines[0].contains("the line is longer than"), "{}", lines[0]);
        assert!(lines[1].contains("unknown op"), "{}", lines[1]);
    }
}
