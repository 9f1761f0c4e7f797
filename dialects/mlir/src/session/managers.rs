//! The pass managers of a session.
//!
//! MLIR parses a pipeline, creates its passes and initialises them at the first run, for example with the patterns of all
//! operations. For a small kernel, this takes about as long as the passes. A session therefore keeps the managers of successful
//! runs. Passes have no state that a later run reads.
use crate::op::{append, string_ref};
use mlir_sys::*;
use std::{cell::RefCell, collections::HashMap};

/// Maximum number of kept managers. A pipeline can contain the values of parameters, so their number is not bounded. The pipelines
/// of one target have fewer than 100 passes, which debug builds run one by one.
const MAX_KEPT: usize = 512;

/// The pass managers that are not in use, by their pipelines.
#[derive(Default)]
pub(super) struct Managers {
    kept: RefCell<HashMap<String, Manager>>,
}

/// A pass manager for modules.
pub(super) struct Manager(MlirPassManager);

impl Drop for Manager {
    fn drop(&mut self) {
        // SAFETY: owned; the session drops its managers before its context.
        unsafe { mlirPassManagerDestroy(self.0) }
    }
}

impl Managers {
    /// A manager for a pipeline.
    ///
    /// # Errors
    /// The message of MLIR's parser of pipelines.
    pub(super) fn take(&self, context: MlirContext, pipeline: &str) -> Result<Manager, String> {
        if let Some(kept) = self.kept.borrow_mut().remove(pipeline) {
            return Ok(kept);
        }
        // SAFETY: a live context; error text goes to a String by callback, which outlives the call.
        unsafe {
            let module = string_ref(crate::ops::builtin::MODULE.name());
            let manager = Manager(mlirPassManagerCreateOnOperation(context, module));
            // In debug builds and tests, MLIR's verifier runs after each pass. In other builds it runs once, after the
            // last pass.
            mlirPassManagerEnableVerifier(manager.0, cfg!(debug_assertions));
            let mut message = String::new();
            let passes = mlirPassManagerGetAsOpPassManager(manager.0);
            let to = (&raw mut message).cast();
            let parsed = mlirParsePassPipeline(passes, string_ref(pipeline), Some(append), to);
            if parsed.value == 0 { Err(message) } else { Ok(manager) }
        }
    }

    /// Keeps a manager whose run succeeded.
    pub(super) fn keep(&self, pipeline: &str, manager: Manager) {
        let mut kept = self.kept.borrow_mut();
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert(pipeline.into(), manager);
    }

    /// Destroys all managers.
    pub(super) fn clear(&self) {
        self.kept.borrow_mut().clear();
    }
}

impl Manager {
    /// Runs the passes on a module. Returns whether all passes succeeded.
    pub(super) fn run(&self, module: MlirOperation) -> bool {
        // SAFETY: a live manager, and a live module of its context.
        unsafe { mlirPassManagerRunOnOp(self.0, module).value != 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::MAX_KEPT;
    use crate::Session;

    #[test]
    fn a_kept_manager_runs_on_later_modules() {
        let session = Session::new();
        let text = b"func.func @f(%x: i32) -> i32 {
            %y = arith.addi %x, %x : i32
            %z = arith.addi %x, %x : i32
            %r = arith.muli %y, %z : i32
            func.return %r : i32
        }";
        for run in 0..3 {
            let mut module = session.parse(text, "<input>").expect("valid MLIR");
            module.run("builtin.module(func.func(cse))").expect("no pass fails");
            assert_eq!(module.print().matches("arith.addi").count(), 1);
            assert_eq!(session.managers.kept.borrow().len(), 1, "after run {run}");
        }
        let mut module = session.parse(text, "<input>").expect("valid MLIR");
        module.run("builtin.module(no-such-pass)").expect_err("the pass does not exist");
        assert_eq!(session.managers.kept.borrow().len(), 1);
    }

    #[test]
    fn the_number_of_kept_managers_is_bounded() {
        let session = Session::new();
        let mut module = session.parse(b"module {}", "<input>").expect("valid MLIR");
        for number in 0..=MAX_KEPT {
            module.run(&format!("builtin.module(canonicalize{{max-iterations={number}}})")).expect("no pass fails");
            assert!(session.managers.kept.borrow().len() <= MAX_KEPT);
        }
        assert_eq!(session.managers.kept.borrow().len(), 1);
    }
}
