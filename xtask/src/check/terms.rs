//! Checks that the glossary links each standard term of GPU programming to the page about the term. A row of the
//! glossary must contain the term and a link to the page. The page must contain the word that corresponds to the
//! term.

use super::{Tree, Verdict};

/// The page with the table of terms.
const GLOSSARY: &str = "docs/glossary.md";

/// The line by which rustdoc shows the glossary, and its file.
const IN_RUSTDOC: (&str, &str) = ("cube/src/lib.rs", "doc = include_str!(\"../../docs/glossary.md\")");

/// A term, the page in `docs/` that explains the term, and the word that this page must contain.
const TERMS: [(&str, &str, &str); 46] = [
    ("warp", "reference/dialect.md", "cube.topology"),
    ("wavefront", "why/amdgpu.md", "planes of"),
    ("subgroup", "reference/dialect.md", "cube.topology"),
    ("workgroup", "reference/dialect.md", "cube.topology"),
    ("block", "reference/dialect.md", "cube.topology"),
    ("grid", "reference/dialect.md", "cube.topology"),
    ("thread index", "reference/dialect.md", "cube.topology"),
    ("shared memory", "reference/dialect.md", "cube.alloc"),
    ("barrier", "why/control-and-memory.md", "barrier"),
    ("atomics", "reference/dialect.md", "cube.atomic_rmw"),
    ("shuffle", "reference/dialect.md", "cube.plane_shuffle"),
    ("divergence", "why/control-and-memory.md", "diverge"),
    ("occupancy", "reference/targets.md", "occupancy"),
    ("register pressure", "reference/targets.md", "registers"),
    ("spill", "reference/targets.md", "registers"),
    ("latency", "reference/targets.md", "latenc"),
    ("bank conflict", "layouts.md", "bank conflict"),
    ("swizzle", "layouts.md", "swizzle"),
    ("coalescing", "layouts.md", "coalescing"),
    ("tile", "layouts.md", "tile"),
    ("vectorise", "why/cpu-vectors.md", "vector"),
    ("unrolling", "reference/passes.md", "unroll"),
    ("launch bounds", "reference/dialect.md", "cube_dim"),
    ("tensor core", "why/async.md", "tensor core"),
    ("asynchronous copy", "why/async.md", "asynchronous cop"),
    ("fast-math", "math.md", "fast-math"),
    ("mixed precision", "why/element-types.md", "f16"),
    ("JIT", "embedding.md", "compile"),
    ("streams", "why/runtime.md", "stream"),
    ("pinned", "why/runtime.md", "pinned"),
    ("autotuning", "from-cubecl.md", "autotune"),
    ("comptime", "why/frontend.md", "comptime"),
    ("vectorize", "why/cpu-vectors.md", "vector"),
    ("graph capture", "clients.md", "graph"),
    ("cooperative groups", "reference/dialect.md", "cube.sync"),
    ("debugger", "debugging.md", "gdb"),
    ("spilling", "reference/targets.md", "registers"),
    ("vectorisation", "why/cpu-vectors.md", "vector"),
    ("event", "why/runtime.md", "event"),
    ("texture", "reference/dialect.md", "cube.load"),
    ("constant memory", "why/wgpu.md", "uniform"),
    ("trip count", "why/control-and-memory.md", "trip count"),
    ("staged value", "why/frontend.md", "staged"),
    ("host value", "why/frontend.md", "host value"),
    ("window", "why/rewrite-rules.md", "window"),
    ("fragment", "reference/passes.md", "fragments"),
];

pub fn check(tree: &Tree) -> Verdict {
    if !tree.has(GLOSSARY) {
        return Verdict::Skipped("no glossary yet".into());
    }
    let glossary = tree.read(GLOSSARY);
    let mut findings: Vec<String> = TERMS.iter().filter_map(|term| wrong(tree, &glossary, term)).collect();
    let (file, line) = IN_RUSTDOC;
    if !tree.read(file).contains(line) {
        findings.push(format!("{file} does not contain `{line}`, so rustdoc does not show the glossary"));
    }
    Verdict::of(findings, format!("{} terms lead to their pages", TERMS.len()))
}

/// The error about a term; `None` if the glossary links the term to the correct page.
fn wrong(tree: &Tree, glossary: &str, (term, page, word): &(&str, &str, &str)) -> Option<String> {
    let has = |text: &str, word: &str| text.to_lowercase().contains(&word.to_lowercase());
    let first = |row: &str| row.split('|').nth(1).unwrap_or_default().to_string();
    let mut rows = glossary.lines().filter(|line| line.starts_with('|') && has(&first(line), term));
    if !rows.any(|row| row.contains(&format!("({page}"))) {
        return Some(format!("{GLOSSARY}: no row begins with `{term}` and links {page}"));
    }
    let file = format!("docs/{page}");
    (!has(&tree.read(&file), word)).then(|| format!("{file}: `{term}` leads here, but the page lacks `{word}`"))
}

#[cfg(test)]
mod tests {
    use super::super::fake::files;
    use super::*;

    #[test]
    fn a_term_without_a_row_or_a_word_is_found() {
        let row = "| memory, bank conflict | [layouts](layouts.md) |\n| bank | [other](other.md) |\n";
        let tree = files(&[(GLOSSARY, row), ("docs/layouts.md", "Bank conflicts are counted.")]);
        let of = |term, page, word| wrong(&tree.tree, row, &(term, page, word));
        assert_eq!(of("bank conflict", "layouts.md", "bank conflict"), None);
        assert!(of("occupancy", "layouts.md", "bank").is_some_and(|fault| fault.contains("no row begins with")));
        assert!(of("bank conflict", "other.md", "bank").is_some_and(|fault| fault.contains("links other.md")));
        assert!(of("bank conflict", "layouts.md", "swizzle").is_some_and(|fault| fault.contains("lacks `swizzle`")));
    }
}
