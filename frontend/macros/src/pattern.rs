//! The names that patterns bind, and the patterns of numbers.
use crate::syntax::{self, is_constant_name};
use syn::visit::{self, Visit};
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
