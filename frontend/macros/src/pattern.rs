//! Patterns: the names that patterns bind, and the patterns' translation in the expansion.
use crate::scope::Context;
use crate::syntax::{self, is_constant_name};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Ident, Pat};

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
        Pat::Ident(ident) => match &ident.subpat {
            Some((_, inner)) => is_numeric(inner),
            None => is_constant_name(&ident.ident),
        },
        Pat::Path(path) => syntax::is_constant_path(&path.path),
        _ => false,
    }
}

/// Translates a pattern without structs and variants, whose names the expansion binds directly.
pub fn staged(cx: &mut Context, pat: &Pat) -> Pat {
    let mut pat = pat.clone();
    Staged(cx).visit_pat_mut(&mut pat);
    pat
}

struct Staged<'a>(&'a mut Context);

impl VisitMut for Staged<'_> {
    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        let of_option =
            |path: &syn::Path| path.segments.last().is_some_and(|s| ["Some", "Ok", "Err"].iter().any(|n| s.ident == n));
        match pat {
            Pat::TupleStruct(p) if !of_option(&p.path) => drop(self.0.refuse(&*p, REST_IS_LAST)),
            Pat::Reference(p) => {
                *pat = (*p.pat).clone();
                return self.visit_pat_mut(pat);
            }
            Pat::Slice(_) => drop(self.0.refuse(&*pat, NO_SLICES)),
            // `mut` and `ref` apply to the body as written. A staged value is bound directly.
            Pat::Ident(p) => (p.mutability, p.by_ref) = (None, None),
            _ => {}
        }
        visit_mut::visit_pat_mut(self, pat);
    }
}

/// The error for a slice pattern.
const NO_SLICES: &str = "slice patterns are not supported in a kernel; read the elements by their indices";

/// The error for `..` before other parts of a pattern with a path.
const REST_IS_LAST: &str = "`..` is the last part of a struct pattern in a kernel; write `_` for the other parts";

/// The elements of a pattern before `..`; `None` if elements follow.
pub fn before_rest(elems: &syn::punctuated::Punctuated<Pat, syn::Token![,]>) -> Option<Vec<Pat>> {
    let rest = elems.iter().position(|element| matches!(element, Pat::Rest(_))).unwrap_or(elems.len());
    (rest + 1 >= elems.len()).then(|| elems.iter().take(rest).cloned().collect())
}
