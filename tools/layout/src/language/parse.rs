//! Parses and evaluates statements in one pass. Expressions have no loops, so a syntax tree would have no
//! benefit.
//!
//! ```text
//! statement = [name "="] expression            "#" starts a comment
//! expression = term ("o" term)*                composition; swizzle o offset o layout
//! term = name "(" expression,* ")" | name | number [":" nest] | tuple [":" nest] | "_" | "<" expression;+ ">"
//! ```

use super::convert::Argument;
use super::value::Value;
use super::{FUNCTIONS, Problem, find, nearest};
use cube_algebra::{Composed, Cursor, Layout, MAX_DEPTH, Swizzle, compose, compose_tiler};
use std::collections::BTreeMap;
use std::ops::Range;

type Parsed<T> = Result<T, Problem>;

/// A session, which stores the names that earlier statements defined.
#[derive(Clone, Debug, Default)]
pub struct Session {
    names: BTreeMap<String, Value>,
}

impl Session {
    /// Evaluates one statement. The result is `None` for an empty line or a comment.
    ///
    /// # Errors
    /// The error contains its position in `text`.
    pub fn run(&mut self, text: &str) -> Parsed<Option<(Option<String>, Value)>> {
        let code = text.split('#').next().unwrap_or_default();
        let mut reader = Reader { cursor: Cursor::new(code), session: self, depth: 0 };
        if reader.cursor.peek().is_none() {
            return Ok(None);
        }
        let name = reader.assigned();
        let value = reader.expression()?.value;
        reader.cursor.end().map_err(|error| Problem::from_algebra(error, 0..code.len()))?;
        if let Some(name) = &name {
            self.names.insert(name.clone(), value.clone());
        }
        Ok(Some((name, value)))
    }
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    session: &'a Session,
    depth: usize,
}

impl Reader<'_> {
    /// Consumes `name =` if the statement begins with it.
    fn assigned(&mut self) -> Option<String> {
        let before = self.cursor.clone();
        match self.cursor.name() {
            Some(name) if name != "_" && self.cursor.accept('=') => Some(name.to_string()),
            _ => {
                self.cursor = before;
                None
            }
        }
    }

    fn expression(&mut self) -> Parsed<Argument> {
        let mut terms = vec![self.term()?];
        while self.composing() {
            terms.push(self.term()?);
        }
        let mut result = terms.pop().unwrap_or(Argument { value: Value::Keep, span: 0..0 });
        while let Some(outer) = terms.pop() {
            let swizzle = terms.last().and_then(|term| term.swizzle().ok());
            result = match (&outer.value, swizzle) {
                // `S o offset o layout`: a number is an offset only after a swizzle.
                (Value::Number(offset), Some(swizzle)) => {
                    let span = terms.pop().map_or(0, |term| term.span.start)..result.span.end;
                    swizzled(swizzle, *offset, &result, span)?
                }
                _ => after(outer, result)?,
            };
        }
        Ok(result)
    }

    fn composing(&mut self) -> bool {
        let before = self.cursor.clone();
        let found = self.cursor.name() == Some("o");
        if !found {
            self.cursor = before;
        }
        found
    }

    fn term(&mut self) -> Parsed<Argument> {
        self.depth += 1;
        self.cursor.peek();
        let start = self.cursor.position();
        if self.depth > MAX_DEPTH {
            return Err(Problem::new(
                start..start + 1,
                format!("the nesting exceeds {MAX_DEPTH} levels; use less nesting"),
            ));
        }
        let value = match self.cursor.peek() {
            Some('(') => self.tuple_or_layout(start)?,
            Some('<') => Value::ByMode(self.items('<', ';', '>')?.into_iter().map(|item| item.value).collect()),
            Some(c) if c.is_ascii_digit() => self.number_or_layout(start)?,
            Some(c) if c.is_ascii_alphabetic() || c == '_' => self.named(start)?,
            _ => {
                let found = self.cursor.describe();
                let message = format!("expected a layout, a number or a function, found {found}");
                return Err(Problem::new(start..start + 1, message));
            }
        };
        self.depth -= 1;
        Ok(Argument { value, span: start..self.cursor.position() })
    }

    fn number_or_layout(&mut self, start: usize) -> Parsed<Value> {
        let number = self.cursor.number().map_err(|error| Problem::from_algebra(error, start..start + 1))?;
        match self.cursor.peek() {
            Some(':') => self.strides(Argument { value: Value::Number(number), span: start..self.cursor.position() }),
            _ => Ok(Value::Number(number)),
        }
    }

    fn tuple_or_layout(&mut self, start: usize) -> Parsed<Value> {
        let items = self.items('(', ',', ')')?.into_iter().map(|item| item.value).collect();
        let tuple = Argument { value: Value::Tuple(items), span: start..self.cursor.position() };
        match self.cursor.peek() {
            Some(':') => self.strides(tuple),
            _ => Ok(tuple.value),
        }
    }

    fn strides(&mut self, shape: Argument) -> Parsed<Value> {
        self.cursor.accept(':');
        let nest = shape.shape()?;
        let strides = self.cursor.numbers().map_err(|error| Problem::from_algebra(error, shape.span.clone()))?;
        let span = shape.span.start..self.cursor.position();
        Layout::new(&nest, &strides).map(Value::Layout).map_err(|error| Problem::from_algebra(error, span))
    }

    fn items(&mut self, open: char, between: char, close: char) -> Parsed<Vec<Argument>> {
        self.cursor.accept(open);
        let mut items = vec![self.expression()?];
        while self.cursor.accept(between) {
            items.push(self.expression()?);
        }
        let at = self.cursor.position();
        let closed = self.cursor.expect(close, &format!("or `{between}`"));
        closed.map_err(|error| Problem::from_algebra(error, at..at + 1))?;
        Ok(items)
    }

    fn named(&mut self, start: usize) -> Parsed<Value> {
        let before = self.cursor.clone();
        let name = self.cursor.name().unwrap_or_default();
        let span = start..start + name.len();
        match (name, self.cursor.peek()) {
            ("_", _) => Ok(Value::Keep),
            ("S" | "Sw", Some('<')) => {
                self.cursor = before;
                self.cursor.swizzle().map(Value::Swizzle).map_err(|error| Problem::from_algebra(error, span))
            }
            (_, Some('(')) => self.call(name, span),
            ("true", _) => Ok(Value::Flag(true)),
            ("false", _) => Ok(Value::Flag(false)),
            _ => self.session.names.get(name).cloned().ok_or_else(|| {
                let known = self.session.names.keys().map(String::as_str);
                let message = match nearest(name, known) {
                    Some(close) => format!("no name `{name}`; did you mean `{close}`?"),
                    None if find(name).is_some() => format!("`{name}` is a function; call it: `{name}(...)`"),
                    None => format!("no name `{name}`; define the name with `{name} = ...`"),
                };
                Problem::new(span, message)
            }),
        }
    }

    fn call(&mut self, name: &str, span: Range<usize>) -> Parsed<Value> {
        let Some(function) = find(name) else {
            let message = match nearest(name, FUNCTIONS.iter().map(|f| f.name)) {
                Some(close) => format!("no function `{name}`; did you mean `{close}`?"),
                None => format!("no function `{name}`; `cube-layout help` lists them"),
            };
            return Err(Problem::new(span, message));
        };
        let before = self.cursor.clone();
        self.cursor.accept('(');
        let arguments = match self.cursor.accept(')') {
            true => Vec::new(),
            false => {
                self.cursor = before;
                self.items('(', ',', ')')?
            }
        };
        let whole = span.start..self.cursor.position();
        if !function.takes(arguments.len()) {
            return Err(Problem {
                notes: vec![format!("usage: {}", function.usage)],
                ..Problem::new(whole, format!("`{name}` takes {}, found {}", function.count(), arguments.len()))
            });
        }
        (function.run)(&arguments, whole)
    }
}

fn swizzled(swizzle: Swizzle, offset: u64, layout: &Argument, span: Range<usize>) -> Parsed<Argument> {
    let composed = Composed::new(swizzle, offset, layout.layout()?);
    let value = composed.map(Value::Composed).map_err(|error| Problem::from_algebra(error, span.clone()))?;
    Ok(Argument { value, span })
}

/// `outer o inner`.
fn after(outer: Argument, inner: Argument) -> Parsed<Argument> {
    let span = outer.span.start..inner.span.end;
    let algebra = |error| Problem::from_algebra(error, span.clone());
    let value = match (&outer.value, &inner.value) {
        (Value::Swizzle(swizzle), _) => return swizzled(*swizzle, 0, &inner, span),
        (Value::Composed(outer), _) => outer.compose(&inner.layout()?).map(Value::Composed).map_err(algebra)?,
        (_, Value::Tuple(_) | Value::ByMode(_)) => {
            compose_tiler(&outer.layout()?, &inner.tiler()?).map(Value::Layout).map_err(algebra)?
        }
        _ => compose(&outer.layout()?, &inner.layout()?).map(Value::Layout).map_err(algebra)?,
    };
    Ok(Argument { value, span })
}
