//! Origins of values, for messages.
use super::call::is_type_name;
use crate::scope::Context;
use crate::types;
use syn::{Expr, ExprPath, Ident};

/// Whether an expression calls a function of a type that is not in the registry.
pub fn is_of_unregistered_type(e: &Expr) -> bool {
    let Expr::Call(call) = e else { return false };
    let Expr::Path(ExprPath { path, qself: None, .. }) = &*call.func else { return false };
    let mut segments = path.segments.iter().rev().map(|segment| &segment.ident);
    let (Some(function), Some(owner)) = (segments.next(), segments.next()) else { return false };
    let (text, own) = (owner.to_string(), owner == "Self" || crate::item_registry::is_parameter(owner));
    function.to_string().starts_with(|c: char| c.is_ascii_lowercase())
        && is_type_name(&text)
        && !own
        && !types::is_of_language(&text)
        && crate::item_registry::parameters(owner).is_none()
}

/// Records the origin of a variable, for messages.
pub fn note_origin(cx: &mut Context, name: &Ident, init: &Expr) {
    let text = name.to_string();
    cx.functions.retain(|(known, _)| *known != text);
    cx.of_unregistered_types.retain(|known| *known != text);
    if is_of_unregistered_type(init) {
        cx.of_unregistered_types.push(text);
    } else if let Expr::Path(ExprPath { path, qself: None, .. }) = init
        && let Some(function) = path.get_ident().filter(|function| cx.kind(function).is_none())
        && function.to_string().starts_with(|c: char| c.is_ascii_lowercase())
    {
        cx.functions.push((text, function.clone()));
    }
}
