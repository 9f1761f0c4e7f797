//! Translates struct literals, and literals of variants with named fields.
use super::call::is_type_name;
use super::{argument, raw};
use crate::flow;
use crate::scope::Context;
use crate::{names, syntax};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned;

/// The name of the variable for a field of a struct literal.
fn field_name(member: &syn::Member) -> Ident {
    match member {
        syn::Member::Named(name) => name.clone(),
        syn::Member::Unnamed(index) => quote::format_ident!("_{}", index.index),
    }
}

/// `Foo { a, b }`.
pub fn structure(cx: &mut Context, e: &syn::ExprStruct) -> TokenStream {
    let span = e.span();
    let values: Vec<_> = e.fields.iter().map(|field| argument(cx, &field.expr)).collect();
    let rest = e.rest.as_ref().map(|rest| raw(cx, rest));
    let count = e.path.segments.len();
    let is_variant = count >= 2 && is_type_name(&e.path.segments[count - 2].ident.to_string());
    if is_variant {
        let (begun, init) = (flow::variants::function(cx, &e.path, "begin", 0), cx.fresh("init"));
        let begun = crate::names::if_checked(quote!(#begun()));
        let sets = e.fields.iter().zip(&values).map(|(field, value)| {
            let member = field_name(&field.member);
            quote_spanned!(field.span()=> #init.#member = ::core::option::Option::Some(#value);)
        });
        return quote_spanned!(span=> { let mut #init = #begun; #(#sets)* #init.build() });
    }
    let mut path = e.path.clone();
    syntax::with_turbofish(&mut path);
    let (init, build) = (cx.fresh("init"), rest.map_or(quote!(build()), |rest| quote!(build_from(#rest))));
    let sets = e.fields.iter().zip(&values).map(|(field, value)| {
        let member = field_name(&field.member);
        quote_spanned!(field.span()=> #init.#member = ::core::option::Option::Some(#value);)
    });
    // The tokens have the location of the type's name, because rustc reports an unsupported type there.
    let (fields, check) = (Ident::new("__cube_fields", path.span()), names::check_call(path.span()));
    let begun = quote_spanned!(path.span()=> #path::#fields() #check);
    let begun = crate::names::if_checked(begun);
    quote_spanned!(span=> { let mut #init = #begun; #(#sets)* #init.#build })
}
