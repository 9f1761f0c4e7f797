//! Where values come from, as far as a message may speak of it.
use super::call::is_type_name;
use crate::scope::Context;
use crate::types;
use syn::{Expr, ExprPath, Ident};

/// Whether an expression calls a function of a type that no macro has seen.
pub fn is_from_elsewhere(e: &Expr) -> bool {
    let Expr::Call(call) = e else { return false };
    let Expr::Path(ExprPath { path, qself: None, .. }) = &*call.func else { return false };
    let mut segments = path.segments.iter().rev().map(|segment| &segment.ident);
    let (Some(function), Some(owner)) = (segments.next(), segments.next()) else { return false };
    let (text, own) = (owner.to_string(), owner == "Self" || crate::known::is_parameter(owner));
    function.to_string().starts_with(|c: char| c.is_ascii_lowercase())
        && is_type_name(&text)
        && !own
        && !types::is_of_language(&text)
        && crate::known::parameters(owner).is_none()
}

/// Notes what a name is a name of, as far as a message may speak of it.
pub fn note_origin(cx: &mut Context, name: &Ident, init: &Expr) {
    let text = name.to_string();
    cx.functions.retain(|(known, _)| *known != text);
    cx.from_elsewhere.retain(|known| *known != text);
    if is_from_elsewhere(init) {
        cx.from_elsewhere.push(text);
    } else if let Expr::Path(ExprPath { path, qself: None, .. }) = init
        && let Some(function) = path.get_ident().filter(|function| cx.kind(function).is_none())
        && function.to_string().starts_with(|c: char| c.is_ascii_lowercase())
    {
        cx.functions.push((text, function.clone()));
    }
}
