//! `#[derive(AutotuneKey)]`: the text form of a key, and a constructor from its fields.
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Field, Ident, LitInt, LitStr};

/// The value of a field that is the parameter `value`, and its label in the text of a key. With an anchor, the number is
/// rounded up to a power of `base` and clamped to `min` and `max`.
fn value_and_label((field, value): (&Field, &Ident)) -> syn::Result<(TokenStream, TokenStream)> {
    let (mut anchored, mut name) = (quote!(#value), None::<LitStr>);
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("autotune")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("name") {
                name = Some(meta.value()?.parse()?);
                return Ok(());
            }
            if !meta.path.is_ident("anchor") {
                return Err(meta.error("unknown argument of a key's field; write `anchor` or `name = \"…\"`"));
            }
            let mut bounds = [(); 3].map(|()| quote!(::core::option::Option::None));
            if meta.input.peek(syn::token::Paren) {
                meta.parse_nested_meta(|kind| {
                    if !kind.path.is_ident("exp") {
                        let message = "unknown kind of anchor; write `anchor(exp(min = …, max = …, base = …))`";
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
    let label = match (&field.ident, name) {
        (Some(_), Some(name)) => quote!(Text(#name)),
        (Some(ident), None) => {
            let ident = crate::names::unraw(ident);
            quote!(Field(#ident))
        }
        (None, _) => quote!(None),
    };
    Ok((anchored, label))
}

/// Expands the derive.
pub fn autotune_key(input: TokenStream) -> syn::Result<TokenStream> {
    let input: DeriveInput = syn::parse2(input)?;
    let (name, vis, forms) = (&input.ident, &input.vis, super::forms(&input));
    let ([form], Data::Struct(_)) = (&forms[..], &input.data) else {
        return Err(syn::Error::new_spanned(
            name,
            "an autotune key is a struct; put this type into a struct as a field",
        ));
    };
    let (names, members, types) = (&form.names, form.members(), form.fields.iter().map(|field| &field.ty));
    let parts = form.fields.iter().zip(names).map(value_and_label).collect::<syn::Result<Vec<_>>>()?;
    let (values, labels): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    let (generics, used, where_clause) = input.generics.split_for_impl();
    Ok(quote! {
        __p::tune::autotune_key! {
            #name [#generics] [#used] [#where_clause] [#vis]
            #(#names #members [#types] [#values] [#labels];)*
        }
    })
}
