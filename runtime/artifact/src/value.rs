//! Parts of diagnostics: messages with arguments, severities and source locations.
use serde::{Deserialize, Serialize};

/// A named argument of a rule, such as an invalid type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Argument {
    /// The name of the placeholder in the rule's text.
    pub name: String,
    /// Kind of the argument.
    pub kind: ArgumentKind,
    /// The value in the spelling of `.mlir` files, for example `f32`, `cube.load` or `64`.
    pub value: String,
}

/// Kind of an argument, which determines the argument's spelling in each language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ArgumentKind {
    /// An operation: `'cube.load'` in MLIR, `this read` in Rust.
    Op,
    /// An operation after an article: `'scf.if'` in MLIR, `` `if` `` in Rust.
    Noun,
    /// An operation without quotes: `cube.sync` in MLIR, `this barrier` in Rust.
    Name,
    /// A type: `i1` in MLIR, `bool` in Rust.
    Type,
    /// Words of the dialect: `addi, xori` in MLIR, `` `add`, `xor` `` in Rust.
    Words,
    /// A number.
    Number,
    /// The value of an attribute or constant.
    Value,
    /// The name of a parameter, argument, kernel or file.
    Symbol,
    /// Any other text.
    Text,
}

/// A message of a verifier, pass or backend, before it has a source location.
///
/// `diagnostic!` creates a message from a rule and its arguments. A message that consists only of text has no rule. If
/// the text ends in an error code in brackets, this code becomes the code of the message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// Error code, for example `CUBE0143`. Notes have none.
    pub code: Option<String>,
    /// The code and rule, for example `CUBE0143.step`; `None` for a message that consists only of text.
    pub rule: Option<String>,
    /// The operation to which the message applies.
    pub op: Option<String>,
    /// The arguments of the rule, in the order of the table.
    pub args: Vec<Argument>,
    /// The text of a message that has no rule.
    pub text: String,
}

impl Message {
    /// A message of a rule. `diagnostic!` checks that the table contains the rule, and that the arguments match its
    /// placeholders.
    pub fn of_rule(rule: &str, args: Vec<Argument>) -> Self {
        let code = rule.split('.').next().map(str::to_string);
        Message { code, rule: Some(rule.into()), args, ..Message::default() }
    }

    /// A copy of the message without the error code, for use as a note.
    pub fn note(self) -> Self {
        Message { code: None, ..self }
    }

    /// A copy of the message for the operation with the name `op`.
    pub fn at_op(self, op: &str) -> Self {
        Message { op: Some(op.into()), ..self }
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        let found = text.strip_suffix(']').and_then(|rest| rest.rsplit_once(" [CUBE"));
        match found {
            Some((words, digits)) if digits.chars().all(|c| c.is_ascii_digit()) => {
                Message { code: Some(format!("CUBE{digits}")), text: words.into(), ..Message::default() }
            }
            _ => Message { text, ..Message::default() },
        }
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        text.to_string().into()
    }
}

/// Severity of a [`Diagnostic`](crate::Diagnostic).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Severity {
    Error,
    Warning,
    Remark,
    Note,
}

impl Severity {
    /// The name of the severity in messages.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Remark => "remark",
            Severity::Note => "note",
        }
    }
}

/// A location in a source text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SourceLocation {
    /// File name, unchanged from the input of the compiler.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl std::fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}
