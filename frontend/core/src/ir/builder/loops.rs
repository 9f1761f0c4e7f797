//! Loops and their exits.
use super::{Builder, Lit, Raw, Ty};
use crate::ir::Elem;

/// Kind of an exit from a loop's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopKind {
    /// Ends the loop.
    Break,
    /// Starts the loop's next iteration.
    Continue,
}

impl LoopKind {
    pub(super) fn op(self) -> &'static str {
        match self {
            LoopKind::Break => "cube.break",
            LoopKind::Continue => "cube.continue",
        }
    }
}

/// A loop whose body is under construction.
pub(super) struct LoopState {
    /// Index of the open block that contains the loop.
    pub parent: usize,
    pub flags: [Option<u32>; 2],
    /// Pending exits whose target is an outer loop. Each exit has a flag variable, a kind and the number of
    /// the target loop.
    pub pending: Vec<(u32, LoopKind, usize)>,
}

impl Builder {
    /// Opens the body of a loop and returns the loop's number.
    pub fn open_loop(&mut self) -> usize {
        self.loops.push(LoopState { parent: self.frames.len() - 1, flags: [None; 2], pending: Vec::new() });
        self.open();
        self.loops.len() - 1
    }

    /// Closes the loop's body and appends the loop operation. After the loop, the builder appends the code that
    /// continues pending exits to outer loops.
    pub fn close_loop(&mut self, head: &str) {
        let (text, _) = self.close();
        let state = self.loops.pop().expect("every closed loop was opened");
        self.region(head, &[("", &text)]);
        for (flag, kind, target) in state.pending {
            let ty = Ty::scalar(Elem::Bool);
            let (set, _) = {
                let raw = self.load(Raw::Cell(flag, ty));
                self.id(raw)
            };
            self.open();
            let is_target = target + 1 == self.loops.len();
            if is_target && kind == LoopKind::Continue {
                let no = self.constant(Lit::Bool(false), ty);
                let frame = self.frames.len() - 1;
                self.store_at(frame, flag, ty, no);
            }
            self.end(if is_target { kind.op() } else { LoopKind::Break.op() });
            let (block, _) = self.close();
            self.region(&format!("cube.if %{set}"), &[("", &block)]);
        }
    }

    /// Emits an exit from the loop `target`. The exit can be in nested blocks or loops inside the target
    /// loop.
    pub fn exit(&mut self, kind: LoopKind, target: usize) {
        if self.dead() {
            return;
        }
        if target + 1 == self.loops.len() {
            return self.end(kind.op());
        }
        let ty = Ty::scalar(Elem::Bool);
        let flag = match self.loops[target].flags[kind as usize] {
            Some(flag) => flag,
            None => {
                let parent = self.loops[target].parent;
                let flag = self.cell(ty, parent + 1);
                let no = self.constant(Lit::Bool(false), ty);
                self.store_at(parent, flag, ty, no);
                self.loops[target].flags[kind as usize] = Some(flag);
                flag
            }
        };
        self.store(flag, ty, Raw::Const(Lit::Bool(true), ty));
        for inner in &mut self.loops[target + 1..] {
            if !inner.pending.contains(&(flag, kind, target)) {
                inner.pending.push((flag, kind, target));
            }
        }
        self.end(LoopKind::Break.op());
    }
}
