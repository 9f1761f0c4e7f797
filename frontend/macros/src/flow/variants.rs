//! Translates patterns of enums and structs. The macro does not know the enum's generic parameters, and the staged
//! forms are possibly not in scope. The expansion therefore calls functions of the enum to match variants, and
//! needs only the enum's name. A struct pattern becomes accesses to the struct's fields.
//!
//! ```text
//! match shape { Shape::Circle(r) => A }    if let Some(part) = Shape::__expand_as_Circle(shape) { let r = part._0; A }
//! ```
use crate::expr::{is_type_name, is_upper, staged};
use crate::names::{self, position};
use crate::pattern;
use crate::scope::{Context, Name};
use crate::syntax::{self, name_of};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Ident, Member, Pat, Path, RangeLimits};

/// Whether a path names a variant of an enum other than Rust's own enums.
fn is_variant(path: &Path) -> bool {
    let of_enum = |(owner, name): (String, String)| {
        is_upper(&name) && is_type_name(&owner) && !["Option", "Result"].contains(&owner.as_str())
    };
    !syntax::is_constant_path(path) && syntax::owner_and_name(path).is_some_and(of_enum)
}

/// Whether the path of a pattern with fields names a struct.
fn is_struct(path: &Path) -> bool {
    let of_enum = |(owner, _): (String, String)| is_type_name(&owner);
    !syntax::ends_in(path, &["Some", "None", "Ok", "Err"]) && !syntax::owner_and_name(path).is_some_and(of_enum)
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
    let parts = parts.into_iter().map(|(member, pat)| (names::field(&member), pat));
    is_variant(path).then(|| Parts::Variant(path.clone(), parts.collect()))
}

/// Visitor that replaces subpatterns of variants, structs and numbers by names. The visitor collects the subpatterns of
/// variants and structs, and the conditions under which the numbers match.
struct Outer<'c> {
    cx: &'c mut Context,
    found: Vec<(TokenStream, Pat)>,
    tests: &'c mut Vec<TokenStream>,
}

impl VisitMut for Outer<'_> {
    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        let name = match pat {
            Pat::Ident(ident) if ident.subpat.is_some() => ident.ident.clone(),
            _ => self.cx.fresh("part"),
        };
        if pattern::is_numeric(pat) {
            self.tests.extend(test(self.cx, pat, &quote!(#name)));
        } else if parts(pat).is_some() {
            self.found.push((quote!(#name), pat.clone()));
        // Other alternatives bind the same names, so they remain one pattern.
        } else if matches!(pat, Pat::Or(_)) {
            return;
        } else {
            return visit_mut::visit_pat_mut(self, pat);
        }
        *pat = syn::parse_quote!(#name);
    }

    fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
        field.colon_token.get_or_insert_default();
        self.visit_pat_mut(&mut field.pat);
    }
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

/// A pattern of the expansion, and the value that it matches.
pub struct Step {
    pat: TokenStream,
    value: TokenStream,
    span: Span,
}

/// The steps that take a value apart, and the conditions under which its numbers match. Each step can use the names that
/// the steps before it bind.
pub fn steps(cx: &mut Context, pat: &Pat, value: &TokenStream, tests: &mut Vec<TokenStream>) -> Vec<Step> {
    let span = pat.span();
    let (first, found): (_, Vec<(TokenStream, Pat)>) = match parts(pat) {
        Some(Parts::Struct(parts)) => {
            (None, parts.into_iter().map(|(member, pat)| (quote_spanned!(pat.span()=> #value.#member), pat)).collect())
        }
        Some(Parts::Variant(path, parts)) => {
            let part = cx.fresh("variant");
            let found = function(cx, &path, "as", 1);
            let value = names::if_checked(quote!(#found(#value.clone())));
            let field = |(name, pat): (Ident, Pat)| (quote_spanned!(pat.span()=> __p::field(&#part.#name)), pat);
            let first = Step { pat: quote!(::core::option::Option::Some(#part)), value, span };
            (Some(first), parts.into_iter().map(field).collect())
        }
        None => {
            let (mut bare, mut outer) = (pat.clone(), Outer { cx: &mut *cx, found: Vec::new(), tests: &mut *tests });
            outer.visit_pat_mut(&mut bare);
            let found = outer.found;
            let bare = pattern::staged(cx, &bare);
            (Some(Step { pat: quote!(#bare), value: quote!(#value.clone()), span }), found)
        }
    };
    let parts = found.iter().flat_map(|(value, pat)| steps(cx, pat, value, tests));
    let parts: Vec<_> = parts.collect();
    first.into_iter().chain(parts).collect()
}

/// Emits `inner` under the condition that each value matches its pattern.
pub fn within(steps: Vec<Step>, inner: TokenStream) -> TokenStream {
    let nested = |inner, Step { pat, value, span }| quote_spanned!(span=> if let #pat = #value { #inner });
    steps.into_iter().rev().fold(inner, nested)
}

/// Binds the names of a pattern that matches every value. With `by_ref`, the names are references to parts of the value,
/// not copies.
pub fn destructure(cx: &mut Context, pat: &Pat, value: &TokenStream, by_ref: bool) -> TokenStream {
    // rustc reports a number in the pattern.
    let parts: TokenStream = steps(cx, pat, value, &mut Vec::new())
        .into_iter()
        .map(|Step { pat, value, span }| quote_spanned!(span=> let #pat = #value else { ::core::unreachable!() };))
        .collect();
    let names = declare(cx, pat, by_ref);
    let records = pattern::bindings(pat).into_iter().map(|(name, _)| names::record_debug_name(cx, &name));
    quote!(#parts #names #(#records)*)
}

/// Declares the names that a pattern binds to parts of the value.
pub fn declare(cx: &mut Context, pat: &Pat, by_ref: bool) -> TokenStream {
    let declared = |(name, mutable): (Ident, bool)| {
        let by_ref = by_ref || pattern::is_by_ref(pat, &name);
        let pos = position(name.span());
        let (kind, bound) = match (mutable, by_ref) {
            (true, _) => (Name::Variable, quote!(let mut #name = __p::variable((&__p::R(&#name)).rd(), #pos);)),
            (false, true) => (Name::Reference, quote!(let mut #name = #name;)),
            (false, false) => (Name::Value, quote!(let #name = (&__p::R(&#name)).rd();)),
        };
        cx.declare(&name, kind);
        bound
    };
    pattern::bindings(pat).into_iter().map(declared).collect()
}

/// Whether the names of a pattern are references to parts of the matched value, not copies.
pub fn is_reference(cx: &Context, on: &Expr) -> bool {
    match on {
        Expr::Reference(_) => true,
        Expr::Tuple(tuple) => tuple.elems.iter().any(|e| is_reference(cx, e)),
        other => name_of(other).is_some_and(|name| cx.kind(name) == Some(Name::Reference)),
    }
}

/// The condition under which a number matches a pattern; `None` if every number matches.
fn test(cx: &mut Context, pat: &Pat, value: &TokenStream) -> Option<TokenStream> {
    let span = pat.span();
    let pos = position(span);
    let equal = |tokens: TokenStream| quote_spanned!(span=> (&__p::Compared(#value.clone(), #tokens)).cube_eq(#pos));
    match pat {
        Pat::Wild(_) => None,
        Pat::Ident(ident) => match &ident.subpat {
            Some((_, inner)) => test(cx, inner, value),
            None if pattern::bindings(pat).is_empty() => {
                let name = &ident.ident;
                Some(equal(quote!(#name)))
            }
            None => None,
        },
        Pat::Paren(inner) => test(cx, &inner.pat, value),
        Pat::Reference(inner) => test(cx, &inner.pat, value),
        Pat::Lit(lit) => {
            let lit = Expr::Lit(lit.clone());
            let tokens = staged(cx, &lit);
            Some(equal(tokens))
        }
        Pat::Path(path) => Some(equal(quote!(#path))),
        Pat::Const(block) => Some(equal(quote!(#block))),
        Pat::Range(range) => {
            let mut bound = |e: &Option<Box<Expr>>, function| {
                let (function, bound) = (Ident::new(function, span), staged(cx, e.as_ref()?));
                Some(quote_spanned!(span=> __p::#function(#value.clone(), #bound, #pos)))
            };
            let from = bound(&range.start, "ge");
            let to = bound(&range.end, if matches!(range.limits, RangeLimits::Closed(_)) { "le" } else { "lt" });
            match (from, to) {
                (Some(from), Some(to)) => Some(quote_spanned!(span=> __p::and(#from, #to, #pos))),
                (one, other) => one.or(other),
            }
        }
        Pat::Or(or) => {
            let mut tests = Vec::new();
            for case in &or.cases {
                tests.push(test(cx, case, value)?);
            }
            tests.into_iter().reduce(|a, b| quote_spanned!(span=> __p::or(#a, #b, #pos)))
        }
        other => Some(
            cx.refuse(other, "this pattern cannot be compared at run time; use numbers, ranges, constants or names"),
        ),
    }
}
