//! Compares the macros' lists of names with the sources of the kernel language.
use cube_names::*;
use cube_target::Number;
use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::path::Path;

/// Collects all identifiers in the kernel language's sources. The identifiers in macro bodies are included,
/// because macros declare most methods.
fn words_of(folder: &Path, out: &mut BTreeSet<String>) {
    fn of_tokens(tokens: TokenStream, out: &mut BTreeSet<String>) {
        for tree in tokens {
            match tree {
                TokenTree::Ident(ident) => drop(out.insert(ident.to_string())),
                TokenTree::Group(group) => of_tokens(group.stream(), out),
                _ => {}
            }
        }
    }
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            words_of(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            of_tokens(std::fs::read_to_string(&path).unwrap().parse().unwrap(), out);
        }
    }
}

/// The names of the methods that kernel values have.
fn methods() -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for part in ["core", "std"] {
        words_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(part).join("src"), &mut words);
    }
    let declared = words.iter().filter_map(|word| word.strip_prefix("__expand_")?.strip_suffix("_method"));
    // The macro generates the expansions of `#[cube]` traits and impls of the library. The tables generate the others.
    declared.chain(OF_ONE.iter().chain(OF_TWO).map(|(_, name)| *name)).map(str::to_string).collect()
}

#[test]
fn methods_without_a_fallback_are_methods_of_the_language() {
    let methods = methods();
    let unknown: Vec<_> = frequent_methods().chain(OF_MEMORY).filter(|name| !methods.contains(*name)).collect();
    assert!(unknown.is_empty(), "no value of a kernel has these methods, remove them from the list: {unknown:?}");
}

#[test]
fn function_names_are_unique() {
    let one: Vec<&str> = OF_ONE.iter().chain(OF_TWO).map(|(_, name)| *name).collect();
    let topology: Vec<&str> = TOPOLOGY.to_vec();
    let frequent: Vec<&str> = frequent_methods().collect();
    for list in [&one[..], &frequent, &topology, Number::NAMES] {
        let once: BTreeSet<_> = list.iter().collect();
        assert_eq!(once.len(), list.len(), "{list:?}");
    }
}
