//! Iteration counters of loops that contain plane operations. The active lanes of a plane operation are in the same
//! iteration.
use super::decoder::Decoder;
use crate::program::Code;
use cube_dialect::{Scope, properties::is_collective};
use cube_ir::{Diagnostic, Op};

/// The slot of a loop's iteration counter; `None` if the iterations are not counted.
pub struct IterationCounter(Option<u32>);

impl<'p> Decoder<'p> {
    /// Called before the first iteration of a loop. If the loop can contain plane operations, its iterations are
    /// counted, because active lanes must be in the same iteration.
    pub fn before_iterations(&mut self, op: Op<'p>) -> Result<IterationCounter, Diagnostic> {
        if !op.walk().into_iter().any(is_collective) {
            return Ok(IterationCounter(None));
        }
        let (at, none) = (self.slots(op, 1)?, self.constant(op, 0)?);
        self.emit(Code::Copy, at, [none, 0, 0], 1, 0)?;
        Ok(IterationCounter(Some(at)))
    }

    /// Called at the start of the loop body. Returns the number of the instruction to which the end of the
    /// loop jumps.
    pub fn next_iteration(&mut self, iterations: &IterationCounter) -> Result<u32, Diagnostic> {
        let head = self.here();
        if let Some(at) = iterations.0 {
            self.iterations.push(at);
            self.emit(Code::Map1(|count, _| count + 1), at, [at, 0, 0], 1, 64)?;
        }
        Ok(head)
    }

    /// Called after the last iteration.
    pub fn after_iterations(&mut self, iterations: IterationCounter) {
        if iterations.0.is_some() {
            self.iterations.pop();
        }
    }

    /// Called before an instruction. For a plane operation, the function records the counters of the
    /// enclosing loops.
    pub fn record_iterations(&mut self, code: Code) {
        if matches!(code, Code::Plane(_) | Code::Barrier(Scope::Plane)) && !self.iterations.is_empty() {
            self.program.iterations.insert(self.program.code.len(), self.iterations.clone());
        }
    }
}
