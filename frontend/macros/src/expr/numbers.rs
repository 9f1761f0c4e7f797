//! Recognises numbers and memory by their syntax. For method calls on recognised values, the macro generates no
//! fallback method, so that the expansion is short.
use crate::scope::Context;
use crate::syntax::name_of;
use cube_names::{is_of_one, is_of_two, keyword};
use syn::Expr;

/// Whether the syntax proves that an expression is a number.
fn is_number(cx: &Context, e: &Expr) -> bool {
    match e {
        Expr::Lit(lit) => matches!(lit.lit, syn::Lit::Int(_) | syn::Lit::Float(_)),
        Expr::Binary(binary) => is_number(cx, &binary.left) || is_number(cx, &binary.right),
        Expr::Cast(_) => true,
        Expr::Index(index) => !matches!(*index.index, Expr::Range(_)),
        _ => name_of(e).is_some_and(|name| {
            cx.find(name).map_or_else(|| keyword(&name.to_string()).is_some(), |local| local.number)
        }),
    }
}

/// Whether the syntax proves that the value of a variable's initialiser is a number.
pub fn initialises_number(cx: &Context, e: &Expr) -> bool {
    match e {
        Expr::Binary(binary) => initialises_number(cx, &binary.left) || initialises_number(cx, &binary.right),
        Expr::Index(index) => is_number(cx, e) && is_memory(cx, &index.expr),
        Expr::Call(call) => {
            matches!(&*call.func, Expr::Path(path) if super::call::is_function_of_number(cx, &path.path))
        }
        Expr::MethodCall(call) => {
            let method = call.method.to_string();
            (is_of_one(&method) || is_of_two(&method)) && initialises_number(cx, &call.receiver)
        }
        _ => is_number(cx, e),
    }
}

/// Whether the syntax proves that a receiver is a number or memory of the kernel language.
pub fn is_of_language(cx: &Context, e: &Expr) -> bool {
    is_number(cx, e) || is_memory(cx, e)
}

fn is_memory(cx: &Context, e: &Expr) -> bool {
    cx.local_of(e).is_some_and(|local| local.memory)
}
