//! The language of the tool: one statement per line, with names and expressions such as
//! `composition((4,8):(1,4), 8:4)`.

mod convert;
mod edit_distance;
mod functions;
mod parse;
mod value;

pub use edit_distance::nearest;
pub use functions::{FUNCTIONS, Function, find};
pub use parse::Session;
pub use value::{Banks, Value};

use cube_algebra::Error;
use std::ops::Range;

/// An error in an expression: the message, its position, and notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The message, which starts in lower case and has no full stop.
    pub message: String,
    /// The byte range of the faulty part of the statement.
    pub span: Range<usize>,
    /// Notes with evidence for the error and possible fixes.
    pub notes: Vec<String>,
}

impl Problem {
    pub(crate) fn new(span: Range<usize>, message: impl Into<String>) -> Problem {
        Problem { message: message.into(), span, notes: Vec::new() }
    }

    /// Converts an error of the layout algebra to a problem. Without a more exact position in the error, the
    /// problem is at `span`, the location of the operands.
    pub(crate) fn from_algebra(error: Error, span: Range<usize>) -> Problem {
        let span = match error.at {
            Some(at) => at..at + 1,
            None => span,
        };
        Problem { notes: error.note().into_iter().collect(), message: error.message, span }
    }
}
