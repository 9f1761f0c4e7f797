//! `match` and `if let`. For host values, the expansion contains a Rust `match`. The expansion matches a kernel value
//! variant by variant, because a value with a run-time variant has several possible variants. Numbers in patterns
//! become conditions, which are tested in the order of the arms.
use super::{filling_expr, variants, yields};
use crate::expr::{self, const_tokens, is_const, staged};
use crate::names::position;
use crate::pattern;
use crate::scope::{Context, Name};
use crate::syntax::{self, name_of, without_parens};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Arm, Expr, Ident, Pat, RangeLimits};

pub fn matching(cx: &mut Context, e: &syn::ExprMatch) -> TokenStream {
    let span = e.match_token.span();
    let (slot, open, close) = super::slot(cx, yields(&Expr::Match(e.clone())));
    let body = match_into(cx, &e.expr, &e.arms, slot.as_ref(), position(span));
    quote_spanned!(span=> { #open #body #close })
}

/// Translates a `match` that stores its value in `slot`.
pub fn match_into(cx: &mut Context, on: &Expr, arms: &[Arm], slot: Option<&Ident>, pos: u32) -> TokenStream {
    if is_const(cx, on) {
        return match_host(cx, on, arms, slot);
    }
    let value = scrutinee(cx, on);
    let (handle, held) = (cx.fresh("match"), cx.fresh("on"));
    let alternatives =
        |arm: &Arm| variants::alternatives(&arm.pat).into_iter().map(|pat| Arm { pat, ..arm.clone() }).collect();
    let arms: Vec<Arm> = arms.iter().flat_map::<Vec<Arm>, _>(alternatives).collect();
    let by_ref = is_reference(cx, on);
    let arms = translated_arms(cx, &arms, &held, by_ref, slot);
    quote! {
        let mut #handle = __p::Match::begin(#value, #pos);
        while let ::core::option::Option::Some(#held) = #handle.next_body() { #arms }
    }
}

/// Translates a `match` on host values.
fn match_host(cx: &mut Context, on: &Expr, arms: &[Arm], slot: Option<&Ident>) -> TokenStream {
    let value = const_tokens(cx, on);
    let arms: Vec<_> = arms
        .iter()
        .map(|arm| {
            cx.scoped(|cx| {
                cx.declare_pattern(&arm.pat, Name::Comptime);
                let pat = &arm.pat;
                let guard = arm.guard.as_ref().map(|(_, guard)| {
                    if is_const(cx, guard) {
                        let guard = const_tokens(cx, guard);
                        quote!(if #guard)
                    } else {
                        cx.refuse(
                            guard,
                            "the value is known at compile time, but the guard is not; move the condition into the arm",
                        )
                    }
                });
                let body = filling_expr(cx, &arm.body, slot);
                quote_spanned!(arm.span()=> #pat #guard => #body)
            })
        })
        .collect();
    quote!(match #value { #(#arms)* })
}

/// Returns a reference to the matched value. A tuple becomes a tuple of references.
fn scrutinee(cx: &mut Context, on: &Expr) -> TokenStream {
    match on {
        Expr::Paren(inner) => scrutinee(cx, &inner.expr),
        Expr::Tuple(tuple) => {
            let elems: Vec<_> = tuple.elems.iter().map(|e| scrutinee(cx, e)).collect();
            quote!((#(#elems,)*))
        }
        other if is_const(cx, other) => {
            let tokens = const_tokens(cx, other);
            quote_spanned!(other.span()=> __p::lit(#tokens))
        }
        // A field of the matched value can be a host value.
        Expr::Field(_) => {
            let place = expr::place(cx, on);
            quote_spanned!(on.span()=> (&__p::R(&#place)).scrutinee())
        }
        other => {
            let place = expr::place(cx, other);
            quote!((#place).clone())
        }
    }
}

/// Whether any part of the pattern compares numbers.
fn has_numbers(pat: &Pat) -> bool {
    syntax::pat_has(pat, &|pat| match pat {
        Pat::Ident(_) => Some(pattern::is_numeric(pat)),
        _ => pattern::is_numeric(pat).then_some(true),
    })
}

/// Whether the names of a pattern are references to parts of the matched value, not copies.
fn is_reference(cx: &Context, on: &Expr) -> bool {
    match without_parens(on) {
        Expr::Reference(_) => true,
        Expr::Tuple(tuple) => tuple.elems.iter().any(|e| is_reference(cx, e)),
        other => name_of(other).is_some_and(|name| cx.kind(name) == Some(Name::Reference)),
    }
}

/// Declares the names that an arm binds to parts of the value.
fn declare(cx: &mut Context, pat: &Pat, by_ref: bool) -> TokenStream {
    let pos = position(pat.span());
    pattern::bindings(pat)
        .into_iter()
        .map(|(name, mutable)| {
            let by_ref = by_ref || pattern::is_by_ref(pat, &name);
            let (kind, bound) = match (mutable, by_ref) {
                (true, _) => (Name::Variable, quote!(let mut #name = __p::variable((&__p::R(&#name)).rd(), #pos);)),
                (false, true) => (Name::Reference, quote!(let mut #name = #name;)),
                (false, false) => (Name::Value, quote!(let #name = (&__p::R(&#name)).rd();)),
            };
            cx.declare(&name, kind);
            bound
        })
        .collect()
}

/// Translates the arms. The kernel selects the first arm whose variant matches and whose conditions are true.
fn translated_arms(cx: &mut Context, arms: &[Arm], on: &Ident, by_ref: bool, slot: Option<&Ident>) -> TokenStream {
    let state = cx.fresh("arms");
    let count = arms.len();
    let arms: Vec<_> = arms
        .iter()
        .enumerate()
        .map(|(i, arm)| {
            cx.scoped(|cx| {
                let pos = position(arm.span());
                let mut tests = Vec::new();
                let bare = without_numbers(cx, &arm.pat, &mut tests);
                let binds = declare(cx, &arm.pat, by_ref);
                let guard = arm.guard.as_ref().map(|(_, guard)| staged(cx, guard));
                // The last arm needs no condition: rustc has checked that the match is exhaustive.
                let is_last = i + 1 == count && guard.is_none();
                let condition = if is_last { None } else { condition(tests, guard, pos) };
                let body = filling_expr(cx, &arm.body, slot);
                let body = match condition {
                    None => quote!(#body break;),
                    Some(condition) => quote! {
                        let __c = #condition;
                        if #state.test(__c, #pos) { #body }
                        if #state.decided() { break; }
                    },
                };
                variants::within(cx, &bare, &quote!(#on), quote_spanned!(arm.span()=> #binds #body))
            })
        })
        .collect();
    quote! {
        let mut #state = __p::Arms::begin();
        loop { #(#arms)* break; }
        #state.end();
    }
}

/// The conjunction of all tests of an arm and the arm's guard; `None` if the arm has neither. The kernel evaluates the
/// guard only if all tests are true.
fn condition(tests: Vec<TokenStream>, guard: Option<TokenStream>, pos: u32) -> Option<TokenStream> {
    let tests = tests.into_iter().reduce(|a, b| quote!(__p::and(#a, #b, #pos)));
    match (tests, guard) {
        (Some(tests), Some(guard)) => Some(quote!({
            let mut __l = __p::Logic::begin(#tests, true, #pos);
            if __l.right() { let __v = __p::condition(#guard); __l.put(__v); }
            __l.end()
        })),
        (tests, guard) => tests.or(guard).map(|test| quote!(__p::condition(#test))),
    }
}

/// Replaces each number in a pattern by a name, and collects the conditions on these names.
fn without_numbers(cx: &mut Context, pat: &Pat, tests: &mut Vec<TokenStream>) -> Pat {
    let mut pat = pat.clone();
    replace(cx, &mut pat, tests);
    pat
}

fn replace(cx: &mut Context, pat: &mut Pat, tests: &mut Vec<TokenStream>) {
    match pat {
        Pat::Struct(inner) => {
            for field in &mut inner.fields {
                if has_numbers(&field.pat) {
                    field.colon_token.get_or_insert_default();
                    replace(cx, &mut field.pat, tests);
                }
            }
        }
        Pat::TupleStruct(inner) => inner.elems.iter_mut().for_each(|p| replace(cx, p, tests)),
        Pat::Tuple(inner) => inner.elems.iter_mut().for_each(|p| replace(cx, p, tests)),
        Pat::Paren(inner) => replace(cx, &mut inner.pat, tests),
        Pat::Reference(inner) => replace(cx, &mut inner.pat, tests),
        other if pattern::is_numeric(other) => {
            let name = match other {
                Pat::Ident(ident) if ident.subpat.is_some() => ident.ident.clone(),
                _ => cx.fresh("n"),
            };
            tests.extend(test(cx, other, &quote!(#name)));
            *other = syn::parse_quote!(#name);
        }
        _ => {}
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
            let from = range.start.as_ref().map(|e| {
                let bound = staged(cx, e);
                quote_spanned!(span=> __p::ge(#value.clone(), #bound, #pos))
            });
            let to = range.end.as_ref().map(|e| {
                let bound = staged(cx, e);
                let less = if matches!(range.limits, RangeLimits::Closed(_)) { quote!(le) } else { quote!(lt) };
                quote_spanned!(span=> __p::#less(#value.clone(), #bound, #pos))
            });
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
