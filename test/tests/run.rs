//! Checks the results of kernels: each kernel file of `test/run/` on each backend is one test. If this machine cannot
//! run a backend, the tests of the backend are ignored with the reason. `CUBE_RUN_FOLDER=FOLDER` selects the kernel files of
//! another folder.
#![forbid(unsafe_code)]

use cube_test::backends::{Backend, list};
use cube_test::case::{Run, Verdict};
use cube_test::files::{name_of, tests_under};
use libtest_mimic::{Arguments, Completion, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(message) => cube_test::refuse(&message),
    }
}

/// One test per file and backend.
fn trials() -> Result<Vec<Trial>, String> {
    let run = Arc::new(Run::new(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("run")));
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (folder, files) = match std::env::var_os("CUBE_RUN_FOLDER") {
        Some(folder) => (PathBuf::from(&folder), tests_under(Path::new(&folder))),
        None => (own.to_path_buf(), tests_under(&own.join("run"))),
    };
    if files.is_empty() {
        return Err(format!("no kernel file in {}", folder.display()));
    }
    run.tools.check()?;
    let backends = list(&run.tools)?;
    let trial = |file: &PathBuf, backend| trial(&run, file.clone(), &folder, backend);
    Ok(files.iter().flat_map(|file| backends.iter().map(|backend| trial(file, backend))).collect())
}

fn trial(run: &Arc<Run>, file: PathBuf, folder: &Path, backend: &Backend) -> Trial {
    let (run, backend) = (Arc::clone(run), backend.clone());
    let name = format!("{} on {}", name_of(&file, folder), backend.name);
    Trial::ignorable_test(name.clone(), move || match run.numbers(&file, &name, &backend)? {
        Verdict::Passed => Ok(Completion::Completed),
        Verdict::Skipped(reason) => Ok(Completion::ignored_with(reason)),
    })
}
