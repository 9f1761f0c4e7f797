//! Every file with RUN lines below `test/`, but for `run/`, is one test; see `cube_test::script` for what a RUN line
//! may say. `cargo test -p cube-test --test filecheck unroll` runs those whose path holds `unroll`.
#![forbid(unsafe_code)]

use cube_test::backends::list;
use cube_test::case::{Run, Verdict};
use cube_test::files::{name_of, pinned_under, tests_under};
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

fn trials() -> Result<Vec<Trial>, String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut run = Run::new(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("filecheck"));
    let files: Vec<PathBuf> =
        tests_under(here).into_iter().filter(|file| !file.starts_with(here.join("run"))).collect();
    if !files.is_empty() {
        run.tools.check()?;
    }
    if files.iter().any(|file| text_of(file).contains("REQUIRES: backend:")) {
        run.backends = list(&run.tools)?;
    }
    let run = Arc::new(run);
    let pinned = Trial::test("pinned outputs are all in use", || Ok(unused_pinned()?));
    Ok(std::iter::once(pinned).chain(files.into_iter().map(|file| trial(&run, file, here))).collect())
}

fn trial(run: &Arc<Run>, file: PathBuf, here: &Path) -> Trial {
    let (run, name) = (Arc::clone(run), name_of(&file, here));
    Trial::ignorable_test(name.clone(), move || match run.filecheck(&file, &name)? {
        Verdict::Passed => Ok(Completion::Completed),
        Verdict::Skipped(reason) => Ok(Completion::ignored_with(reason)),
    })
}

/// A pinned output that no test compares is a promise nobody keeps.
fn unused_pinned() -> Result<(), String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let texts: Vec<String> = tests_under(here).iter().map(|file| text_of(file)).collect();
    for pinned in pinned_under(here) {
        let word = format!("%pinned{{{}}}", pinned.file_name().unwrap_or_default().to_string_lossy());
        if !texts.iter().any(|text| text.contains(&word)) {
            return Err(format!("no test names {}; remove it, or compare with `{word}`", pinned.display()));
        }
    }
    Ok(())
}

/// What can be read of a file that may hold any bytes.
fn text_of(file: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(file).unwrap_or_default()).into_owned()
}
