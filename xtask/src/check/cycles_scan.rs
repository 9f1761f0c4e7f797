//! Finds the imports of a Rust file: every path in its code that begins with `crate`, `super`, `self` or a child
//! module.

use super::scan::code_of;
use std::collections::BTreeMap;

/// A file's imports, as paths from the root of its crate.
#[derive(Debug, Default)]
pub struct Source {
    /// The paths that the code of the file uses.
    pub imports: Vec<Vec<String>>,
    /// The names that the `use` items of the file import or re-export, with their paths.
    pub names: BTreeMap<String, Vec<String>>,
}

/// Parses the source of the module `module`.
pub fn scan(source: &str, module: &[String]) -> Source {
    let code = without_tests(&code_of(source));
    let tokens = tokens(&code);
    let children = tokens.windows(3).filter(|three| three[0] == "mod" && three[2] == ";").map(|three| three[1]);
    let mut reader = Reader {
        children: children.collect(),
        tokens,
        at: 0,
        module,
        inner: Vec::new(),
        depth: 0,
        source: Source::default(),
    };
    while reader.at < reader.tokens.len() {
        reader.step();
    }
    reader.source
}

struct Reader<'a> {
    tokens: Vec<&'a str>,
    at: usize,
    module: &'a [String],
    /// The inline modules that contain the current position, each with the nesting depth of its opening
    /// brace.
    inner: Vec<(&'a str, usize)>,
    depth: usize,
    children: Vec<&'a str>,
    source: Source,
}

impl<'a> Reader<'a> {
    fn token(&self, at: usize) -> &'a str {
        self.tokens.get(at).copied().unwrap_or_default()
    }

    fn step(&mut self) {
        let token = self.token(self.at);
        match token {
            "mod" if self.token(self.at + 2) == "{" => {
                self.inner.push((self.token(self.at + 1), self.depth));
                self.depth += 1;
                self.at += 3;
                return;
            }
            "{" => self.depth += 1,
            "}" => {
                self.depth = self.depth.saturating_sub(1);
                if self.inner.last().is_some_and(|(_, depth)| *depth == self.depth) {
                    self.inner.pop();
                }
            }
            "use" => {
                let exported = self.at > 0 && matches!(self.token(self.at - 1), "pub" | ")");
                self.at += 1;
                return self.tree(&mut Vec::new(), Some(exported));
            }
            _ if is_name(token)
                && self.token(self.at + 1) == "::"
                && (self.at == 0 || self.token(self.at - 1) != "::") =>
            {
                return self.tree(&mut Vec::new(), None);
            }
            _ => {}
        }
        self.at += 1;
    }

    /// Parses a path, or the tree of a `use` item, that continues the segments `before`. The flag `exported`
    /// marks a re-export.
    fn tree(&mut self, before: &mut Vec<&'a str>, exported: Option<bool>) {
        let known = before.len();
        loop {
            let token = self.token(self.at);
            if token == "{" && exported.is_some() {
                self.at += 1;
                while !matches!(self.token(self.at), "}" | ";" | "") {
                    self.tree(before, exported);
                    self.at += usize::from(self.token(self.at) == ",");
                }
                self.at += usize::from(self.token(self.at) == "}");
                break;
            }
            if !is_name(token) && token != "*" {
                // A turbofish or another token that ends the path. The parser skips the token to make progress.
                self.at += usize::from(exported.is_some() && !matches!(token, "," | "}" | ";" | ""));
                self.leaf(before, exported, None);
                break;
            }
            self.at += 1;
            before.push(token);
            if self.token(self.at) == "::" {
                self.at += 1;
                continue;
            }
            let alias = (exported.is_some() && self.token(self.at) == "as").then(|| self.token(self.at + 1));
            self.at += if alias.is_some() { 2 } else { 0 };
            self.leaf(before, exported, alias);
            break;
        }
        before.truncate(known);
    }

    fn leaf(&mut self, path: &[&'a str], exported: Option<bool>, alias: Option<&str>) {
        let Some(full) = self.absolute(path) else { return };
        let last = path.last().copied().unwrap_or_default();
        if let (Some(_), true) = (exported, self.inner.is_empty()) {
            let name = alias.or(if last == "self" { path.iter().rev().nth(1).copied() } else { Some(last) });
            self.source.names.insert(name.unwrap_or_default().into(), full.clone());
        }
        if exported != Some(true) {
            self.source.imports.push(full);
        }
    }

    /// The absolute path in the crate; `None` for a path into another crate, or to a name that is in scope.
    fn absolute(&self, path: &[&str]) -> Option<Vec<String>> {
        let inner: Vec<String> = self.inner.iter().map(|(name, _)| name.to_string()).collect();
        let mut full = [self.module, &inner].concat();
        let mut rest = path;
        match path.first()? {
            &"crate" => (full, rest) = (Vec::new(), &path[1..]),
            &"self" if path.len() > 1 => rest = &path[1..],
            &"super" => {}
            child if inner.is_empty() && path.len() > 1 && self.children.contains(child) => {}
            _ => return None,
        }
        for segment in rest.iter().filter(|segment| !matches!(**segment, "*" | "self")) {
            match *segment {
                "super" => drop(full.pop()?),
                name => full.push(name.to_string()),
            }
        }
        Some(full)
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Replaces each item with the attribute `#[cfg(test)]` by spaces.
fn without_tests(code: &str) -> String {
    let mut kept = String::new();
    let mut rest = code;
    while let Some((before, after)) = rest.split_once("#[cfg(test)]") {
        kept.push_str(before);
        let (mut depth, mut end) = (0usize, after.len());
        for (at, c) in after.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 && matches!(c, '}' | ';') {
                end = at + 1;
                break;
            }
        }
        // An item such as `use a::{b, c};` continues after its brace.
        rest = after[end..].strip_prefix(';').unwrap_or(&after[end..]);
    }
    kept + rest
}

/// Splits code into tokens: a name, `::`, or a single other character.
fn tokens(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if rest.starts_with("::") => 2,
            c if c.is_alphanumeric() || c == '_' => {
                rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
            }
            c => c.len_utf8(),
        };
        found.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imports(source: &str) -> Vec<String> {
        let module = ["a".to_string(), "b".to_string()];
        scan(source, &module).imports.iter().map(|path| path.join("::")).collect()
    }

    #[test]
    fn paths_are_read_from_the_root() {
        assert_eq!(imports("use crate::x::{self, y::*, Z as W}; use super::q;"), ["x", "x::y", "x::Z", "a::q"]);
        assert_eq!(imports("mod c; fn f() { c::g::<u8>(); std::mem::take(x); Self::h() }"), ["a::b::c::g"]);
        assert_eq!(
            imports("mod inner { use super::super::q; use crate::x; } use self::k::K;"),
            ["a::q", "x", "a::b::k::K"]
        );
        assert_eq!(imports("super::super::super::super::x;"), [""; 0]);
    }

    #[test]
    fn a_source_cut_short_ends() {
        for source in [
            "use",
            "use crate::",
            "use crate::{",
            "use crate::{a::{",
            "crate::",
            "mod",
            "use {;",
            "<T as X>::f",
            "::a",
            "use<>",
            "#[cfg(test)]",
        ] {
            scan(source, &[]);
        }
        assert!(scan("pub use self::c::D;", &[]).names.contains_key("D"));
    }
}
