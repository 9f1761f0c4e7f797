//! `#[derive(CubeType)]` and `#[derive(CubeLaunch)]`.
mod enums;
mod key;
mod structs;

pub use key::autotune_key;

use crate::parameters::is_bounded;
use crate::types::Types;
use proc_macro2::TokenStream;
use syn::visit_mut::VisitMut;
use syn::{Attribute, Data, DeriveInput, Field};

/// Adds `bound` to each unbounded type parameter that is the type of a field. Rust's own derive macros also
/// add bounds to type parameters.
fn bounded(input: &mut DeriveInput, bound: TokenStream) {
    let own: Vec<&Field> = all_fields(input).into_iter().filter(|field| !is_comptime(&field.attrs)).collect();
    let named =
        |name: &syn::Ident| own.iter().any(|f| matches!(&f.ty, syn::Type::Path(path) if path.path.is_ident(name)));
    let open: Vec<syn::Ident> = input
        .generics
        .type_params()
        .filter(|param| named(&param.ident) && !is_bounded(&input.generics, &param.ident))
        .map(|param| param.ident.clone())
        .collect();
    for param in input.generics.type_params_mut().filter(|param| open.contains(&param.ident)) {
        param.bounds.push(syn::parse_quote!(#bound));
    }
}

/// Generates the staged form of a struct or enum.
pub fn cube_type(input: TokenStream) -> syn::Result<TokenStream> {
    let mut input: DeriveInput = syn::parse2(input)?;
    crate::clean::Operands.visit_derive_input_mut(&mut input);
    bounded(&mut input, quote::quote!(__p::CubeType));
    match &input.data {
        Data::Struct(data) => Ok(with_words(&input, structs::cube_type(&input, data))),
        Data::Enum(data) => Ok(with_words(&input, enums::cube_type(&input, data))),
        Data::Union(_) => Err(syn::Error::new_spanned(
            &input.ident,
            "a union is not supported in a kernel; use an enum, or `reinterpret` for the bits of a number",
        )),
    }
}

/// Generates the launch arguments of a struct or enum.
pub fn cube_launch(input: TokenStream) -> syn::Result<TokenStream> {
    let mut input: DeriveInput = syn::parse2(input)?;
    crate::clean::Operands.visit_derive_input_mut(&mut input);
    bounded(&mut input, quote::quote!(__p::LaunchArg));
    match &input.data {
        Data::Struct(data) => Ok(structs::cube_launch(&input, data)),
        Data::Enum(data) => Ok(enums::cube_launch(&input, data)),
        Data::Union(_) => Err(syn::Error::new_spanned(
            &input.ident,
            "a union cannot be an argument of a kernel; use a struct or an enum",
        )),
    }
}

/// Returns the name and the definition of a constant on which all field types of the launch arguments depend.
/// rustc reports an invalid field type only in the definition of this constant.
fn launch_gate<'a>(input: &DeriveInput, fields: impl Iterator<Item = &'a Field>) -> (syn::Ident, TokenStream) {
    let name = &input.ident;
    let gate = quote::format_ident!("__LAUNCH_OF_{}", name, span = name.span());
    let known = quote::format_ident!("__TYPES_OF_{}", name, span = name.span());
    let types = Types::of(&input.generics);
    let of_user = |ty: &&syn::Type| types.is_of_user(ty, &input.generics);
    let checks = fields.filter(|f| !is_comptime(&f.attrs)).map(|f| &f.ty).filter(of_user).map(|ty| {
        let span = syn::spanned::Spanned::span(ty);
        quote::quote_spanned!(span=> <<#ty as __p::Checked<{ #known }>>::Out as __p::LaunchArg>::IS_IMPLEMENTED;)
    });
    let mut checks: Vec<_> = checks.collect();
    if input.generics.params.is_empty() {
        checks.push(quote::quote_spanned!(name.span()=> <#name as __p::CubeType>::IS_IMPLEMENTED;));
    }
    let quiet = crate::func::quiet();
    // If the type also derives `CubeType`, that derive has already generated this constant next to the type.
    let body = quote::quote!({ use self::*; #(#checks)* });
    let all = quote::quote!(#quiet #[doc(hidden)] const #gate: usize = { const #known: usize = 0; #body 0 };);
    (gate, all)
}

fn with_words(input: &DeriveInput, tokens: TokenStream) -> TokenStream {
    let refused = unknown_words(input);
    quote::quote!(#refused #tokens)
}

fn all_fields(input: &DeriveInput) -> Vec<&Field> {
    match &input.data {
        Data::Struct(data) => data.fields.iter().collect(),
        Data::Enum(data) => data.variants.iter().flat_map(|v| &v.fields).collect(),
        Data::Union(_) => Vec::new(),
    }
}

/// The errors for unknown arguments of `#[cube(…)]` and `#[expand(…)]` on the item, its variants and its
/// fields.
fn unknown_words(input: &DeriveInput) -> TokenStream {
    let of_variants: Vec<&Attribute> = match &input.data {
        Data::Enum(data) => data.variants.iter().flat_map(|variant| &variant.attrs).collect(),
        _ => Vec::new(),
    };
    let of_fields = all_fields(input).into_iter().flat_map(|field| &field.attrs);
    // CubeCL requires this argument if a variant is known only at run time. In Cube, the variant of every enum can be
    // unknown at compile time.
    let known: &[&str] = if matches!(input.data, Data::Enum(_)) { &["runtime_variants"] } else { &[] };
    let of_item = input
        .attrs
        .iter()
        .filter_map(|attr| refused_word(attr, known, "`#[cube(…)]` of a type does not take this argument; remove it"));
    let of_variants = of_variants
        .into_iter()
        .filter_map(|attr| refused_word(attr, &[], "a variant takes no argument of `#[cube(…)]`; remove the argument"));
    let of_fields = of_fields
        .filter_map(|attr| refused_word(attr, &["comptime"], "write `#[cube(comptime)]`, or remove the attribute"));
    of_item.chain(of_variants).chain(of_fields).map(syn::Error::into_compile_error).collect()
}

/// The error for the first unknown argument of an attribute.
fn refused_word(attr: &Attribute, known: &[&str], rule: &str) -> Option<syn::Error> {
    if !(attr.path().is_ident("cube") || attr.path().is_ident("expand")) {
        return None;
    }
    if !matches!(attr.meta, syn::Meta::List(_)) {
        return Some(syn::Error::new_spanned(attr, format!("`#[cube]` needs an argument here; {rule}")));
    }
    let words = attr.parse_nested_meta(|meta| match known.iter().any(|word| meta.path.is_ident(word)) {
        true => Ok(()),
        false => Err(meta.error(format!("unknown argument of `#[cube(…)]`; {rule}"))),
    });
    words.err()
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
fn staged_field(types: &Types, field: &Field) -> TokenStream {
    let ty = &field.ty;
    if is_comptime(&field.attrs) { quote::quote!(#ty) } else { types.staged(ty) }
}

/// The variable name for a field.
fn field_name(index: usize, field: &Field) -> syn::Ident {
    field.ident.clone().unwrap_or_else(|| quote::format_ident!("_{index}"))
}

/// A field as the argument of a launch.
struct LaunchField {
    /// The type of the argument.
    ty: TokenStream,
    /// The expression that adds the argument to the launch.
    registered: TokenStream,
    /// The expression of the staged value in the kernel.
    entered: TokenStream,
}

/// The field with the given index as the argument of a launch. `value` is a reference to the argument, and `gate` is
/// the constant of [`launch_gate`].
fn launch_field(
    input: &DeriveInput,
    gate: &syn::Ident,
    index: usize,
    field: &Field,
    value: TokenStream,
) -> LaunchField {
    let (ty, text) = (&field.ty, field_name(index, field).to_string());
    if is_comptime(&field.attrs) {
        let span = syn::spanned::Spanned::span(ty);
        let value = crate::names::at(value, span);
        return LaunchField {
            ty: quote::quote!(#ty),
            registered: quote::quote_spanned!(span=> __p::ComptimeField::to_compile_arg(#value, #text)),
            entered: quote::quote!(__arg.part(#index).to_host::<#ty>()),
        };
    }
    let through = Types::of(&input.generics).through(gate, &input.generics, ty);
    let argument = quote::quote!(<#through as __p::LaunchArg>);
    LaunchField {
        ty: quote::quote!(#argument::RuntimeArg<'a, R>),
        registered: quote::quote!(#argument::register::<R>(#value, __launch)),
        entered: quote::quote!(#argument::enter(__arg.part(#index), &mut __params.field(#text))),
    }
}

/// Generates a block with impls, to which one list of lint levels applies.
fn impls(tokens: TokenStream) -> TokenStream {
    let quiet = crate::func::quiet();
    quote::quote!(#quiet const _: () = { #tokens };)
}

/// The trait impls that are equal for the staged forms of structs and of enums.
fn conversions(input: &DeriveInput, into_staged: &TokenStream, clone: &TokenStream) -> TokenStream {
    let name = &input.ident;
    let staged = crate::names::expand_name(name);
    let (impl_generics, used, where_clause) = input.generics.split_for_impl();
    quote::quote! {
        impl #impl_generics __p::CubeType for #name #used #where_clause {
            type ExpandType = #staged #used;
            fn into_staged(self) -> Self::ExpandType { #into_staged }
        }
        impl #impl_generics ::core::clone::Clone for #staged #used #where_clause {
            fn clone(&self) -> Self { #clone }
        }
        impl #impl_generics __p::HasHost for #staged #used #where_clause {
            type Host = #name #used;
            fn __staged(self) -> Self { self }
        }
    }
}
