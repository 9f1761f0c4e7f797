//! `#[derive(AutotuneKey)]`: the text form of a key, and a constructor from its fields.
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::meta::ParseNestedMeta;
use syn::{Data, DeriveInput, Field, LitInt, LitStr};

/// The arguments of `#[autotune(…)]` on a field.
#[derive(Default)]
struct KeyField {
    /// Optional `min`, `max` and `base`: the field's number is rounded up to a power of `base` and clamped to
    /// `min` and `max`.
    anchor: Option<[Option<LitInt>; 3]>,
    name: Option<LitStr>,
}

const WORDS: [&str; 3] = ["max", "min", "base"];

impl KeyField {
    fn of(field: &Field) -> syn::Result<Self> {
        let mut options = KeyField::default();
        for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("autotune")) {
            attribute.parse_nested_meta(|meta| options.word(&meta))?;
        }
        Ok(options)
    }

    fn word(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        if meta.path.is_ident("name") {
            self.name = Some(meta.value()?.parse()?);
            return Ok(());
        }
        if !meta.path.is_ident("anchor") {
            return Err(meta.error("unknown argument of a field of an autotune key; write `anchor` or `name = \"…\"`"));
        }
        let mut bounds = [None, None, None];
        if meta.input.peek(syn::token::Paren) {
            meta.parse_nested_meta(|kind| {
                if !kind.path.is_ident("exp") {
                    return Err(kind
                        .error("unknown kind of anchor; write `anchor` or `anchor(exp(min = …, max = …, base = …))`"));
                }
                kind.parse_nested_meta(|bound| {
                    let position = WORDS.iter().position(|word| bound.path.is_ident(word));
                    let position = position
                        .ok_or_else(|| bound.error("unknown argument of `exp`; use `min`, `max` and `base`"))?;
                    bounds[position] = Some(bound.value()?.parse()?);
                    Ok(())
                })
            })?;
        }
        self.anchor = Some(bounds);
        Ok(())
    }
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
        let options = KeyField::of(field)?;
        let ty = &field.ty;
        let parameter = field.ident.clone().unwrap_or_else(|| format_ident!("_{index}"));
        let member = field.ident.clone().map_or_else(|| syn::Member::from(index), syn::Member::from);
        let value = match options.anchor {
            None => quote!(#parameter),
            Some(bounds) => {
                let [max, min, base] = bounds.map(|bound| match bound {
                    Some(number) => quote!(::core::option::Option::Some(#number)),
                    None => quote!(::core::option::Option::None),
                });
                quote!(__p::tune::anchor(#parameter, #max, #min, #base))
            }
        };
        let label = match (&field.ident, options.name) {
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
