//! Reports literal indices that exceed an array length in the source.
use crate::scope::Context;
use crate::syntax::{self, name_of, strip};
use proc_macro2::TokenStream;
use syn::{Expr, Ident};

/// Records a variable that is an array or shared memory. If the `let` has a literal size, the number of
/// elements is recorded too.
pub fn note_list(cx: &mut Context, name: &Ident, init: &Expr) {
    let length = match init {
        Expr::Array(array) => Some(array.elems.len() as u64),
        Expr::Repeat(repeat) => number(&repeat.len),
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) if syntax::is_memory_function(&path.path, &["new"]) => call.args.first().and_then(number),
            _ => return,
        },
        _ => return,
    };
    let length = length.filter(|_| !cx.changes.are_replaced(name));
    cx.local(name).into_iter().for_each(|local| local.length = length);
}

/// The value of an integer literal.
fn number(e: &Expr) -> Option<u64> {
    match strip(e) {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => int.base10_parse().ok(),
        _ => None,
    }
}

/// The error for a literal index that is outside of an array with a known length.
pub fn outside(cx: &mut Context, index: &syn::ExprIndex) -> Option<TokenStream> {
    let name = name_of(strip(&index.expr))?;
    let (length, at) = (cx.find(name)?.length?, number(&index.index)?);
    if at < length {
        return None;
    }
    let message = format!("index {at} is outside of `{name}`, which has the length {length}; use a smaller index");
    Some(cx.refuse(&index.index, message))
}
