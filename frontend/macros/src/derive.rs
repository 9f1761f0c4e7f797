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
    /// Whether the staged form has a field that mentions the generic parameters.
    is_marked: bool,
}

impl Form<'_> {
    /// The form with an expression, a pattern or a type for each field.
    fn shape(&self, path: &TokenStream, values: &[TokenStream], rest: Option<TokenStream>) -> TokenStream {
        match self.fields {
            Fields::Unit if rest.is_none() => quote!(#path),
            Fields::Unnamed(_) => quote!(#path(#(#values),*)),
            fields => {
                let members = fields.iter().map(|field| &field.ident);
                quote!(#path { #(#members: #values,)* #rest })
            }
        }
    }

    /// An expression of the staged form.
    fn staged(&self, values: &[TokenStream]) -> TokenStream {
        self.shape(&self.path, values, self.is_marked.then(|| quote!(__of: ::core::marker::PhantomData)))
    }

    /// A pattern of the staged form.
    fn pattern(&self, names: &[Ident]) -> TokenStream {
        let names: Vec<_> = names.iter().map(|name| quote!(#name)).collect();
        self.shape(&self.path, &names, self.is_marked.then(|| quote!(..)))
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
    let names = |fields: &Fields| fields.iter().enumerate().map(|(i, field)| field_name(i, field)).collect();
    match &input.data {
        Data::Struct(DataStruct { fields, .. }) => {
            let is_marked = !matches!(fields, Fields::Unnamed(_));
            vec![Form { fields, names: names(fields), host: name.clone(), path: quote!(#staged), is_marked }]
        }
        Data::Enum(data) => {
            let forms = data.variants.iter().map(|Variant { ident, fields, .. }| {
                let own = crate::names::variant(ident);
                Form {
                    fields,
                    names: names(fields),
                    host: ident.clone(),
                    path: quote!(#staged::#own),
                    is_marked: false,
                }
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
    let body = quote!({ use self::*; #(#checks)* });
    let all = quote!(#quiet #[doc(hidden)] const #gate: usize = { const #known: usize = 0; #body 0 };);
    (gate, all)
}

/// The errors for unknown arguments of `#[cube(…)]` and `#[expand(…)]` on the item, its variants and its
/// fields.
fn unknown_words(input: &DeriveInput, forms: &[Form]) -> TokenStream {
    // CubeCL requires this argument if a variant is known only at run time. In Cube, the variant of every enum can be
    // unknown at compile time.
    let (known, variants): (&[&str], _) = match &input.data {
        Data::Enum(data) => (&["runtime_variants"], data.variants.iter().flat_map(|variant| &variant.attrs).collect()),
        _ => (&[], Vec::new()),
    };
    let refused = |attrs: &[&Attribute], known: &[&str], rule: &str| -> TokenStream {
        let errors = attrs.iter().filter_map(|attr| refused_word(attr, known, rule));
        errors.map(syn::Error::into_compile_error).collect()
    };
    let fields: Vec<_> = forms.iter().flat_map(|form| form.fields).flat_map(|field| &field.attrs).collect();
    let item: Vec<_> = input.attrs.iter().collect();
    let of_item = refused(&item, known, "`#[cube(…)]` of a type does not take this argument; remove it");
    let of_variants = refused(&variants, &[], "a variant takes no argument of `#[cube(…)]`; remove the argument");
    let of_fields = refused(&fields, &["comptime"], "write `#[cube(comptime)]`, or remove the attribute");
    quote!(#of_item #of_variants #of_fields)
}

/// The error for the first unknown argument of an attribute.
fn refused_word(attr: &Attribute, known: &[&str], rule: &str) -> Option<syn::Error> {
    if !is_of_cube(attr) {
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
        let value = crate::tokens::at(value, span);
        return LaunchField {
            ty: quote!(#ty),
            registered: quote::quote_spanned!(span=> __p::ComptimeField::to_compile_arg(#value, #text)),
            entered: quote!(__arg.part(#index).to_host::<#ty>()),
        };
    }
    let through = Types::of(&input.generics).through(gate, &input.generics, ty);
    let argument = quote!(<#through as __p::LaunchArg>);
    LaunchField {
        ty: quote!(#argument::RuntimeArg<'a, R>),
        registered: quote!(#argument::register::<R>(#value, __launch)),
        entered: quote!(#argument::enter(__arg.part(#index), &mut __params.field(#text))),
    }
}
