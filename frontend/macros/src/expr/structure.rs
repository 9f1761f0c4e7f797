//! Translates struct literals, and literals of variants with named fields.
use super::{argument, raw};
use crate::flow;
use crate::scope::Context;
use crate::{names, syntax};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned;

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
