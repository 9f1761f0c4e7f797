//! The format of the tables of messages.
use crate::value::{Argument, ArgumentKind, Message};

/// One rule of an error code: its text, and the names and kinds of its placeholders.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The error code and the name of the rule, for example `CUBE0143.step`.
    pub name: &'static str,
    /// The placeholders except `{op}`.
    pub placeholders: &'static [(&'static str, ArgumentKind)],
    /// The text for `.mlir` files.
    pub mlir: &'static str,
    /// The text for Rust, if it differs from the text for `.mlir` files.
    pub rust: Option<&'static str>,
}

impl Rule {
    /// Creates a message of this rule from the values of its placeholders, in order.
    pub fn message(&self, values: &[&dyn std::fmt::Display]) -> Message {
        let made = |((name, kind), value): (&(&str, ArgumentKind), &&dyn std::fmt::Display)| Argument {
            name: name.to_string(),
            kind: *kind,
            value: value.to_string(),
        };
        Message::of_rule(self.name, self.placeholders.iter().zip(values).map(made).collect())
    }
}

/// Defines a table of rules. Each error code becomes a module, and each rule a struct with a field for each
/// placeholder.
macro_rules! messages {
    ($($code:ident { $($rule:ident $({ $($placeholder:ident: $kind:ident),* })? $mlir:literal $(rust $rust:literal)? ;)* })*) => {
        $(
            #[allow(non_snake_case, non_camel_case_types, missing_docs)]
            pub mod $code {
                $(
                    pub struct $rule<'a> {
                        $($(pub $placeholder: &'a dyn std::fmt::Display,)*)?
                        pub _words: std::marker::PhantomData<&'a ()>,
                    }
                    impl $rule<'_> {
                        pub const RULE: $crate::messages::table::Rule = $crate::messages::table::Rule {
                            name: concat!(stringify!($code), ".", stringify!($rule)),
                            placeholders: &[$($((stringify!($placeholder), $crate::ArgumentKind::$kind)),*)?],
                            mlir: $mlir,
                            rust: $crate::messages::table::optional!($($rust)?),
                        };
                        pub fn message(self) -> $crate::Message {
                            Self::RULE.message(&[$($(self.$placeholder),*)?])
                        }
                    }
                )*
            }
        )*
        /// All rules of this table.
        pub(super) const RULES: &[$crate::messages::table::Rule] = &[$($($code::$rule::RULE),*),*];
    };
}
pub(crate) use messages;

macro_rules! optional {
    () => {
        None
    };
    ($some:literal) => {
        Some($some)
    };
}
pub(crate) use optional;
