//! Recognises numbers and memory by their syntax. For method calls on recognised values, the macro generates no
//! fallback method, so that the expansion is short.
use super::strip;
use crate::scope::{Context, Name};
use crate::shared_names::keyword;
use crate::syntax::name_of;
use syn::Expr;

/// Whether the syntax proves that an expression is a number.
fn is_number(cx: &Context, e: &Expr) -> bool {
    match e {
        Expr::Lit(lit) => matches!(lit.lit, syn::Lit::Int(_) | syn::Lit::Float(_)),
        Expr::Paren(inner) => is_number(cx, &inner.expr),
        Expr::Binary(binary) => is_number(cx, &binary.left) || is_number(cx, &binary.right),
        Expr::Cast(_) => true,
        Expr::Index(index) => !matches!(*index.index, Expr::Range(_)),
        _ => name_of(e).is_some_and(|name| {
            let name = name.to_string();
            cx.numbers.contains(&name) || keyword(&name).is_some()
        }),
    }
}

/// Whether the syntax proves that a receiver is a number or memory of the kernel language.
pub fn is_of_language(cx: &Context, e: &Expr) -> bool {
    is_number(cx, e) || is_memory(cx, e)
}

fn is_memory(cx: &Context, e: &Expr) -> bool {
    name_of(e).is_some_and(|name| cx.memories.contains(&name.to_string()))
}

/// Whether the syntax proves that an expression is a number that the kernel computes at run time.
pub fn is_run_time_number(cx: &Context, e: &Expr) -> bool {
    if let Expr::Index(index) = strip(e) {
        return is_memory(cx, strip(&index.expr));
    }
    name_of(strip(e)).is_some_and(|name| match cx.kind(name) {
        Some(Name::Value | Name::Variable) => cx.numbers.contains(&name.to_string()),
        None => keyword(&name.to_string()).is_some(),
        _ => false,
    })
}
