//! Rewrite rules of arithmetic as data, and the e-graph that applies them, in plain Rust without MLIR.
//!
//! A rule is one line of `families/*.rules`, which [`rules`] parses. [`Op`] names the operations, with the meaning of
//! `cube_semantics`. [`Term::value`] evaluates a term for constants. The crate `cube-prove` proves each [`Rule`] for
//! each [`Instance`] of its types. [`graph::Graph`] applies the instances to the expressions of a kernel.
//!
//! `docs/why/rewrite-rules.md` explains the design.
#![forbid(unsafe_code)]
pub mod cost;
pub mod domain;
mod families;
pub mod flags;
pub mod function;
pub mod graph;
pub mod interval;
pub mod known;
pub mod lines;
pub mod op;
pub mod parse;
pub mod term;
pub mod user;

/// A message that lists the rules without a stored proof of their current text; `None` if each rule has a proof. In a
/// crate that applies rules, this message is a compile-time error.
pub const UNPROVEN: Option<&str> = include!(concat!(env!("OUT_DIR"), "/unproven.rs"));

pub use domain::Domain;
pub use families::{FAMILIES, rules};
pub use flags::Flags;
pub use function::Function;
pub use interval::Interval;
pub use known::KnownBits;
pub use op::Op;
pub use parse::{Instance, Rule};
pub use term::Term;
