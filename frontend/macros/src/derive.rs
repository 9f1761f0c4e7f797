//! `#[derive(CubeType)]` and `#[derive(CubeLaunch)]`.
mod enums;
mod structs;

use crate::types;
use proc_macro2::TokenStream;
use syn::{Attribute, Data, DeriveInput, Field};

/// The staged form of a struct or enum.
pub fn cube_type(input: TokenStream) -> syn::Result<TokenStream> {
    let input: DeriveInput = syn::parse2(input)?;
    crate::known::note_type(&input.ident, &input.generics);
    types::with_generics(&[&input.generics], || match &input.data {
        Data::Struct(data) => Ok(with_words(&input, structs::cube_type(&input, data))),
        Data::Enum(data) => {
            crate::known::note_variants(&input.ident, data);
            Ok(with_words(&input, enums::cube_type(&input, data)))
        }
        Data::Union(_) => Err(syn::Error::new_spanned(
            &input.ident,
            "a union has no meaning in a kernel: use an enum, or `reinterpret` for the bits of a number",
        )),
    })
}

/// The arguments of launches for a struct or enum.
pub fn cube_launch(input: TokenStream) -> syn::Result<TokenStream> {
    let input: DeriveInput = syn::parse2(input)?;
    types::with_generics(&[&input.generics], || match &input.data {
        Data::Struct(data) => Ok(structs::cube_launch(&input, data)),
        Data::Enum(data) => Ok(enums::cube_launch(&input, data)),
        Data::Union(_) => Err(syn::Error::new_spanned(&input.ident, "a union cannot be an argument of a kernel")),
    })
}

fn with_words(input: &DeriveInput, tokens: TokenStream) -> TokenStream {
    let refused = unknown_words(input);
    quote::quote!(#refused #tokens)
}

/// Words in `#[cube(…)]` of fields that nobody knows.
fn unknown_words(input: &DeriveInput) -> TokenStream {
    let fields: Vec<&Field> = match &input.data {
        Data::Struct(data) => data.fields.iter().collect(),
        Data::Enum(data) => data.variants.iter().flat_map(|v| &v.fields).collect(),
        Data::Union(_) => Vec::new(),
    };
    let attrs = fields.iter().flat_map(|field| &field.attrs).filter(|attr| attr.path().is_ident("cube"));
    let refused = attrs.filter_map(|attr| {
        let words = attr.parse_nested_meta(|meta| match meta.path.is_ident("comptime") {
            true => Ok(()),
            false => Err(meta.error("unknown word in `#[cube(…)]`: a field takes `#[cube(comptime)]`")),
        });
        words.err().map(syn::Error::into_compile_error)
    });
    refused.collect()
}

/// `#[cube(comptime)]`.
pub fn is_comptime(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| {
        if !(attr.path().is_ident("cube") || attr.path().is_ident("expand")) {
            return false;
        }
        let mut found = false;
        let _ = attr.parse_nested_meta(|meta| {
            found |= meta.path.is_ident("comptime");
            Ok(())
        });
        found
    })
}

/// The staged type of a field.
fn staged_field(field: &Field) -> TokenStream {
    let ty = &field.ty;
    if is_comptime(&field.attrs) { quote::quote!(#ty) } else { types::staged(ty) }
}

/// The name of a field as a variable.
fn field_name(index: usize, field: &Field) -> syn::Ident {
    field.ident.clone().unwrap_or_else(|| quote::format_ident!("_{index}"))
}
