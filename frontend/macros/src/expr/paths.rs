//! Translates paths in calls, constructors and struct literals.
use super::{argument, raw};
use crate::flow;
use crate::names;
use crate::scope::Context;
use crate::syntax::{self, is_number_name};
use crate::type_check::NameKind;
use crate::{tokens, types};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned;

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

/// `Foo { a, b }`.
pub fn structure(cx: &mut Context, e: &syn::ExprStruct) -> TokenStream {
    let span = e.span();
    let values: Vec<_> = e.fields.iter().map(|field| argument(cx, &field.expr)).collect();
    let rest = e.rest.as_ref().map(|rest| raw(cx, rest));
    let count = e.path.segments.len();
    let is_variant = count >= 2 && syntax::is_type_name(&e.path.segments[count - 2].ident.to_string());
    let begun = if is_variant {
        let begin = flow::variants::function(cx, &e.path, "begin", 0);
        quote!(#begin())
    } else {
        let mut path = e.path.clone();
        syntax::with_turbofish(&mut path);
        // The tokens have the location of the type's name, because rustc reports an unsupported type there.
        let (fields, check) = (Ident::new("__cube_fields", path.span()), names::check_call(path.span()));
        quote_spanned!(path.span()=> #path::#fields() #check)
    };
    let (init, begun) = (cx.fresh("init"), names::if_checked(begun));
    let build = rest.filter(|_| !is_variant).map_or(quote!(build()), |rest| quote!(build_from(#rest)));
    let sets = e.fields.iter().zip(&values).map(|(field, value)| {
        let member = names::field(&field.member);
        quote_spanned!(field.span()=> #init.#member = ::core::option::Option::Some(#value);)
    });
    quote_spanned!(span=> { let mut #init = #begun; #(#sets)* #init.#build })
}
