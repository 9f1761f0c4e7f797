//! The operators `&&` and `||` whose right operand is evaluated only if the left operand does not determine the result.
use super::flow::{If, Slot};
use super::ops::flag;
use super::value::{Operand, Val};

/// An operator `&&` or `||` under construction.
pub struct Logic {
    branch: If,
    slot: Slot<Val<bool>>,
    is_and: bool,
}

impl Logic {
    /// Starts `left && …` or `left || …`.
    pub fn begin<C: Operand<T = bool>>(left: C, is_and: bool, position: u32) -> Self {
        let slot = Slot::new();
        Logic { branch: If::begin(left, position), slot, is_and }
    }

    /// Whether the caller must expand the right operand.
    pub fn right(&mut self) -> bool {
        let then = self.branch.then();
        if self.is_and {
            return then;
        }
        if then {
            self.slot.put(flag(true));
        }
        self.branch.els()
    }

    /// Sets the value of the right operand.
    pub fn put(&mut self, right: Val<bool>) {
        self.slot.put(right);
    }

    /// Ends the operator, and returns its result.
    pub fn end(mut self) -> Val<bool> {
        if self.is_and && self.branch.els() {
            self.slot.put(flag(false));
        }
        self.branch.end();
        self.slot.get()
    }
}
