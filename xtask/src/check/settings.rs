//! Checks that libraries do not read the environment of the process and do not print. A library receives settings as values from
//! the tools and the facade. A library returns messages to the caller or passes them to a callback. A list
//! contains each exception with its reason.
//!
//! Build scripts and `frontend/macros` are exempt, because they run during the compilation of a program and cargo
//! reads their output.

use super::scan::{code_of, words};
use super::{Tree, Verdict};
use std::collections::BTreeSet;

/// Folders of libraries.
const LIBRARIES: [&str; 12] = [
    "dialects/",
    "passes/",
    "backends/",
    "driver/",
    "runtime/",
    "frontend/",
    "interpreter/",
    "layout-algebra/",
    "targets/",
    "semantics/",
    "rules/",
    "cube/",
];

/// Path fragments of programs, of tests, and of code that runs during a compilation.
const EXEMPT: [&str; 10] = [
    "/build.rs",
    "dialects/views.rs",
    "frontend/macros/",
    "frontend/tests/",
    "/tests/",
    "/benches/",
    "/examples/",
    "/bin/",
    "rules/prove/src/main.rs",
    "tests.rs",
];

/// Code that reads or changes the environment of the process, and code that prints. A name with colons is a function,
/// any other name is a macro. `Variables::of_process` reads the environment on behalf of its caller.
const CALLS: [&str; 22] = [
    "Variables::of_process",
    "env::args",
    "env::args_os",
    "env::current_exe",
    "env::home_dir",
    "env::remove_var",
    "env::set_current_dir",
    "env::set_var",
    "env::temp_dir",
    "io::stderr",
    "io::stdin",
    "io::stdout",
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
    ("runtime/artifact/src/variables.rs", "env::vars_os", READER),
    ("runtime/artifact/src/variables.rs", "env::current_dir", READER),
    ("runtime/artifact/src/variables.rs", "env::current_exe", READER),
    ("runtime/artifact/src/variables.rs", "env::temp_dir", READER),
    ("cube/src/settings.rs", "Variables::of_process", "the facade of Rust programs, which hand in no settings"),
    ("cube/src/settings.rs", "eprintln", "the facade's receiver of notices, as long as a program has set no other"),
    ("driver/capi/src/lib.rs", "Variables::of_process", "the facade of hosts in other languages"),
    (
        "frontend/core/src/host/variables.rs",
        "Variables::of_process",
        "the kernel language before the facade or the program has handed in variables",
    ),
    ("frontend/core/src/host/config/logger.rs", "println", "the user's configuration names standard output"),
    ("frontend/core/src/host/config/logger.rs", "eprintln", "the user's configuration names standard error"),
    ("runtime/core/src/prints.rs", "println", "the output of a kernel that prints, where no program has set a sink"),
    (
        "runtime/hip/src/find.rs",
        "env::var_os",
        "ROCm has this setting only as a variable of the process; a value of the user is kept",
    ),
    ("runtime/hip/src/find.rs", "env::set_var", "as above; only from the first call of a program's `main`"),
    ("runtime/gpu/src/host.rs", "env::var", "a child process learns from its variable that it is a child"),
    ("runtime/gpu/src/host.rs", "io::stdin", "a child process receives requests from its parent"),
    ("runtime/gpu/src/host.rs", "io::stdout", "a child process answers its parent"),
];

/// The reason of the function that all programs and facades call.
const READER: &str = "`Variables::of_process`: a program or a facade calls it once; its calls in libraries are found";

pub fn check(tree: &Tree) -> Verdict {
    check_libraries(tree, ALLOWED)
}

fn check_libraries(tree: &Tree, allowed: &[(&str, &str, &str)]) -> Verdict {
    let (mut findings, mut used, mut files) = (Vec::new(), BTreeSet::new(), 0);
    for file in tree.with_ending(".rs").filter(|file| is_library(file)) {
        files += 1;
        for (line, word) in calls_in(&tree.read(file)) {
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

/// The occurrences of [`CALLS`] in a source, with their line numbers. The unit tests at the end of the file
/// are not searched.
fn calls_in(source: &str) -> Vec<(usize, &'static str)> {
    let code = code_of(source);
    let tests = code.match_indices("#[cfg(test)]").map(|(at, _)| at);
    let end = tests.filter(|at| code[*at..].lines().nth(1).is_some_and(|line| line.contains("mod "))).last();
    let code = &code[..end.unwrap_or(code.len())];
    let mut found = Vec::new();
    for word in CALLS {
        let is_macro = !word.contains(':');
        found.extend(
            words(code, word)
                // A function can also be passed as a value or imported: `unwrap_or_else(env::temp_dir)`.
                .filter(|(_, after)| !is_macro || after.starts_with('!'))
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
        let found = findings(check_libraries(&tree.tree, &[]));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("passes/src/a.rs:1: `env::var_os`"), "{found:?}");
        assert!(found[1].starts_with("passes/src/a.rs:2: `println`"), "{found:?}");
    }

    #[test]
    fn streams_arguments_and_values_of_functions_are_found_in_every_folder() {
        let source =
            "fn f() { writeln!(std::io::stderr(), \"x\"); }\nfn g() { a.unwrap_or_else(std::env::temp_dir); }\n";
        for folder in LIBRARIES {
            let file = format!("{folder}src/a.rs");
            let tree = files(&[(&file, source), ("tools/src/b.rs", source)]);
            let found = findings(check_libraries(&tree.tree, &[]));
            assert_eq!(found.len(), 2, "{found:?}");
            assert!(found[0].starts_with(&format!("{file}:2: `env::temp_dir`")), "{found:?}");
            assert!(found[1].starts_with(&format!("{file}:1: `io::stderr`")), "{found:?}");
        }
        let reads = "fn f() { let v = Variables::of_process(); g(std::env::args(), std::env::current_exe()); }";
        let tree = files(&[("semantics/src/a.rs", reads)]);
        assert_eq!(findings(check_libraries(&tree.tree, &[])).len(), 3);
    }

    #[test]
    fn a_reason_without_a_use_is_found() {
        let tree = files(&[("passes/src/a.rs", "fn f() { eprintln!(); }")]);
        assert!(matches!(check_libraries(&tree.tree, &[("passes/src/a.rs", "eprintln", "why")]), Verdict::Passed(_)));
        let found = findings(check_libraries(
            &tree.tree,
            &[("passes/src/a.rs", "eprintln", ""), ("passes/src/b.rs", "dbg", "")],
        ));
        assert!(found.len() == 1 && found[0].starts_with("passes/src/b.rs has no `dbg`"), "{found:?}");
    }
}
