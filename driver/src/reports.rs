//! The reports that [`Reports`] requests: the module after every phase, a trace of every pass, and an explanation of
//! the kernel's checks and missed optimisations.
mod explain;
pub(crate) mod tree;

use crate::instrumentation::{Emit, PassInfo, PassInstrumentation, Replacement};
use cube_artifact::{Artifact, CompileError, Reports};
use cube_ir::{OwnedModule, SessionError, remarks::Remark};
use explain::Explain;
use std::{ops::ControlFlow, path::Path, sync::Arc};
use tree::Tree;

/// Writes the requested reports while the passes run.
pub(crate) struct Reporter {
    tree: Option<Tree>,
    dump: Option<Dump>,
    explain: Option<Explain>,
}

/// Writes the module after every phase.
struct Dump {
    prefix: String,
    /// The kernel's name with its types and values, as a comment.
    comment: String,
    phases: usize,
    failed: Option<CompileError>,
}

impl Reporter {
    /// Starts the reports.
    ///
    /// # Errors
    /// A report folder cannot be written.
    pub fn new(reports: &Reports, title: &str) -> Result<Self, CompileError> {
        let tree = reports.trace.as_ref().map(|folder| Tree::trace(Path::new(folder), title)).transpose()?;
        let comment = reports.instance_comment();
        let dump = reports.dump.clone().map(|prefix| Dump { prefix, comment, phases: 0, failed: None });
        let explain = reports.explain.then(|| Explain::new(title, reports));
        Ok(Reporter { tree, dump, explain })
    }

    /// Finishes the reports, and returns their text for the user.
    ///
    /// # Errors
    /// A report file could not be written.
    pub fn finish(self) -> Result<String, CompileError> {
        let mut report = self.tree.as_ref().map_or(String::new(), |tree| tree.report().to_string());
        if let Some(tree) = self.tree {
            tree.finish()?;
        }
        if let Some(error) = self.dump.and_then(|dump| dump.failed) {
            return Err(error);
        }
        if let Some(explain) = self.explain {
            report += &explain.screen();
        }
        Ok(report)
    }
}

impl Dump {
    fn write(&mut self, step: &PassInfo<'_>, module: &OwnedModule<'_>) {
        self.phases += 1;
        let file = format!("{}.{}-{}.mlir", self.prefix, self.phases, step.phase);
        let text = format!("{}{}{}", step.header, self.comment, module.print_with_locations());
        let folder = Path::new(&file).parent().map_or(Ok(()), std::fs::create_dir_all);
        if let Err(error) = folder.and_then(|()| std::fs::write(&file, text)) {
            let error = CompileError::from(cube_ir::diagnostic!(CUBE0603.file { file, error }));
            self.failed.get_or_insert(error);
        }
    }
}

impl PassInstrumentation for Reporter {
    fn start(&mut self, step: &PassInfo<'_>, module: &OwnedModule<'_>) -> ControlFlow<()> {
        if self.tree.is_some() || self.explain.is_some() {
            module.session().request_remarks(Some(Arc::new(|_, _| true)));
        }
        self.tree.as_mut().map_or(ControlFlow::Continue(()), |tree| tree.start(step, module))
    }

    fn before(&mut self, step: &PassInfo<'_>) {
        if let Some(tree) = &mut self.tree {
            tree.before(step);
        }
    }

    fn failed(&mut self, step: &PassInfo<'_>, module: &OwnedModule<'_>, error: &SessionError) {
        let remarks: Vec<Remark> = module.take_remarks();
        if let Some(tree) = &mut self.tree {
            tree.failed(step, module, error);
            tree.remarks(step, &remarks);
        }
        if let Some(explain) = &mut self.explain {
            explain.after(step, module, remarks);
        }
    }

    fn after(&mut self, step: &PassInfo<'_>, module: &OwnedModule<'_>) -> ControlFlow<()> {
        let remarks: Vec<Remark> = module.take_remarks();
        if let Some(tree) = &mut self.tree {
            let _ = tree.after(step, module);
            tree.remarks(step, &remarks);
        }
        if let Some(explain) = &mut self.explain {
            explain.after(step, module, remarks);
        }
        if let Some(dump) = self.dump.as_mut().filter(|_| step.ends_phase) {
            dump.write(step, module);
        }
        ControlFlow::Continue(())
    }

    fn replacement(&mut self, step: &PassInfo<'_>) -> Option<Replacement> {
        self.tree.as_mut()?.replacement(step)
    }

    fn replaced(&mut self, step: &PassInfo<'_>, module: &OwnedModule<'_>) {
        if let Some(tree) = &mut self.tree {
            tree.replaced(step, module);
        }
    }

    fn emitting(&mut self, emit: Emit<'_>) {
        if let Some(tree) = &mut self.tree {
            tree.emitting(emit);
        }
        if let Some(explain) = &mut self.explain {
            explain.emitting(emit);
        }
    }

    fn done(&mut self, artifact: &Artifact) {
        if let Some(tree) = &mut self.tree {
            tree.done(artifact);
        }
        if let Some(explain) = &mut self.explain {
            explain.done(artifact);
        }
    }
}
