//! A scan of MLIR text before MLIR parses it. The scan is necessary because upstream's recursive parser overflows the
//! stack on deep nesting.
use super::SessionError;
use crate::{Diagnostic, Message, Severity, SourceLocation, diagnostic};
use std::collections::HashMap;

/// The largest alignment of a resource: a page of memory.
const MAX_ALIGNED: u32 = 4096;

/// Limits of an input.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Nesting depth of brackets after the expansion of attribute and type aliases.
    pub depth: usize,
    /// Bytes of the whole text.
    pub bytes: usize,
    /// Number of operators of one affine expression. MLIR's parser recurses over the depth of an expression.
    pub affine_operators: usize,
    /// Number of consecutive minus signs. MLIR's parser also recurses over consecutive minus signs.
    pub minus_signs: usize,
    /// Bytes of all uses of aliases after expansion. In memory, MLIR shares an aliased attribute or type
    /// between its uses, but the printer repeats the text.
    pub expanded: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { depth: 256, bytes: 512 << 20, affine_operators: 1024, minus_signs: 64, expanded: 512 << 20 }
    }
}

/// The exceeded limit, and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitExceeded {
    /// The violated rule, with the limit among its arguments.
    pub message: Message,
    /// Line and column, from 1.
    pub at: Option<(u32, u32)>,
}

impl LimitExceeded {
    /// Error code.
    pub fn code(&self) -> &str {
        self.message.code.as_deref().unwrap_or_default()
    }

    /// Converts the exceeded limit to a session error.
    pub fn into_error(self, file: &str) -> SessionError {
        let location = self.at.map(|(line, column)| SourceLocation { file: file.to_string(), line, column });
        SessionError { diagnostics: vec![Diagnostic::new(Severity::Error, self.message, location)] }
    }
}

/// An open bracket. Operators are counted since the last comma, including operators of the enclosing expressions.
#[derive(Clone, Copy)]
struct OpenBracket {
    byte: u8,
    outer: usize,
    operators: usize,
}

/// The cost of an alias: depth of brackets, and bytes after expansion.
#[derive(Clone, Copy, Default)]
struct Alias {
    depth: usize,
    size: usize,
}

struct Definition<'t> {
    name: &'t [u8],
    start: usize,
    alias: Alias,
}

type ScanResult = Result<(), Message>;

struct Scan<'t> {
    text: &'t [u8],
    limits: Limits,
    at: usize,
    open: Vec<OpenBracket>,
    minus: usize,
    // The last byte that is neither blank nor comment, whether it ended an arrow, and whether a line ended since.
    last: u8,
    arrow: bool,
    newline: bool,
    // Whether the scan is between `{-#` and `#-}`, where the bytes of resources are.
    metadata: bool,
    aliases: HashMap<&'t [u8], Alias>,
    defining: Option<Definition<'t>>,
    expanded: usize,
}

/// Checks the size and nesting of MLIR text.
///
/// # Errors
/// The text is not UTF-8, has a zero byte, or exceeds a limit.
pub fn pre_scan<'t>(source: &'t [u8], limits: &Limits) -> Result<&'t str, LimitExceeded> {
    let plain = |message: Message| LimitExceeded { message, at: None };
    if source.len() > limits.bytes {
        return Err(plain(diagnostic!(CUBE0103.input { bytes: source.len(), limit: limits.bytes })));
    }
    let text = std::str::from_utf8(source).map_err(|e| LimitExceeded {
        message: diagnostic!(CUBE0104.encoding),
        at: Some(position(source, e.valid_up_to())),
    })?;
    if let Some(zero) = source.iter().position(|b| *b == 0) {
        let at = Some(position(source, zero));
        return Err(LimitExceeded { message: diagnostic!(CUBE0104.zero), at });
    }
    if text.trim().is_empty() {
        return Err(plain(diagnostic!(CUBE0105.empty)));
    }
    let mut scan = Scan {
        text: source,
        limits: *limits,
        at: 0,
        open: vec![],
        minus: 0,
        last: 0,
        arrow: false,
        newline: true,
        metadata: false,
        aliases: HashMap::new(),
        defining: None,
        expanded: 0,
    };
    match scan.run() {
        Ok(()) => Ok(text),
        Err(message) => Err(LimitExceeded { message, at: Some(position(source, scan.at)) }),
    }
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
    fn run(&mut self) -> ScanResult {
        loop {
            let after = self.blank_end(self.at);
            self.newline |= self.text[self.at..after].iter().any(|b| matches!(b, b'\n' | b'\r'));
            self.at = after;
            let Some(&byte) = self.text.get(self.at) else { return Ok(()) };
            self.token(byte)?;
            self.at += 1;
        }
    }

    /// The position after the blanks and comments that begin at `at`. A comment ends at a carriage return too, as in
    /// MLIR's lexer.
    fn blank_end(&self, mut at: usize) -> usize {
        while let Some(byte) = self.text.get(at) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => at += 1,
                b'/' if self.text.get(at + 1) == Some(&b'/') => {
                    let end = self.text[at..].iter().position(|b| matches!(b, b'\n' | b'\r'));
                    at = end.map_or(self.text.len(), |n| at + n);
                }
                _ => break,
            }
        }
        at
    }

    /// Scans the token that begins at position `at`; moves `at` to the last byte of the token.
    fn token(&mut self, byte: u8) -> ScanResult {
        let next = self.text.get(self.at + 1).copied();
        if self.begins_statement(byte) {
            self.define(None);
        }
        self.minus = if byte == b'-' && next != Some(b'>') { self.minus + 1 } else { 0 };
        if self.minus > self.limits.minus_signs {
            return Err(diagnostic!(CUBE0102.minus_signs { limit: self.limits.minus_signs }));
        }
        let arrow = byte == b'>' && self.at > 0 && self.text[self.at - 1] == b'-';
        match byte {
            b'"' => self.string()?,
            b'#' if self.metadata && next == Some(b'-') => self.metadata = false,
            b'#' | b'!' => self.alias()?,
            b'(' | b'[' | b'{' => {
                self.metadata |= self.text[self.at..].starts_with(b"{-#");
                self.push(byte)?;
            }
            b'<' if next != Some(b'=') => self.push(byte)?,
            b')' | b']' | b'}' => self.pop(byte),
            b'>' if arrow => {}
            b'>' if self.open.last().is_some_and(|o| o.byte == b'<') && next != Some(b'=') => self.pop(byte),
            b',' => self.open.iter_mut().last().into_iter().for_each(|o| o.operators = o.outer),
            b'+' | b'*' | b'-' | b'm' | b'f' | b'c' => self.operator(byte, next)?,
            _ => {}
        }
        if byte.is_ascii_alphabetic() || matches!(byte, b'%' | b'_') {
            let start = self.at;
            self.skip_name();
            if &self.text[start..=self.at] == b"array" {
                self.array()?;
            }
        }
        // The scan of an unterminated string can pass the end of the text.
        self.at = self.at.min(self.text.len() - 1);
        (self.last, self.arrow, self.newline) = (self.text[self.at], arrow, false);
        Ok(())
    }

    /// Whether a statement begins at position `at`. The beginning of a statement ends the preceding alias
    /// definition.
    fn begins_statement(&self, byte: u8) -> bool {
        let continues = matches!(self.last, b'=' | b':' | b',') || self.arrow;
        let begins = byte.is_ascii_alphabetic() || b"\"%#!{@^".contains(&byte);
        self.defining.is_some() && self.open.is_empty() && self.newline && begins && !continues
    }

    // Skips a string, which can be the bytes of a resource.
    fn string(&mut self) -> ScanResult {
        let start = self.at;
        self.skip_string();
        let is_value = self.metadata && self.last == b':';
        match self.text[start + 1..self.at.min(self.text.len())].strip_prefix(b"0x").filter(|_| is_value) {
            Some(digits) => self.blob(start, digits),
            None => Ok(()),
        }
    }

    // The first four bytes of a resource give its alignment. MLIR allocates memory with this alignment, and ends the
    // process if the system refuses.
    fn blob(&mut self, start: usize, digits: &[u8]) -> ScanResult {
        let byte = |at: usize| u32::from_str_radix(std::str::from_utf8(digits.get(at..at + 2)?).ok()?, 16).ok();
        let alignment = (0..4).try_fold(0, |sum, n| Some(sum | byte(2 * n)? << (8 * n)));
        // The parser refuses a string that is shorter or not hexadecimal.
        let Some(alignment) = alignment.filter(|bytes| !bytes.is_power_of_two() || *bytes > MAX_ALIGNED) else {
            return Ok(());
        };
        self.at = start;
        Err(diagnostic!(CUBE0107.alignment { limit: MAX_ALIGNED, alignment }))
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

    // Moves `at` to the last byte of a name or keyword.
    fn skip_name(&mut self) {
        let rest = &self.text[self.at + 1..];
        let in_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.');
        self.at += rest.iter().position(|b| !in_name(b)).unwrap_or(rest.len());
    }

    // `array<index: 1>` ends the process: upstream's parser reads the bit width of an index, which does not exist. The type can be hidden
    // by an alias.
    fn array(&self) -> ScanResult {
        let open = self.blank_end(self.at + 1);
        let element = self.blank_end(open + 1);
        let rest = self.text.get(element..).unwrap_or_default();
        let length = rest.iter().take_while(|b| word(**b)).count();
        if self.text.get(open) == Some(&b'<') && (&rest[..length] == b"index" || rest.starts_with(b"!")) {
            return Err(diagnostic!(CUBE0109.elements));
        }
        Ok(())
    }

    fn push(&mut self, byte: u8) -> ScanResult {
        // Regions contain statements and not expressions.
        let outer = self.open.last().filter(|o| o.byte != b'{').map_or(0, |o| o.operators);
        self.open.push(OpenBracket { byte, outer, operators: outer });
        self.reach(self.open.len())
    }

    fn pop(&mut self, byte: u8) {
        let matching = match byte {
            b')' => b'(',
            b']' => b'[',
            b'}' => b'{',
            _ => b'<',
        };
        // A `<` of a comparison has no closing bracket. The end of the enclosing bracket removes the `<`.
        while let Some(top) = self.open.pop() {
            if let Some(around) = self.open.last_mut().filter(|o| o.byte != b'{' && top.byte != b'{') {
                around.operators = top.operators;
            }
            if top.byte == matching || top.byte != b'<' {
                break;
            }
        }
    }

    fn reach(&mut self, depth: usize) -> ScanResult {
        if let Some(definition) = &mut self.defining {
            definition.alias.depth = depth.max(definition.alias.depth);
        }
        if depth > self.limits.depth {
            let limit = self.limits.depth;
            return Err(diagnostic!(CUBE0102.brackets { limit }));
        }
        Ok(())
    }

    // Counts characters that can be operators of an affine expression; MLIR reads such expressions in attributes and in
    // operations.
    fn operator(&mut self, byte: u8, next: Option<u8>) -> ScanResult {
        let rest = &self.text[self.at..];
        let is = match byte {
            b'-' => next != Some(b'>'),
            b'm' | b'f' | b'c' => [&b"mod"[..], b"floordiv", b"ceildiv"].iter().any(|w| rest.starts_with(w)),
            _ => true,
        };
        let Some(open) = self.open.last_mut().filter(|o| is && o.byte != b'{') else { return Ok(()) };
        open.operators += 1;
        if open.operators > self.limits.affine_operators {
            let limit = self.limits.affine_operators;
            return Err(diagnostic!(CUBE0102.operators { limit }));
        }
        Ok(())
    }

    // `#name = ...` defines an alias; a later `#name` expands to it.
    fn alias(&mut self) -> ScanResult {
        let end = self.at + 1 + self.text[self.at + 1..].iter().take_while(|b| word(**b)).count();
        let name = &self.text[self.at..end];
        let next = self.blank_end(end);
        if self.text.get(next) == Some(&b'=') && self.text.get(next + 1) != Some(&b'=') {
            self.define(Some(name));
        } else {
            if self.defining.as_ref().is_some_and(|d| d.name == name) {
                self.define(None);
            }
            let used = self.aliases.get(name).copied().unwrap_or_default();
            self.reach(self.open.len() + used.depth + 1)?;
            let sum = match &mut self.defining {
                Some(definition) => &mut definition.alias.size,
                None => &mut self.expanded,
            };
            *sum = sum.saturating_add(used.size);
            if *sum > self.limits.expanded {
                let limit = self.limits.expanded;
                return Err(diagnostic!(CUBE0103.aliases { limit }));
            }
        }
        self.at = end - 1;
        Ok(())
    }

    // Ends the current alias definition, and begins the definition of `name`.
    fn define(&mut self, name: Option<&'t [u8]>) {
        if let Some(Definition { name, start, alias }) = self.defining.take() {
            let size = alias.size.saturating_add(self.at - start);
            self.aliases.insert(name, Alias { size, ..alias });
        }
        self.defining = name.map(|name| Definition { name, start: self.at, alias: Alias::default() });
    }
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
