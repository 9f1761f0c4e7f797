//! Turns of loops in which planes meet: units that meet are in the same one.
use super::decoder::Decoder;
use crate::program::Code;
use cube_dialect::{Scope, properties::is_meeting};
use cube_ir::{Diagnostic, Op};

/// A loop whose turns are counted, or whose are not.
pub struct Turns(Option<u32>);

impl<'p> Decoder<'p> {
    /// Before the first turn of a loop. Turns are counted where planes may meet inside, since lanes that meet are in the same
    /// turn.
    pub fn before_turns(&mut self, op: Op<'p>) -> Result<Turns, Diagnostic> {
        let meets = |o: &Op<'p>| is_meeting(*o) || o.is_named("cube.call");
        if !op.walk().iter().any(meets) {
            return Ok(Turns(None));
        }
        let (at, none) = (self.slots(op, 1)?, self.constant(op, 0)?);
        self.emit(Code::Copy, at, [none, 0, 0], 1, 0)?;
        Ok(Turns(Some(at)))
    }

    /// Where each turn begins; the instruction that its end jumps to.
    pub fn turn(&mut self, turns: &Turns) -> Result<u32, Diagnostic> {
        let head = self.here();
        if let Some(at) = turns.0 {
            self.turns.push(at);
            self.emit(Code::Map1(|turn, _| turn + 1), at, [at, 0, 0], 1, 64)?;
        }
        Ok(head)
    }

    /// After the last.
    pub fn after_turns(&mut self, turns: Turns) {
        if turns.0.is_some() {
            self.turns.pop();
        }
    }

    /// Before an instruction: if units of a plane meet there, the loops around it say in which turn.
    pub fn note_turns(&mut self, code: Code) {
        if matches!(code, Code::Plane(_) | Code::Barrier(Scope::Plane)) && !self.turns.is_empty() {
            self.program.turns.insert(self.program.code.len(), self.turns.clone());
        }
    }
}
