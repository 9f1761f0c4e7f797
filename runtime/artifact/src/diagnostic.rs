//! Diagnostics as values: each has a code, the violated rule, the operation, its location, named arguments
//! and notes.
//!
//! ```text
//! diagnostic!(CUBE0143.step { step: -1 })     a Message: code, rule and arguments
//!   Diagnostic::new(Error, message, location)    the message at a location, in the terms of its language
//! ```
//!
//! [`crate::messages`] contains the text of each rule once. The text of a diagnostic is composed when the diagnostic is
//! created, and is never parsed. Code that handles errors compares the fields `code`, `rule` and `args`.
use crate::{
    messages::{self, Language},
    value::{Argument, Message, Severity, SourceLocation},
};
use serde::{Deserialize, Serialize};

impl Message {
    /// Formats the text of a message for readers of a source language.
    pub fn words(&self, language: Language) -> String {
        let rule = self.rule.as_deref().and_then(messages::rule);
        rule.map_or_else(|| self.text.clone(), |rule| rule.words(self.op.as_deref(), &self.args, language))
    }

    /// Formats the text of a message for readers of `.mlir` files, with the error code in brackets at the
    /// end.
    pub fn text_with_code(&self) -> String {
        let code = self.code.as_ref().map(|code| format!(" [{code}]")).unwrap_or_default();
        self.words(Language::Mlir) + &code
    }
}

/// One message of the compiler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Error, warning, remark or note.
    pub severity: Severity,
    /// Error code, for example `CUBE0102`; explained by `cubec --explain CODE`.
    pub code: Option<String>,
    /// The text of the message, with the cause and the fix. The text begins in lower case, has no full stop at its end,
    /// and uses the terms of the source language at the location.
    pub message: String,
    /// The location in the source; `None` if the source is unknown.
    pub location: Option<SourceLocation>,
    /// The code and rule, for example `CUBE0143.step`; `None` for MLIR's messages and for plain text.
    pub rule: Option<String>,
    /// The operation to which the message applies, for example `cube.for`.
    pub op: Option<String>,
    /// The arguments that are inserted into the text of the rule.
    pub args: Vec<Argument>,
    /// Notes of this message; on the compiler's pipe they can nest at most 16 levels.
    #[serde(deserialize_with = "nesting::notes")]
    pub notes: Vec<Diagnostic>,
}

impl Diagnostic {
    /// Creates a diagnostic at a source location, in the terms of the source language at that location.
    pub fn new(severity: Severity, message: impl Into<Message>, location: Option<SourceLocation>) -> Self {
        let language = Language::of(location.as_ref());
        Diagnostic::in_language(severity, message, location, language)
    }

    /// Creates a diagnostic at a source location, in the terms of `language`. A note without a location is
    /// formatted in the language of its message.
    pub fn in_language(
        severity: Severity,
        message: impl Into<Message>,
        location: Option<SourceLocation>,
        language: Language,
    ) -> Self {
        let message = message.into();
        let words = message.words(language);
        let Message { code, rule, op, args, .. } = message;
        Diagnostic { severity, code, message: words, location, rule, op, args, notes: Vec::new() }
    }

    /// Whether the diagnostic has the code `code` and contains the arguments `args`.
    pub fn is(&self, code: &str, args: &[(&str, &str)]) -> bool {
        let has = |(name, value): &(&str, &str)| self.args.iter().any(|a| a.name == *name && a.value == *value);
        self.code.as_deref() == Some(code) && args.iter().all(has)
    }
}

/// Notes can nest. Without a limit on the nesting, a malicious answer could overflow the stack of its reader.
mod nesting {
    use super::Diagnostic;
    use serde::{Deserialize, Deserializer, de::Error};
    use std::cell::Cell;

    const LEVELS: u32 = 16;

    thread_local!(static DEPTH: Cell<u32> = const { Cell::new(0) });

    pub fn notes<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<Diagnostic>, D::Error> {
        let depth = DEPTH.get();
        if depth >= LEVELS {
            return Err(D::Error::custom("notes are nested more than 16 levels deep"));
        }
        DEPTH.set(depth + 1);
        let notes = Vec::deserialize(input);
        DEPTH.set(depth);
        notes
    }
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(location) = &self.location {
            write!(f, "{location}: ")?;
        }
        match &self.code {
            Some(code) => write!(f, "{}[{code}]: {}", self.severity.word(), self.message)?,
            None => write!(f, "{}: {}", self.severity.word(), self.message)?,
        }
        for note in &self.notes {
            write!(f, "\n  {note}")?;
        }
        Ok(())
    }
}
