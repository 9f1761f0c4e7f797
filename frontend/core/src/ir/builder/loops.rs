//! Loops, and what leaves them from wherever inside.
use super::{Builder, Lit, Raw, Ty};
use crate::ir::Elem;

/// How a loop is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopKind {
    /// The loop ends.
    Break,
    /// Its next turn begins.
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

/// A loop whose body is being written.
pub(super) struct LoopState {
    /// The frame that the loop stands in.
    pub parent: usize,
    pub flags: [Option<u32>; 2],
    /// Exits of loops further out that were taken inside: the flag, how, and which loop.
    pub pending: Vec<(u32, LoopKind, usize)>,
}

impl Builder {
    /// Opens the body of a loop; its number.
    pub fn open_loop(&mut self) -> usize {
        self.loops.push(LoopState { parent: self.frames.len() - 1, flags: [None; 2], pending: Vec::new() });
        self.open();
        self.loops.len() - 1
    }

    /// Closes the body and writes the loop. Exits that go further out are taken on after it.
    pub fn close_loop(&mut self, head: &str) {
        let (text, _) = self.close();
        let state = self.loops.pop().expect("every loop that is closed was opened");
        self.region(head, &[("", &text)]);
        for (flag, kind, target) in state.pending {
            let ty = Ty::scalar(Elem::Bool);
            let (set, _) = {
                let raw = self.load(Raw::Cell(flag, ty));
                self.id(raw)
            };
            self.open();
            let here = target + 1 == self.loops.len();
            if here && kind == LoopKind::Continue {
                let no = self.constant(Lit::Bool(false), ty);
                let frame = self.frames.len() - 1;
                self.store_at(frame, flag, ty, no);
            }
            self.end(if here { kind.op() } else { LoopKind::Break.op() });
            let (block, _) = self.close();
            self.region(&format!("cube.if %{set}"), &[("", &block)]);
        }
    }

    /// Leaves or continues a loop from wherever inside it.
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
