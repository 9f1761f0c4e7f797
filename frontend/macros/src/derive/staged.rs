//! Generates the staged forms of structs and enums. A struct is one form, and an enum has one form per variant. The variant
//! of an enum value is known at compile time, or is a tag at run time. The fields can have run-time values.
use super::{Form, is_comptime, staged_field};
use crate::names::{expand_name, unraw};
use crate::types::{self, Types};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{DeriveInput, Fields};

/// Generates the staged form, and the functions of the type that construct and match values of its forms.
pub fn cube_type(input: &DeriveInput, forms: &[Form]) -> TokenStream {
    let (name, vis, generics, quiet) = (&input.ident, &input.vis, &input.generics, crate::func::quiet());
    let (staged, is_enum) = (expand_name(name), matches!(input.data, syn::Data::Enum(_)));
    let (impl_generics, used, where_clause) = generics.split_for_impl();
    let gate = format_ident!("__TYPES_OF_{}", name, span = name.span());
    let gated = Types::of(generics).gated(&gate, generics);
    let own = forms.iter().flat_map(|form| form.fields).filter(|f| !is_comptime(&f.attrs)).map(|f| &f.ty);
    let types_constant = Types::of(generics).types_constant(&gate, generics, own, None);
    let marker = types::phantom(generics);
    let open = is_enum.then(|| quote!(#staged::__Open(__open) => __open.walk(__walk, #staged::__Open),));
    let into_staged = forms.iter().map(|form| {
        let path = if is_enum {
            let host = &form.host;
            quote!(#name::#host)
        } else {
            quote!(#name)
        };
        let pat = form.shape(&path, &form.each(|_, name| quote!(#name)), None);
        let value = form.staged(&form.each(|field, name| match &types_constant {
            _ if is_comptime(&field.attrs) => quote!(#name),
            Some(_) => quote!(__p::CubeType::into_staged(__p::value_if_checked::<{ #gate }, _>(#name))),
            None => quote!(__p::CubeType::into_staged(#name)),
        }));
        quote!(#pat => #value,)
    });
    let walks = forms.iter().map(|form| {
        let pat = form.pattern(&form.names);
        let value = form.staged(&form.each(|field, name| match is_comptime(&field.attrs) {
            true => quote!(::core::clone::Clone::clone(#name)),
            false => quote!(__walk.part(#name)),
        }));
        quote!(#pat => #value,)
    });
    let stores = forms.iter().map(|form| {
        let theirs: Vec<_> = form.names.iter().map(|name| format_ident!("__b_{}", name)).collect();
        let (left, right) = (form.pattern(&form.names), form.pattern(&theirs));
        let stored =
            form.fields.iter().zip(&form.names).zip(&theirs).map(|((field, mine), theirs)| {
                match is_comptime(&field.attrs) {
                    true => quote!(*#mine = #theirs;),
                    false => quote!(__p::Staged::store(#mine, #theirs);),
                }
            });
        quote!((#left, #right) => { #(#stored)* })
    });
    let dummies = forms.iter().map(|form| {
        let value = form.staged(&form.each(|field, _| match is_comptime(&field.attrs) {
            true => quote!(__p::no_dummy()),
            false => quote!(__p::Staged::dummy()),
        }));
        let has = form.each(|field, _| match is_comptime(&field.attrs) {
            true => quote!(false),
            false => {
                let ty = staged_field(&gated, field);
                quote!(<#ty as __p::Staged>::HAS_DUMMY)
            }
        });
        (value, quote!(true #(&& #has)*))
    });
    let dummies: Vec<_> = dummies.collect();
    let (declared, staged_methods, of_kind) = match is_enum {
        true => of_enum(input, forms, &gated, &dummies),
        false => of_struct(forms, &gated, &dummies, &marker, where_clause),
    };
    let (parts, functions): (TokenStream, TokenStream) =
        forms.iter().map(|form| constructors(input, form, &gated, &marker)).unzip();
    let kind = if is_enum { quote!(enum) } else { quote!(struct) };
    quote! {
        #types_constant
        #quiet
        #[doc(hidden)]
        #vis #kind #staged #generics #declared
        #parts
        #quiet
        const _: () = {
            #functions
            #of_kind
            impl #impl_generics __p::CubeType for #name #used #where_clause {
                type ExpandType = #staged #used;
                fn into_staged(self) -> Self::ExpandType { match self { #(#into_staged)* } }
            }
            impl #impl_generics ::core::clone::Clone for #staged #used #where_clause {
                fn clone(&self) -> Self { __p::Staged::__walk(self, __p::Walk::Clone) }
            }
            impl #impl_generics __p::HasHost for #staged #used #where_clause {
                type Host = #name #used;
                fn __staged(self) -> Self { self }
            }
            impl #impl_generics __p::Staged for #staged #used #where_clause {
                fn __walk(&self, __walk: __p::Walk) -> Self { match self { #(#walks)* #open } }
                fn store(&mut self, __value: Self) {
                    match (&mut *self, __value) {
                        #(#stores)*
                        (__this, __other) => __p::Staged::__replace(__this, __other),
                    }
                }
                #staged_methods
            }
        };
    }
}

/// The body of a struct's staged form, and the methods of `Staged` that only structs have.
fn of_struct(
    forms: &[Form],
    gated: &Types,
    dummies: &[(TokenStream, TokenStream)],
    marker: &TokenStream,
    where_clause: Option<&syn::WhereClause>,
) -> (TokenStream, TokenStream, TokenStream) {
    let form = &forms[0];
    let types = form.each(|field, _| staged_field(gated, field));
    let vises = form.fields.iter().map(|field| &field.vis);
    let declared = match form.fields {
        Fields::Unnamed(_) => quote!((#(#vises #types),*) #where_clause;),
        _ => {
            let names = &form.names;
            quote!(#where_clause { #(#vises #names: #types,)* #[doc(hidden)] pub __of: #marker })
        }
    };
    let (dummy, has_dummy) = &dummies[0];
    // All combinations of the variants of the fields. A number has no variants.
    let has_variants = |(field, _): &(&syn::Field, _)| !is_comptime(&field.attrs) && !gated.is_number(&field.ty);
    let spread = form.fields.iter().zip(form.members()).filter(has_variants).map(
        |(_, m)| quote!(let __all = __p::combine_variants(__all, &self.#m, |__whole: &mut Self, __part| __whole.#m = __part);),
    );
    let methods = quote! {
        const HAS_DUMMY: bool = #has_dummy;
        fn possible_variants(&self) -> ::std::vec::Vec<(::core::option::Option<__p::Val<bool>>, Self)> {
            let __all = __p::only(self.clone());
            #(#spread)*
            __all
        }
        fn dummy() -> Self { #dummy }
    };
    (declared, methods, quote!())
}

/// The body of an enum's staged form, the methods of `Staged` that only enums have, and the impls of the enum.
fn of_enum(
    input: &DeriveInput,
    forms: &[Form],
    gated: &Types,
    dummies: &[(TokenStream, TokenStream)],
) -> (TokenStream, TokenStream, TokenStream) {
    let (name, staged) = (&input.ident, expand_name(&input.ident));
    let (impl_generics, used, where_clause) = input.generics.split_for_impl();
    let variants = forms.iter().map(|form| {
        // The tokens have the location of the field's type, so that rustc merges the messages about both variants.
        let types = form.each(|field, _| crate::tokens::at(staged_field(gated, field), field.ty.span()));
        let variant = crate::names::variant(&form.host);
        form.shape(&quote!(#variant), &types, None)
    });
    let declared = quote!(#where_clause { #(#variants,)* #[doc(hidden)] __Open(__p::Open<#staged #used>) });
    let indices = (0..forms.len() as u32).collect::<Vec<_>>();
    let patterns = forms.iter().map(|form| form.pattern(&form.names));
    let dummies = dummies
        .iter()
        .zip(&indices)
        .map(|((value, has), i)| quote!(#i if #has => ::core::option::Option::Some(#value),));
    let methods = quote! {
        fn to_cells(&self, __depth: usize) -> Self { #staged::__Open(__p::Open::new(self, __depth)) }
        fn __replace(&mut self, __value: Self) {
            match self {
                #staged::__Open(__open) => __open.store(__value),
                __this => *__this = __value,
            }
        }
        fn possible_variants(&self) -> ::std::vec::Vec<(::core::option::Option<__p::Val<bool>>, Self)> {
            __p::Variants::all(self)
        }
        fn dummy() -> Self { <Self as __p::Variants>::dummy_of(0).unwrap_or_else(|| __p::no_dummy()) }
    };
    // The conversion by `as`.
    let plain = !forms.is_empty() && forms.iter().all(|form| matches!(form.fields, Fields::Unit));
    let number = plain.then(|| {
        let hosts = forms.iter().map(|form| &form.host);
        quote! {
            impl #impl_generics __p::Castable for #staged #used #where_clause {
                fn number(self) -> __p::Raw { __p::discriminant(&self, &[#(#name::#hosts as i64),*]) }
            }
        }
    });
    let constructors = forms.iter().map(|form| {
        let (host, names) = (&form.host, &form.names);
        let (function, doc) = (format_ident!("new_{}", host), format!("A `{host}` of these values."));
        let types = form.fields.iter().map(|field| &field.ty);
        let original = form.shape(&quote!(#name::#host), &form.each(|_, name| quote!(#name)), None);
        quote!(#[doc = #doc] pub fn #function(#(#names: #types),*) -> Self { #original })
    });
    let impls = quote! {
        #[diagnostic::do_not_recommend]
        impl #impl_generics __p::Arg<#staged #used> for #name #used #where_clause {
            fn arg(self) -> #staged #used { __p::CubeType::into_staged(self) }
        }
        impl #impl_generics __p::Variants for #staged #used #where_clause {
            fn index(&self) -> ::core::option::Option<u32> {
                ::core::option::Option::Some(match self {
                    #(#patterns => #indices,)*
                    #staged::__Open(_) => return ::core::option::Option::None,
                })
            }
            fn open(&self) -> ::core::option::Option<&__p::Open<Self>> {
                match self { #staged::__Open(__open) => ::core::option::Option::Some(__open), _ => ::core::option::Option::None }
            }
            fn dummy_of(__index: u32) -> ::core::option::Option<Self> {
                match __index { #(#dummies)* _ => ::core::option::Option::None }
            }
        }
        impl #impl_generics #name #used #where_clause { #(#constructors)* }
        #number
    };
    (declared, methods, impls)
}

/// Generates a struct with the optional staged fields of a form, and functions of the type that construct the form. The
/// functions of a variant also match the variant. Expansions need only the name of the type to find these functions.
fn constructors(input: &DeriveInput, form: &Form, gated: &Types, marker: &TokenStream) -> (TokenStream, TokenStream) {
    let (name, vis, generics, quiet) = (&input.ident, &input.vis, &input.generics, crate::func::quiet());
    let (staged, names) = (expand_name(name), &form.names);
    let (impl_generics, used, where_clause) = generics.split_for_impl();
    let types = form.each(|field, _| staged_field(gated, field));
    let plain = unraw(&form.host);
    let is_enum = matches!(input.data, syn::Data::Enum(_));
    let (parts, begin, tuple) = match is_enum {
        true => (
            format_ident!("__{}_{}", name, plain),
            format_ident!("__expand_begin_{}", plain),
            format_ident!("__expand_new_{}", form.host),
        ),
        false => (format_ident!("{}Init", name), format_ident!("__cube_fields"), format_ident!("__cube_tuple")),
    };
    let declared = quote! {
        #quiet
        #[doc(hidden)]
        #vis struct #parts #generics #where_clause { #(pub #names: <#types as __p::OptionalField>::Option,)* __of: #marker }
    };
    let built = form.staged(&form.each(|_, name| quote!(self.#name.unwrap_or_else(|| __p::missing_field()))));
    let given = form.staged(&form.each(|_, name| quote!(#name)));
    let of_kind = match is_enum {
        true => {
            let (matcher, pat) = (format_ident!("__expand_as_{}", plain), form.pattern(names));
            quote! {
                pub fn #matcher(__value: #staged #used) -> ::core::option::Option<#parts #used> {
                    match __value {
                        #pat => ::core::option::Option::Some(#parts {
                            #(#names: ::core::option::Option::Some(#names),)* __of: ::core::marker::PhantomData
                        }),
                        _ => ::core::option::Option::None,
                    }
                }
            }
        }
        false => quote!(),
    };
    let build_from = (!is_enum).then(|| {
        let parts = form.members().into_iter().zip(names);
        let values: Vec<_> = parts.map(|(m, n)| quote!(self.#n.unwrap_or_else(|| __base.#m.clone()))).collect();
        let value = form.staged(&values);
        quote!(pub fn build_from(self, __base: #staged #used) -> #staged #used { #value })
    });
    let functions = quote! {
        #[doc(hidden)]
        impl #impl_generics #name #used #where_clause {
            pub fn #begin() -> #parts #used {
                #parts { #(#names: ::core::option::Option::None,)* __of: ::core::marker::PhantomData }
            }
            pub fn #tuple(#(#names: #types),*) -> #staged #used { #given }
            #of_kind
        }
        impl #impl_generics #parts #used #where_clause {
            pub fn build(self) -> #staged #used { #built }
            #build_from
        }
    };
    (declared, functions)
}
