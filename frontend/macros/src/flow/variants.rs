//! Patterns of imported enums and structs. Their generic parameters are unknown here, and their staged forms need not
//! be imported. Functions of the enum match its variants, so that the enum's name is enough.
//!
//! ```text
//! match shape { Shape::Circle(r) => A }    if let Some(part) = Shape::__expand_as_Circle(shape) { let r = part._0; A }
//! ```
use crate::expr::is_type_name;
use crate::names::{self, private};
use crate::pattern::{self, is_constant_name};
use crate::scope::Context;
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Ident, Member, Pat, Path};

/// Whether a path leads to a variant of an imported enum.
pub fn is_imported(cx: &mut Context, path: &Path) -> bool {
    let mut owner = path.clone();
    let variant = owner.segments.pop().map(|pair| pair.into_value().ident);
    owner.segments.pop_punct();
    let (Some(variant), Some(last)) = (variant, owner.segments.last_mut()) else { return false };
    let upper = variant.to_string().starts_with(|c: char| c.is_ascii_uppercase()) && !is_constant_name(&variant);
    if !upper || !is_type_name(&last.ident.to_string()) || last.ident == "Option" || last.ident == "Result" {
        return false;
    }
    if let Some(name) = cx.self_name.as_ref().filter(|_| last.ident == "Self") {
        last.ident = name.clone();
    }
    cx.known_type(&owner, true).is_none()
}

/// `Shape::__expand_WORD_Variant`.
pub fn function(cx: &mut Context, path: &Path, word: &str, arguments: usize) -> TokenStream {
    let mut path = path.clone();
    for segment in &mut path.segments {
        if let syn::PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
            arguments.colon2_token.get_or_insert_default();
        }
    }
    if let Some(last) = path.segments.last_mut() {
        let name = format_ident!("{}_{}", word, names::unraw(&last.ident), span = last.ident.span());
        cx.variant_matched(&name, arguments);
        last.ident = names::function(&name);
    }
    quote!(#path)
}

/// The subpatterns of a variant pattern, by the variant's field names; `None` for other patterns.
fn parts(cx: &mut Context, pat: &Pat) -> Option<(Path, Vec<(Ident, Pat)>)> {
    let of_index = |i: usize| format_ident!("_{i}");
    let (path, parts) = match pat {
        Pat::Path(p) if p.qself.is_none() => (&p.path, Vec::new()),
        Pat::TupleStruct(p) => {
            let count = p.elems.len() - usize::from(matches!(p.elems.last(), Some(Pat::Rest(_))));
            let elements = p.elems.iter().take(count);
            if elements.clone().any(|element| matches!(element, Pat::Rest(_))) {
                return None;
            }
            (&p.path, elements.enumerate().map(|(i, element)| (of_index(i), element.clone())).collect())
        }
        Pat::Struct(p) => {
            let field = |field: &syn::FieldPat| match &field.member {
                Member::Named(name) => (name.clone(), (*field.pat).clone()),
                Member::Unnamed(index) => (of_index(index.index as usize), (*field.pat).clone()),
            };
            (&p.path, p.fields.iter().map(field).collect())
        }
        _ => return None,
    };
    is_imported(cx, path).then(|| (path.clone(), parts))
}

/// Replaces subpatterns of imported enums' variants by names, and collects these subpatterns.
struct Outer<'c> {
    cx: &'c mut Context,
    found: Vec<(Ident, Pat)>,
}

impl VisitMut for Outer<'_> {
    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        // Alternatives bind the same names, and are one pattern.
        if matches!(pat, Pat::Or(_)) {
            return;
        }
        if parts(self.cx, pat).is_none() {
            return visit_mut::visit_pat_mut(self, pat);
        }
        let name = self.cx.fresh("part");
        self.found.push((name.clone(), std::mem::replace(pat, syn::parse_quote!(#name))));
    }

    fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
        let before = self.found.len();
        self.visit_pat_mut(&mut field.pat);
        if self.found.len() > before {
            field.colon_token.get_or_insert_default();
        }
    }
}

fn outer(cx: &mut Context, pat: &Pat) -> (Pat, Vec<(Ident, Pat)>) {
    let (mut bare, mut outer) = (pat.clone(), Outer { cx, found: Vec::new() });
    outer.visit_pat_mut(&mut bare);
    (bare, outer.found)
}

/// Splits a pattern into its alternatives, if some contain a variant of an imported enum. Each then binds its names
/// separately.
pub fn alternatives(cx: &mut Context, pat: &Pat) -> Vec<Pat> {
    let mut search = Alternatives { cx, chosen: 0, count: None };
    search.visit_pat_mut(&mut pat.clone());
    let Some(count) = search.count else { return vec![pat.clone()] };
    let one = |i| {
        let mut one = pat.clone();
        Alternatives { cx: &mut *cx, chosen: i, count: None }.visit_pat_mut(&mut one);
        alternatives(cx, &one)
    };
    (0..count).flat_map(one).collect()
}

/// Replaces the first such pattern by one of its alternatives.
struct Alternatives<'c> {
    cx: &'c mut Context,
    chosen: usize,
    /// Returns the number of alternatives, once the pattern is found.
    count: Option<usize>,
}

impl VisitMut for Alternatives<'_> {
    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        if self.count.is_some() {
            return;
        }
        if let Pat::Or(or) = pat
            && or.cases.iter().any(|case| are_imported(self.cx, case))
        {
            self.count = Some(or.cases.len());
            *pat = or.cases[self.chosen].clone();
            return;
        }
        visit_mut::visit_pat_mut(self, pat);
    }
}

/// Whether a pattern contains a variant of an imported enum.
pub fn are_imported(cx: &mut Context, pat: &Pat) -> bool {
    struct Search<'c>(&'c mut Context, bool);
    impl<'a> Visit<'a> for Search<'_> {
        fn visit_pat(&mut self, pat: &'a Pat) {
            self.1 |= parts(self.0, pat).is_some();
            visit::visit_pat(self, pat);
        }
    }
    let mut search = Search(cx, false);
    search.visit_pat(pat);
    search.1
}

/// Emits `inner` under the condition that a value matches a pattern, with the names of the pattern bound.
pub fn within(cx: &mut Context, pat: &Pat, value: &TokenStream, inner: TokenStream) -> TokenStream {
    if let Some((path, parts)) = parts(cx, pat) {
        let (p, part, span) = (private(), cx.fresh("variant"), pat.span());
        let found = function(cx, &path, "as", 1);
        let nested = |inner, (name, pat): &(Ident, Pat)| {
            let value = quote_spanned!(pat.span()=> #p::field(&#part.#name));
            within(cx, pat, &value, inner)
        };
        let inner = parts.iter().rev().fold(inner, nested);
        return quote_spanned!(span=> if let ::core::option::Option::Some(#part) = #found(#value.clone()) { #inner });
    }
    let (bare, found) = outer(cx, pat);
    let inner = found.iter().rev().fold(inner, |inner, (name, pat)| within(cx, pat, &quote!(#name), inner));
    let staged = pattern::staged(cx, &bare);
    quote_spanned!(pat.span()=> if let #staged = #value.clone() { #inner })
}
