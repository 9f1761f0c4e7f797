//! Checks that the imports of files have no cycles: a file must not import a file that imports it. A module declaration
//! and a re-export are not imports. An import through a re-export counts as an import of the file that declares
//! the name. Test modules are excluded.

use super::cycles_scan::{Source, scan};
use super::{Tree, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// The folders whose crates are checked.
const CHECKED_FOLDERS: [&str; 5] = ["passes/", "backends/", "driver/", "interpreter/", "runtime/"];
/// The file with the known import cycles; each line contains the files of one cycle.
const KNOWN_CYCLES: &str = "xtask/import-cycles.txt";
/// Maximum number of re-exports that the check follows for an import. A longer chain of re-exports would be a cycle of
/// names, which rustc refuses.
const MAX_HOPS: usize = 16;

/// The files of one crate by the path of their module.
type Modules<'a> = BTreeMap<Vec<String>, (&'a str, Source)>;

pub fn check(tree: &Tree) -> Verdict {
    let mut crates = BTreeMap::<&str, Modules>::new();
    let mut files = 0;
    for file in tree.with_ending(".rs").filter(|file| CHECKED_FOLDERS.iter().any(|folder| file.starts_with(folder))) {
        let Some((folder, inside)) = file.split_once("/src/").filter(|_| !is_test(file)) else { continue };
        let module = module_of(inside);
        let source = scan(&tree.read(file), &module);
        crates.entry(folder).or_default().insert(module, (file, source));
        files += 1;
    }
    if files == 0 {
        return Verdict::Skipped("no crate that the rule holds for yet".into());
    }
    let found: BTreeSet<String> = crates.values().flat_map(cycles).map(|cycle| cycle.join(" ")).collect();
    let text = tree.read(KNOWN_CYCLES);
    let listed: BTreeSet<String> =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).map(Into::into).collect();
    Verdict::of(compare(&found, &listed), format!("{files} files, {} cycles left to break up", found.len()))
}

/// Compares the found cycles with the known cycles. A change can remove files from a known cycle, but must
/// not add a file to the cycle.
fn compare(found: &BTreeSet<String>, listed: &BTreeSet<String>) -> Vec<String> {
    let new = found.difference(listed).map(|cycle| {
        let names: BTreeSet<&str> = cycle.split(' ').collect();
        match listed.iter().find(|old| names.is_subset(&old.split(' ').collect())) {
            Some(old) => format!("{KNOWN_CYCLES}: a cycle became smaller; write `{cycle}` instead of `{old}`"),
            None => format!("these files import each other: {cycle}; move the shared items to a separate file"),
        }
    });
    let gone = listed.difference(found).filter(|old| {
        let old: BTreeSet<&str> = old.split(' ').collect();
        !found.iter().any(|cycle| cycle.split(' ').all(|name| old.contains(name)))
    });
    let gone = gone.map(|old| format!("{KNOWN_CYCLES}: `{old}` is not a cycle of this tree; take the line out"));
    new.chain(gone).collect()
}

fn is_test(file: &str) -> bool {
    file.ends_with("tests.rs") || file.contains("/tests/")
}

/// The module path of a file: `optimize/unroll.rs` is `crate::optimize::unroll`, and `lib.rs` is the crate
/// root.
fn module_of(inside: &str) -> Vec<String> {
    let mut parts: Vec<String> = inside.trim_end_matches(".rs").split('/').map(str::to_string).collect();
    if parts.last().is_some_and(|last| last == "mod") || parts == ["lib"] || parts == ["main"] {
        parts.pop();
    }
    parts
}

/// The import cycles, each as a sorted list of two or more files that import each other directly or
/// indirectly.
fn cycles(modules: &Modules) -> Vec<Vec<String>> {
    let needs = modules.values().map(|(file, source)| {
        let targets = source.imports.iter().filter_map(|path| declared_in(modules, path, 0));
        (*file, targets.filter(|target| target != file).collect())
    });
    let needs: BTreeMap<&str, BTreeSet<&str>> = needs.collect();
    let reach: BTreeMap<&str, BTreeSet<&str>> = needs.keys().map(|file| (*file, reached(&needs, file))).collect();
    let mut found = BTreeSet::new();
    for (file, others) in &reach {
        let both: Vec<String> =
            others.iter().filter(|other| reach[*other].contains(file)).map(|name| name.to_string()).collect();
        if both.len() > 1 {
            found.insert(both);
        }
    }
    found.into_iter().collect()
}

fn reached<'a>(needs: &BTreeMap<&'a str, BTreeSet<&'a str>>, from: &'a str) -> BTreeSet<&'a str> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(file) = open.pop() {
        open.extend(needs[file].iter().filter(|next| seen.insert(**next)));
    }
    seen
}

/// The file that declares the item at an absolute path. The function follows re-exports and the imports of parent
/// modules.
fn declared_in<'a>(modules: &Modules<'a>, path: &[String], hops: usize) -> Option<&'a str> {
    let length = (0..=path.len()).rev().find(|length| modules.contains_key(&path[..*length]))?;
    let (file, source) = &modules[&path[..length]];
    let further = path.get(length).and_then(|name| source.names.get(name));
    match further.filter(|next| hops < MAX_HOPS && next.as_slice() != path) {
        Some(next) => {
            let next: Vec<String> = next.iter().chain(&path[length + 1..]).cloned().collect();
            declared_in(modules, &next, hops + 1)
        }
        None => Some(file),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::{files, findings};
    use super::*;

    #[test]
    fn two_files_that_import_each_other_are_named() {
        let tree = files(&[
            ("driver/src/lib.rs", "mod a; mod b; mod c;"),
            ("driver/src/a.rs", "use crate::b::B;"),
            ("driver/src/b.rs", "fn f() { super::c::g() }"),
            ("driver/src/c.rs", "use super::{a::{A, A2}, other};"),
            ("frontend/src/a.rs", "use crate::b;"),
            ("frontend/src/b.rs", "use crate::a;"),
        ]);
        let found = findings(check(&tree.tree));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("driver/src/a.rs driver/src/b.rs driver/src/c.rs"), "{found:?}");
    }

    #[test]
    fn mutual_calls_of_parent_and_child_are_a_cycle() {
        let tree = files(&[
            ("passes/src/x/mod.rs", "mod y; fn f() { y::g() }"),
            ("passes/src/x/y.rs", "use super::f; pub fn g() { f() }"),
        ]);
        assert!(findings(check(&tree.tree))[0].contains("passes/src/x/mod.rs passes/src/x/y.rs"));
    }

    #[test]
    fn declarations_re_exports_tests_and_words_are_not_imports() {
        let tree = files(&[
            ("runtime/core/src/lib.rs", "mod a; mod b;\npub use a::A;\npub(crate) use b::{B as C};\n"),
            (
                "runtime/core/src/a.rs",
                "use crate::C; // use crate::a\n#[cfg(test)]\nmod tests { use crate::b; fn f() { crate::b::g() } }",
            ),
            ("runtime/core/src/b.rs", "mod inner { use super::x; }\n#[cfg(test)] use crate::a;\n\"crate::a\""),
        ]);
        assert!(matches!(check(&tree.tree), Verdict::Passed(_)), "{:?}", check(&tree.tree));
        // Through the re-export, `a` imports `b`. The import of `A` in `b` closes the cycle between these files,
        // without lib.rs.
        std::fs::write(tree.tree.root.join("runtime/core/src/b.rs"), "use crate::A;").unwrap();
        let found = findings(check(&tree.tree));
        assert!(found[0].contains(": runtime/core/src/a.rs runtime/core/src/b.rs;"), "{found:?}");
    }

    #[test]
    fn the_list_only_shrinks() {
        let set = |lines: &[&str]| lines.iter().map(|line| line.to_string()).collect::<BTreeSet<_>>();
        assert!(compare(&set(&["a b"]), &set(&["a b"])).is_empty());
        assert!(compare(&set(&["a b"]), &set(&["a b c"]))[0].contains("smaller; write `a b`"));
        assert_eq!(compare(&set(&["a b"]), &set(&["a b c"])).len(), 1);
        assert!(compare(&set(&["a b c"]), &set(&["a b"]))[0].contains("import each other"));
        assert!(compare(&set(&[]), &set(&["a b"]))[0].contains("take the line out"));
    }
}
