//! Struct literals, and variants with named fields.
use super::call::is_type_name;
use super::paths::{is_known_with_arguments, variant_path};
use super::{argument, raw};
use crate::flow;
use crate::names::{self, private};
use crate::scope::Context;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, PathArguments};

/// The variable for a field of a struct literal.
fn field_name(member: &syn::Member) -> Ident {
    match member {
        syn::Member::Named(name) => name.clone(),
        syn::Member::Unnamed(index) => quote::format_ident!("_{}", index.index),
    }
}

/// `Foo { a, b }`.
pub fn structure(cx: &mut Context, e: &syn::ExprStruct) -> TokenStream {
    let (span, p) = (e.span(), private());
    let values: Vec<_> = e.fields.iter().map(|field| argument(cx, &field.expr)).collect();
    let rest = e.rest.as_ref().map(|rest| raw(cx, rest));
    let count = e.path.segments.len();
    let is_variant = count >= 2 && is_type_name(&e.path.segments[count - 2].ident.to_string());
    if is_variant {
        let fields: Vec<_> =
            e.fields.iter().map(|field| quote::ToTokens::to_token_stream(&field.member).to_string()).collect();
        crate::pattern::note_unknown_variant(cx, &e.path, &fields);
        if flow::variants::is_imported(cx, &e.path) {
            let (begun, init) = (flow::variants::function(cx, &e.path, "begin", 0), cx.fresh("init"));
            let sets = e.fields.iter().zip(&values).map(|(field, value)| {
                let member = field_name(&field.member);
                quote_spanned!(field.span()=> #init.#member = ::core::option::Option::Some(#value);)
            });
            return quote_spanned!(span=> { let mut #init = #begun(); #(#sets)* #init.build() });
        }
        let path = variant_path(cx, &e.path);
        let members = e.fields.iter().map(|field| &field.member);
        return quote_spanned!(span=> #path { #(#members: #values),* });
    }
    // A generic path in an expression: `Foo<F>` is written `Foo::<F>`.
    let mut path = e.path.clone();
    for segment in &mut path.segments {
        if let PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
            arguments.colon2_token.get_or_insert_default();
        }
    }
    let (init, build) = (cx.fresh("init"), rest.map_or(quote!(build()), |rest| quote!(build_from(#rest))));
    let sets = e.fields.iter().zip(&values).map(|(field, value)| {
        let member = field_name(&field.member);
        quote_spanned!(field.span()=> #init.#member = ::core::option::Option::Some(#value);)
    });
    let ty = match cx.known_type(&path, false) {
        Some(known) => quote!(#known),
        None if cx.checked && is_known_with_arguments(&path) => quote!(<<#path as #p::Checked<__CHECK>>::Out>),
        None => quote!(#path),
    };
    // At the name of the type: an unsupported type is reported there.
    let (fields, asked) = (Ident::new("__cube_fields", path.span()), names::asked_in_a_kernel(path.span()));
    let begun = quote_spanned!(path.span()=> #ty::#fields() #asked);
    let begun = cx.leaf(begun);
    quote_spanned!(span=> { let mut #init = #begun; #(#sets)* #init.#build })
}
