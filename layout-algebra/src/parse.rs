//! Parser of CuTe notation, which reports the byte offset of every mistake.
//!
//! ```text
//! layout = nest ":" nest              (4,(2,8)):(1,(4,32))
//! nest   = number | "(" nest,+ ")"    the tuple (4) differs from the number 4
//! coord  = "_" | number | "(" coord,+ ")"
//! tiler  = "<" tiler;+ ">" | "_" | number | layout
//! swizzle = ("S" | "Sw") "<" B "," M "," S ">"
//! ```
//! Blanks are allowed between any two tokens.

use crate::error::{Error, Result};
use crate::nest::{MAX_DEPTH, Nest};
use crate::{Coord, Layout, Swizzle, Tiler};
use std::str::FromStr;

/// The parser of a text. Tools can use this parser for languages that contain layouts.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// A parser at the start of `text`.
    pub fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, at: 0 }
    }

    /// The offset of the next byte in the text.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Skips blanks and returns the next character without consuming it.
    pub fn peek(&mut self) -> Option<char> {
        // Nearly every call finds a token at once.
        if let Some(&next) = self.text.as_bytes().get(self.at)
            && next.is_ascii_graphic()
        {
            return Some(next.into());
        }
        let rest = &self.text[self.at..];
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed.chars().next()
    }

    /// Consumes `token` if it is next.
    pub fn accept(&mut self, token: char) -> bool {
        let found = self.peek() == Some(token);
        if found {
            self.at += token.len_utf8();
        }
        found
    }

    /// Consumes `token`, or reports the text at the current position if this text is not `token`.
    ///
    /// # Errors
    /// The text does not continue with `token`. In the message, `role` describes the purpose of the token.
    pub fn expect(&mut self, token: char, role: &str) -> Result<()> {
        if self.accept(token) {
            return Ok(());
        }
        let found = self.describe();
        Err(Error::syntax(self.at, format!("expected `{token}` {role}, found {found}")))
    }

    /// The text of the next token, for messages.
    pub fn describe(&mut self) -> String {
        match self.peek() {
            None => "the end of the text".to_string(),
            Some(next) => format!("`{}`", next.escape_debug()),
        }
    }

    /// Checks that only blanks follow.
    ///
    /// # Errors
    /// The text continues.
    pub fn end(&mut self) -> Result<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => {
                let found = self.describe();
                Err(Error::syntax(self.at, format!("expected the end of the text, found {found}")))
            }
        }
    }

    /// A name: a letter or `_`, then letters, digits and `_`. Consumes nothing if no name is next.
    pub fn name(&mut self) -> Option<&'a str> {
        self.peek().filter(|c| c.is_ascii_alphabetic() || *c == '_')?;
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        self.at += end;
        Some(&rest[..end])
    }

    /// A non-negative number.
    ///
    /// # Errors
    /// The next token is not a number, or the number does not fit 64 bits.
    pub fn number(&mut self) -> Result<u64> {
        match self.peek() {
            Some('0'..='9') => {}
            Some('-') => {
                return Err(Error::syntax(self.at, "a negative number; extents, strides and coordinates start at 0"));
            }
            _ => {
                let found = self.describe();
                return Err(Error::syntax(self.at, format!("expected a number or `(`, found {found}")));
            }
        }
        let (start, rest) = (self.at, &self.text[self.at..]);
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        self.at += end;
        rest[..end].parse().map_err(|_| Error::syntax(start, "a number that does not fit 64 bits"))
    }

    /// A number with an optional minus sign.
    ///
    /// # Errors
    /// Fails like [`Cursor::number`].
    pub fn signed(&mut self) -> Result<i64> {
        let negative = self.accept('-');
        let start = self.at;
        let value = i64::try_from(self.number()?).map_err(|_| Error::syntax(start, "a number above 2^63-1"))?;
        Ok(if negative { -value } else { value })
    }

    /// Parses a nest; the function `leaf` parses each leaf.
    ///
    /// # Errors
    /// The text is malformed, or the nest is deeper than [`MAX_DEPTH`].
    pub fn nest<T>(&mut self, leaf: &mut impl FnMut(&mut Cursor<'a>) -> Result<T>) -> Result<Nest<T>> {
        self.nest_at(0, leaf)
    }

    fn nest_at<T>(&mut self, depth: usize, leaf: &mut impl FnMut(&mut Cursor<'a>) -> Result<T>) -> Result<Nest<T>> {
        if self.peek() != Some('(') {
            return leaf(self).map(Nest::Leaf);
        }
        if depth >= MAX_DEPTH {
            return Err(Error::syntax(self.at, format!("nesting deeper than {MAX_DEPTH} levels")));
        }
        self.accept('(');
        if self.peek() == Some(')') {
            return Err(Error::syntax(self.at, "an empty tuple; write at least one value"));
        }
        let mut items = vec![self.nest_at(depth + 1, leaf)?];
        while self.accept(',') {
            items.push(self.nest_at(depth + 1, leaf)?);
        }
        self.expect(')', "or `,` in a tuple")?;
        Ok(Nest::Tuple(items))
    }

    /// Parses a nest of numbers.
    ///
    /// # Errors
    /// Fails like [`Cursor::nest`].
    pub fn numbers(&mut self) -> Result<Nest<u64>> {
        self.nest(&mut |cursor| cursor.number())
    }

    /// Parses a layout, given as shape and stride. If `bare` is true, a single number `n` means `n:1`.
    ///
    /// # Errors
    /// The text is malformed, or violates a rule of [`Layout`]. If a rule is violated, the position of the error is the
    /// layout's first byte.
    pub fn layout(&mut self, bare: bool) -> Result<Layout> {
        self.peek();
        let start = self.at;
        let shape = self.numbers()?;
        if bare
            && self.peek() != Some(':')
            && let Nest::Leaf(extent) = shape
        {
            return Layout::leaf(extent, 1).map_err(|error| placed(error, start));
        }
        self.expect(':', "between shape and stride")?;
        let stride = self.numbers()?;
        Layout::new(&shape, &stride).map_err(|error| placed(error, start))
    }

    /// A coordinate.
    ///
    /// # Errors
    /// The text is malformed.
    pub fn coord(&mut self) -> Result<Coord> {
        self.nest(&mut |cursor| if cursor.accept('_') { Ok(None) } else { cursor.number().map(Some) }).map(Coord)
    }

    /// A tiler.
    ///
    /// # Errors
    /// The text or one of its layouts is malformed.
    pub fn tiler(&mut self) -> Result<Tiler> {
        self.tiler_at(0)
    }

    fn tiler_at(&mut self, depth: usize) -> Result<Tiler> {
        if self.accept('_') {
            return Ok(Tiler::Keep);
        }
        if self.peek() != Some('<') {
            return self.layout(true).map(Tiler::Layout);
        }
        if depth >= MAX_DEPTH {
            return Err(Error::syntax(self.at, format!("a tiler nested deeper than {MAX_DEPTH} levels")));
        }
        self.accept('<');
        let mut items = vec![self.tiler_at(depth + 1)?];
        while self.accept(';') {
            items.push(self.tiler_at(depth + 1)?);
        }
        self.expect('>', "or `;` in a tiler")?;
        Ok(Tiler::ByMode(items))
    }

    /// A swizzle.
    ///
    /// # Errors
    /// The text is malformed, or violates a rule of [`Swizzle::new`].
    pub fn swizzle(&mut self) -> Result<Swizzle> {
        self.peek();
        let start = self.at;
        if !matches!(self.name(), Some("S" | "Sw")) {
            self.at = start;
            let found = self.describe();
            return Err(Error::syntax(start, format!("expected a swizzle such as S<3,4,3>, found {found}")));
        }
        self.expect('<', "after the name of a swizzle")?;
        let bits = self.signed()?;
        self.expect(',', "between the numbers of a swizzle")?;
        let base = self.signed()?;
        self.expect(',', "between the numbers of a swizzle")?;
        let shift = self.signed()?;
        self.expect('>', "after the three numbers of a swizzle")?;
        Swizzle::new(bits, base, shift).map_err(|error| placed(error, start))
    }
}

fn placed(error: Error, at: usize) -> Error {
    Error { at: error.at.or(Some(at)), ..error }
}

fn whole<'a, T>(text: &'a str, read: impl FnOnce(&mut Cursor<'a>) -> Result<T>) -> Result<T> {
    let mut cursor = Cursor::new(text);
    let value = read(&mut cursor)?;
    cursor.end()?;
    Ok(value)
}

impl FromStr for Layout {
    type Err = Error;

    fn from_str(text: &str) -> Result<Layout> {
        whole(text, |cursor| cursor.layout(false))
    }
}

impl FromStr for Coord {
    type Err = Error;

    fn from_str(text: &str) -> Result<Coord> {
        whole(text, Cursor::coord)
    }
}

impl FromStr for Tiler {
    type Err = Error;

    fn from_str(text: &str) -> Result<Tiler> {
        whole(text, Cursor::tiler)
    }
}

impl FromStr for Swizzle {
    type Err = Error;

    fn from_str(text: &str) -> Result<Swizzle> {
        whole(text, Cursor::swizzle)
    }
}
