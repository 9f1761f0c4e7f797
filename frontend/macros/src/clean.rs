//! The function as rustc sees it: without the attributes that only the macro knows.
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Item, parse_quote};

/// Attributes inside bodies and parameter lists that are ours.
pub fn is_helper(attr: &Attribute) -> bool {
    ["comptime", "unroll"].iter().any(|name| attr.path().is_ident(name))
}

/// Takes the helper attributes away; the expression of `#[unroll(expr)]` is kept as a statement, so that its names are used.
pub struct Clean;

impl VisitMut for Clean {
    fn visit_fn_arg_mut(&mut self, arg: &mut syn::FnArg) {
        match arg {
            syn::FnArg::Receiver(receiver) => receiver.attrs.retain(|a| !is_helper(a)),
            syn::FnArg::Typed(typed) => typed.attrs.retain(|a| !is_helper(a)),
        }
        visit_mut::visit_fn_arg_mut(self, arg);
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        local.attrs.retain(|a| !is_helper(a));
        visit_mut::visit_local_mut(self, local);
    }

    fn visit_expr_for_loop_mut(&mut self, turn: &mut syn::ExprForLoop) {
        let condition = turn.attrs.iter().find(|a| a.path().is_ident("unroll")).and_then(unroll_condition);
        turn.attrs.retain(|a| !is_helper(a));
        visit_mut::visit_expr_for_loop_mut(self, turn);
        if let Some(condition) = condition {
            turn.body.stmts.insert(0, parse_quote!(let _ = #condition;));
        }
    }
}

/// The expression in `#[unroll(expr)]` or `#[unroll = expr]`.
pub fn unroll_condition(attr: &Attribute) -> Option<syn::Expr> {
    match &attr.meta {
        syn::Meta::Path(_) => None,
        syn::Meta::List(list) => syn::parse2(list.tokens.clone()).ok(),
        syn::Meta::NameValue(pair) => Some(pair.value.clone()),
    }
}

/// An item that rustc can read.
pub fn item_without_helpers(mut item: Item) -> TokenStream {
    Clean.visit_item_mut(&mut item);
    item.into_token_stream()
}

/// Paths that begin with `super` or `self` mean something else inside the module that a function gets: one more `super`.
pub struct Deeper;

impl VisitMut for Deeper {
    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        visit_mut::visit_path_mut(self, path);
        if path.segments.len() < 2 || path.leading_colon.is_some() {
            return;
        }
        let first = &path.segments[0].ident;
        if first == "super" {
            path.segments.insert(0, parse_quote!(super));
        } else if first == "self" {
            path.segments[0] = parse_quote!(super);
        }
    }
}
