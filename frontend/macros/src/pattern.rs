//! Patterns: the names that patterns bind, and the patterns' translation in the expansion.
use crate::names::expand_name;
use crate::scope::Context;
use crate::syntax;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Ident, Pat, Path};

/// The names that a pattern binds, each with a flag that is true for `mut`.
pub fn bindings(pat: &Pat) -> Vec<(Ident, bool)> {
    struct Names(Vec<(Ident, bool)>);
    impl Visit<'_> for Names {
        fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
            // A name that begins with a capital letter is a constant or a variant.
            let upper = pat.ident.to_string().starts_with(|c: char| c.is_ascii_uppercase());
            if !upper && !self.0.iter().any(|(name, _)| *name == pat.ident) {
                self.0.push((pat.ident.clone(), pat.mutability.is_some()));
            }
            visit::visit_pat_ident(self, pat);
        }
        fn visit_expr(&mut self, _: &syn::Expr) {}
    }
    let mut names = Names(Vec::new());
    names.visit_pat(pat);
    names.0
}

/// Whether the pattern binds `name` with `ref`.
pub fn is_by_ref(pat: &Pat, name: &Ident) -> bool {
    let binds = |pat: &Pat| matches!(pat, Pat::Ident(pat) if pat.ident == *name && pat.by_ref.is_some());
    syntax::pat_has(pat, &|pat| binds(pat).then_some(true))
}

/// Whether the pattern compares a number: with a literal, a range, a constant, a bound name, or alternatives of
/// such patterns.
pub fn is_numeric(pat: &Pat) -> bool {
    match pat {
        Pat::Lit(_) | Pat::Range(_) => true,
        Pat::Or(or) => or.cases.iter().any(is_numeric),
        Pat::Paren(inner) => is_numeric(&inner.pat),
        Pat::Tuple(tuple) => tuple.elems.iter().any(is_numeric),
        Pat::Ident(ident) => match &ident.subpat {
            Some((_, inner)) => is_numeric(inner),
            None => is_constant_name(&ident.ident),
        },
        Pat::Path(path) => path.path.segments.last().is_some_and(|s| is_constant_name(&s.ident)),
        _ => false,
    }
}

/// Whether a name consists of capital letters, like the names of constants.
pub fn is_constant_name(name: &Ident) -> bool {
    let text = name.to_string();
    text.len() > 1 && text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Translates a pattern to the staged forms of enums and structs: `Foo::A(x)` becomes `FooExpand::A(x)`.
pub fn staged(cx: &mut Context, pat: &Pat) -> Pat {
    let mut pat = pat.clone();
    Staged(cx).visit_pat_mut(&mut pat);
    pat
}

struct Staged<'a>(&'a mut Context);

impl Staged<'_> {
    /// Records a struct that is possibly undefined. Returns whether the struct was recorded.
    fn note(&mut self, path: &Path) -> bool {
        let option = |name: &&Ident| ["Some", "None", "Ok", "Err"].iter().any(|known| name == known);
        path.get_ident().filter(|name| !option(name)).is_some_and(|name| self.0.record_struct(name))
    }
}

impl VisitMut for Staged<'_> {
    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        match pat {
            Pat::Path(p) => rename(&mut p.path, false, self.0),
            Pat::Struct(p) => {
                rename(&mut p.path, true, self.0);
                self.note(&p.path);
                // The staged struct has an additional field.
                p.rest.get_or_insert_with(|| syn::PatRest { attrs: Vec::new(), dot2_token: Default::default() });
                if !p.fields.empty_or_trailing() {
                    p.fields.push_punct(Default::default());
                }
            }
            Pat::TupleStruct(p) => {
                let open = p.elems.iter().any(|element| matches!(element, Pat::Rest(_)));
                rename(&mut p.path, true, self.0);
                if !open && self.note(&p.path) {
                    // The pattern names the fields, so that rustc also accepts it for a type with an error that is
                    // already reported.
                    let (path, elements, index) = (&p.path, p.elems.iter(), (0..p.elems.len()).map(syn::Index::from));
                    *pat = syn::parse_quote!(#path { #(#index: #elements,)* .. });
                    return visit_mut::visit_pat_mut(self, pat);
                }
            }
            Pat::Reference(p) => {
                *pat = (*p.pat).clone();
                return self.visit_pat_mut(pat);
            }
            Pat::Slice(_) => {
                self.0
                    .refuse(&*pat, "slice patterns are not supported in a kernel; read the elements by their indices");
            }
            // `mut` and `ref` apply to the body as written. A staged value is bound directly.
            Pat::Ident(p) => {
                p.mutability = None;
                p.by_ref = None;
            }
            _ => {}
        }
        visit_mut::visit_pat_mut(self, pat);
    }
}

/// Renames a path to the name of its staged form. `has_fields` is false if the pattern is only a path.
fn rename(path: &mut Path, has_fields: bool, cx: &mut Context) {
    let self_name = cx.self_name.clone();
    let staged_name =
        |name: &Ident| expand_name(if name == "Self" { self_name.as_ref().unwrap_or(name) } else { name });
    let count = path.segments.len();
    let named = |i: usize, names: &[&str]| names.iter().any(|n| path.segments[i].ident == n);
    let alone = count == 1 && named(0, &["Some", "None", "Ok", "Err"]);
    if alone || (count >= 2 && named(count - 2, &["Option", "Result"])) {
        return;
    }
    if count >= 2 {
        let name = &mut path.segments[count - 2];
        name.ident = staged_name(&name.ident);
        name.arguments = syn::PathArguments::None;
        let variant = &mut path.segments[count - 1];
        variant.ident = crate::names::variant(&variant.ident);
    } else if count == 1 && has_fields {
        path.segments[0].ident = staged_name(&path.segments[0].ident);
        path.segments[0].arguments = syn::PathArguments::None;
    }
}
