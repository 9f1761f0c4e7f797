//! Blocks of a source file, and the items that each declares. Within a block, a name refers to the item that the block
//! declares.
use proc_macro2::Span;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

/// The blocks of a file.
#[derive(Default)]
struct Blocks {
    /// Positions (line, column), each with the number of the innermost block from there to the next position.
    from: Vec<((usize, usize), usize)>,
    /// Numbers of the blocks that are the file itself, or modules.
    modules: Vec<usize>,
    /// Structs and enums in each block, with whether they have parameters; `None` if two of one name differ.
    types: HashMap<(usize, String), Option<bool>>,
    /// Associated functions in blocks without a macro attribute: the enclosing block, the type or trait, and the name.
    of_the_host: HashSet<(usize, String, String)>,
    /// Traits without a macro attribute.
    plain_traits: HashSet<(usize, String)>,
    /// Names imported from Rust's library.
    of_std: HashSet<(usize, String)>,
    /// Names imported by paths that start outside of the crate, each after the first name of the path.
    imported: HashSet<(String, String)>,
    /// Constants and statics.
    constants: HashSet<String>,
    /// The modules that the file declares.
    declared: HashSet<String>,
    /// The last names of paths in a `use` that starts inside the crate, and `*` for all names of another file.
    near: HashSet<String>,
    /// Structs and enums that do not derive `CubeType`, each with whether it derives `CubeLaunch`.
    without_type: HashMap<(usize, String), bool>,
    /// Whether the file implements `CubeType` without the derive, or imports the derive under another name.
    types_by_hand: bool,
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The tokens of an item up to its braces or its end.
#[derive(Default)]
struct Header(Vec<String>);

impl Header {
    /// Whether the item has a condition, which can remove it.
    fn has_condition(&self) -> bool {
        self.0.iter().zip(self.0.iter().skip(2)).any(|(hash, word)| hash == "#" && word == "cfg")
    }

    /// Whether the item has neither a condition nor an attribute that can be a macro.
    fn is_plain(&self) -> bool {
        const LEVELS: [&str; 7] = ["allow", "expect", "warn", "deny", "doc", "must_use", "inline"];
        let words = self.0.iter().enumerate();
        words
            .filter(|(_, word)| *word == "#")
            .all(|(i, _)| self.0.get(i + 2).is_some_and(|word| LEVELS.contains(&word.as_str())))
    }

    /// Whether the item derives `CubeLaunch`; `None` if an attribute can add `CubeType`.
    fn without_type(&self) -> Option<bool> {
        const KNOWN: [&str; 8] = ["derive", "cube", "expand", "repr", "allow", "expect", "doc", "must_use"];
        let attributes = self.0.iter().enumerate().filter(|(_, word)| *word == "#");
        let known = |i: usize| self.0.get(i + 2).is_some_and(|word| KNOWN.contains(&word.as_str()));
        let has = |name: &str| self.0.iter().any(|word| word == name);
        let plain = !has("CubeType") && attributes.map(|(i, _)| i).all(known);
        plain.then(|| has("CubeLaunch"))
    }

    /// The trait, or the type of an inherent `impl`, without parameters; and whether it is a trait.
    fn owner(&self) -> Option<(&str, bool)> {
        if let Some(at) = self.0.iter().position(|word| word == "trait") {
            return Some((self.0.get(at + 1)?, true));
        }
        let at = self.0.iter().position(|word| word == "impl")?;
        let rest = &self.0[at + 1..];
        let simple = rest.iter().all(|word| !["for", "where", ":"].contains(&word.as_str()));
        let mut names = rest.iter().filter(|word| is_name(word));
        match (names.next(), rest.len()) {
            (Some(name), 1) if simple => Some((name, false)),
            _ => None,
        }
    }

    /// The names in a `use` whose path starts outside of the crate, each after the first name of the path.
    fn names_of_others(&self) -> Vec<(String, String)> {
        let words = self.0.iter().skip_while(|word| *word != "use").skip(1);
        let mut names = words.filter(|word| is_name(word));
        let first = names.next().filter(|first| !["crate", "self", "super"].contains(&first.as_str()));
        first.map(|first| names.map(|name| (first.clone(), name.clone())).collect()).unwrap_or_default()
    }

    /// The names that a `use` imports from the crate or an enclosing module. The module around an inline module is this
    /// file.
    fn near_names(&self, inline: bool) -> Vec<String> {
        let Some(at) = self.0.iter().position(|word| word == "use") else { return Vec::new() };
        let rest = &self.0[at + 1..];
        let first = rest.first().map(String::as_str).unwrap_or_default();
        if !["crate", "self", "super"].contains(&first) || (inline && first == "super" && rest.len() == 4) {
            return Vec::new();
        }
        let last = |i: usize| rest.get(i + 1).is_none_or(|next| [",", "}"].contains(&next.as_str()));
        let names = rest.iter().enumerate().filter(|(i, word)| last(*i) && (is_name(word) || *word == "*"));
        names.map(|(_, word)| word.clone()).collect()
    }

    /// The names that a `use` of Rust's library imports.
    fn imported(&self) -> Vec<String> {
        let Some(at) = self.0.iter().position(|word| word == "use") else { return Vec::new() };
        let rest = &self.0[at + 1..];
        if !rest.first().is_some_and(|home| ["std", "core", "alloc"].contains(&home.as_str()))
            || rest.contains(&"as".into())
            || self.has_condition()
        {
            return Vec::new();
        }
        let last = |i: usize| rest.get(i + 1).is_none_or(|next| [",", "}"].contains(&next.as_str()));
        let names = rest.iter().enumerate().filter(|(i, word)| last(*i) && is_name(word));
        names.map(|(_, word)| word.clone()).collect()
    }
}

static FILES: Mutex<Option<HashMap<String, Option<Blocks>>>> = Mutex::new(None);

/// The innermost block around a location, and whether it is a module; `None` if the file cannot be read.
pub fn block(at: Span) -> Option<(usize, bool)> {
    with(at, |blocks, number| (number, blocks.modules.contains(&number)))
}

/// Whether the block around a location declares a struct or enum of that name, and whether it has parameters.
pub fn has_parameters(at: Span, name: &str) -> Option<bool> {
    with(at, |blocks, number| blocks.types.get(&(number, name.to_string())).copied().flatten()).flatten()
}

/// Whether a type or trait of that block has the function, without `#[cube]` or a hand-written expansion.
pub fn is_of_the_host(at: Span, owner: &str, name: &str) -> bool {
    let key = |number, name: &str| (number, owner.to_string(), name.to_string());
    let (staged, of) = (format!("__expand_{name}"), |blocks: &Blocks, key| blocks.of_the_host.contains(&key));
    with(at, |blocks, number| of(blocks, key(number, name)) && !of(blocks, key(number, &staged))).unwrap_or_default()
}

/// Whether the block around a location declares a trait of that name without `#[cube]`.
pub fn is_plain_trait(at: Span, name: &str) -> bool {
    with(at, |blocks, number| blocks.plain_traits.contains(&(number, name.to_string()))).unwrap_or_default()
}

/// Whether a name in the file can belong to another crate.
pub fn is_of_another_crate(at: Span, name: &str) -> bool {
    let of = |blocks: &Blocks| {
        blocks.imported.iter().any(|(first, imported)| imported == name && !blocks.declared.contains(first))
    };
    with(at, |blocks, _| of(blocks)).unwrap_or(true)
}

/// Whether a name in the file can be a module of the crate: declared, imported, or included in a glob import.
pub fn may_be_module(at: Span, name: &str) -> bool {
    let of = |blocks: &Blocks| [&blocks.declared, &blocks.near].into_iter().any(|names| names.contains(name));
    with(at, |blocks, _| of(blocks) || blocks.near.contains("*")).unwrap_or(true)
}

/// Whether the file declares a module of that name.
pub fn declares(at: Span, name: &str) -> bool {
    with(at, |blocks, _| blocks.declared.contains(name)).unwrap_or_default()
}

/// Whether a name in the file is a struct or an enum, and not a constant.
pub fn is_type(at: Span, name: &str) -> bool {
    let has = |blocks: &Blocks| blocks.types.keys().any(|(_, known)| known == name) && !blocks.constants.contains(name);
    with(at, |blocks, _| has(blocks)).unwrap_or_default() && !is_of_another_crate(at, name)
}

/// Whether the file declares a trait of that name without `#[cube]`, in any block.
pub fn has_plain_trait(at: Span, name: &str) -> bool {
    with(at, |blocks, _| blocks.plain_traits.iter().any(|(_, known)| known == name)).unwrap_or_default()
}

/// Whether the block around a location imports a name from Rust's library.
pub fn is_of_std(at: Span, name: &str) -> bool {
    with(at, |blocks, number| blocks.of_std.contains(&(number, name.to_string()))).unwrap_or_default()
}

/// Whether a struct or enum of that block derives `CubeLaunch` and does not have `CubeType`.
pub fn launches_without_type(at: Span, name: &str) -> bool {
    without_type(at, name) == Some(true)
}

/// Whether a struct or enum of that block derives `CubeLaunch` without `CubeType`.
pub fn without_type(at: Span, name: &str) -> Option<bool> {
    let of = |blocks: &Blocks, number| blocks.without_type.get(&(number, name.to_string())).copied();
    with(at, |blocks, number| of(blocks, number).filter(|_| !blocks.types_by_hand)).flatten()
}

/// Whether the sources of the crate have one trait of that name. It reads all files, so it is called only after an
/// error.
pub fn is_only_trait(name: &str) -> bool {
    std::env::var_os("CARGO_MANIFEST_DIR").is_some_and(|root| is_only_trait_in(root.as_ref(), name))
}

fn is_only_trait_in(root: &std::path::Path, name: &str) -> bool {
    /// Limit on the number of files read in the search.
    const MOST: usize = 10_000;
    let (mut folders, mut count, mut files) = (vec![root.to_path_buf()], 0, 0);
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { return false };
        for path in entries.flatten().map(|entry| entry.path()) {
            let hidden =
                path.file_name().is_some_and(|name| name == "target" || name.to_string_lossy().starts_with('.'));
            if path.is_dir() && !hidden && !path.is_symlink() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let Ok(text) = std::fs::read_to_string(&path) else { return false };
                let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
                let mut before = "";
                count += words
                    .by_ref()
                    .filter(|word| std::mem::replace(&mut before, word) == "trait" && *word == name)
                    .count();
                files += 1;
            }
        }
        if files > MOST || count > 1 {
            return false;
        }
    }
    count == 1
}

fn with<T>(at: Span, work: impl FnOnce(&Blocks, usize) -> T) -> Option<T> {
    let start = at.start();
    let file = at.file();
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let read = || at.local_file().and_then(|path| std::fs::read_to_string(path).ok()).map(|text| blocks(&text));
    let blocks = files.get_or_insert_with(HashMap::new).entry(file).or_insert_with(read).as_ref()?;
    let after = blocks.from.partition_point(|(from, _)| *from <= (start.line, start.column));
    let number = after.checked_sub(1).map_or(0, |i| blocks.from[i].1);
    Some(work(blocks, number))
}

/// The blocks of a source, by its braces outside of literals and comments.
fn blocks(source: &str) -> Blocks {
    let chars: Vec<char> = source.chars().collect();
    let (mut found, mut open, mut count) = (Blocks { modules: vec![0], ..Blocks::default() }, vec![0], 0);
    // The tokens before a brace: `mod` and a name, or nothing.
    let mut before: Vec<String> = Vec::new();
    let mut header = Header::default();
    // The owner of the functions in each open block, with the enclosing block.
    let mut owners: Vec<Option<(usize, String)>> = vec![None];
    let (mut line, mut column, mut i) = (1, 0, 0);
    while i < chars.len() {
        let skipped = not_code(&chars[i..]);
        let here = &chars[i..i + skipped.max(1)];
        if skipped == 0 {
            if !here[0].is_whitespace()
                && let [.., word, name] = before.as_slice()
                && ["struct", "enum", "union"].contains(&word.as_str())
            {
                let key = (*open.last().unwrap_or(&0), name.clone());
                if let Some(launches) = header.without_type() {
                    found.without_type.insert(key.clone(), launches);
                }
                let generic = (!header.has_condition()).then_some(here[0] == '<');
                let known = found.types.entry(key).or_insert(generic);
                *known = known.filter(|known| Some(*known) == generic);
            }
            if let Some((around, owner)) = owners.last().and_then(Option::as_ref)
                && let [.., word, name] = before.as_slice()
                && word == "fn"
                && !here[0].is_whitespace()
                && !header.has_condition()
            {
                found.of_the_host.insert((*around, owner.clone(), name.clone()));
            }
            let around = *open.last().unwrap_or(&0);
            if let (':', [.., word, name]) = (here[0], before.as_slice())
                && word == "const"
            {
                found.constants.insert(name.clone());
            }
            if let (';' | '{', [.., word, name]) = (here[0], before.as_slice())
                && word == "mod"
            {
                found.declared.insert(name.clone());
            }
            match here[0] {
                '{' if header.0.first().is_none_or(|word| word != "use") => {
                    let owner = header.owner().filter(|_| header.is_plain());
                    if let Some((name, true)) = owner {
                        found.plain_traits.insert((around, name.to_string()));
                    }
                    owners.push(owner.map(|(name, _)| (around, name.to_string())));
                    count += 1;
                    open.push(count);
                    found.from.push(((line, column + 1), count));
                    if matches!(before.as_slice(), [.., word, _] if word == "mod") {
                        found.modules.push(count);
                    }
                }
                ';' => {
                    found.of_std.extend(header.imported().into_iter().map(|name| (around, name)));
                    found.near.extend(header.near_names(around != 0));
                    found.imported.extend(header.names_of_others());
                }
                '}' if open.len() > 1 && header.0.first().is_none_or(|word| word != "use") => {
                    open.pop();
                    owners.pop();
                    found.from.push(((line, column), *open.last().unwrap_or(&0)));
                }
                _ => {}
            }
            if !here[0].is_whitespace() {
                before.clear();
                let of_use = header.0.first().is_some_and(|word| word == "use");
                match here[0] {
                    '{' | '}' if !of_use => header.0.clear(),
                    ';' => header.0.clear(),
                    sign => header.0.push(sign.to_string()),
                }
            }
        } else if here[0].is_alphanumeric() || here[0] == '_' {
            let word: String = here.iter().collect();
            let hand = ["for", "as"].contains(&word.as_str());
            found.types_by_hand |= hand && header.0.last().is_some_and(|last| last == "CubeType");
            before.push(word);
            header.0.push(here.iter().collect());
        }
        for c in here {
            (line, column) = if *c == '\n' { (line + 1, 0) } else { (line, column + 1) };
        }
        i += here.len();
    }
    found
}

/// The number of characters of a literal, a comment, or an identifier that can prefix a literal.
fn not_code(rest: &[char]) -> usize {
    let at = |i: usize| rest.get(i).copied().unwrap_or('\0');
    match (at(0), at(1)) {
        ('/', '/') => rest.iter().position(|c| *c == '\n').unwrap_or(rest.len()),
        ('/', '*') => comment(rest),
        ('"', _) => text(rest, 1),
        ('\'', '\\') => 2 + rest.iter().skip(3).position(|c| *c == '\'').map_or(0, |n| n + 2),
        ('\'', _) if at(2) == '\'' => 3,
        (c, _) if c.is_alphanumeric() || c == '_' => word(rest),
        _ => 0,
    }
}

/// Length of an identifier, and of the literal that it prefixes.
fn word(rest: &[char]) -> usize {
    let end = rest.iter().position(|c| !(c.is_alphanumeric() || *c == '_')).unwrap_or(rest.len());
    let prefix: String = rest[..end].iter().collect();
    let marks = rest[end..].iter().take_while(|c| **c == '#').count();
    match prefix.as_str() {
        "r" | "br" | "cr" if rest.get(end + marks) == Some(&'"') => {
            let close = |i: usize| rest[i] == '"' && rest[i + 1..].iter().take_while(|c| **c == '#').count() >= marks;
            let from = end + marks + 1;
            (from..rest.len()).find(|i| close(*i)).map_or(rest.len(), |i| i + 1 + marks)
        }
        "b" | "c" if rest.get(end) == Some(&'"') => text(rest, end + 1),
        _ => end,
    }
}

/// Length of a literal whose first character is at `from`.
fn text(rest: &[char], from: usize) -> usize {
    let mut i = from;
    while i < rest.len() {
        match rest[i] {
            '\\' => i += 2,
            '"' => return i + 1,
            _ => i += 1,
        }
    }
    rest.len()
}

/// Length of a comment, which can contain others.
fn comment(rest: &[char]) -> usize {
    let (mut depth, mut i) = (0, 0);
    while i + 1 < rest.len() {
        match (rest[i], rest[i + 1]) {
            ('/', '*') => (depth, i) = (depth + 1, i + 2),
            ('*', '/') => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            return i;
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::{blocks, is_only_trait_in};

    #[test]
    fn functions_without_a_macro() {
        let source = "use std::{time::Instant, sync::{Arc}}; #[cube] impl A { fn a() {} } #[allow(x)] impl A { fn b<T>() {} } impl T for A { fn c() {} }
            trait T { fn c(); } #[cube] trait U { fn d(); } impl<X> B<X> { fn e() {} }";
        let found = blocks(source);
        let mut host: Vec<_> =
            found.of_the_host.iter().map(|(block, owner, name)| format!("{block} {owner} {name}")).collect();
        host.sort();
        assert_eq!(host, ["0 A b", "0 T c"]);
        assert_eq!(found.plain_traits.len(), 1);
        let mut imported: Vec<_> = found.of_std.iter().map(|(_, name)| name.as_str()).collect();
        imported.sort_unstable();
        assert_eq!(imported, ["Arc", "Instant"]);
    }

    #[test]
    fn an_item_with_a_condition_counts_as_unknown() {
        let found = blocks(
            "#[cfg(any())] struct A; #[derive(B)] #[cfg(all())] struct C<T>(T); #[doc(cfg)] struct D; #[cfg(a)] trait T {}
             #[cfg(a)] impl D { fn a() {} } impl D { #[cfg(a)] fn b() {} fn c() {} } #[cfg(a)] use std::sync::Arc; use std::rc::Rc;",
        );
        let of = |name: &str| found.types[&(0, name.to_string())];
        assert_eq!([of("A"), of("C"), of("D")], [None, None, Some(false)]);
        assert_eq!(found.of_the_host.into_iter().map(|(_, _, name)| name).collect::<Vec<_>>(), ["c"]);
        assert_eq!(found.of_std.into_iter().map(|(_, name)| name).collect::<Vec<_>>(), ["Rc"]);
        assert!(found.plain_traits.is_empty());
    }

    #[test]
    fn launches_without_types() {
        let of = |source: &str| {
            let found = blocks(source);
            let mut names: Vec<_> = found
                .without_type
                .into_iter()
                .filter(|(_, launches)| *launches)
                .map(|((block, name), _)| format!("{block} {name}"))
                .collect();
            names.sort();
            (names, found.types_by_hand)
        };
        let source = "#[derive(CubeLaunch, Clone)] pub struct A { x: u8 } #[derive(CubeType, CubeLaunch)] struct B(u8);
            #[other] #[derive(CubeLaunch)] struct C; mod m { #[derive(CubeLaunch)] enum D { E } } #[derive(CubeType)] #[derive(CubeLaunch)] struct F;";
        assert_eq!(of(source), (vec!["0 A".to_string(), "2 D".to_string()], false));
        assert!(of("impl CubeType for A {}").1 && of("use cubecl::CubeType as T;").1);
    }

    #[test]
    fn a_trait_is_counted_in_all_files() {
        let root = std::env::temp_dir().join(format!("cube-traits-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("src/a.rs", "pub trait Act { fn f(); } trait Other {}");
        write("src/deep/b.rs", "impl Act for A {} pub(crate) trait Other: Act {}");
        write("target/c.rs", "trait Act {}");
        let (one, two) = (is_only_trait_in(&root, "Act"), is_only_trait_in(&root, "Other"));
        std::fs::remove_dir_all(&root).unwrap();
        assert!(one && !two && !is_only_trait_in(&root, "Act"));
    }

    #[test]
    fn imports_begin_at_a_crate_or_a_module() {
        let found = blocks(
            "use other::{Act, deep::Mul as M}; mod near { pub trait P {} } use near::P; pub(crate) use crate::Q; use super::R;",
        );
        let of = |first: &str, name: &str| found.imported.contains(&(first.to_string(), name.to_string()));
        assert!(of("other", "Act") && of("other", "M") && of("near", "P") && !of("crate", "Q") && !of("super", "R"));
        assert!(found.declared.contains("near") && !found.declared.contains("other"));
        let near = |source: &str| {
            let mut names: Vec<_> = blocks(source).near.into_iter().collect();
            names.sort();
            names
        };
        assert_eq!(
            near("use crate::a::{b, std as c}; use super::d; use std::mem; mod m { use super::*; }"),
            ["b", "c", "d"]
        );
        assert_eq!(near("use crate::e::*;"), ["*"]);
    }

    #[test]
    fn types_are_those_of_their_block() {
        let found = blocks("struct A; mod m { struct A<T>(T); enum B { C } } struct D { x: u8 } struct D<T> { x: T }");
        let of = |block, name: &str| found.types.get(&(block, name.to_string())).copied();
        assert_eq!(
            [of(0, "A"), of(1, "A"), of(1, "B"), of(0, "B")],
            [Some(Some(false)), Some(Some(true)), Some(Some(false)), None]
        );
        assert_eq!(of(0, "D"), Some(None));
    }

    #[test]
    fn braces_in_literals_and_comments_are_ignored() {
        let source = "mod a { // {\n  /* { /* } */ */ fn f<'a>() { let c = ['{', '\\'', 'x']; r#\"{\"{\"#; b\"\\\"{\"; }\n}\nmod b {\n}";
        let found = blocks(source);
        let at =
            |line, column| found.from.iter().take_while(|(from, _)| *from <= (line, column)).last().map_or(0, |f| f.1);
        assert_eq!((found.from.len(), &found.modules), (6, &vec![0, 1, 3]));
        // `mod a`, inside it, inside `f`, after `f`, between the modules, inside `mod b`.
        assert_eq!([at(1, 0), at(1, 8), at(2, 40), at(2, 99), at(3, 1), at(4, 7)], [0, 1, 2, 1, 0, 3]);
    }
}
