//! Translates paths in calls: associated items of types, and generic arguments.
use crate::names;
use crate::scope::Context;
use crate::syntax::{self, is_number_name};
use crate::type_check::NameKind;
use crate::{tokens, types};
use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;

/// Makes a type argument of a call depend on the check constant, which has no value if the user's body has an
/// error. An argument that is possibly a constant, not a type, is unchanged.
pub fn through_check(argument: &mut syn::GenericArgument) {
    let syn::GenericArgument::Type(syn::Type::Path(path)) = argument else { return };
    let Some(last) = path.path.segments.last() else { return };
    let name = last.ident.to_string();
    let is_type = || is_number_name(&name) || name.contains(|c: char| c.is_ascii_lowercase());
    if path.qself.is_none() && is_type() {
        let ty = path.clone();
        let through = tokens::at(quote!(<#ty as __p::Checked<__CHECK>>::Out), ty.span());
        if let Ok(ty) = syn::parse2(through) {
            *argument = syn::GenericArgument::Type(ty);
        }
    }
}

/// Translates the path `Type::function`. In the result, the type or the function depends on the check constant, which has
/// no value if the user's body has an error.
pub fn through_type(cx: &Context, path: &syn::Path) -> TokenStream {
    let count = path.segments.len();
    if count < 2 {
        return names::if_checked(quote!(#path));
    }
    let mut ty = path.clone();
    let last = ty.segments.pop().map(|pair| pair.into_value());
    ty.segments.pop_punct();
    // The tokens have the location of the type, because rustc reports a missing function at this location.
    let checked = |ty: &TokenStream| {
        let (open, close) = (quote!(< <), quote!(as __p::Checked<__CHECK> >::Out>::));
        let (open, close) = (tokens::at(open, ty.span()), tokens::at(close, ty.span()));
        quote!(#open #ty #close #last)
    };
    let of_library =
        ty.segments.first().filter(|first| ty.segments.len() == 1 && types::is_made_of_elements(&first.ident));
    if let Some(first) = of_library {
        let name = &first.ident;
        let ty = if first.arguments.is_none() { quote!(#name<_>) } else { quote!(#ty) };
        return checked(&ty);
    }
    // A path can also name a trait or a generic type. The names that this test accepts are always types without
    // parameters.
    let plain = ty
        .get_ident()
        .is_some_and(|name| name == "Self" || cx.types.parameters.contains(name) || is_number_name(&name.to_string()));
    if plain { checked(&quote!(#ty)) } else { names::if_checked(quote!(#path)) }
}

/// Expands a constructor: `Foo(a)` or `Foo::A(a)`. The expansion calls the constructor through the type, so only the
/// type has to be in scope.
pub fn constructor(cx: &mut Context, path: &syn::Path, associated: bool, arguments: usize) -> TokenStream {
    if associated && let Some(last) = path.segments.last() {
        let name = quote::format_ident!("new_{}", last.ident, span = last.ident.span());
        cx.record(NameKind::Associated, &name, arguments, Vec::new());
        return through_type(cx, &syntax::with_last(path, names::function(&name)));
    }
    let mut path = path.clone();
    syntax::with_turbofish(&mut path);
    names::if_checked(quote!(#path::__cube_tuple))
}

/// Placeholders for the generic arguments of a method call. The result is `None` if the syntax does not show whether
/// an argument is a type.
pub fn open_parameters(given: &Option<syn::AngleBracketedGenericArguments>) -> Option<Vec<TokenStream>> {
    let open = given.iter().flat_map(|list| &list.args).enumerate().map(|(i, argument)| {
        let name = quote::format_ident!("P{i}");
        match argument {
            syn::GenericArgument::Type(_) => Some(quote!(#name)),
            syn::GenericArgument::Const(syn::Expr::Lit(lit)) => match &lit.lit {
                syn::Lit::Int(number) if number.suffix().is_empty() => Some(quote!(const #name: i128)),
                syn::Lit::Bool(_) => Some(quote!(const #name: bool)),
                syn::Lit::Char(_) => Some(quote!(const #name: char)),
                _ => None,
            },
            _ => None,
        }
    });
    open.collect()
}
