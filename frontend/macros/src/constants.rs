//! Makes rustc report an overflow in a constant of a body once. The body as written and the expansion both contain the constants of
//! the body, so there the operators of integers never fail. A constant beside the item contains them as written:
//!
//! ```text
//! fn f() { const N: u32 = 2 - 3; … }
//! fn f() { const N: u32 = match <u32>::checked_sub(2, 3) { Some(v) => v, _ => 1 }; … }    const _: () = { const N: u32 = 2 - 3; };
//! ```
use crate::expr::operator;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Expr, Ident, Item, Stmt, Type, parse_quote};

/// Changes the constants in the bodies of an item, and returns the items of the bodies as written.
pub fn separate(item: &mut Item) -> TokenStream {
    let mut constants = Constants::default();
    constants.visit_item_mut(item);
    let (items, quiet) = (constants.items, crate::func::quiet());
    if constants.is_changed { quote!(#quiet const _: () = { #(#items)* };) } else { quote!() }
}

#[derive(Default)]
struct Constants {
    /// The items of the enclosing block, and the inner blocks with items.
    items: Vec<TokenStream>,
    /// Number of enclosing blocks.
    depth: usize,
    is_changed: bool,
}

impl VisitMut for Constants {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let items = block.stmts.iter().filter_map(|statement| match statement {
            Stmt::Item(item) => Some(quote!(#item)),
            _ => None,
        });
        let outer = std::mem::replace(&mut self.items, items.collect());
        self.depth += 1;
        visit_mut::visit_block_mut(self, block);
        self.depth -= 1;
        let items = std::mem::replace(&mut self.items, outer);
        if !items.is_empty() {
            self.items.push(quote!({ #(#items)* }));
        }
    }

    fn visit_item_const_mut(&mut self, item: &mut syn::ItemConst) {
        let is_integer = |name: &Ident| {
            let name = name.to_string();
            name.strip_prefix(['u', 'i']).is_some_and(|bits| ["8", "16", "32", "64", "128", "size"].contains(&bits))
        };
        if self.depth > 0 && matches!(&*item.ty, Type::Path(path) if path.path.get_ident().is_some_and(is_integer)) {
            self.is_changed |= without_failure(&item.ty, &mut item.expr);
        }
    }
}

/// Replaces the operators of a constant of type `ty` by functions whose failure gives 1. The result is `true` if there is an
/// operator.
fn without_failure(ty: &Type, e: &mut Expr) -> bool {
    match e {
        Expr::Paren(inner) => without_failure(ty, &mut inner.expr),
        Expr::Unary(inner) => without_failure(ty, &mut inner.expr),
        Expr::Binary(binary) => {
            without_failure(ty, &mut binary.left);
            let right = match &mut *binary.right {
                shift if matches!(binary.op, BinOp::Shl(_) | BinOp::Shr(_)) => quote!((#shift) as u32),
                right => {
                    without_failure(ty, right);
                    quote!(#right)
                }
            };
            if let Some(function @ ("add" | "sub" | "mul" | "div" | "rem" | "shl" | "shr")) = operator(&binary.op) {
                let (left, function) = (&binary.left, format_ident!("checked_{}", function));
                *e = parse_quote!(match <#ty>::#function(#left, #right) { ::core::option::Option::Some(v) => v, _ => 1 });
            }
            true
        }
        _ => false,
    }
}
