//! `#[derive(AutotuneKey)]`: the text form of a key, and a constructor from its fields.
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Field, Ident, LitInt, LitStr};

/// The value of a field that is the parameter `value`, and the text in `#[autotune(name = "…")]`. With an anchor, the number is
/// rounded up to a power of `base` and clamped to `min` and `max`.
fn anchored(field: &Field, value: &Ident) -> syn::Result<(TokenStream, Option<LitStr>)> {
    let (mut anchored, mut name) = (quote!(#value), None);
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("autotune")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("name") {
                name = Some(meta.value()?.parse()?);
                return Ok(());
            }
            if !meta.path.is_ident("anchor") {
                return Err(
                    meta.error("unknown argument of a field of an autotune key; write `anchor` or `name = \"…\"`")
                );
            }
            let mut bounds = [(); 3].map(|()| quote!(::core::option::Option::None));
            if meta.input.peek(syn::token::Paren) {
                meta.parse_nested_meta(|kind| {
                    if !kind.path.is_ident("exp") {
                        let message =
                            "unknown kind of anchor; write `anchor` or `anchor(exp(min = …, max = …, base = …))`";
                        return Err(kind.error(message));
                    }
                    kind.parse_nested_meta(|bound| {
                        let position = ["max", "min", "base"].iter().position(|word| bound.path.is_ident(word));
                        let unknown = || bound.error("unknown argument of `exp`; use `min`, `max` and `base`");
                        let (position, number) = (position.ok_or_else(unknown)?, bound.value()?.parse::<LitInt>()?);
                        bounds[position] = quote!(::core::option::Option::Some(#number));
                        Ok(())
                    })
                })?;
            }
            anchored = quote!(__p::tune::anchor(#value, #(#bounds),*));
            Ok(())
        })?;
    }
    Ok((anchored, name))
}

/// Expands the derive.
pub fn autotune_key(input: TokenStream) -> syn::Result<TokenStream> {
    let input: DeriveInput = syn::parse2(input)?;
    let Data::Struct(data) = &input.data else {
        return Err(syn::Error::new_spanned(
            &input.ident,
            "an autotune key is a struct; put this type into a struct as a field",
        ));
    };
    let (name, vis) = (&input.ident, &input.vis);
    let text = name.to_string();
    let (mut parameters, mut values, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    for (index, field) in data.fields.iter().enumerate() {
        let ty = &field.ty;
        let parameter = field.ident.clone().unwrap_or_else(|| format_ident!("_{index}"));
        let member = field.ident.clone().map_or_else(|| syn::Member::from(index), syn::Member::from);
        let (value, name) = anchored(field, &parameter)?;
        let label = match (&field.ident, name) {
            (Some(_), Some(name)) => quote!(__p::tune::Label::Text(#name)),
            (Some(ident), None) => {
                let ident = crate::names::unraw(ident);
                quote!(__p::tune::Label::Field(#ident))
            }
            (None, _) => quote!(__p::tune::Label::None),
        };
        parameters.push(quote!(#parameter: #ty));
        values.push(quote!(#member: #value));
        parts.push(quote!((#label, &self.#member)));
    }
    let (generics, used, where_clause) = input.generics.split_for_impl();
    Ok(quote! {
        impl #generics #name #used #where_clause {
            /// The key. If a field has an anchor, the function rounds the field's number up to the next power
            /// of the anchor's base.
            #[allow(clippy::too_many_arguments)]
            #vis fn new(#(#parameters),*) -> Self {
                Self { #(#values),* }
            }
        }
        impl #generics ::core::fmt::Display for #name #used #where_clause {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                __p::tune::write_key(f, #text, &[#(#parts),*])
            }
        }
        impl #generics __p::tune::AutotuneKey for #name #used #where_clause {}
    })
}
