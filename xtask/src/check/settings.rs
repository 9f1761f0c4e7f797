//! Checks that libraries do not read environment variables and do not print. A library receives settings as values from
//! the tools and the facade. A library returns messages to the caller or passes them to a callback. A list
//! contains each exception with its reason.
//!
//! Build scripts and `frontend/macros` are exempt, because they run during the compilation of a program and cargo
//! reads their output.

use super::scan::{code_of, words};
use super::{Tree, Verdict};
use std::collections::BTreeSet;

/// Folders of libraries.
const LIBRARIES: [&str; 9] = [
    "dialects/",
    "passes/",
    "backends/",
    "driver/",
    "runtime/",
    "frontend/",
    "interpreter/",
    "layout-algebra/",
    "targets/",
];

/// Path fragments of programs, of tests, and of code that runs during a compilation.
const EXEMPT: [&str; 9] = [
    "/build.rs",
    "dialects/views.rs",
    "frontend/macros/",
    "frontend/tests/",
    "/tests/",
    "/benches/",
    "/examples/",
    "/bin/",
    "tests.rs",
];

/// Code that reads the environment or the current folder, and code that prints.
const WORDS: [&str; 10] = [
    "env::current_dir",
    "env::var",
    "env::var_os",
    "env::vars",
    "env::vars_os",
    "println",
    "eprintln",
    "print",
    "eprint",
    "dbg",
];

/// The exceptions, each with its reason.
const ALLOWED: &[(&str, &str, &str)] = &[
    (
        "backends/llvm/src/reasons.rs",
        "eprintln",
        "only where a reason of LLVM has no listener, which LLVM itself would print",
    ),
    (
        "driver/capi/src/compile.rs",
        "env::current_dir",
        "the facade of hosts in other languages: relative names start there",
    ),
    ("driver/capi/src/lib.rs", "env::vars_os", "the facade of hosts in other languages, which hand in no settings"),
    (
        "runtime/hip/src/find.rs",
        "env::var_os",
        "the variable is ROCm's, which reads it from the environment; a value of the user is kept",
    ),
    (
        "frontend/core/src/host/variables.rs",
        "env::vars_os",
        "the one reader of the language, where no program has given variables",
    ),
    (
        "frontend/core/src/host/config/logger.rs",
        "println",
        "the configuration names standard output as the place of messages",
    ),
    (
        "frontend/core/src/host/config/logger.rs",
        "eprintln",
        "the configuration names standard error as the place of messages",
    ),
    ("frontend/core/src/host/core.rs", "env::current_dir", "the facade of the language: relative names start there"),
    (
        "frontend/core/src/host/config.rs",
        "env::current_dir",
        "the configuration is searched from there upwards, as cargo does",
    ),
    (
        "runtime/core/src/cache/folder.rs",
        "env::current_dir",
        "a relative folder of the cache starts there, as any path does",
    ),
    ("runtime/core/src/prints.rs", "println", "what a kernel prints, as long as no program has named a sink"),
    (
        "runtime/core/src/cache/folder.rs",
        "env::var_os",
        "the user's cache folder, XDG_CACHE_HOME or HOME, is the system's to say",
    ),
    (
        "runtime/core/src/child/find.rs",
        "env::var_os",
        "finds a program as a shell does, by PATH and HOME, and by CUBE_COMPILER",
    ),
    ("runtime/gpu/src/host.rs", "env::var", "how a program learns that it was started as the child of another"),
    (
        "runtime/gpu/src/host.rs",
        "env::var_os",
        "finds the child's program as a shell does, by PATH, and by its own variable",
    ),
];

pub fn check(tree: &Tree) -> Verdict {
    judge(tree, ALLOWED)
}

fn judge(tree: &Tree, allowed: &[(&str, &str, &str)]) -> Verdict {
    let (mut findings, mut used, mut files) = (Vec::new(), BTreeSet::new(), 0);
    for file in tree.with_ending(".rs").filter(|file| is_library(file)) {
        files += 1;
        for (line, word) in sites(&tree.read(file)) {
            match allowed.iter().position(|(path, what, _)| *path == file && *what == word) {
                Some(entry) => drop(used.insert(entry)),
                None => findings.push(format!(
                    "{file}:{line}: `{word}` in a library; take settings as cube_artifact::Variables, return messages as values, or list the file with a reason in xtask/src/check/settings.rs"
                )),
            }
        }
    }
    let stale = allowed.iter().enumerate().filter(|(entry, _)| !used.contains(entry));
    findings.extend(stale.map(|(_, (file, word, _))| {
        format!("{file} has no `{word}`; remove it from the list in xtask/src/check/settings.rs")
    }));
    Verdict::of(findings, format!("{files} files of libraries, {} places with a reason", allowed.len()))
}

fn is_library(file: &str) -> bool {
    LIBRARIES.iter().any(|folder| file.starts_with(folder)) && !EXEMPT.iter().any(|part| file.contains(part))
}

/// The occurrences of [`WORDS`] in a source, with their line numbers. The unit tests at the end of the file
/// are not searched.
fn sites(source: &str) -> Vec<(usize, &'static str)> {
    let code = code_of(source);
    let tests = code.match_indices("#[cfg(test)]").map(|(at, _)| at);
    let end = tests.filter(|at| code[*at..].lines().nth(1).is_some_and(|line| line.contains("mod "))).last();
    let code = &code[..end.unwrap_or(code.len())];
    let mut found = Vec::new();
    for word in WORDS {
        let is_macro = !word.contains(':');
        found.extend(
            words(code, word)
                .filter(|(_, after)| if is_macro { after.starts_with('!') } else { after.starts_with('(') })
                .map(|(line, _)| (line, word)),
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::fake::{files, findings};
    use super::*;

    const READS: &str = "fn f() { std::env::var_os(\"X\"); }\nfn g() { println!(\"x\"); } // eprintln!\n#[cfg(test)]\nmod tests { fn h() { dbg!(1); } }\n";

    #[test]
    fn reads_and_prints_of_libraries_are_found_and_those_of_programs_are_not() {
        let tree = files(&[
            ("passes/src/a.rs", READS),
            ("passes/math/src/bin/b.rs", READS),
            ("runtime/artifact/build.rs", READS),
            ("tools/src/main.rs", READS),
            ("frontend/macros/src/lib.rs", READS),
        ]);
        let found = findings(judge(&tree.tree, &[]));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("passes/src/a.rs:1: `env::var_os`"), "{found:?}");
        assert!(found[1].starts_with("passes/src/a.rs:2: `println`"), "{found:?}");
    }

    #[test]
    fn a_reason_without_a_use_is_found() {
        let tree = files(&[("passes/src/a.rs", "fn f() { eprintln!(); }")]);
        assert!(matches!(judge(&tree.tree, &[("passes/src/a.rs", "eprintln", "why")]), Verdict::Passed(_)));
        let found = findings(judge(&tree.tree, &[("passes/src/a.rs", "eprintln", ""), ("passes/src/b.rs", "dbg", "")]));
        assert!(found.len() == 1 && found[0].starts_with("passes/src/b.rs has no `dbg`"), "{found:?}");
    }
}
