//! A look at MLIR text before MLIR sees it: upstream's recursive parser overflows the stack on deep nesting.
use super::SessionError;
use crate::diagnostics::{Diagnostic, Place, Severity};
use std::collections::HashMap;

/// How much of what an input may hold.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Depth of brackets, counted through attribute and type aliases.
    pub depth: usize,
    /// Bytes of the whole text.
    pub bytes: usize,
    /// Operators within one `affine_map<...>` or `affine_set<...>`: the parser recurses on each.
    pub affine_operators: usize,
    /// Minus signs in a row, on which the parser recurses too.
    pub minus_signs: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { depth: 256, bytes: 512 << 20, affine_operators: 1024, minus_signs: 64 }
    }
}

/// What is too much, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitExceeded {
    /// The rule that is broken, with the limit in it.
    pub message: String,
    /// Error code.
    pub code: &'static str,
    /// Line and column, from 1.
    pub at: Option<(u32, u32)>,
}

impl LimitExceeded {
    /// The same as an error of a session.
    pub fn into_error(self, file: &str) -> SessionError {
        let place = self.at.map(|(line, column)| Place { file: file.to_string(), line, column });
        let code = Some(self.code.to_string());
        SessionError {
            diagnostics: vec![Diagnostic {
                severity: Severity::Error,
                message: self.message,
                code,
                place,
                notes: vec![],
            }],
        }
    }
}

struct Scan<'t> {
    text: &'t [u8],
    at: usize,
    open: Vec<u8>,
    // Bracket position of an affine map that is open, and its operators so far.
    affine: Option<(usize, usize)>,
    minus: usize,
    // Depth of each alias defined so far, and the one being defined.
    aliases: HashMap<&'t [u8], usize>,
    defining: Option<(&'t [u8], usize)>,
}

/// Checks the size and nesting of MLIR text.
///
/// # Errors
/// Text that is not UTF-8, has a zero byte, or goes over a limit.
pub fn pre_scan<'t>(source: &'t [u8], limits: &Limits) -> Result<&'t str, LimitExceeded> {
    let plain = |message: String, code| LimitExceeded { message, code, at: None };
    if source.len() > limits.bytes {
        return Err(plain(format!("the input has {} bytes, the limit is {}", source.len(), limits.bytes), "CUBE0103"));
    }
    let text = std::str::from_utf8(source).map_err(|e| LimitExceeded {
        message: "this is not UTF-8 text, nor MLIR bytecode".into(),
        code: "CUBE0104",
        at: Some(position(source, e.valid_up_to())),
    })?;
    if let Some(zero) = source.iter().position(|b| *b == 0) {
        let at = Some(position(source, zero));
        return Err(LimitExceeded { message: "a zero byte has no place in MLIR text".into(), code: "CUBE0104", at });
    }
    if text.trim().is_empty() {
        return Err(plain("the input is empty: there is no kernel in it".into(), "CUBE0105"));
    }
    let mut scan =
        Scan { text: source, at: 0, open: vec![], affine: None, minus: 0, aliases: HashMap::new(), defining: None };
    scan.run(limits).map_err(|message| LimitExceeded {
        message,
        code: "CUBE0102",
        at: Some(position(source, scan.at)),
    })?;
    Ok(text)
}

fn position(text: &[u8], at: usize) -> (u32, u32) {
    let before = &text[..at.min(text.len())];
    let line = before.iter().filter(|b| **b == b'\n').count();
    let column = before.iter().rev().take_while(|b| **b != b'\n').count();
    (line as u32 + 1, column as u32 + 1)
}

fn word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_$.-".contains(&byte)
}

impl<'t> Scan<'t> {
    fn run(&mut self, limits: &Limits) -> Result<(), String> {
        while let Some(&byte) = self.text.get(self.at) {
            self.minus = match byte {
                b'-' if self.text.get(self.at + 1) != Some(&b'>') => self.minus + 1,
                b' ' | b'\t' | b'\n' | b'\r' => self.minus,
                _ => 0,
            };
            if self.minus > limits.minus_signs {
                return Err(format!("more than {} minus signs in a row", limits.minus_signs));
            }
            match byte {
                b'"' => self.skip_string(),
                b'/' if self.text.get(self.at + 1) == Some(&b'/') => self.skip_line(),
                b'#' | b'!' => self.alias(limits)?,
                b'(' | b'[' | b'{' => self.push(byte, limits)?,
                b'<' if self.text.get(self.at + 1) != Some(&b'=') => self.push(byte, limits)?,
                b')' | b']' | b'}' => self.pop(byte),
                b'>' if self.at > 0 && self.text[self.at - 1] == b'-' => {}
                b'>' if self.open.last() == Some(&b'<') && self.text.get(self.at + 1) != Some(&b'=') => self.pop(byte),
                b'+' | b'*' | b'-' | b'm' | b'f' | b'c' => self.affine_operator(limits)?,
                _ => {}
            }
            self.at += 1;
        }
        Ok(())
    }

    fn skip_string(&mut self) {
        self.at += 1;
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'\\' => self.at += 1,
                b'"' | b'\n' => return,
                _ => {}
            }
            self.at += 1;
        }
    }

    fn skip_line(&mut self) {
        while self.text.get(self.at).is_some_and(|b| *b != b'\n') {
            self.at += 1;
        }
    }

    fn push(&mut self, byte: u8, limits: &Limits) -> Result<(), String> {
        self.open.push(byte);
        self.reach(self.open.len(), limits)?;
        let name = &self.text[..self.at];
        if byte == b'<' && self.affine.is_none() && (name.ends_with(b"affine_map") || name.ends_with(b"affine_set")) {
            self.affine = Some((self.open.len(), 0));
        }
        Ok(())
    }

    fn pop(&mut self, byte: u8) {
        let matching = match byte {
            b')' => b'(',
            b']' => b'[',
            b'}' => b'{',
            _ => b'<',
        };
        // A `<` left open by a comparison is dropped with the bracket around it.
        while let Some(top) = self.open.pop() {
            if top == matching || top != b'<' {
                break;
            }
        }
        if self.affine.is_some_and(|(depth, _)| self.open.len() < depth) {
            self.affine = None;
        }
    }

    fn reach(&mut self, depth: usize, limits: &Limits) -> Result<(), String> {
        if let Some((_, deepest)) = &mut self.defining {
            *deepest = depth.max(*deepest);
        }
        if depth > limits.depth {
            return Err(format!("nesting is deeper than {} brackets: flatten it", limits.depth));
        }
        Ok(())
    }

    fn affine_operator(&mut self, limits: &Limits) -> Result<(), String> {
        let Some((_, count)) = &mut self.affine else { return Ok(()) };
        *count += 1;
        if *count > limits.affine_operators {
            return Err(format!("an affine expression has more than {} operators: split it", limits.affine_operators));
        }
        Ok(())
    }

    // `#name = ...` at the top defines an alias; anywhere else it stands for its whole depth.
    fn alias(&mut self, limits: &Limits) -> Result<(), String> {
        let start = self.at;
        let mut end = start + 1;
        while self.text.get(end).copied().is_some_and(word) {
            end += 1;
        }
        let name = &self.text[start..end];
        let mut next = end;
        while matches!(self.text.get(next), Some(b' ' | b'\t')) {
            next += 1;
        }
        let defines =
            self.open.is_empty() && self.text.get(next) == Some(&b'=') && self.text.get(next + 1) != Some(&b'=');
        if defines {
            if let Some((before, depth)) = self.defining.replace((name, 0)) {
                self.aliases.insert(before, depth);
            }
        } else {
            let inner = match self.defining {
                Some((defined, depth)) if defined == name => depth,
                _ => self.aliases.get(name).copied().unwrap_or(0),
            };
            self.reach(self.open.len() + inner + 1, limits)?;
            if let Some((before, depth)) = self.defining
                && self.open.is_empty()
                && before != name
            {
                self.aliases.insert(before, depth);
            }
        }
        self.at = end - 1;
        Ok(())
    }
}
