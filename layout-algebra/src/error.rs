//! Errors of the layout algebra, with the violated rule, the location, and a witness that readers can verify.

use crate::Layout;
use std::fmt;

/// The result of every fallible operation.
pub type Result<T> = std::result::Result<T, Error>;

/// The class of a refusal. Callers that continue after a refusal match on the class of the refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The text is not a layout, coordinate, tiler or swizzle; [`Error::at`] is the byte offset.
    Syntax,
    /// A size or an offset exceeds [`crate::LIMIT`].
    Overflow,
    /// An operand violates a rule for one operand (rank, extent, coordinate range, depth).
    Operand,
    /// No layout of the required profile computes the function; [`Error::witness`] is the proof.
    Refused,
    /// The exact search exceeded its budget before it found a layout or a proof that no layout exists.
    Undecided,
}

/// A refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind of refusal.
    pub kind: ErrorKind,
    /// The violated rule and the fix: lower case, no full stop.
    pub message: String,
    /// The byte offset in the input text, for [`ErrorKind::Syntax`] and for operands read from text.
    pub at: Option<usize>,
    /// The proof of the refusal, boxed because most results are not refusals.
    pub witness: Option<Box<Witness>>,
}

/// Evidence for a refusal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witness {
    /// The path of the mode: child numbers from the outermost mode inwards, in the operand that the message names.
    pub mode: Vec<usize>,
    /// If true, the first number of [`Witness::mode`] selects a mode of a by-mode tiler. The indices in
    /// [`Witness::point`] are then indices into the selected mode of the result.
    pub inside_mode: bool,
    /// The violated condition, with the actual numbers.
    pub condition: String,
    /// The point that proves the violation.
    pub point: Option<Point>,
    /// The closest layout of the required profile. The candidate is wrong at [`Witness::point`].
    pub candidate: Option<Layout>,
    /// The nearest tile that the operation accepts as an operand.
    pub tile: Option<Layout>,
}

/// One checkable fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// The values of the function and of the candidate layout at a one-dimensional index.
    Value {
        /// Index into the domain of the result.
        index: u64,
        /// The correct value; `None` if the index exceeds the outer layout's domain.
        expected: Option<u64>,
        /// The value of [`Witness::candidate`].
        candidate: Option<u64>,
    },
    /// Two indices of one layout with the same offset.
    Collision {
        /// The first index.
        index: u64,
        /// The second index.
        other: u64,
        /// The common offset.
        offset: u64,
    },
    /// An offset that some index must reach and no index reaches.
    Unreached {
        /// The offset, in elements.
        offset: u64,
    },
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), at: None, witness: None }
    }

    pub(crate) fn syntax(at: usize, message: impl Into<String>) -> Error {
        Error { at: Some(at), ..Error::new(ErrorKind::Syntax, message) }
    }

    /// An operand violates a rule for one operand.
    pub fn operand(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Operand, message)
    }

    pub(crate) fn overflow(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Overflow, message)
    }

    pub(crate) fn refused(message: impl Into<String>, witness: Witness) -> Error {
        Error { witness: Some(Box::new(witness)), ..Error::new(ErrorKind::Refused, message) }
    }

    /// The evidence for the refusal as a sentence.
    pub fn note(&self) -> Option<String> {
        let witness = self.witness.as_ref()?;
        let place = match witness.inside_mode {
            true => format!(" (counted inside mode {})", crate::path_text(&witness.mode[..1])),
            false => String::new(),
        };
        match witness.point? {
            Point::Value { index, expected: None, .. } => {
                Some(format!("index {index}{place} of the result is outside: it has no offset"))
            }
            Point::Value { index, expected: Some(expected), candidate } => {
                let but = match (candidate, &witness.candidate) {
                    (Some(value), Some(layout)) => format!(", but the closest layout {layout} gives {value}"),
                    (Some(value), None) => format!(", but the closest layout gives {value}"),
                    _ => String::new(),
                };
                Some(format!("index {index}{place} must have the offset {expected}{but}"))
            }
            Point::Unreached { offset } => Some(format!("offset {offset} is reached by no index")),
            Point::Collision { .. } => None,
        }
    }

    /// The same error as seen from the enclosing mode, whose number is prepended to the path.
    pub(crate) fn in_mode(mut self, mode: usize) -> Error {
        self.message = format!("mode {mode}: {}", self.message);
        if let Some(witness) = &mut self.witness {
            witness.mode.insert(0, mode);
            witness.inside_mode = true;
        }
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.at {
            Some(at) => write!(f, " (at byte {at})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}
