//! Translates patterns of enums and structs. The macro does not know the enum's generic parameters, and the staged
//! forms are possibly not in scope. The expansion therefore calls functions of the enum to match variants, and
//! needs only the enum's name. A struct pattern becomes accesses to the struct's fields.
//!
//! ```text
//! match shape { Shape::Circle(r) => A }    if let Some(part) = Shape::__expand_as_Circle(shape) { let r = part._0; A }
//! ```
use crate::expr::is_type_name;
use crate::names;
use crate::pattern::{self, is_constant_name};
use crate::scope::Context;
use crate::syntax;
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Ident, Member, Pat, Path};

/// Whether a path names a variant of an enum other than Rust's own enums.
fn is_variant(path: &Path) -> bool {
    let mut segments = path.segments.iter().rev().map(|segment| &segment.ident);
    let (Some(variant), Some(owner)) = (segments.next(), segments.next()) else { return false };
    let upper = variant.to_string().starts_with(|c: char| c.is_ascii_uppercase()) && !is_constant_name(variant);
    upper && is_type_name(&owner.to_string()) && owner != "Option" && owner != "Result"
}

/// Whether the path of a pattern with fields names a struct.
fn is_struct(path: &Path) -> bool {
    let mut segments = path.segments.iter().rev().map(|segment| &segment.ident);
    let Some(name) = segments.next() else { return false };
    let of_rust = ["Some", "None", "Ok", "Err"].iter().any(|known| name == known);
    !of_rust && segments.next().is_none_or(|owner| !is_type_name(&owner.to_string()))
}

/// `Shape::__expand_WORD_Variant`.
pub fn function(cx: &mut Context, path: &Path, word: &str, arguments: usize) -> TokenStream {
    let mut path = path.clone();
    syntax::with_turbofish(&mut path);
    if let Some(last) = path.segments.last_mut() {
        let name = format_ident!("{}_{}", word, names::unraw(&last.ident), span = last.ident.span());
        cx.record(|names| &mut names.variants, &name, (arguments, 0));
        last.ident = names::function(&name);
    }
    quote!(#path)
}

/// A pattern of a variant or struct, split into its path and its subpatterns.
enum Parts {
    /// The path of a variant, and its subpatterns by the field names in the expansion.
    Variant(Path, Vec<(Ident, Pat)>),
    Struct(Vec<(Member, Pat)>),
}

/// Splits a pattern of a variant or struct into its subpatterns; `None` for other patterns.
fn parts(pat: &Pat) -> Option<Parts> {
    let (path, parts): (&Path, Vec<(Member, Pat)>) = match pat {
        Pat::Path(p) if p.qself.is_none() => (&p.path, Vec::new()),
        Pat::TupleStruct(p) => {
            let elements = pattern::before_rest(&p.elems)?.into_iter().enumerate();
            (&p.path, elements.map(|(i, element)| (Member::from(i), element)).collect())
        }
        Pat::Struct(p) => {
            (&p.path, p.fields.iter().map(|field| (field.member.clone(), (*field.pat).clone())).collect())
        }
        _ => return None,
    };
    if !matches!(pat, Pat::Path(_)) && is_struct(path) {
        return Some(Parts::Struct(parts));
    }
    let name = |(member, pat)| match member {
        Member::Named(name) => (name, pat),
        Member::Unnamed(index) => (format_ident!("_{}", index.index), pat),
    };
    is_variant(path).then(|| Parts::Variant(path.clone(), parts.into_iter().map(name).collect()))
}

/// Visitor that replaces subpatterns of variants and structs by names, and collects these subpatterns.
struct Outer<'c> {
    cx: &'c mut Context,
    found: Vec<(Ident, Pat)>,
}

impl VisitMut for Outer<'_> {
    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        // Alternatives bind the same names, so they remain one pattern.
        if matches!(pat, Pat::Or(_)) {
            return;
        }
        if parts(pat).is_none() {
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

/// Splits a pattern into its alternatives, if an alternative contains a struct, a tuple or a variant. After the split,
/// each alternative binds its names separately.
pub fn alternatives(pat: &Pat) -> Vec<Pat> {
    let mut search = Alternatives { chosen: 0, count: None };
    search.visit_pat_mut(&mut pat.clone());
    let Some(count) = search.count else { return vec![pat.clone()] };
    let one = |i| {
        let mut one = pat.clone();
        Alternatives { chosen: i, count: None }.visit_pat_mut(&mut one);
        alternatives(&one)
    };
    (0..count).flat_map(one).collect()
}

/// Visitor that finds the first subpattern such as `A(1) | B(2)`, and replaces this subpattern by one of its
/// alternatives.
struct Alternatives {
    chosen: usize,
    /// The number of alternatives in the found subpattern; `None` until the visitor has found a subpattern.
    count: Option<usize>,
}

impl VisitMut for Alternatives {
    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        if self.count.is_some() {
            return;
        }
        if let Pat::Or(or) = pat
            && or.cases.iter().any(has_structure)
        {
            self.count = Some(or.cases.len());
            *pat = or.cases[self.chosen].clone();
            return;
        }
        visit_mut::visit_pat_mut(self, pat);
    }
}

/// Whether any part of the pattern is a struct, a tuple or a variant.
fn has_structure(pat: &Pat) -> bool {
    syntax::pat_has(pat, &|pat| match pat {
        Pat::Struct(_) | Pat::TupleStruct(_) | Pat::Tuple(_) => Some(true),
        Pat::Path(_) | Pat::Ident(_) => Some(!pattern::is_numeric(pat) && pattern::bindings(pat).is_empty()),
        _ => None,
    })
}

/// Emits `inner` under the condition that a value matches a pattern, and binds the pattern's names in
/// `inner`.
pub fn within(cx: &mut Context, pat: &Pat, value: &TokenStream, inner: TokenStream) -> TokenStream {
    let parts = parts(pat);
    if let Some(Parts::Struct(parts)) = &parts {
        return parts.iter().rev().fold(inner, |inner, (member, pat)| {
            let value = quote_spanned!(pat.span()=> #value.#member);
            within(cx, pat, &value, inner)
        });
    }
    if let Some(Parts::Variant(path, parts)) = parts {
        let (part, span) = (cx.fresh("variant"), pat.span());
        let found = function(cx, &path, "as", 1);
        let found = crate::names::if_checked(quote!(#found(#value.clone())));
        let nested = |inner, (name, pat): &(Ident, Pat)| {
            let value = quote_spanned!(pat.span()=> __p::field(&#part.#name));
            within(cx, pat, &value, inner)
        };
        let inner = parts.iter().rev().fold(inner, nested);
        return quote_spanned!(span=> if let ::core::option::Option::Some(#part) = #found { #inner });
    }
    let (bare, found) = outer(cx, pat);
    let inner = found.iter().rev().fold(inner, |inner, (name, pat)| within(cx, pat, &quote!(#name), inner));
    let staged = pattern::staged(cx, &bare);
    quote_spanned!(pat.span()=> if let #staged = #value.clone() { #inner })
}
