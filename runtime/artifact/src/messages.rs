//! The text of every diagnostic. An error code has one or more rules. This file contains the text of each rule
//! once, with named placeholders for the arguments.
//!
//! ```text
//! CUBE0121 {
//!     units { units: Number, limit: Number } "{op} has {units} units per cube, but the language allows at most {limit}; ...";
//! }
//! ```
//!
//! `{op}` is the operation of the diagnostic, and is not an argument. If the text of a rule differs for kernels in
//! Rust, the text for Rust follows the word `rust`. For a rule with only one text, the kind of each placeholder
//! determines the spelling of the value in messages about Rust kernels ([`ArgumentKind`](crate::ArgumentKind)).
//! `diagnostic!(CUBE0121.units { .. })` takes the arguments by name. A missing or extra argument of a message is a
//! compile error.
mod backend;
mod interpreter;
mod kernel;
mod memory;
mod passes;
mod request;
mod table;
#[cfg(test)]
mod tests;
mod words;

pub use backend::*;
pub use interpreter::*;
pub use kernel::*;
pub use memory::*;
pub use passes::*;
pub use request::*;
pub use table::Rule;
pub use words::{Language, filled, op_in_rust};

/// Finds a rule by its name, such as `CUBE0143.step`.
pub fn rule(name: &str) -> Option<&'static Rule> {
    rules().find(|rule| rule.name == name)
}

/// Whether a text fits on two lines of 100 columns if it is broken at spaces.
pub fn fits(text: &str) -> bool {
    let (mut lines, mut column) = (1, 0);
    for width in text.split_whitespace().map(|word| word.chars().count()) {
        let end = if column == 0 { width } else { column + 1 + width };
        (lines, column) = if end <= 100 { (lines, end) } else { (lines + 1, width) };
    }
    lines <= 2
}

/// All rules, in the order of the tables.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    [kernel::RULES, memory::RULES, passes::RULES, backend::RULES, request::RULES, interpreter::RULES]
        .into_iter()
        .flatten()
}

/// Creates a [`Message`](crate::Message) from a rule in the tables: `diagnostic!(CUBE0143.step { step: -1 })`. An
/// argument `{ ty }` is short for `{ ty: ty }`. Missing or unknown arguments are compile errors.
#[macro_export]
macro_rules! diagnostic {
    ($code:ident . $rule:ident $({ $($placeholder:ident $(: $value:expr)?),* $(,)? })?) => {
        $crate::messages::$code::$rule {
            $($($placeholder: $crate::argument!($placeholder $(, $value)?),)*)?
            _words: std::marker::PhantomData,
        }
        .message()
    };
}

/// An argument of [`diagnostic`].
#[doc(hidden)]
#[macro_export]
macro_rules! argument {
    ($placeholder:ident) => {
        &$placeholder
    };
    ($placeholder:ident, $value:expr) => {
        &$value
    };
}
