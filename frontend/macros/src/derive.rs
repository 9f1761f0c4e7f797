//! `#[derive(CubeType)]` and `#[derive(CubeLaunch)]`.
mod key;
mod launch;
mod staged;

pub use key::autotune_key;

use crate::parameters::is_bounded;
use crate::types::Types;
use proc_macro2::TokenStream;
use quote::quote;
use syn::visit_mut::VisitMut;
use syn::{Attribute, Data, DataStruct, DeriveInput, Field, Fields, Ident, Member, Variant};

/// Adds `bound` to each unbounded type parameter that is the type of a field. Rust's own derive macros also
/// add bounds to type parameters.
fn bounded(input: &mut DeriveInput, bound: TokenStream) {
    let forms = forms(input);
    let own = forms.iter().flat_map(|form| form.fields).filter(|field| !is_comptime(&field.attrs));
    let types: Vec<syn::Type> = own.map(|field| field.ty.clone()).collect();
    let generics = input.generics.clone();
    for param in input.generics.type_params_mut() {
        let is_param = |ty: &syn::Type| matches!(ty, syn::Type::Path(path) if path.path.is_ident(&param.ident));
        if types.iter().any(is_param) && !is_bounded(&generics, &param.ident) {
            param.bounds.push(syn::parse_quote!(#bound));
        }
    }
}

/// A struct, or a variant of an enum.
pub struct Form<'a> {
    fields: &'a Fields,
    /// The variable names for the fields.
    names: Vec<Ident>,
    /// The name of the struct or of the variant.
    host: Ident,
    /// The path of the form in the staged type.
    path: TokenStream,
}

impl Form<'_> {
    /// The declaration of the form as a variant, with a type for each field.
    fn shape(&self, path: &TokenStream, types: &[TokenStream]) -> TokenStream {
        match self.fields {
            Fields::Unit => quote!(#path),
            Fields::Unnamed(_) => quote!(#path(#(#types),*)),
            Fields::Named(fields) => {
                let members = fields.named.iter().map(|field| &field.ident);
                quote!(#path { #(#members: #types,)* })
            }
        }
    }

    /// An expression for each field.
    fn each(&self, of: impl Fn(&Field, &Ident) -> TokenStream) -> Vec<TokenStream> {
        self.fields.iter().zip(&self.names).map(|(field, name)| of(field, name)).collect()
    }

    /// The name or the index of each field.
    fn members(&self) -> Vec<Member> {
        let member = |(i, field): (usize, &Field)| field.ident.clone().map_or_else(|| Member::from(i), Member::from);
        self.fields.iter().enumerate().map(member).collect()
    }
}

/// The forms of a struct or an enum. A union has none.
fn forms(input: &DeriveInput) -> Vec<Form<'_>> {
    let (name, staged) = (&input.ident, crate::names::expand_name(&input.ident));
    let names = |fields: &Fields| {
        let name = |(i, field): (usize, &Field)| field.ident.clone().unwrap_or_else(|| quote::format_ident!("_{i}"));
        fields.iter().enumerate().map(name).collect()
    };
    match &input.data {
        Data::Struct(DataStruct { fields, .. }) => {
            vec![Form { fields, names: names(fields), host: name.clone(), path: quote!(#staged) }]
        }
        Data::Enum(data) => {
            let forms = data.variants.iter().map(|Variant { ident, fields, .. }| {
                let own = crate::names::variant(ident);
                Form { fields, names: names(fields), host: ident.clone(), path: quote!(#staged::#own) }
            });
            forms.collect()
        }
        Data::Union(_) => Vec::new(),
    }
}

/// Parses the input of a derive. `bound` is the bound of type parameters without bounds, and `union` is the error for a union.
fn parsed(input: TokenStream, bound: TokenStream, union: &str) -> syn::Result<DeriveInput> {
    let mut input: DeriveInput = syn::parse2(input)?;
    crate::syntax::Plain { parens: true }.visit_derive_input_mut(&mut input);
    bounded(&mut input, bound);
    match &input.data {
        Data::Union(_) => Err(syn::Error::new_spanned(&input.ident, union)),
        _ => Ok(input),
    }
}

/// Generates the staged form of a struct or enum.
pub fn cube_type(input: TokenStream) -> syn::Result<TokenStream> {
    let union = "a union is not supported in a kernel; use an enum, or `reinterpret` for the bits of a number";
    let input = parsed(input, quote!(__p::CubeType), union)?;
    let forms = forms(&input);
    let (refused, tokens) = (unknown_words(&input, &forms), staged::cube_type(&input, &forms));
    Ok(quote!(#refused #tokens))
}

/// Generates the launch arguments of a struct or enum.
pub fn cube_launch(input: TokenStream) -> syn::Result<TokenStream> {
    let union = "a union cannot be an argument of a kernel; use a struct or an enum";
    let input = parsed(input, quote!(__p::LaunchArg), union)?;
    Ok(launch::cube_launch(&input, &forms(&input)))
}

/// The errors for unknown arguments of `#[cube(…)]` and `#[expand(…)]` on the item, its variants and its
/// fields.
fn unknown_words(input: &DeriveInput, forms: &[Form]) -> TokenStream {
    let variants: Vec<_> = match &input.data {
        Data::Enum(data) => data.variants.iter().flat_map(|variant| &variant.attrs).collect(),
        _ => Vec::new(),
    };
    // CubeCL requires `runtime_variants` if a variant is known only at run time. In Cube, the variant of every enum can be
    // unknown at compile time.
    let of_item = matches!(input.data, Data::Enum(_)).then_some("runtime_variants");
    let of_fields = forms.iter().flat_map(|form| form.fields).flat_map(|field| &field.attrs);
    let all = input.attrs.iter().map(|attr| (attr, of_item));
    let all = all.chain(variants.into_iter().map(|attr| (attr, None)));
    let all = all.chain(of_fields.map(|attr| (attr, Some("comptime"))));
    let errors = all.filter(|(attr, _)| is_of_cube(attr)).filter_map(|(attr, word)| {
        let known =
            attr.parse_nested_meta(|meta| match word.is_some_and(|word| meta.path.is_ident(word)) {
                true => Ok(()),
                false => Err(meta
                    .error("this argument of `#[cube(…)]` is unknown here; write `#[cube(comptime)]` before a field")),
            });
        known.err().map(syn::Error::into_compile_error)
    });
    errors.collect()
}

fn is_of_cube(attr: &Attribute) -> bool {
    attr.path().is_ident("cube") || attr.path().is_ident("expand")
}

/// `#[cube(comptime)]`.
pub fn is_comptime(attrs: &[Attribute]) -> bool {
    let is_comptime = |meta: &syn::Meta| matches!(meta, syn::Meta::List(list) if crate::tokens::mention(list.tokens.clone(), &["comptime"]));
    attrs.iter().any(|attr| is_of_cube(attr) && is_comptime(&attr.meta))
}

/// The staged type of a field.
fn staged_field(types: &Types, field: &Field) -> TokenStream {
    let ty = &field.ty;
    if is_comptime(&field.attrs) { quote!(#ty) } else { types.staged(ty) }
}
