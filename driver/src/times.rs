//! Sizes and times of the phases of a compilation.
use std::time::Duration;

/// Size and time of one phase.
#[derive(Clone, Debug)]
pub struct PhaseReport {
    /// Name of the phase, or `parse` or `emit`.
    pub name: &'static str,
    /// The number of operations after the phase; for `emit`, the size of the code in bytes.
    pub size: usize,
    /// The duration of the phase.
    pub time: Duration,
    /// The number of operations, values and blocks that Cube's passes visited. The number of visits is a measure of
    /// work that does not depend on the machine. 0 in release builds.
    pub work: u64,
}

/// The sizes and times of a compilation's phases.
#[derive(Clone, Debug, Default)]
pub struct CompileReport {
    /// The phases in order.
    pub phases: Vec<PhaseReport>,
}
