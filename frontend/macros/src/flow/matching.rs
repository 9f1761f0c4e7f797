//! `match`: over values of the host and the shapes of enums on the host, over numbers as a chain of branches.
use super::{filling_expr, yields};
use crate::expr::{self, const_tokens, is_const, staged};
use crate::names::{position, private};
use crate::pattern;
use crate::scope::{Context, Kind};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Arm, Expr, Ident, Pat, RangeLimits};

pub fn matching(cx: &mut Context, e: &syn::ExprMatch) -> TokenStream {
    let p = private();
    let span = e.match_token.span();
    let wanted = yields(&Expr::Match(e.clone()));
    let slot = wanted.then(|| cx.fresh("slot"));
    let open = slot.as_ref().map(|slot| quote!(let mut #slot = #p::Slot::new();));
    let close = slot.as_ref().map(|slot| quote!(#slot.get()));
    let host = is_const(cx, &e.expr);
    let numeric = !host && (only_bindings(&e.arms) || e.arms.iter().any(|arm| pattern::is_numeric(&arm.pat)));
    if numeric {
        let value = staged(cx, &e.expr);
        let scrutinee = cx.fresh("on");
        let chain = chain(cx, &e.arms, &scrutinee, slot.as_ref(), e);
        return quote_spanned!(span=> { #open let #scrutinee = #value; #chain #close });
    }
    let value = if host {
        const_tokens(cx, &e.expr)
    } else {
        match &*e.expr {
            Expr::Tuple(tuple) => {
                let elems: Vec<_> = tuple
                    .elems
                    .iter()
                    .map(|e| {
                        let place = expr::place(cx, e);
                        quote!((#place).clone())
                    })
                    .collect();
                quote!((#(#elems,)*))
            }
            other => {
                let place = expr::place(cx, other);
                quote!((#place).clone())
            }
        }
    };
    let arms: Vec<_> = e
        .arms
        .iter()
        .map(|arm| {
            cx.scoped(|cx| {
                let pat = super::scrutinee_pattern(cx, &arm.pat, host);
                let guard = arm.guard.as_ref().map(|(_, guard)| {
                    if is_const(cx, guard) {
                        let guard = const_tokens(cx, guard);
                        quote!(if #guard)
                    } else {
                        cx.refuse(guard, "a guard on the shape of a value must be known when the kernel is compiled: test inside the arm")
                    }
                });
                let body = filling_expr(cx, &arm.body, slot.as_ref());
                quote_spanned!(arm.span()=> #pat #guard => #body)
            })
        })
        .collect();
    quote_spanned!(span=> { #open match #value { #(#arms)* } #close })
}

/// A match that only names its value, with guards: it has no shape to look at.
fn only_bindings(arms: &[Arm]) -> bool {
    arms.iter().all(|arm| match &arm.pat {
        Pat::Wild(_) => true,
        Pat::Ident(ident) => {
            ident.subpat.is_none() && ident.ident.to_string().starts_with(|c: char| c.is_ascii_lowercase())
        }
        _ => false,
    })
}

/// The arms as branches, the first that fits counts.
fn chain(cx: &mut Context, arms: &[Arm], on: &Ident, slot: Option<&Ident>, whole: &syn::ExprMatch) -> TokenStream {
    let p = private();
    let Some((arm, rest)) = arms.split_first() else {
        // rustc has checked that the arms are exhaustive; nothing reaches this place.
        let _ = whole;
        return quote!();
    };
    let pos = position(arm.span());
    cx.scoped(|cx| {
        let names = pattern::bindings(&arm.pat);
        cx.declare_pattern(&arm.pat, Kind::Value);
        let binds: TokenStream = bound_parts(&arm.pat, &quote!(#on))
            .into_iter()
            .map(|(name, value)| {
                let mutable = names.iter().any(|(n, m)| *n == name && *m);
                if mutable {
                    quote!(let mut #name = #p::variable(#value.clone(), #pos);)
                } else {
                    quote!(let #name = #value.clone();)
                }
            })
            .collect();
        let test = test(cx, &arm.pat, &quote!(#on));
        let guard = arm.guard.as_ref().map(|(_, guard)| staged(cx, guard));
        let body = filling_expr(cx, &arm.body, slot);
        // The last arm of a match without a guard takes what is left: it needs no test.
        let last = rest.is_empty() && guard.is_none();
        let cond = match (test, guard) {
            (_, None) if last => None,
            (None, None) => None,
            (Some(test), None) => Some(test),
            (None, Some(guard)) => Some(quote!({ #binds #guard })),
            (Some(test), Some(guard)) => {
                let (inner, inner_if) = (cx.fresh("slot"), cx.fresh("if"));
                Some(quote!({
                    let mut #inner = #p::Slot::new();
                    let mut #inner_if = #p::If::begin(#test, #pos);
                    if #inner_if.then() { let __v = { #binds #p::condition(#guard) }; #inner.put(__v); }
                    if #inner_if.els() { let __v = #p::flag(false); #inner.put(__v); }
                    #inner_if.end();
                    #inner.get()
                }))
            }
        };
        let Some(cond) = cond else { return quote!({ #binds #body }) };
        let handle = cx.fresh("if");
        let rest = chain(cx, rest, on, slot, whole);
        quote_spanned! {arm.span()=> {
            let mut #handle = #p::If::begin(#cond, #pos);
            if #handle.then() { #binds #body }
            if #handle.els() { #rest }
            #handle.end();
        }}
    })
}

/// The names of a pattern with the part of the value that each stands for.
fn bound_parts(pat: &Pat, value: &TokenStream) -> Vec<(Ident, TokenStream)> {
    match pat {
        Pat::Ident(ident) if pattern::bindings(pat).iter().any(|(n, _)| *n == ident.ident) => {
            vec![(ident.ident.clone(), value.clone())]
        }
        Pat::Paren(inner) => bound_parts(&inner.pat, value),
        Pat::Tuple(tuple) => tuple
            .elems
            .iter()
            .enumerate()
            .flat_map(|(i, pat)| {
                let member = syn::Index::from(i);
                bound_parts(pat, &quote!(#value.#member))
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The condition under which a value fits a pattern; `None` where it always does.
fn test(cx: &mut Context, pat: &Pat, value: &TokenStream) -> Option<TokenStream> {
    let p = private();
    let span = pat.span();
    let pos = position(span);
    let equal = |tokens: TokenStream| quote_spanned!(span=> (&#p::Compared(#value.clone(), #tokens)).cube_eq(#pos));
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
                quote_spanned!(span=> #p::ge(#value.clone(), #bound, #pos))
            });
            let to = range.end.as_ref().map(|e| {
                let bound = staged(cx, e);
                let less = if matches!(range.limits, RangeLimits::Closed(_)) { quote!(le) } else { quote!(lt) };
                quote_spanned!(span=> #p::#less(#value.clone(), #bound, #pos))
            });
            match (from, to) {
                (Some(from), Some(to)) => Some(quote_spanned!(span=> #p::and(#from, #to, #pos))),
                (one, other) => one.or(other),
            }
        }
        Pat::Or(or) => {
            let mut tests = Vec::new();
            for case in &or.cases {
                tests.push(test(cx, case, value)?);
            }
            tests.into_iter().reduce(|a, b| quote_spanned!(span=> #p::or(#a, #b, #pos)))
        }
        Pat::Tuple(tuple) => {
            let tests: Vec<_> = tuple
                .elems
                .iter()
                .enumerate()
                .filter_map(|(i, pat)| {
                    let member = syn::Index::from(i);
                    test(cx, pat, &quote!(#value.#member))
                })
                .collect();
            tests.into_iter().reduce(|a, b| quote_spanned!(span=> #p::and(#a, #b, #pos)))
        }
        other => Some(cx.refuse(
            other,
            "this pattern cannot be compared when the kernel runs: use numbers, ranges, constants or names",
        )),
    }
}
