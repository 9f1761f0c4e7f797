//! The compiler that all clients of a program share.
use super::config::GlobalConfig;
use cube_artifact::Variables;
use cube_runtime::ChildCompiler;
use std::sync::{Arc, OnceLock};

/// The compiler of the program's clients, in child processes. All devices of the program share the processes. The
/// configuration sets the largest number of processes: `[compilation] processes`, or `CUBE_COMPILER_PROCESSES`.
pub fn compiler(variables: &Variables) -> Arc<ChildCompiler> {
    static COMPILER: OnceLock<Arc<ChildCompiler>> = OnceLock::new();
    let make = || {
        let compiler = ChildCompiler::new(variables);
        Arc::new(match GlobalConfig::get().compilation.processes {
            Some(processes) => compiler.processes(processes),
            None => compiler,
        })
    };
    COMPILER.get_or_init(make).clone()
}
