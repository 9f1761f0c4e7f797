//! Every file with RUN lines below `test/`, except in `test/run/`, is one test. `cube_test::script` documents the
//! substitutions in a RUN line. `cargo test -p cube-test --test filecheck unroll` runs the tests whose path contains
//! `unroll`.
#![forbid(unsafe_code)]

use cube_test::case::{Run, Verdict};
use cube_test::files::{name_of, tests_under};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The folder of the test files, which is the folder of this package.
const HERE: &str = env!("CARGO_MANIFEST_DIR");

datatest_stable::harness! {
    { test = filecheck, root = HERE, pattern = r"^(?!(run|src|tests)/)(?!(.*/)?(inputs|pinned)/).*\.(mlir|test)$" },
    { test = is_compared, root = HERE, pattern = r"(^|/)pinned/[^/]+$" },
}

/// Runs the RUN lines of one file.
fn filecheck(file: &Path) -> datatest_stable::Result<()> {
    static RUN: OnceLock<Result<Run, String>> = OnceLock::new();
    let run = RUN.get_or_init(|| {
        let run = Run::new(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("filecheck"));
        run.tools.check().map(|()| run)
    });
    let run = run.as_ref().map_err(|why| Message(why.clone()))?;
    match run.filecheck(file, &name_of(file, Path::new(HERE))).map_err(Message)? {
        Verdict::Passed => Ok(()),
        // This harness selects skipped tests before a test runs, so a later skip would count as a pass.
        Verdict::Skipped(reason) => {
            Err(Message(format!("{reason}: a test that needs a device belongs in test/run/")).into())
        }
    }
}

/// A failure message of several lines. The test harness prints errors with `Debug`, and a `String` would
/// escape the line ends.
struct Message(String);

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::fmt::Display for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Message {}

/// Fails if no test names the pinned output, because such a file checks nothing.
fn is_compared(pinned: &Path) -> datatest_stable::Result<()> {
    let word = format!("%pinned{{{}}}", pinned.file_name().unwrap_or_default().to_string_lossy());
    if tests_under(Path::new(HERE)).iter().any(|file| text_of(file).contains(&word)) {
        return Ok(());
    }
    Err(Message(format!("no test names it; remove it, or compare with `{word}`")).into())
}

/// The content of a file as text; invalid UTF-8 is replaced.
fn text_of(file: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(file).unwrap_or_default()).into_owned()
}
