//! Translates operators and assignments.
use super::{argument, constant, is_const, lists, place, raw, staged};
use crate::names::position;
use crate::scope::Context;
use crate::syntax::{is_assigning, parts, strip};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Ident, Member};

/// The library function for a binary operator.
pub fn operator(op: &BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Add(_) | BinOp::AddAssign(_) => "add",
        BinOp::Sub(_) | BinOp::SubAssign(_) => "sub",
        BinOp::Mul(_) | BinOp::MulAssign(_) => "mul",
        BinOp::Div(_) | BinOp::DivAssign(_) => "div",
        BinOp::Rem(_) | BinOp::RemAssign(_) => "rem",
        BinOp::BitXor(_) | BinOp::BitXorAssign(_) => "bitxor",
        BinOp::BitAnd(_) | BinOp::BitAndAssign(_) => "bitand",
        BinOp::BitOr(_) | BinOp::BitOrAssign(_) => "bitor",
        BinOp::Shl(_) | BinOp::ShlAssign(_) => "shl",
        BinOp::Shr(_) | BinOp::ShrAssign(_) => "shr",
        BinOp::Lt(_) => "lt",
        BinOp::Le(_) => "le",
        BinOp::Gt(_) => "gt",
        BinOp::Ge(_) => "ge",
        _ => return None,
    })
}

pub fn binary_value(cx: &mut Context, e: &syn::ExprBinary) -> TokenStream {
    let span = e.op.span();
    let pos = position(span);
    match &e.op {
        BinOp::And(_) | BinOp::Or(_) => return logic(cx, e),
        BinOp::Eq(_) | BinOp::Ne(_) => {
            let method = if matches!(e.op, BinOp::Eq(_)) { quote!(cube_eq) } else { quote!(cube_ne) };
            // Host values that are not numbers, such as enums of a configuration, are compared on the host.
            let left = comparand(cx, &e.left);
            let right = comparand(cx, &e.right);
            return quote_spanned!(span=> (&__p::Compared(#left, #right)).#method(#pos));
        }
        _ => {}
    }
    let Some(name) = operator(&e.op) else {
        return cx.refuse(e, "this operator is not supported in a kernel; use another operator or a method");
    };
    let function = Ident::new(name, span);
    if !is_assigning(&e.op) {
        let operands = [staged(cx, &e.left), staged(cx, &e.right)];
        return operation(&function, &operands, span);
    }
    if let Expr::Index(index) = strip(&e.left) {
        return with_element(cx, index, |cx, base, at| {
            let right = staged(cx, &e.right);
            quote_spanned!(span=> {
                let __base = #base.clone();
                let __at = __p::index_of(&__base, #at);
                let __value = #right;
                let __new = __p::#function(__p::index(&__base, __at.clone(), #pos), __value, #pos);
                __p::index_assign(&__base, __at, __new, #pos)
            })
        });
    }
    if is_const(cx, &e.left) {
        return constant::assign_to_constant(cx, &e.left);
    }
    let target = place(cx, &e.left);
    let right = staged(cx, &e.right);
    let old = match &*e.left {
        Expr::Unary(_) if cx.v11 => quote!((&__p::R(&#target)).deref_value()),
        _ => quote!(#target.clone()),
    };
    let new = operation(&function, &[old, quote_spanned!(span=> __value)], span);
    let assigned = assigned(cx, &e.left, &target, &quote_spanned!(span=> __new), span);
    quote_spanned! {span=> {
        let __value = #right;
        let __new = #new;
        #assigned
    }}
}

/// Generates the code that stores a value in the target of an assignment. In kernels of CubeCL 0.11, a target `*x` can
/// be memory of one element.
fn assigned(cx: &Context, left: &Expr, target: &TokenStream, value: &TokenStream, span: Span) -> TokenStream {
    let pos = position(span);
    match left {
        Expr::Unary(_) if cx.v11 => quote_spanned!(span=> __p::DerefTarget(&mut #target).assign(#value, #pos)),
        _ => quote_spanned!(span=> __p::assign(&mut #target, #value, #pos)),
    }
}

/// Translates an operator. A method of `Operands` reports operands that are not numbers by their host type.
pub fn operation(function: &Ident, operands: &[TokenStream], span: Span) -> TokenStream {
    let pos = position(span);
    let (check, other) = (crate::names::check_call(span), (operands.len() == 1).then(|| quote!(())));
    quote_spanned!(span=> __p::Operands(#(#operands,)* #other).#function(#pos) #check)
}

/// An operand of a comparison. In a comparison, a literal gets the type of the other operand. Host values that
/// are not literals keep their type.
fn comparand(cx: &mut Context, e: &Expr) -> TokenStream {
    match strip(e) {
        Expr::Lit(lit) if !matches!(lit.lit, syn::Lit::Str(_)) => staged(cx, e),
        Expr::Unary(unary) if matches!(*unary.expr, Expr::Lit(_)) => staged(cx, e),
        _ => raw(cx, e),
    }
}

/// Translates `&&` and `||`. The kernel always evaluates a right operand that is cheap and pure. The kernel
/// evaluates any other right operand only if the left operand does not determine the result.
fn logic(cx: &mut Context, e: &syn::ExprBinary) -> TokenStream {
    let span = e.op.span();
    let pos = position(span);
    let is_and = matches!(e.op, BinOp::And(_));
    let left = raw(cx, &e.left);
    let right = raw(cx, &e.right);
    if is_plain(&e.right) {
        let function = if is_and { quote!(and) } else { quote!(or) };
        return quote_spanned!(span=> __p::#function(#left, #right, #pos));
    }
    let logic = cx.fresh("logic");
    quote_spanned! {span=> {
        let mut #logic = __p::Logic::begin(#left, #is_and, #pos);
        if #logic.right() { let __v = __p::condition(#right); #logic.put(__v); }
        #logic.end()
    }}
}

fn is_plain(e: &Expr) -> bool {
    match e {
        Expr::Lit(_) | Expr::Path(_) => true,
        Expr::Binary(binary) if matches!(binary.op, BinOp::And(_) | BinOp::Or(_)) => false,
        Expr::Field(_) | Expr::Unary(_) | Expr::Cast(_) | Expr::Binary(_) => parts(e).into_iter().all(is_plain),
        _ => false,
    }
}

/// Translates an assignment to an element by `assign`, which receives the memory and the index. A constant list, and a
/// constant index outside of the memory, are errors.
fn with_element(
    cx: &mut Context,
    index: &syn::ExprIndex,
    assign: impl FnOnce(&mut Context, TokenStream, TokenStream) -> TokenStream,
) -> TokenStream {
    if is_const(cx, &index.expr) {
        return constant::assign_to_constant(cx, &Expr::Index(index.clone()));
    }
    if let Some(refused) = lists::outside(cx, index) {
        return refused;
    }
    let (base, at) = (place(cx, &index.expr), argument(cx, &index.index));
    assign(cx, base, at)
}

pub fn assignment(cx: &mut Context, e: &syn::ExprAssign) -> TokenStream {
    let span = e.span();
    let pos = position(e.eq_token.span());
    let target = strip(&e.left).clone();
    match &target {
        Expr::Index(index) => with_element(cx, index, |cx, base, at| {
            let right = staged(cx, &e.right);
            quote_spanned!(span=> __p::set(#base.clone(), #at, #right, #pos))
        }),
        Expr::Infer(_) => {
            let right = raw(cx, &e.right);
            quote_spanned!(span=> { let _ = #right; })
        }
        Expr::Tuple(tuple) => {
            let right = raw(cx, &e.right);
            let value = cx.fresh("tuple");
            let assigns: Vec<_> = tuple
                .elems
                .iter()
                .enumerate()
                .map(|(i, elem)| {
                    let member = Member::from(i);
                    let target = place(cx, elem);
                    quote!(__p::assign(&mut #target, #value.#member, #pos);)
                })
                .collect();
            quote_spanned!(span=> { let #value = #right; #(#assigns)* })
        }
        _ if is_const(cx, &target) => constant::assign_to_constant(cx, &target),
        other => {
            let target = place(cx, other);
            let right = staged(cx, &e.right);
            let assigned = assigned(cx, &e.left, &target, &quote_spanned!(span=> __value), e.eq_token.span());
            quote_spanned!(span=> { let __value = #right; #assigned })
        }
    }
}
