//! Changes a module outside a pass, for example in a reducer. The caller is responsible for the effect of the
//! changes on the module's meaning. [`OwnedModule::verify`] checks the validity of the changed module.
use crate::{
    counters::count_edit,
    op::{Block, Op},
    session::OwnedModule,
};
use mlir_sys::*;

/// A sequence of changes of the IR. Erased operations are destroyed at the end of the scope, so that no view of them
/// dangles.
pub struct Edit<'p> {
    root: Op<'p>,
    erased: Vec<Op<'p>>,
}

impl OwnedModule<'_> {
    /// Applies `change` to the operations of the module.
    pub fn edit<R>(&mut self, change: impl for<'p> FnOnce(&mut Edit<'p>) -> R) -> R {
        let mut edit = Edit { root: self.op(), erased: Vec::new() };
        let result = change(&mut edit);
        // Operands of erased operations are removed first, also in nested operations, because an operation can be
        // erased after the operations that define its operands.
        for op in edit.erased.iter().flat_map(|op| op.walk()) {
            // SAFETY: unlinked by `erase` or inside such an operation, owned by this round.
            unsafe { mlirOperationSetOperands(op.to_raw(), 0, std::ptr::null()) }
        }
        for op in edit.erased {
            // SAFETY: unlinked and unused, destroyed once.
            unsafe { mlirOperationDestroy(op.to_raw()) }
        }
        result
    }
}

impl<'p> Edit<'p> {
    /// The module operation.
    pub fn root(&self) -> Op<'p> {
        self.root
    }

    /// Unlinks an operation without uses. If a result has uses, returns false and changes nothing.
    pub fn erase(&mut self, op: Op<'p>) -> bool {
        if op == self.root || !op.is_unused() || op.block().is_none() {
            return false;
        }
        count_edit();
        // SAFETY: live and attached; ownership moves to `erased`.
        unsafe { mlirOperationRemoveFromParent(op.to_raw()) }
        self.erased.push(op);
        true
    }

    /// Removes an unused argument from its block. If the argument has uses, returns false and changes nothing. The
    /// caller must update the operation that contains the block.
    pub fn erase_arg(&mut self, block: Block<'p>, index: usize) -> bool {
        if block.arg(index).has_uses() {
            return false;
        }
        count_edit();
        // SAFETY: live block, index in range, no uses.
        unsafe { mlirBlockEraseArgument(block.to_raw(), index as u32) }
        true
    }
}
