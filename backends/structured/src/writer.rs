//! The text of a kernel, the names of its values, and the errors for unsupported operations.
use crate::{Language, Split, lanes_of};
use cube_ir::{Op, SessionError, Val, location_of};
use std::{
    collections::{HashMap, HashSet},
    fmt::Display,
};

/// The result of writing an operation.
pub type Written<T = ()> = Result<T, SessionError>;

/// The text of a kernel, and the names of its values in the text.
pub struct Writer<'p, 'l> {
    pub(crate) language: &'l dyn Language,
    text: String,
    names: HashMap<Val<'p>, Vec<String>>,
    made: usize,
    depth: usize,
    comment: Option<String>,
    last_comment: Option<String>,
    /// The branch that becomes two entry points, and whether the text is that of the first cubes.
    pub split: Option<(Split<'p>, bool)>,
}

impl<'p, 'l> Writer<'p, 'l> {
    /// A writer whose text begins with `head`.
    pub fn new(language: &'l dyn Language, head: &str) -> Self {
        let (comment, last_comment, split) = (None, None, None);
        Writer { language, text: head.into(), names: HashMap::new(), made: 0, depth: 0, comment, last_comment, split }
    }

    /// A writer of lines inside a block. The caller opens and closes the block around the text.
    pub fn inside(language: &'l dyn Language) -> Self {
        Writer { depth: 1, ..Writer::new(language, "") }
    }

    /// The text that has been written so far.
    pub fn finish(self) -> String {
        self.text
    }

    /// Adds a line, indented by the open blocks. If the source location differs from the location of the previous
    /// line, a comment names the new location.
    pub fn line(&mut self, text: impl Display) {
        if let Some(comment) = self.comment.take().filter(|comment| self.last_comment.as_ref() != Some(comment)) {
            self.plain(&comment);
            self.last_comment = Some(comment);
        }
        self.plain(text);
    }

    /// Assigns the following lines to the source location of `op`.
    pub(crate) fn locate(&mut self, op: Op<'p>) {
        let comment = location_of(op.location()).and_then(|location| self.language.comment(&location));
        self.comment = comment.or(self.comment.take());
    }

    fn plain(&mut self, text: impl Display) {
        self.text += &format!("{:1$}{text}\n", "", 4 * self.depth);
    }

    /// Adds a line that opens a block in braces.
    pub fn open(&mut self, head: impl Display) {
        self.line(format_args!("{head} {{"));
        self.depth += 1;
    }

    /// Closes the innermost open block.
    pub fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.plain("}");
    }

    /// A unique name: the prefix and a number.
    pub fn fresh(&mut self, prefix: char) -> String {
        self.made += 1;
        format!("{prefix}{}", self.made)
    }

    /// Assigns existing names to a value: one name per lane, or for a buffer the names of its array and its length.
    pub fn name(&mut self, value: Val<'p>, names: Vec<String>) {
        self.names.insert(value, names);
    }

    /// The names of an operand of `op`.
    ///
    /// # Errors
    /// The operand has no name.
    pub fn names(&self, op: Op<'p>, value: Val<'p>) -> Written<Vec<String>> {
        self.names.get(&value).cloned().ok_or_else(|| self.refuse(op, "one of its operands has no name in the text"))
    }

    /// The name of a scalar operand of `op`.
    ///
    /// # Errors
    /// Returns the errors of [`Writer::names`].
    pub fn scalar(&self, op: Op<'p>, value: Val<'p>) -> Written<String> {
        self.names(op, value).map(|names| names.concat())
    }

    /// Declares a value by an expression for each lane.
    ///
    /// # Errors
    /// The language does not have the type of `value`.
    pub fn define(&mut self, op: Op<'p>, value: Val<'p>, lanes: Vec<String>) -> Written {
        let ty = self.type_of(op, value)?;
        let mut names = Vec::with_capacity(lanes.len());
        for lane in lanes {
            let name = self.fresh('v');
            self.line(self.language.constant(&ty, &name, &lane));
            names.push(name);
        }
        self.name(value, names);
        Ok(())
    }

    /// Declares variables to which later code assigns values.
    ///
    /// # Errors
    /// Returns the errors of [`Writer::define`].
    pub fn declare(&mut self, op: Op<'p>, values: &[Val<'p>]) -> Written {
        for value in values {
            let ty = self.type_of(op, *value)?;
            let names: Vec<String> = (0..lanes_of(*value)).map(|_| self.fresh('r')).collect();
            names.iter().for_each(|name| self.line(self.language.variable(&ty, name)));
            self.name(*value, names);
        }
        Ok(())
    }

    /// Assigns values to variables simultaneously: a variable that is also an assigned value is copied first.
    ///
    /// # Errors
    /// Returns the errors of [`Writer::define`] and [`Writer::names`].
    pub fn assign(&mut self, op: Op<'p>, to: &[Val<'p>], from: &[Val<'p>]) -> Written {
        let mut pairs = Vec::new();
        for (to, from) in to.iter().zip(from) {
            let (ty, variables, lanes) = (self.type_of(op, *to)?, self.names(op, *to)?, self.names(op, *from)?);
            pairs.extend(variables.into_iter().zip(lanes).map(|(variable, lane)| (ty.clone(), variable, lane)));
        }
        pairs.retain(|(_, variable, lane)| variable != lane);
        let assigned: HashSet<String> = pairs.iter().map(|(_, variable, _)| variable.clone()).collect();
        for (ty, _, lane) in &mut pairs {
            if assigned.contains(lane) {
                let copy = self.fresh('t');
                self.line(self.language.constant(ty, &copy, lane));
                *lane = copy;
            }
        }
        pairs.iter().for_each(|(_, variable, lane)| self.line(format_args!("{variable} = {lane};")));
        Ok(())
    }

    /// Creates the error for an operation that the target does not support, with the operation's location. A constant
    /// that a pass created has no location, so its error has the location of the enclosing operation.
    pub fn refuse(&self, op: Op<'_>, why: impl Display) -> SessionError {
        crate::refusal(self.language.target(), op, why)
    }

    /// The type of a value's lanes, in the text of the language.
    ///
    /// # Errors
    /// Returns the errors of [`Writer::define`].
    pub fn type_of(&self, op: Op<'p>, value: Val<'p>) -> Written<String> {
        let lacks = || self.refuse(op, format!("the language has no type {}", value.ty()));
        self.language.scalar(value.ty()).ok_or_else(lacks)
    }
}
