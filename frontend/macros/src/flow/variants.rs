//! Translates patterns of enums and structs. The macro does not know the enum's generic parameters, and the staged
//! forms are possibly not in scope. The expansion therefore calls functions of the enum to match variants, and
//! needs only the enum's name. A struct pattern becomes accesses to the struct's fields.
//!
//! ```text
//! match shape { Shape::Circle(r) => A }    if let Some(part) = Shape::as_Circle_in_a_kernel(shape) { let r = part._0; A }
//! ```
use crate::expr::staged;
use crate::names::{self, position};
use crate::pattern;
use crate::scope::{Context, Name};
use crate::syntax::{self, name_of};
use crate::type_check::NameKind;
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Ident, Member, Pat, Path, RangeLimits};

/// Whether a path names a variant of an enum other than Rust's own enums.
fn is_variant(path: &Path) -> bool {
    syntax::enum_of(path).is_some_and(|owner| !["Option", "Result"].contains(&owner.as_str()))
}

/// Whether a path names a variant with fields of Rust's own enums.
fn is_of_rust(path: &Path) -> bool {
    syntax::ends_in(path, &["Some", "Ok", "Err"]) && !is_variant(path)
}

/// Whether the path of a pattern with fields names a struct.
fn is_struct(path: &Path) -> bool {
    let is_of_type = |(owner, _): (String, String)| syntax::is_type_name(&owner);
    !syntax::ends_in(path, &["Some", "None", "Ok", "Err"]) && !syntax::owner_and_name(path).is_some_and(is_of_type)
}

/// `Shape::WORD_Variant_in_a_kernel`.
pub fn function(cx: &mut Context, path: &Path, word: &str, arguments: usize) -> TokenStream {
    let mut path = path.clone();
    syntax::with_turbofish(&mut path);
    if let Some(last) = path.segments.last_mut() {
        let name = format_ident!("{word}_{}", last.ident);
        cx.record(NameKind::Variant, &name, arguments, Vec::new());
        last.ident = names::function(&name);
    }
    quote!(#path)
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
    let mut apart = Apart { cx, tests, steps: Vec::new() };
    apart.take(pat, value);
    apart.steps
}

struct Apart<'c> {
    cx: &'c mut Context,
    tests: &'c mut Vec<TokenStream>,
    steps: Vec<Step>,
}

impl Apart<'_> {
    fn take(&mut self, pat: &Pat, value: &TokenStream) {
        let span = pat.span();
        let step = |pat: TokenStream| Step { pat, value: quote!(#value.clone()), span };
        match pat {
            Pat::Struct(p) => {
                let fields = p.fields.iter().map(|field| (field.member.clone(), &*field.pat));
                self.fields(&p.path, fields.collect(), value, span);
            }
            Pat::TupleStruct(p) if !is_of_rust(&p.path) => {
                let rest = p.elems.iter().position(|element| matches!(element, Pat::Rest(_)));
                if rest.is_some_and(|rest| rest + 1 < p.elems.len()) {
                    let message =
                        "`..` is the last part of a struct pattern in a kernel; write `_` for the other parts";
                    return drop(self.cx.refuse(p, message));
                }
                let fields = p.elems.iter().take(rest.unwrap_or(p.elems.len())).enumerate();
                self.fields(&p.path, fields.map(|(i, part)| (Member::from(i), part)).collect(), value, span);
            }
            Pat::Path(p) if p.qself.is_none() && is_variant(&p.path) => self.fields(&p.path, Vec::new(), value, span),
            Pat::Reference(inner) => self.take(&inner.pat, value),
            Pat::Slice(_) => {
                let message = "slice patterns are not supported in a kernel; read the elements by their indices";
                drop(self.cx.refuse(pat, message));
            }
            _ => {
                let mut inner = Vec::new();
                let bare = self.bare(pat, &mut inner);
                self.steps.push(step(bare));
                inner.into_iter().for_each(|(name, part)| self.take(part, &quote!(#name)));
            }
        }
    }

    /// A pattern in which names replace the numbers, structs and variants. The function tests the numbers, and adds the other
    /// parts to `inner` with their names.
    fn bare<'p>(&mut self, pat: &'p Pat, inner: &mut Vec<(Ident, &'p Pat)>) -> TokenStream {
        let name = match pat {
            Pat::Ident(whole) if whole.subpat.is_some() => whole.ident.clone(),
            _ => self.cx.fresh("part"),
        };
        match pat {
            _ if pattern::is_numeric(pat) => self.tests.extend(test(self.cx, pat, &quote!(#name))),
            Pat::Tuple(tuple) => {
                let parts: Vec<_> = tuple.elems.iter().map(|part| self.bare(part, inner)).collect();
                let comma = (parts.len() == 1).then(|| quote!(,));
                return quote_spanned!(pat.span()=> (#(#parts),* #comma));
            }
            Pat::TupleStruct(p) if is_of_rust(&p.path) => {
                let (path, parts) = (&p.path, p.elems.iter().map(|part| self.bare(part, inner)));
                let parts: Vec<_> = parts.collect();
                return quote_spanned!(pat.span()=> #path(#(#parts),*));
            }
            // `mut` and `ref` apply to the body as written. A staged value is bound directly.
            Pat::Ident(whole) => {
                let name = &whole.ident;
                inner.extend(whole.subpat.iter().map(|(_, part)| (name.clone(), &**part)));
                return quote!(#name);
            }
            Pat::Paren(part) => return self.bare(&part.pat, inner),
            Pat::Reference(part) => return self.bare(&part.pat, inner),
            Pat::Struct(_) | Pat::TupleStruct(_) | Pat::Slice(_) => inner.push((name.clone(), pat)),
            Pat::Path(p) if p.qself.is_none() && is_variant(&p.path) => inner.push((name.clone(), pat)),
            // Without parentheses, the alternatives of a parameter are not a pattern of `let`.
            Pat::Or(_) => return quote!((#pat)),
            _ => return quote!(#pat),
        }
        quote!(#name)
    }

    /// Takes apart a struct, or a variant of a user's enum.
    fn fields(&mut self, path: &Path, fields: Vec<(Member, &Pat)>, value: &TokenStream, span: Span) {
        if is_struct(path) {
            let of_struct =
                |(member, pat): (Member, &Pat)| self.take(pat, &quote_spanned!(pat.span()=> #value.#member));
            return fields.into_iter().for_each(of_struct);
        }
        let (part, found) = (self.cx.fresh("variant"), function(self.cx, path, "as", 1));
        let value = names::if_checked(quote!(#found(#value.clone())));
        self.steps.push(Step { pat: quote!(::core::option::Option::Some(#part)), value, span });
        for (member, pat) in fields {
            let name = names::field(&member);
            self.take(pat, &quote_spanned!(pat.span()=> __p::field(&#part.#name)));
        }
    }
}

/// Splits a pattern into its alternatives, if an alternative contains a struct, a tuple or a variant. After the split,
/// each alternative binds its names separately.
pub fn alternatives(pat: &Pat) -> Vec<Pat> {
    let choose = |chosen| {
        let (mut one, mut search) = (pat.clone(), Alternatives { chosen, count: 0 });
        search.visit_pat_mut(&mut one);
        (one, search.count)
    };
    match choose(0).1 {
        0 => vec![pat.clone()],
        count => (0..count).flat_map(|i| alternatives(&choose(i).0)).collect(),
    }
}

/// Visitor that finds the first subpattern such as `A(1) | B(2)`, and replaces this subpattern by one of its
/// alternatives.
struct Alternatives {
    chosen: usize,
    /// The number of alternatives in the found subpattern; 0 until the visitor has found a subpattern.
    count: usize,
}

impl VisitMut for Alternatives {
    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        match pat {
            _ if self.count > 0 => {}
            Pat::Or(or) if or.cases.iter().any(has_structure) => {
                self.count = or.cases.len();
                *pat = or.cases[self.chosen].clone();
            }
            other => visit_mut::visit_pat_mut(self, other),
        }
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
