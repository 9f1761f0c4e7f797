//! Translates statements: `let`, expression statements, and macro calls.
use crate::expr::{self, comptime_tokens, const_tokens, is_const, raw, staged};
use crate::flow::variants;
use crate::names::{position, record_debug_name};
use crate::scope::{Context, Name};
use crate::syntax;
use crate::{pattern, types};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Local, Pat, Stmt, Type};

/// One statement.
pub fn statement(cx: &mut Context, statement: &Stmt) -> TokenStream {
    let tokens = match statement {
        Stmt::Local(local) => binding(cx, local),
        Stmt::Item(syn::Item::Static(item)) if matches!(item.mutability, syn::StaticMutability::Mut(_)) => {
            cx.refuse(item, "a kernel cannot read a `static mut`, because the kernel is compiled once; use a parameter")
        }
        Stmt::Item(item) => return quote!(#item),
        Stmt::Macro(mac) => macro_call(cx, &mac.mac),
        Stmt::Expr(e, _) => raw(cx, e),
    };
    quote!(#tokens;)
}

/// `let P = v else { … }; rest` becomes a `match` whose first arm contains the rest of the block, because the names of
/// the pattern are in scope there.
pub fn without_let_else(block: &syn::Block) -> syn::Block {
    let mut block = block.clone();
    let diverging = |s: &Stmt| matches!(s, Stmt::Local(l) if l.init.as_ref().is_some_and(|i| i.diverge.is_some()));
    let Some(at) = block.stmts.iter().position(diverging) else { return block };
    let rest: Vec<Stmt> = block.stmts.drain(at + 1..).collect();
    let Some(Stmt::Local(Local { pat, init: Some(init), .. })) = block.stmts.pop() else { return block };
    if let Some((_, other)) = init.diverge {
        let rest = syn::Block { brace_token: block.brace_token, stmts: rest };
        let rest = Expr::Block(syn::ExprBlock { attrs: Vec::new(), label: None, block: rest });
        let mut whole: syn::ExprMatch = syn::parse_quote!(match __value { #pat => {} _ => {} });
        (whole.expr, whole.arms[0].body, whole.arms[1].body) = (init.expr, Box::new(rest), other);
        block.stmts.push(Stmt::Expr(Expr::Match(whole), None));
    }
    block
}

/// `let`.
fn binding(cx: &mut Context, local: &Local) -> TokenStream {
    let (pat, ty) = match &local.pat {
        Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
        other => (other, None),
    };
    let Some(init) = &local.init else { return declaration(cx, pat, ty) };
    if local.attrs.iter().any(|a| a.path().is_ident("comptime")) {
        let value = raw(cx, &init.expr);
        cx.declare_pattern(pat, Name::Comptime);
        let ty = ty.map(|ty| quote!(: #ty));
        return quote!(let #pat #ty = #value;);
    }
    let bound = bind(cx, pat, ty, &init.expr);
    if let Pat::Ident(name) = pat {
        expr::note_list(cx, &name.ident, &init.expr);
    }
    bound
}

/// Translates the declaration of a variable without an initial value.
fn declaration(cx: &mut Context, pat: &Pat, ty: Option<&Type>) -> TokenStream {
    let Pat::Ident(ident) = pat else {
        return cx.refuse(pat, "a pattern needs a value; write `let … = value`");
    };
    let name = &ident.ident;
    cx.declare(name, Name::Variable);
    let ty = ty.map(|ty| cx.types.staged(ty)).map(|ty| quote!(: #ty));
    quote_spanned!(pat.span()=> let mut #name #ty = __p::declare();)
}

fn bind(cx: &mut Context, pat: &Pat, ty: Option<&Type>, init: &Expr) -> TokenStream {
    let span = pat.span();
    let pos = position(init.span());
    match pat {
        Pat::Wild(_) => {
            let value = raw(cx, init);
            quote_spanned!(span=> let _ = #value;)
        }
        Pat::Paren(inner) => bind(cx, &inner.pat, ty, init),
        Pat::Ident(ident) if ident.subpat.is_none() => {
            let name = &ident.ident;
            let kind = match init {
                Expr::Closure(_) => Some(Name::Closure),
                Expr::Reference(r) if r.mutability.is_some() && !is_const(cx, init) => Some(Name::Reference),
                _ => None,
            };
            if let Some(kind) = kind {
                let value = expr::value(cx, init);
                let value = if kind == Name::Closure { crate::names::if_checked(value) } else { value };
                cx.declare(name, kind);
                return quote_spanned!(span=> let mut #name = #value;);
            }
            let atomic = ty.is_some_and(types::mentions_atomic) || types::mentions_atomic(init);
            let mutable = ident.mutability;
            let of_host = mutable.is_none() || cx.changes.are_of_host(name, init);
            if of_host && is_const(cx, init) && !matches!(ty, Some(Type::Array(_))) {
                let value = const_tokens(cx, init);
                let value = if ty.is_some() { crate::names::if_checked(value) } else { value };
                let local = cx.declare(name, Name::Comptime);
                (local.plain_constant, local.bare) = (true, ty.is_none() && is_bare(init));
                let ty = ty.map(|ty| quote!(: #ty));
                return quote_spanned!(span=> let #mutable #name #ty = #value;);
            }
            let array = is_const(cx, init) && matches!(init, Expr::Array(_) | Expr::Repeat(_));
            let value = match ty {
                _ if array => expr::value(cx, init),
                Some(_) => raw(cx, init),
                None => staged(cx, init),
            };
            let value = match ty.map(|ty| cx.types.staged(ty)) {
                Some(ty) if !array => {
                    let value = if is_const(cx, init) { crate::names::if_checked(value) } else { value };
                    // `None` is equal in host form and staged form. Its type can follow from other uses.
                    let none = matches!(init, Expr::Path(path) if path.path.is_ident("None"));
                    let value = if none { value } else { quote_spanned!(init.span()=> __p::arg(#value)) };
                    quote_spanned!(init.span()=> { let __v: #ty = #value; __v })
                }
                _ => value,
            };
            let number = ty.map_or_else(|| expr::initialises_number(cx, init), |ty| cx.types.is_number(ty));
            let record = record_debug_name(cx, name);
            let counter = ty.is_none() && cx.local_of(init).is_some_and(|local| local.loop_counter);
            if ident.mutability.is_some() {
                let local = cx.declare(name, Name::Variable);
                (local.atomic, local.number) = (atomic, number);
                quote_spanned!(span=> let mut #name = __p::variable(#value, #pos); #record)
            } else {
                let local = cx.declare(name, Name::Value);
                (local.atomic, local.loop_counter, local.number) = (atomic, counter, number);
                // The value can be a reference into another value, whose fields can be assigned.
                quote_spanned!(span=> let mut #name = #value; #record)
            }
        }
        _ if is_const(cx, init) && pattern::bindings(pat).iter().all(|(_, mutable)| !mutable) => {
            let value = const_tokens(cx, init);
            cx.declare_pattern(pat, Name::Comptime);
            let ty = ty.map(|ty| quote!(: #ty));
            quote_spanned!(span=> let #pat #ty = #value;)
        }
        Pat::Tuple(_) | Pat::TupleStruct(_) | Pat::Struct(_) | Pat::Reference(_) | Pat::Slice(_) => {
            let whole = cx.fresh("whole");
            // The expansion first takes a tuple apart, and then converts each element to a staged value.
            let value = if matches!(init, Expr::Tuple(_)) { expr::value(cx, init) } else { raw(cx, init) };
            let value = match ty.map(|ty| cx.types.staged(ty)) {
                Some(ty) => quote!({ let __v: #ty = __p::arg(#value); __v }),
                None => value,
            };
            let through = variants::is_reference(cx, init);
            let parts = variants::destructure(cx, pat, &quote!(#whole), through);
            quote_spanned!(span=> let #whole = #value; #parts)
        }
        other => {
            cx.refuse(other, "this pattern is not supported in a `let` of a kernel; use names, tuples and structs")
        }
    }
}

/// Whether an expression is a number literal without a type, such as `0` or `-1.5`.
fn is_bare(e: &Expr) -> bool {
    match e {
        Expr::Lit(lit) => match &lit.lit {
            syn::Lit::Int(n) => n.suffix().is_empty(),
            syn::Lit::Float(x) => x.suffix().is_empty(),
            _ => false,
        },
        Expr::Unary(inner) => is_bare(&inner.expr),
        _ => false,
    }
}

/// A pattern in the parameters of a function or closure, or of a `for` loop: the name of the staged value, and statements
/// that bind the names of the pattern.
pub fn parameter(cx: &mut Context, pat: &Pat, through: bool) -> (TokenStream, TokenStream) {
    match pat {
        Pat::Ident(syn::PatIdent { ident, mutability, subpat: None, .. }) => {
            cx.declare_pattern(pat, if through { Name::Reference } else { Name::Value });
            let pos = position(ident.span());
            let bound = match mutability {
                Some(_) if !through => quote!(let mut #ident = __p::variable(#ident, #pos);),
                _ if through => quote!(let mut #ident = #ident;),
                _ => quote!(),
            };
            (quote!(#ident), bound)
        }
        Pat::Wild(_) => (quote!(_), quote!()),
        _ => {
            let whole = cx.fresh("whole");
            let parts = variants::destructure(cx, pat, &quote!(#whole), through);
            (quote!(#whole), parts)
        }
    }
}

/// Translates a macro call in a kernel.
pub fn macro_call(cx: &mut Context, mac: &syn::Macro) -> TokenStream {
    let span = mac.span();
    let pos = position(span);
    let name = mac.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
    match name.as_str() {
        "comptime" => comptime_tokens(cx, &mac.tokens),
        "terminate" if !mac.tokens.is_empty() => cx.refuse(mac, "`terminate!()` takes no arguments; remove them"),
        "terminate" => quote_spanned!(span=> __p::terminate(#pos)),
        "comment" => match mac.parse_body::<syn::LitStr>() {
            Ok(text) => quote_spanned!(span=> __p::comment(#text)),
            Err(_) => cx.refuse(mac, "`comment!` takes a text; write `comment!(\"…\")`"),
        },
        "intrinsic" => {
            let tokens = &mac.tokens;
            quote_spanned!(span=> (#tokens)(&mut __p::Scope::current()))
        }
        "debug_print" | "println" => crate::prints::print(cx, mac, &name),
        "format" | "panic" | "unreachable" | "todo" | "unimplemented" if expr::is_text_of_kernel(cx, mac) => {
            cx.refuse(mac, format!("a kernel cannot format text; print run-time values with `debug_print!`, and use `{name}!` for values known at compile time"))
        }
        // A panic of the host at compile time is an error of the launch, with this location.
        "panic" | "unreachable" | "todo" | "unimplemented" | "unexpanded" => {
            let tokens = &mac.tokens;
            let text = if tokens.is_empty() { quote!(#name.to_string()) } else { quote!(::std::format!(#tokens)) };
            quote_spanned!(span=> __p::panicked(#text, #name, #pos))
        }
        "assert" | "debug_assert" | "assert_eq" | "assert_ne" => {
            let args = syntax::arguments(mac).unwrap_or_default();
            let compared = if name.ends_with("assert") { 1 } else { 2 };
            if let Some(operand) = args.iter().take(compared).find(|operand| !is_const(cx, operand)) {
                return cx.refuse(operand, "an assertion in a kernel takes a condition known at compile time; use `if` with `terminate!()` or `debug_print!`");
            }
            quote_spanned!(span=> { __p::at(#pos); #mac })
        }
        "vec" | "format" | "matches" | "concat" | "stringify" | "env" => quote!(#mac),
        _ => cx.refuse(
            mac,
            format!("the macro `{name}!` is not supported in a kernel; print with `debug_print!`, and compute host values inside `comptime!({{ … }})`"),
        ),
    }
}

/// Translates the tail expression of a function's body.
fn tail(cx: &mut Context, e: &Expr) -> TokenStream {
    match e {
        // The declared result type fixes the parameter types.
        Expr::Closure(_) => expr::value(cx, e),
        _ => expr::converted(cx, e),
    }
}

/// Translates the statements of a function's body and, if `has_value` is true, the body's value.
pub fn body(cx: &mut Context, block: &syn::Block, has_value: bool) -> (TokenStream, Option<TokenStream>) {
    let mut block = without_let_else(block);
    // A macro call with braces is a statement without a semicolon.
    if let Some(Stmt::Macro(mac)) = block.stmts.last()
        && mac.semi_token.is_none()
    {
        let value = Expr::Macro(syn::ExprMacro { attrs: Vec::new(), mac: mac.mac.clone() });
        block.stmts.pop();
        block.stmts.push(Stmt::Expr(value, None));
    }
    crate::flow::parts(cx, &block, has_value.then_some(&tail))
}
