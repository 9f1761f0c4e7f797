//! Translates control flow. Branches and loops on host values run on the host. Branches and loops on run-time
//! values become operations of the IR.
mod loops;
mod matching;
pub mod variants;

pub use loops::{endless, exit_loop, for_loop, labelled, mentions_run_time, while_loop};
pub use matching::matching;

use crate::expr::{block_diverges, const_tokens, converted, diverges, is_const, raw, staged};
use crate::names::position;
use crate::scope::Context;
use crate::{stmt, syntax};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Block, Expr, Stmt};

/// Translates the statements of a block. If the block has a value, the result ends with the staged value.
pub fn block(cx: &mut Context, block: &Block) -> TokenStream {
    cx.scoped(|cx| {
        let (statements, tail) = parts(cx, block, Some(&staged));
        quote!({ #statements #tail })
    })
}

/// Translates an expression.
type Translation<'t> = &'t dyn Fn(&mut Context, &Expr) -> TokenStream;

/// Translates the statements of a block, and the block's value by `tail`. If `tail` is `None`, the value becomes a
/// statement.
pub fn parts(cx: &mut Context, block: &Block, tail: Option<Translation>) -> (TokenStream, Option<TokenStream>) {
    let block = &stmt::without_let_else(block);
    let mut statements = TokenStream::new();
    let (last, rest) = match block.stmts.split_last() {
        Some((Stmt::Expr(e, None), rest)) if tail.is_some() && !diverges(e) => (Some(e), rest),
        _ => (None, block.stmts.as_slice()),
    };
    for statement in rest {
        statements.extend(stmt::statement(cx, statement));
    }
    (statements, last.zip(tail).map(|(e, tail)| tail(cx, e)))
}

/// Whether a block yields a value.
pub fn has_value(block: &Block) -> bool {
    matches!(stmt::without_let_else(block).stmts.last(), Some(Stmt::Expr(e, None)) if !diverges(e) && yields(e))
}

/// Whether the syntax of an expression allows a value other than `()`.
fn yields(e: &Expr) -> bool {
    match e {
        Expr::If(branch) => {
            branch.else_branch.as_ref().is_some_and(|(_, other)| has_value(&branch.then_branch) || yields(other))
        }
        Expr::Block(block) => {
            has_value(&block.block) || (block.label.is_some() && loops::breaks_with_value(&block.block))
        }
        Expr::Unsafe(block) => has_value(&block.block),
        Expr::Match(matching) => matching.arms.iter().any(|arm| !diverges(&arm.body) && yields(&arm.body)),
        Expr::Assign(_) | Expr::ForLoop(_) | Expr::While(_) => false,
        Expr::Binary(b) => !syntax::is_assigning(&b.op),
        Expr::Macro(mac) => !["terminate", "debug_print", "comment", "assert"].iter().any(|n| mac.mac.path.is_ident(n)),
        Expr::Loop(loop_expr) => loops::breaks_with_value(&loop_expr.body),
        _ => true,
    }
}

/// Translates the body of a branch. If `slot` is not `None`, the body stores its value in `slot`.
fn filling(cx: &mut Context, body: &Block, slot: Option<&syn::Ident>) -> TokenStream {
    cx.scoped(|cx| match slot {
        Some(slot) if !block_diverges(body) => {
            let (statements, tail) = parts(cx, body, Some(&staged));
            quote!({ #statements let __v = { #tail }; #slot.put(__v); })
        }
        _ => {
            let (statements, _) = parts(cx, body, None);
            quote!({ #statements })
        }
    })
}

/// Translates an expression that is the body of a branch: `else if …`, or the body of a match arm.
fn filling_expr(cx: &mut Context, body: &Expr, slot: Option<&syn::Ident>) -> TokenStream {
    match (body, slot) {
        (Expr::Block(block), _) if block.label.is_none() => filling(cx, &block.block, slot),
        (other, Some(slot)) if !diverges(other) => {
            let value = staged(cx, other);
            quote!({ let __v = #value; #slot.put(__v); })
        }
        (other, _) => {
            let value = raw(cx, other);
            quote!({ #value; })
        }
    }
}

/// The variable for the value of a branch or loop, with its declaration and its final value. All parts are `None` if no
/// value is wanted.
fn slot(cx: &mut Context, value_is_used: bool) -> (Option<syn::Ident>, Option<TokenStream>, Option<TokenStream>) {
    let slot = value_is_used.then(|| cx.fresh("slot"));
    let open = slot.as_ref().map(|slot| quote!(let mut #slot = __p::Slot::new();));
    let close = slot.as_ref().map(|slot| quote!(#slot.get()));
    (slot, open, close)
}

/// `if` and `if let`, with the value of the expression.
pub fn branch(cx: &mut Context, e: &syn::ExprIf) -> TokenStream {
    let span = e.if_token.span();
    let pos = position(e.cond.span());
    let value_is_used = yields(&Expr::If(e.clone()));
    let (slot, open, close) = slot(cx, value_is_used);
    if mentions_let(&e.cond) {
        let other = e.else_branch.as_ref().map(|(_, other)| &**other);
        let body = conditional(cx, &e.cond, e.then_branch.clone(), other, slot.as_ref());
        return quote_spanned!(span=> { #open #body #close });
    }
    if is_const(cx, &e.cond) {
        let cond = const_tokens(cx, &e.cond);
        let then = filling(cx, &e.then_branch, slot.as_ref());
        let other = e.else_branch.as_ref().map(|(_, other)| filling_expr(cx, other, slot.as_ref()));
        let other = other.map(|other| quote!(else #other));
        return quote_spanned!(span=> { #open if (#cond) #then #other #close });
    }
    let cond = staged(cx, &e.cond);
    // If the user writes `=` instead of `==`, rustc reports the error in the user's body.
    let cond = if matches!(*e.cond, Expr::Assign(_)) { crate::names::if_checked(cond) } else { cond };
    let handle = cx.fresh("if");
    let then = filling(cx, &e.then_branch, slot.as_ref());
    let other = e.else_branch.as_ref().map(|(_, other)| {
        let other = filling_expr(cx, other, slot.as_ref());
        quote!(if #handle.els() #other)
    });
    quote_spanned! {span=> {
        #open
        let mut #handle = __p::If::begin(#cond, #pos);
        if #handle.then() #then
        #other
        #handle.end();
        #close
    }}
}

/// Whether a condition binds names with `let`.
fn mentions_let(cond: &Expr) -> bool {
    match cond {
        Expr::Let(_) => true,
        Expr::Binary(b) if matches!(b.op, syn::BinOp::And(_)) => mentions_let(&b.left) || mentions_let(&b.right),
        _ => false,
    }
}

/// Translates `if let A = a && b && let C = c { … } else { … }` operand by operand. The expansion repeats the
/// `else` branch for each operand that can be false.
fn conditional(
    cx: &mut Context,
    cond: &Expr,
    then: Block,
    other: Option<&Expr>,
    slot: Option<&syn::Ident>,
) -> TokenStream {
    match cond {
        Expr::Binary(and) if mentions_let(cond) => {
            let rest = syntax::if_else((*and.right).clone(), then, other.cloned());
            let then = Block { brace_token: Default::default(), stmts: vec![Stmt::Expr(rest, None)] };
            conditional(cx, &and.left, then, other, slot)
        }
        Expr::Let(binding) => {
            let then = Expr::Block(syn::ExprBlock { attrs: Vec::new(), label: None, block: then });
            let arm = |pat: &syn::Pat, body| syn::Arm { body: Box::new(body), ..syn::parse_quote!(#pat => {}) };
            let otherwise = other.cloned().unwrap_or_else(|| syn::parse_quote!({}));
            let arms = [arm(&binding.pat, then), arm(&syn::parse_quote!(_), otherwise)];
            matching::match_into(cx, &binding.expr, &arms, slot, position(binding.span()))
        }
        cond => filling_expr(cx, &syntax::if_else(cond.clone(), then, other.cloned()), slot),
    }
}

/// Translates `return`, which is an error inside a closure.
pub fn return_value(cx: &mut Context, e: &syn::ExprReturn) -> TokenStream {
    let pos = position(e.span());
    if !cx.early_return {
        return cx.refuse(e, "`return` inside a closure is not supported in a kernel; end the closure with its value");
    }
    // The name has the hygiene of this macro, because the `return` can come from a user's macro.
    let ret = syn::Ident::new("__ret", proc_macro2::Span::call_site());
    let value = match &e.expr {
        Some(value) => converted(cx, value),
        None => crate::names::if_checked(quote_spanned!(e.span()=> ())),
    };
    quote_spanned!(e.span()=> { let __v = #value; #ret.put(__v, #pos) })
}
