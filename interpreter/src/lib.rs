//! The reference interpreter: the executable definition of what a kernel means, at levels source, flat and legal, and of what
//! the CPU's lowering makes of it.
//!
//! [`Program::decode`] turns a kernel into a flat list of instructions over slots; [`run`] executes every unit of a launch on
//! host bytes and reports what is wrong with the kernel. `docs/interpreter.md` says what it defines and what it finds.
#![forbid(unsafe_code)]
mod aggregates;
mod bind;
mod cube;
mod decode;
mod findings;
mod judge;
mod kind;
mod launch;
mod machine;
mod memory;
mod order;
mod planes;
mod program;
mod request;
mod rules;
mod shape;
#[cfg(test)]
mod tests;
pub mod tolerance;
mod topology;

pub use findings::{At, Find, Finding, FindingKind};
pub use judge::{Judge, Verdict, difference};
pub use launch::run;
pub use program::{Program, ProgramParam, ProgramParamKind, Site};
pub use request::{Arg, Fault, Options, Outcome, Schedule};
pub use tolerance::Tolerance;

/// The operations that the interpreter answers for, each with the reason where it has no rule.
pub fn operations() -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
    rules::names()
}
