//! Variables of kernels: cells that hold staged values.
use super::arguments::Arg;
use super::value::{Staged, Val};
use crate::ir::{self, Raw};

/// Declares a variable with an initial value.
pub fn variable<V: IntoVariable>(value: V, position: u32) -> V::Variable {
    crate::ir::at(position);
    value.into_variable()
}

/// Declares a variable without an initial value.
pub fn declare<V: Declare>() -> V {
    V::declare(ir::depth())
}

/// Staged types that a variable without an initial value can have.
pub trait Declare {
    /// Declares the variable in the block at `depth`.
    fn declare(depth: usize) -> Self;
}

impl<T> Declare for Val<T> {
    fn declare(depth: usize) -> Self {
        Val::new(Raw::Unset(depth))
    }
}

/// Staged types that a variable with an initial value can have.
pub trait IntoVariable {
    /// The staged type of a mutable variable with this initial value.
    type Variable;
    /// Declares a variable and assigns the value.
    fn into_variable(self) -> Self::Variable;
}

impl<V: Staged> IntoVariable for V {
    type Variable = V;
    fn into_variable(self) -> V {
        let mut cells = self.to_cells(ir::depth());
        cells.store(self);
        cells
    }
}

/// Assigns to a variable.
pub fn assign<V: Staged, A: Arg<V>>(target: &mut V, value: A, position: u32) {
    crate::ir::at(position);
    target.store(value.arg());
}
