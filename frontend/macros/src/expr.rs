//! Translates expressions. The host computes an expression if all operands are host values; other expressions
//! are staged.
mod call;
mod constant;
mod diverges;
mod lists;
mod numbers;
mod operators;
mod paths;

pub use constant::{comptime_block as comptime_tokens, const_tokens, is_const, is_text_of_kernel, only_at_run_time};
pub use diverges::{block_diverges, diverges};
pub use lists::note_list;
pub use numbers::initialises_number;
pub use operators::operator;
use operators::{assignment, binary_value, operation};

use crate::names::{gate, position};
use crate::scope::{Context, Name};
use crate::syntax::name_of;
use crate::{flow, stmt};
use cube_names::keyword;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Ident, UnOp};

/// The value of an expression: a host value if [`is_const`] is true, and a staged value otherwise.
pub fn raw(cx: &mut Context, e: &Expr) -> TokenStream {
    if is_const(cx, e) { const_tokens(cx, e) } else { value(cx, e) }
}

pub fn staged(cx: &mut Context, e: &Expr) -> TokenStream {
    if is_const(cx, e) {
        if let Expr::Tuple(tuple) = e {
            let elems: Vec<_> = tuple.elems.iter().map(|e| staged(cx, e)).collect();
            return quote_spanned!(e.span()=> (#(#elems,)*));
        }
        let tokens = const_tokens(cx, e);
        if call::is_variant(e) {
            // `None` is equal in host form and staged form. Its type can follow from other uses.
            if matches!(e, Expr::Path(path) if path.path.is_ident("None")) {
                return tokens;
            }
            return quote_spanned!(e.span()=> __p::into_staged(#tokens));
        }
        let gate = gate(e.span());
        quote_spanned!(e.span()=> #gate::lit(#tokens))
    } else {
        value(cx, e)
    }
}

/// The value of an expression that is an argument of a call. The type of the callee's parameter determines
/// the argument's conversion.
pub fn argument(cx: &mut Context, e: &Expr) -> TokenStream {
    match e {
        Expr::Closure(_) => value(cx, e),
        _ if cx.is_closure(e) => quote!(#e),
        Expr::Reference(r) if !is_const(cx, e) && cx.is_closure(&r.expr) => quote!(#e),
        // The callee decides whether the loop counter is passed as a host number or as a kernel value.
        _ if cx.local_of(e).is_some_and(|local| local.loop_counter) => {
            let tokens = raw(cx, e);
            quote_spanned!(e.span()=> __p::arg(__p::LoopCounter(#tokens)))
        }
        // The called function reports coordinates of an invalid type.
        Expr::Tuple(_) if is_const(cx, e) => as_argument(cx, e),
        _ => converted(cx, e),
    }
}

/// The value of an expression, converted to the type of its destination. A host value becomes a staged value if the
/// destination requires a staged value.
pub fn converted(cx: &mut Context, e: &Expr) -> TokenStream {
    match e {
        // Each element is converted for its destination.
        Expr::Tuple(tuple) if is_const(cx, e) => {
            let parts: Vec<_> = tuple.elems.iter().map(|part| converted(cx, part)).collect();
            quote_spanned!(e.span()=> (#(#parts,)*))
        }
        // `None` is equal in host form and staged form. Its type can follow from other uses.
        Expr::Path(path) if path.path.is_ident("None") => quote!(#path),
        _ => as_argument(cx, e),
    }
}

/// The value of an expression, whose type the destination determines.
fn as_argument(cx: &mut Context, e: &Expr) -> TokenStream {
    let tokens = raw(cx, e);
    quote_spanned!(e.span()=> __p::arg(#tokens))
}

pub fn local(name: &Ident) -> TokenStream {
    if name == "self" { quote_spanned!(name.span()=> __self) } else { quote!(#name) }
}

/// The variable or memory element that an expression names. For other expressions, the result is the
/// expression's value.
pub fn place(cx: &mut Context, e: &Expr) -> TokenStream {
    match e {
        Expr::Reference(inner) => place(cx, &inner.expr),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => place(cx, &unary.expr),
        Expr::Path(_) if name_of(e).is_some_and(|name| cx.kind(name).is_some()) => {
            local(name_of(e).expect("the guard found the name"))
        }
        Expr::Field(field) if !is_const(cx, e) => {
            let base = place(cx, &field.base);
            let member = &field.member;
            quote!(#base.#member)
        }
        // The parentheses are necessary, because a method call or a field access can follow: `(n as u32).max(m)`.
        Expr::Cast(_) | Expr::Binary(_) | Expr::Unary(_) if is_const(cx, e) => {
            let tokens = raw(cx, e);
            quote!((#tokens))
        }
        other => raw(cx, other),
    }
}

fn read(place: TokenStream, span: Span) -> TokenStream {
    quote_spanned!(span=> (&__p::R(&#place)).rd())
}

/// The staged value of an expression that the host does not compute.
pub fn value(cx: &mut Context, e: &Expr) -> TokenStream {
    let span = e.span();
    let pos = position(span);
    match e {
        Expr::Path(path) => {
            let Some(name) = path.path.get_ident() else { return quote!(#path) };
            match (cx.kind(name), keyword(&name.to_string())) {
                (Some(Name::Value | Name::Reference), _) => {
                    let name = local(name);
                    quote_spanned!(span=> #name.clone())
                }
                (Some(Name::Variable), _) => read(local(name), span),
                (Some(_), _) => local(name),
                (None, Some(word)) => {
                    let gate = gate(span);
                    quote_spanned!(span=> #gate::topology(#word, #pos))
                }
                (None, None) => quote!(#path),
            }
        }
        Expr::Reference(inner) => reference(cx, inner),
        Expr::Lit(_) => staged(cx, e),
        Expr::Unary(unary) => {
            let function = match unary.op {
                UnOp::Neg(_) => Ident::new("neg", span),
                UnOp::Not(_) => Ident::new("not", span),
                _ => {
                    let inner = place(cx, &unary.expr);
                    return match cx.v11 {
                        true => quote_spanned!(span=> (&__p::R(&#inner)).deref_value()),
                        false => read(inner, span),
                    };
                }
            };
            let inner = staged(cx, &unary.expr);
            operation(&function, &[inner], span)
        }
        Expr::Binary(binary) => binary_value(cx, binary),
        Expr::Assign(assign) => assignment(cx, assign),
        Expr::Cast(cast) => {
            let inner = staged(cx, &cast.expr);
            let ty = &cast.ty;
            if matches!(**ty, syn::Type::Ptr(_)) {
                return cx.refuse(e, "pointers are not supported in a kernel; take memory as `&Array<T>` or `&mut Array<T>`");
            }
            if matches!(**ty, syn::Type::Infer(_)) {
                return cx.refuse(ty, "a cast needs a type; write the number type after `as`");
            }
            if cx.types.is_number(ty) {
                let gate = gate(span);
                return quote_spanned!(span=> #gate::cast::<#ty, _>(#inner, #pos));
            }
            // For an unknown type in generic arguments, rustc adds a hint, and would report the type twice.
            quote_spanned!(span=> <<#ty as __p::Checked<__CHECK>>::Out as __p::CastTarget>::cast(#inner, #pos))
        }
        Expr::Field(field) => {
            let place = place(cx, &Expr::Field(field.clone()));
            read(place, span)
        }
        Expr::Index(index) => {
            if let Some(refused) = lists::outside(cx, index) {
                return refused;
            }
            let base = place(cx, &index.expr);
            if let Expr::Range(range) = &*index.index {
                let [start, end] = [&range.start, &range.end].map(|end| {
                    let end = end.as_ref().map(|end| argument(cx, end));
                    end.map_or(quote!(::core::option::Option::None), |end| quote!(::core::option::Option::Some(#end)))
                });
                let closed = matches!(range.limits, syn::RangeLimits::Closed(_));
                return quote_spanned!(span=> __p::index_range(&#base, #start, #end, #closed, #pos));
            }
            let at = argument(cx, &index.index);
            quote_spanned!(span=> __p::index(&#base, #at, #pos))
        }
        Expr::Tuple(tuple) => {
            let elems = tuple.elems.iter().map(|e| match cx.local_of(e) {
                // A `#[comptime]` value in a tuple need not be a number.
                Some(local) if local.kind == Name::Comptime && !local.bare => {
                    quote_spanned!(e.span()=> __p::into_staged(#e.clone()))
                }
                _ => staged(cx, e),
            });
            let elems: Vec<_> = elems.collect();
            quote_spanned!(span=> (#(#elems,)*))
        }
        Expr::Array(array) => {
            let elems: Vec<_> = array.elems.iter().map(|e| staged(cx, e)).collect();
            quote_spanned!(span=> __p::array([#(#elems),*], #pos))
        }
        Expr::Repeat(repeat) => {
            if !is_const(cx, &repeat.len) {
                return cx.refuse(
                    &repeat.len,
                    "the length of an array must be known at compile time; use a constant or a `#[comptime]` value",
                );
            }
            let elem = staged(cx, &repeat.expr);
            let len = const_tokens(cx, &repeat.len);
            quote_spanned!(span=> __p::array_of(#elem, (#len) as u32, #pos))
        }
        Expr::Range(range) => call::range(cx, range),
        Expr::Call(call) => call::call(cx, call),
        Expr::MethodCall(call) => call::method(cx, call),
        Expr::Struct(init) => paths::structure(cx, init),
        Expr::Closure(closure) => call::closure(cx, closure),
        Expr::Macro(mac) => stmt::macro_call(cx, &mac.mac),
        Expr::Block(block) if block.label.is_some() => flow::labelled(cx, block),
        Expr::Block(block) => flow::block(cx, &block.block),
        Expr::Unsafe(block) => {
            let outer = std::mem::replace(&mut cx.in_unsafe, true);
            let tokens = flow::block(cx, &block.block);
            cx.in_unsafe = outer;
            tokens
        }
        Expr::If(branch) => flow::branch(cx, branch),
        Expr::Match(matching) => flow::matching(cx, matching),
        Expr::ForLoop(loop_expr) => flow::for_loop(cx, loop_expr),
        Expr::While(loop_expr) => flow::while_loop(cx, loop_expr),
        Expr::Loop(loop_expr) => flow::endless(cx, loop_expr),
        Expr::Break(exit) => flow::exit_loop(cx, e, exit.label.as_ref(), exit.expr.as_deref(), "brk"),
        Expr::Continue(exit) => flow::exit_loop(cx, e, exit.label.as_ref(), None, "cont"),
        Expr::Return(exit) => flow::return_value(cx, exit),
        Expr::Try(e) => cx.refuse(e, "`?` is not supported in a kernel; use `match`, or `comptime!` for a host value"),
        Expr::Let(inner) => cx.refuse(inner, "`let` is not supported in this condition; write `if let … { if … { } }`"),
        // rustc reports these expressions.
        Expr::Await(_) | Expr::Yield(_) => quote!(__p::unexpanded()),
        other => cx.refuse(other, "this expression is not supported in a kernel; compute the value inside `comptime!(…)`, or pass it as a parameter"),
    }
}

fn reference(cx: &mut Context, e: &syn::ExprReference) -> TokenStream {
    if e.mutability.is_none() {
        return value(cx, &e.expr);
    }
    match &*e.expr {
        Expr::Index(index)
            if matches!(*index.index, Expr::Range(_))
                || is_const(cx, &index.index)
                || cx.local_of(&index.expr).is_some_and(|local| local.atomic) =>
        {
            value(cx, &e.expr)
        }
        Expr::Index(index) => cx.refuse(
            index,
            "an element cannot be borrowed as `&mut`; copy it into a variable, pass that, and write it back",
        ),
        inner => {
            let inner = place(cx, inner);
            quote_spanned!(e.span()=> #inner.clone())
        }
    }
}
