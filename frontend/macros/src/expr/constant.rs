//! Recognises host values in kernels: literals, constants, `#[comptime]` values, and expressions whose
//! operands are host values.
use crate::scope::{Context, Local, Name};
use crate::syntax::{self, is_assigning};
use crate::tokens;
use cube_names::{OF_MEMORY, keyword};
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::quote;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Stmt};

/// Whether the host computes an expression, unchanged, while the kernel is built.
pub fn is_const(cx: &Context, e: &Expr) -> bool {
    let parts = || syntax::parts(e).into_iter().all(|part| is_const(cx, part));
    match e {
        Expr::Lit(_) | Expr::Infer(_) | Expr::Const(_) | Expr::Verbatim(_) => true,
        Expr::Path(path) => match path.path.get_ident() {
            Some(name) => match cx.kind(name) {
                Some(kind) => kind == Name::Comptime,
                None => keyword(&name.to_string()).is_none(),
            },
            None => true,
        },
        Expr::Reference(_) | Expr::Unary(_) | Expr::Cast(_) | Expr::Field(_) | Expr::Tuple(_) | Expr::Array(_) => {
            parts()
        }
        Expr::Repeat(_) | Expr::Index(_) => parts(),
        Expr::Binary(binary) => !is_assigning(&binary.op) && parts(),
        Expr::MethodCall(call) => call.method != "runtime" && parts(),
        Expr::Call(call) => super::call::is_host_constructor(&call.func) && parts(),
        Expr::Macro(mac) => is_host_macro(&mac.mac) && !is_text_of_kernel(cx, &mac.mac),
        Expr::Block(block) => block.label.is_none() && is_const_block(cx, &block.block),
        Expr::Unsafe(block) => is_const_block(cx, &block.block),
        Expr::If(branch) => {
            let cond = match &*branch.cond {
                Expr::Let(binding) => &binding.expr,
                other => other,
            };
            let then = &branch.then_branch;
            is_const(cx, cond)
                && branch.else_branch.as_ref().is_some_and(|(_, other)| {
                    let (ends, others_end) = (block_panics(then), panics(other));
                    (ends || is_const_block(cx, then)) && (others_end || is_const(cx, other)) && !(ends && others_end)
                })
        }
        Expr::Match(matching) => {
            let bodies = || matching.arms.iter().map(|arm| &*arm.body);
            let guards = || matching.arms.iter().filter_map(|arm| arm.guard.as_ref());
            is_const(cx, &matching.expr)
                && guards().all(|(_, guard)| is_const(cx, guard))
                && bodies().all(|body| is_const(cx, body) || panics(body))
                && !bodies().all(panics)
        }
        _ => false,
    }
}

/// Whether an expression is a macro call that panics while the kernel is built. An expression that panics can
/// have any type.
fn panics(e: &Expr) -> bool {
    match e {
        Expr::Macro(mac) => is_panic(&mac.mac),
        Expr::Block(block) => block_panics(&block.block),
        _ => false,
    }
}

fn block_panics(block: &syn::Block) -> bool {
    match block.stmts.as_slice() {
        [Stmt::Expr(e, _)] => panics(e),
        [Stmt::Macro(mac)] => is_panic(&mac.mac),
        _ => false,
    }
}

pub fn is_panic(mac: &syn::Macro) -> bool {
    ["panic", "unreachable", "todo", "unimplemented"].iter().any(|name| mac.path.is_ident(name))
}

fn is_const_block(cx: &Context, block: &syn::Block) -> bool {
    matches!(block.stmts.as_slice(), [Stmt::Expr(e, None)] if is_const(cx, e))
}

/// Whether a text macro, such as `format!`, formats a run-time value: an argument, or a name in `{name}`.
pub fn is_text_of_kernel(cx: &Context, mac: &syn::Macro) -> bool {
    let mut names = tokens::names(mac.tokens.clone());
    if let Some(TokenTree::Literal(text)) = mac.tokens.clone().into_iter().next() {
        names.extend(crate::prints::names(&text.to_string()));
    }
    let is_computed = |name: &syn::Ident| {
        let is_number = |local: &Local| local.number && matches!(local.kind, Name::Value | Name::Variable);
        cx.find(name).is_some_and(is_number) || reads_run_time(cx, name, &mac.tokens)
    };
    (mac.path.is_ident("format") || is_panic(mac)) && names.iter().any(is_computed)
}

/// Whether a macro call returns a host value.
fn is_host_macro(mac: &syn::Macro) -> bool {
    ["comptime", "vec", "format", "concat", "stringify", "env", "include_str", "matches"]
        .iter()
        .any(|name| mac.path.is_ident(name))
}

/// The tokens of a host expression in the expansion. A `comptime!` block receives loop counters and constants
/// of the expansion as host values.
pub fn const_tokens(cx: &mut Context, e: &Expr) -> TokenStream {
    let mut e = e.clone();
    HostExpression { cx }.visit_expr_mut(&mut e);
    quote!(#e)
}

struct HostExpression<'a> {
    cx: &'a mut Context,
}

impl VisitMut for HostExpression<'_> {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        match e {
            Expr::Macro(mac) if mac.mac.path.is_ident("comptime") => {
                let tokens = comptime_block(self.cx, &mac.mac.tokens);
                *e = Expr::Verbatim(tokens);
            }
            // If the function is not a method, rustc reports `self` in the body as written.
            Expr::Path(path) => match path.path.get_ident() {
                Some(name) if name == "self" && self.cx.kind(name).is_some() => *e = Expr::Verbatim(super::local(name)),
                _ => {}
            },
            Expr::Index(index) => {
                if let Some(refused) = super::lists::outside(self.cx, index) {
                    *e = Expr::Verbatim(refused);
                } else {
                    visit_mut::visit_expr_mut(self, e);
                }
            }
            _ => visit_mut::visit_expr_mut(self, e),
        }
    }
}

/// The host block for a `comptime!` macro.
pub fn comptime_block(cx: &mut Context, tokens: &TokenStream) -> TokenStream {
    let names = tokens::names(tokens.clone());
    if let Some(name) = names.iter().find(|name| reads_run_time(cx, name, tokens)) {
        return cx.refuse(
            name,
            format!("`{name}` is known only at run time; mark its source as `#[comptime]`, or remove `comptime!`"),
        );
    }
    let staged =
        names.into_iter().filter(|name| matches!(cx.kind(name), Some(Name::Value | Name::Variable | Name::Reference)));
    let tokens = tokens::replace_receiver(tokens.clone(), "__self");
    let given: Vec<_> = staged
        .map(|name| {
            let name = super::local(&name);
            quote!(let #name = (&__p::R(&#name)).host();)
        })
        .collect();
    // An error of the host's computation is reported at this location.
    let pos = crate::names::position(tokens.clone().into_iter().next().map_or(Span::call_site(), |first| first.span()));
    quote!({ __p::at(#pos); #(#given)* { #tokens } })
}

/// Whether tokens use a name that is known only at run time, or read an element or the length of the memory `name`. A line
/// size of memory is known at compile time.
fn reads_run_time(cx: &Context, name: &syn::Ident, tokens: &TokenStream) -> bool {
    let reads = |rest: &[TokenTree]| match rest {
        [TokenTree::Ident(found), ..] if found != name => false,
        [TokenTree::Ident(_), TokenTree::Group(index), ..] => index.delimiter() == Delimiter::Bracket,
        [TokenTree::Ident(_), TokenTree::Punct(dot), TokenTree::Ident(method), ..] => {
            dot.as_char() == '.' && OF_MEMORY.iter().any(|known| method == known)
        }
        _ => false,
    };
    let is_memory = cx.find(name).is_some_and(|local| local.memory);
    only_at_run_time(cx, name) || is_memory && tokens::any(tokens.clone(), &mut |rest| reads(rest))
}

/// Whether no property of the value with the name `name` is known at compile time.
pub fn only_at_run_time(cx: &Context, name: &syn::Ident) -> bool {
    match cx.find(name) {
        None => keyword(&name.to_string()).is_some(),
        Some(local) => local.run_time && local.kind == Name::Value,
    }
}

/// Translates an assignment whose target is not a variable of the kernel.
pub fn assign_to_constant(cx: &mut Context, target: &Expr) -> TokenStream {
    // rustc reports an assignment to a variable without `mut`, borrow errors, and outside of `unsafe` also an assignment to
    // a constant or a static.
    let is_reported = cx.local_of(target).map_or(!cx.in_unsafe, |local| local.plain_constant);
    if is_reported && matches!(target, Expr::Path(_)) {
        return quote!(());
    }
    cx.refuse(
        target,
        "this value is known at compile time and cannot be assigned to; declare a variable with `let mut`",
    )
}
