//! `for`, `while`, `loop`, and labelled blocks.
use crate::clean::unroll_condition;
use crate::expr::{const_tokens, is_const, raw, staged};
use crate::names::{position, record_debug_name};
use crate::scope::{Context, LoopFrame, Name};
use crate::stmt;
use crate::syntax::{self, name_of};
use cube_names::OF_MEMORY;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Block, Expr, Label, Pat, Stmt};

/// Whether a `break` of this loop has a value. A value of `break` belongs to the innermost `loop`, unless a label
/// selects an outer loop.
pub fn breaks_with_value(body: &Block) -> bool {
    let breaks = |labelled: bool| {
        syntax::block_has(body, &|e| match e {
            Expr::Break(exit) if exit.expr.is_some() && (!labelled || exit.label.is_some()) => Some(true),
            Expr::Loop(_) if !labelled => Some(false),
            Expr::Closure(_) => Some(false),
            _ => None,
        })
    };
    breaks(false) || breaks(true)
}

fn body_of(
    cx: &mut Context,
    body: &Block,
    label: Option<&Label>,
    (handle, slot, block): (&syn::Ident, Option<&syn::Ident>, bool),
) -> TokenStream {
    let label = label.map(|label| label.name.ident.to_string());
    cx.loops.push(LoopFrame { label, handle: handle.clone(), slot: slot.cloned(), block });
    let (statements, _) = cx.scoped(|cx| super::parts(cx, body, None));
    cx.loops.pop();
    statements
}

/// `for`.
pub fn for_loop(cx: &mut Context, e: &syn::ExprForLoop) -> TokenStream {
    let span = e.for_token.span();
    let pos = position(span);
    let exits = syntax::body_has(&e.body, &|e| matches!(e, Expr::Break(_) | Expr::Continue(_)));
    let attr = e.attrs.iter().find(|a| a.path().is_ident("unroll"));
    let always = attr.is_some_and(|attr| matches!(attr.meta, syn::Meta::Path(_)));
    let unroll = match attr.filter(|_| !always).map(unroll_condition) {
        None => quote!(#always),
        Some(None) => cx.refuse(
            attr,
            "this argument of `#[unroll]` is not a condition; write `#[unroll]` or `#[unroll(condition)]`",
        ),
        Some(Some(condition)) if is_const(cx, &condition) => const_tokens(cx, &condition),
        Some(Some(condition)) if mentions_run_time(cx, &condition) => cx
            .refuse(condition, "the condition of `#[unroll]` must be known at compile time; use a `#[comptime]` value"),
        // The type of the condition decides whether its value is a host value.
        Some(Some(condition)) => {
            let value = staged(cx, &condition);
            quote_spanned!(condition.span()=> __p::known_flag(#value, #pos))
        }
    };
    let iterated = &*e.expr;
    let host = !matches!(iterated, Expr::Range(_)) && is_const(cx, iterated);
    let source = if host {
        let tokens = const_tokens(cx, iterated);
        quote_spanned!(e.expr.span()=> __p::host_iter(#tokens))
    } else {
        raw(cx, iterated)
    };
    let handle = cx.fresh("loop");
    cx.scoped(|cx| {
        let (pat, mut binds) = match &*e.pat {
            pat if host => {
                cx.declare_pattern(pat, Name::Comptime);
                (quote!(#pat), quote!())
            }
            pat => stmt::parameter(cx, pat, false),
        };
        if let Pat::Ident(pat) = &*e.pat
            && !host
            && let Some(local) = cx.local(&pat.ident)
        {
            local.number = counts(iterated);
            local.loop_counter = local.number && always && pat.mutability.is_none();
            binds.extend(record_debug_name(cx, &pat.ident));
        }
        let body = body_of(cx, &e.body, e.label.as_ref(), (&handle, None, false));
        quote_spanned! {span=> {
            let mut #handle = __p::For::begin(#source, #unroll, #exits, #pos);
            while let ::core::option::Option::Some(#pat) = #handle.next_body() { #binds #body }
        }}
    })
}

/// Whether a loop iterates over numbers.
fn counts(iterated: &Expr) -> bool {
    match iterated {
        Expr::Range(_) => true,
        Expr::MethodCall(call) => counts(&call.receiver),
        Expr::Call(call) => {
            matches!(&*call.func, Expr::Path(path) if syntax::ends_in(&path.path, &["range", "range_stepped"]))
        }
        _ => false,
    }
}

/// Whether an expression mentions a parameter or a position of the unit, which are unknown at compile time.
pub fn mentions_run_time(cx: &Context, e: &Expr) -> bool {
    let is_memory = |e: &Expr| cx.local_of(e).is_some_and(|local| local.memory);
    syntax::expr_has(e, &|e| match e {
        Expr::MethodCall(call) => {
            let of_memory = OF_MEMORY.iter().any(|method| call.method == method) && is_memory(&call.receiver);
            of_memory.then_some(true)
        }
        _ => name_of(e).filter(|name| crate::expr::only_at_run_time(cx, name)).map(|_| true),
    })
}

/// Translates a `while` loop as `loop { if cond {} else { break; } … }`. The names of a `while let` are in scope only in a
/// branch.
pub fn while_loop(cx: &mut Context, e: &syn::ExprWhile) -> TokenStream {
    let (cond, label) = ((*e.cond).clone(), &e.label);
    let leave = Some(syn::parse_quote!({ break }));
    let mut whole: syn::ExprLoop = syn::parse_quote_spanned!(e.while_token.span()=> #label loop {});
    if super::mentions_let(&cond) {
        whole.body.stmts.push(Stmt::Expr(syntax::if_else(cond, e.body.clone(), leave), None));
    } else {
        whole.body.stmts.push(Stmt::Expr(syntax::if_else(cond, syn::parse_quote!({}), leave), None));
        whole.body.stmts.extend(e.body.stmts.iter().cloned());
    }
    endless(cx, &whole)
}

/// `loop`.
pub fn endless(cx: &mut Context, e: &syn::ExprLoop) -> TokenStream {
    one_loop(cx, e, false)
}

/// A `loop`, or a labelled block.
fn one_loop(cx: &mut Context, e: &syn::ExprLoop, block: bool) -> TokenStream {
    let span = e.loop_token.span();
    let pos = position(span);
    let handle = cx.fresh("loop");
    let (slot, open, close) = super::slot(cx, breaks_with_value(&e.body));
    let body = body_of(cx, &e.body, e.label.as_ref(), (&handle, slot.as_ref(), block));
    quote_spanned! {span=> {
        #open
        let mut #handle = __p::Loop::begin(#pos);
        while #handle.next_body() { #body }
        #close
    }}
}

/// `'label: { … }`: a loop of one iteration, which only `break 'label` leaves early.
pub fn labelled(cx: &mut Context, e: &syn::ExprBlock) -> TokenStream {
    let (label, block) = (e.label.as_ref().map(|label| &label.name), &e.block);
    let leave: Block = match super::yields(&Expr::Block(e.clone())) {
        true => syn::parse_quote!({ break #label #block; }),
        false => syn::parse_quote!({ #block break #label; }),
    };
    let whole = syn::parse_quote_spanned!(block.span()=> #label: loop #leave);
    one_loop(cx, &whole, true)
}

/// Translates `break`, with or without a value, and `continue`. `exit` is the function of the library. rustc reports an exit
/// outside of a loop, and a value in another loop.
pub fn exit_loop(
    cx: &mut Context,
    e: &Expr,
    label: Option<&syn::Lifetime>,
    value: Option<&Expr>,
    exit: &str,
) -> TokenStream {
    let (span, exit) = (e.span(), syn::Ident::new(exit, e.span()));
    let pos = position(span);
    let Some(LoopFrame { handle, slot, .. }) = cx.find_loop(label).cloned() else {
        return quote!(__p::unexpanded());
    };
    let value = value.zip(slot).map(|(value, slot)| {
        let value = staged(cx, value);
        quote!(let __v = #value; #slot.put(__v);)
    });
    quote_spanned!(span=> { #value #handle.#exit(#pos); })
}
