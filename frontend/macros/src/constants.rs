//! Makes rustc report an overflow in a constant of a body once. The body as written and the expansion both contain the constants of
//! the body, so in the body as written the operators of integers never fail:
//!
//! ```text
//! const N: u32 = 2 - 3;    const N: u32 = match <u32>::checked_sub(2, 3) { Some(v) => v, _ => 1 };
//! ```
use crate::expr::operator;
use quote::{format_ident, quote};
use syn::visit_mut::VisitMut;
use syn::{BinOp, Expr, Ident, Type, parse_quote};

/// Visitor that changes the constants of integers in an item.
pub struct WithoutFailure;

impl VisitMut for WithoutFailure {
    fn visit_item_const_mut(&mut self, item: &mut syn::ItemConst) {
        let is_integer = |name: &Ident| {
            let name = name.to_string();
            name.strip_prefix(['u', 'i']).is_some_and(|bits| ["8", "16", "32", "64", "128", "size"].contains(&bits))
        };
        if matches!(&*item.ty, Type::Path(path) if path.path.get_ident().is_some_and(is_integer)) {
            without_failure(&item.ty, &mut item.expr);
        }
    }
}

/// Replaces the operators of a constant of type `ty` by functions whose failure gives 1.
fn without_failure(ty: &Type, e: &mut Expr) {
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
        }
        _ => {}
    }
}
