//! The reference interpreter: the executable definition of a kernel's meaning at levels source, flat and legal, and of
//! the code that the CPU's lowering produces.
//!
//! [`Program::decode`] decodes a kernel to a flat list of instructions over slots. [`run`] executes every unit of a
//! launch on host bytes, and reports the kernel's faults. `docs/interpreter.md` lists the definitions and the findings.
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

pub use findings::{Find, Finding, FindingKind, UnitCoordinates};
pub use judge::{Judge, Verdict, difference};
pub use launch::run;
pub use program::{Program, ProgramParam, ProgramParamKind, Site};
pub use request::{Arg, Fault, Options, Outcome, Schedule};
pub use tolerance::Tolerance;

/// The operations in the interpreter's table, each with a reason if the operation has no rule.
pub fn operations() -> impl Iterator<Item = (cube_ir::OpKind, Option<&'static str>)> {
    rules::all()
}
