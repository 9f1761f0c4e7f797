//! `match` and `if let`. For host values, the expansion contains a Rust `match`. The expansion matches a kernel value
//! variant by variant, because a value with a run-time variant has several possible variants. Numbers in patterns
//! become conditions, which are tested in the order of the arms.
use super::{filling_expr, variants, yields};
use crate::expr::{self, const_tokens, is_const, staged};
use crate::names::position;
use crate::scope::{Context, Name};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Arm, Expr, Ident};

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
    let by_ref = variants::is_reference(cx, on);
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
    quote!(match (#value) { #(#arms)* })
}

/// Returns a reference to the matched value. A tuple becomes a tuple of references.
fn scrutinee(cx: &mut Context, on: &Expr) -> TokenStream {
    match on {
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
                let steps = variants::steps(cx, &arm.pat, &quote!(#on), &mut tests);
                let binds = variants::declare(cx, &arm.pat, by_ref);
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
                variants::within(steps, quote_spanned!(arm.span()=> #binds #body))
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
