//! Counts the views and the changes of the IR by this thread.
use std::cell::Cell;

thread_local! {
    static VIEWS: Cell<u64> = const { Cell::new(0) };
    static EDITS: Cell<u64> = const { Cell::new(0) };
}

/// Number of views of operations, blocks and values that this thread has created. In debug builds, the number measures
/// the work of passes. In builds without debug assertions, the number is 0.
pub fn views() -> u64 {
    VIEWS.get()
}

/// Counts a view in debug builds.
#[inline(always)]
pub(crate) fn count_view() {
    if cfg!(debug_assertions) {
        VIEWS.set(VIEWS.get() + 1);
    }
}

/// Number of changes of operations, blocks and values by this thread. A pass during which the number stays equal has
/// changed nothing. Changes by passes of MLIR do not count.
pub fn edits() -> u64 {
    EDITS.get()
}

/// Counts a change of an operation, a block or a value. Each function that changes one of them calls this function.
pub fn count_edit() {
    EDITS.set(EDITS.get() + 1);
}
