//! Recognises host values in kernels: literals, constants, `#[comptime]` values, and expressions whose
//! operands are host values.
use crate::scope::{Context, Name};
use crate::shared_names::{OF_MEMORY, keyword};
use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Stmt};

/// Whether the host computes an expression, unchanged, while the kernel is built.
pub fn is_const(cx: &Context, e: &Expr) -> bool {
    match e {
        Expr::Lit(_) | Expr::Infer(_) | Expr::Const(_) | Expr::Verbatim(_) => true,
        Expr::Path(path) => match path.path.get_ident() {
            Some(name) => match cx.kind(name) {
                Some(kind) => kind == Name::Comptime,
                None => keyword(&name.to_string()).is_none(),
            },
            None => true,
        },
        Expr::Paren(inner) => is_const(cx, &inner.expr),
        Expr::Group(inner) => is_const(cx, &inner.expr),
        Expr::Reference(inner) => is_const(cx, &inner.expr),
        Expr::Unary(inner) => is_const(cx, &inner.expr),
        Expr::Cast(inner) => is_const(cx, &inner.expr),
        Expr::Field(inner) => is_const(cx, &inner.base),
        Expr::Binary(binary) => !is_assigning(&binary.op) && is_const(cx, &binary.left) && is_const(cx, &binary.right),
        Expr::Tuple(tuple) => tuple.elems.iter().all(|e| is_const(cx, e)),
        Expr::Array(array) => array.elems.iter().all(|e| is_const(cx, e)),
        Expr::Repeat(repeat) => is_const(cx, &repeat.expr) && is_const(cx, &repeat.len),
        Expr::Index(index) => is_const(cx, &index.expr) && is_const(cx, &index.index),
        Expr::MethodCall(call) => {
            call.method != "runtime" && is_const(cx, &call.receiver) && call.args.iter().all(|e| is_const(cx, e))
        }
        Expr::Call(call) => super::call::is_host_constructor(&call.func) && call.args.iter().all(|e| is_const(cx, e)),
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

fn is_panic(mac: &syn::Macro) -> bool {
    ["panic", "unreachable", "todo", "unimplemented"].iter().any(|name| mac.path.is_ident(name))
}

fn is_const_block(cx: &Context, block: &syn::Block) -> bool {
    matches!(block.stmts.as_slice(), [Stmt::Expr(e, None)] if is_const(cx, e))
}

/// Whether an operator assigns to its left operand.
pub fn is_assigning(op: &syn::BinOp) -> bool {
    super::operator(op).is_some_and(|(_, assigns)| assigns)
}

/// Whether a text macro, such as `format!`, formats a run-time value.
pub fn is_text_of_kernel(cx: &Context, mac: &syn::Macro) -> bool {
    let list = syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated;
    let computed = |e: &Expr| {
        !is_const(cx, e) && (super::numbers::is_run_time_number(cx, e) || crate::flow::mentions_run_time(cx, e))
    };
    let makes_text = mac.path.is_ident("format") || is_panic(mac);
    makes_text
        && (mac.parse_body_with(list).is_ok_and(|args| args.iter().any(computed)) || names_number(cx, &mac.tokens))
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
            Expr::Path(path) if path.path.is_ident("self") => {
                let name = path.path.get_ident().expect("just asked");
                // If the function is not a method, rustc reports `self` in the body as written.
                if self.cx.kind(name).is_some() {
                    *e = Expr::Verbatim(super::local(name));
                }
            }
            Expr::Index(index) => {
                if let Some(refused) = super::lists::outside(self.cx, index) {
                    *e = Expr::Verbatim(refused);
                } else {
                    visit_mut::visit_expr_mut(self, e);
                }
            }
            _ => {
                if let Expr::Path(path) = e
                    && let Some(name) = path.path.get_ident()
                {
                    self.cx.record_constant(name);
                }
                visit_mut::visit_expr_mut(self, e);
            }
        }
    }
}

/// Whether the arguments of `format!`, or the `{name}` parts of its text, name a run-time number.
fn names_number(cx: &Context, tokens: &TokenStream) -> bool {
    let mut names = Vec::new();
    collect_names(tokens.clone(), &mut names);
    let mut names: Vec<String> = names.iter().map(ToString::to_string).collect();
    // `{name}` in the text itself.
    if let Some(TokenTree::Literal(text)) = tokens.clone().into_iter().next() {
        let text = text.to_string();
        names.extend(text.split('{').skip(1).filter_map(|part| part.split(['}', ':']).next()).map(str::to_string));
    }
    let parsed = names.iter().filter_map(|name| syn::parse_str::<Expr>(name).ok());
    parsed.into_iter().any(|name| super::numbers::is_run_time_number(cx, &name))
}

/// The host block for a `comptime!` macro.
pub fn comptime_block(cx: &mut Context, tokens: &TokenStream) -> TokenStream {
    let mut names: Vec<syn::Ident> = Vec::new();
    collect_names(tokens.clone(), &mut names);
    let of_memory = |name: &&syn::Ident| cx.find(name).is_some_and(|local| local.memory) && in_memory(name, tokens);
    if let Some(name) = names.iter().find(|name| only_at_run_time(cx, name) || of_memory(name)) {
        return cx.refuse(
            name,
            format!("`{name}` is known only at run time; mark its source as `#[comptime]`, or remove `comptime!`"),
        );
    }
    let staged =
        names.into_iter().filter(|name| matches!(cx.kind(name), Some(Name::Value | Name::Variable | Name::Reference)));
    let tokens = replace_receiver(tokens.clone(), "__self");
    let given: Vec<_> = staged
        .map(|name| {
            let name = super::local(&name);
            quote!(let #name = (&__p::R(&#name)).host();)
        })
        .collect();
    // An error of the host's computation is reported at this location.
    let place = location_statement(&tokens);
    if given.is_empty() { quote!({ #place #tokens }) } else { quote!({ #place #(#given)* { #tokens } }) }
}

/// Emits a statement that sets the source location before tokens whose computation can fail.
fn location_statement(tokens: &TokenStream) -> TokenStream {
    let mut trees = tokens.clone().into_iter();
    let (Some(first), Some(_)) = (trees.next(), trees.next()) else { return TokenStream::new() };
    let pos = crate::names::position(first.span());
    quote!(__p::at(#pos);)
}

/// Whether tokens read an element or the length of memory. A read of a line size gives `false`, because a line size
/// is known at compile time.
fn in_memory(name: &syn::Ident, tokens: &TokenStream) -> bool {
    let mut trees = tokens.clone().into_iter().peekable();
    while let Some(tree) = trees.next() {
        match &tree {
            TokenTree::Group(group) if in_memory(name, &group.stream()) => return true,
            TokenTree::Ident(found) if found == name => match trees.peek() {
                Some(TokenTree::Group(group)) if group.delimiter() == proc_macro2::Delimiter::Bracket => return true,
                Some(TokenTree::Punct(dot)) if dot.as_char() == '.' => {
                    trees.next();
                    if matches!(trees.peek(), Some(TokenTree::Ident(method)) if OF_MEMORY.iter().any(|m| method == m)) {
                        return true;
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
    false
}

/// Whether no property of the value with the name `name` is known at compile time.
pub fn only_at_run_time(cx: &Context, name: &syn::Ident) -> bool {
    match cx.find(name) {
        None => keyword(&name.to_string()).is_some(),
        Some(local) => local.run_time && local.kind == Name::Value,
    }
}

/// Replaces `self` in the tokens by `other`. For a `comptime!` block, `other` is the expansion's name for `self`.
/// For a closure that replaces a method, `other` is a parameter of the closure.
pub fn replace_receiver(tokens: TokenStream, other: &str) -> TokenStream {
    tokens
        .into_iter()
        .map(|tree| match tree {
            TokenTree::Ident(name) if name == "self" => TokenTree::Ident(syn::Ident::new(other, name.span())),
            TokenTree::Group(group) => {
                let mut inner = proc_macro2::Group::new(group.delimiter(), replace_receiver(group.stream(), other));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            other => other,
        })
        .collect()
}

fn collect_names(tokens: TokenStream, names: &mut Vec<syn::Ident>) {
    let mut after_dot = false;
    for tree in tokens {
        match &tree {
            TokenTree::Ident(name) if !after_dot && !names.contains(name) => names.push(name.clone()),
            TokenTree::Group(group) => collect_names(group.stream(), names),
            _ => {}
        }
        after_dot = matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == '.');
    }
}

/// Translates an assignment whose target is not a variable of the kernel.
pub fn assign_to_constant(cx: &mut Context, target: &Expr) -> TokenStream {
    if cx.local_of(target).is_some_and(|local| local.plain_constant) {
        // rustc reports an assignment to a variable without `mut`, and borrow errors.
        return quote!(());
    }
    cx.refuse(
        target,
        "this value is known at compile time and cannot be assigned to; declare a variable with `let mut`",
    )
}
