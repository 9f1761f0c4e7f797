//! Sizes and times of the phases of a compilation.
use std::time::Duration;

/// Size and time of one phase.
#[derive(Clone, Debug)]
pub struct PhaseReport {
    /// The phase, or `parse`, or `emit`.
    pub name: &'static str,
    /// The number of operations after the phase; for `emit`, bytes of code.
    pub size: usize,
    /// The time of the phase.
    pub time: Duration,
    /// The number of operations, values and blocks that Cube's passes visited. This measure of work does not depend on the
    /// machine. 0 in release builds.
    pub work: u64,
}

/// The times of a compilation.
#[derive(Clone, Debug, Default)]
pub struct CompileReport {
    /// The phases in order.
    pub phases: Vec<PhaseReport>,
}
