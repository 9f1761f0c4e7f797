//! Recognises numbers and memory by their syntax. The macro generates no fallback method for method calls on
//! recognised numbers and memory, which keeps the expansion small.
use super::strip;
use crate::scope::{Context, Name};
use crate::shared_names::keyword;
use syn::{Expr, Ident};

/// Whether the syntax proves that an expression is a number.
fn is_number(cx: &Context, e: &Expr) -> bool {
    match e {
        Expr::Lit(lit) => matches!(lit.lit, syn::Lit::Int(_) | syn::Lit::Float(_)),
        Expr::Paren(inner) => is_number(cx, &inner.expr),
        Expr::Binary(binary) => is_number(cx, &binary.left) || is_number(cx, &binary.right),
        Expr::Cast(_) => true,
        Expr::Index(index) => !matches!(*index.index, Expr::Range(_)),
        Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
            let name = name.to_string();
            cx.numbers.contains(&name) || keyword(&name).is_some()
        }),
        _ => false,
    }
}

/// Whether the syntax proves that a receiver is a number or memory of the kernel language.
pub fn is_of_language(cx: &Context, e: &Expr) -> bool {
    let memory = |name: &Ident| cx.memories.iter().any(|memory| name == memory);
    is_number(cx, e) || matches!(e, Expr::Path(path) if path.path.get_ident().is_some_and(memory))
}

/// Whether the syntax proves that an expression is a number that the kernel computes at run time.
pub fn is_run_time_number(cx: &Context, e: &Expr) -> bool {
    let name = match strip(e) {
        Expr::Path(path) => path.path.get_ident(),
        Expr::Index(index) => match strip(&index.expr) {
            Expr::Path(path) => {
                return path.path.get_ident().is_some_and(|name| cx.memories.contains(&name.to_string()));
            }
            _ => None,
        },
        _ => None,
    };
    name.is_some_and(|name| match cx.kind(name) {
        Some(Name::Value | Name::Variable) => cx.numbers.contains(&name.to_string()),
        None => keyword(&name.to_string()).is_some(),
        _ => false,
    })
}
