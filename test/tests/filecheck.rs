//! Every file with RUN lines below `test/`, but for `run/`, is one test; see `cube_test::script` for what a RUN line
//! may say. `cargo test -p cube-test --test filecheck unroll` runs those whose path holds `unroll`.
#![forbid(unsafe_code)]

use cube_test::case::{Run, Verdict};
use cube_test::files::{name_of, pinned_under, tests_under};
use libtest_mimic::{Arguments, Completion, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut run = Run::new(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("filecheck"));
    let files: Vec<PathBuf> =
        tests_under(here).into_iter().filter(|file| !file.starts_with(here.join("run"))).collect();
    if !arguments.list && files.iter().any(|file| asks_for_backend(file)) {
        // A tool that cannot tell its backends is told by the tests that ask for one.
        run.backends = cube_test::backends::list(&run.tools).unwrap_or_default();
    }
    let run = Arc::new(run);
    let mut trials = vec![Trial::test("pinned outputs are all in use", || Ok(unused_pinned()?))];
    trials.extend(files.into_iter().map(|file| trial(&run, file, here)));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(run: &Arc<Run>, file: PathBuf, here: &Path) -> Trial {
    let (run, name) = (Arc::clone(run), name_of(&file, here));
    Trial::ignorable_test(name.clone(), move || match run.filecheck(&file, &name)? {
        Verdict::Passed => Ok(Completion::Completed),
        Verdict::Skipped(reason) => Ok(Completion::ignored_with(reason)),
    })
}

fn asks_for_backend(file: &Path) -> bool {
    std::fs::read(file).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains("REQUIRES: backend:"))
}

/// A pinned output that no test compares is a promise nobody keeps.
fn unused_pinned() -> Result<(), String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let texts: Vec<String> = tests_under(here)
        .iter()
        .filter_map(|file| std::fs::read(file).ok())
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .collect();
    for pinned in pinned_under(here) {
        let word = format!("%pinned{{{}}}", pinned.file_name().unwrap_or_default().to_string_lossy());
        if !texts.iter().any(|text| text.contains(&word)) {
            return Err(format!("no test names {}; remove it, or compare with `{word}`", pinned.display()));
        }
    }
    Ok(())
}
