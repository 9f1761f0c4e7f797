//! Generates the staged forms of structs and enums. A struct is one form, and an enum has one form per variant. The variant
//! of an enum value is known at compile time, or is a tag at run time. The fields can have run-time values. The impls are
//! macros of the library (`core/src/lang/forms.rs`).
use super::{Form, is_comptime, staged_field};
use crate::names::{expand_name, function, unraw, variant};
use crate::tokens::at;
use crate::types::{self, Types};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{DeriveInput, Fields, Ident};

/// Generates the staged form, and the functions of the type that construct and match values of its forms.
pub fn cube_type(input: &DeriveInput, forms: &[Form]) -> TokenStream {
    let (name, vis, generics, quiet) = (&input.ident, &input.vis, &input.generics, crate::func::quiet());
    let (staged, is_enum) = (expand_name(name), matches!(input.data, syn::Data::Enum(_)));
    let (impl_generics, used, where_clause) = generics.split_for_impl();
    let gate = format_ident!("__TYPES_OF_{}", name, span = name.span());
    let gated = Types::of(generics).gated(&gate, generics);
    let own = forms.iter().flat_map(|form| form.fields).filter(|f| !is_comptime(&f.attrs)).map(|f| &f.ty);
    let types_constant = Types::of(generics).types_constant(&gate, generics, own, None);
    let gate = types_constant.as_ref().map_or(quote!(0), |_| quote!(#gate));
    let generics_of_impl = quote!([#impl_generics] [#used] [#where_clause]);
    let kinds =
        |form: &Form| form.each(|field, _| if is_comptime(&field.attrs) { quote!(comptime) } else { quote!(staged) });
    let types = |form: &Form| form.each(|field, _| staged_field(&gated, field));
    let bodies = forms.iter().map(|form| {
        let (host, path, names, types) = (form.host_path(name, is_enum), &form.path, &form.names, types(form));
        let (kinds, members, theirs) =
            (kinds(form), form.members(), names.iter().map(|name| format_ident!("__b_{name}")));
        quote!({ [#host] [#path] #(#kinds #members #names #theirs [#types];)* })
    });
    let bodies: Vec<_> = bodies.collect();
    let (declared, what, of_enum) = match is_enum {
        true => {
            let declared = forms.iter().map(|form| {
                // The tokens have the location of the field's type, so that rustc merges the messages about both variants.
                let types = form.each(|field, _| at(staged_field(&gated, field), field.ty.span()));
                let variant = variant(&form.host);
                form.shape(&quote!(#variant), &types)
            });
            let variants = forms.iter().zip(0u32..).map(|(form, i)| {
                let (host, path, names, types) = (form.host_path(name, is_enum), &form.path, &form.names, types(form));
                let (kinds, members, new) = (kinds(form), form.members(), format_ident!("new_{}", form.host));
                let hosts = form.fields.iter().map(|field| &field.ty);
                quote!({ #i #new [#host] [#path] #(#kinds #members #names [#types] [#hosts];)* })
            });
            // The conversion by `as`.
            let is_plain = !forms.is_empty() && forms.iter().all(|form| matches!(form.fields, Fields::Unit));
            let hosts = forms.iter().map(|form| &form.host);
            let number = is_plain.then(|| {
                quote! {
                    impl #impl_generics __p::Castable for #staged #used #where_clause {
                        fn number(self) -> __p::Raw { __p::discriminant(&self, &[#(#name::#hosts as i64),*]) }
                    }
                }
            });
            let of_enum =
                quote!(__p::staged_variants! { #name #staged __Open #generics_of_impl #(#variants)* } #number);
            let declared = quote!(enum #staged #generics #where_clause { #(#declared,)* #[doc(hidden)] __Open(__p::Open<#staged #used>) });
            (declared, quote!(enum __Open), of_enum)
        }
        false => {
            let form = &forms[0];
            let (types, vises, names) = (types(form), form.fields.iter().map(|field| &field.vis), &form.names);
            let declared = match form.fields {
                Fields::Unnamed(_) => quote!(struct #staged #generics (#(#vises #types),*) #where_clause;),
                _ => quote!(struct #staged #generics #where_clause { #(#vises #names: #types,)* }),
            };
            // A number has no variants.
            let has_variants = |field: &syn::Field| !is_comptime(&field.attrs) && !gated.is_number(&field.ty);
            let spread =
                form.fields.iter().zip(form.members()).filter(|(field, _)| has_variants(field)).map(|(_, m)| m);
            (declared, quote!(struct [#(#spread)*]), TokenStream::new())
        }
    };
    let marker = types::phantom(generics);
    let (parts, functions): (TokenStream, TokenStream) = forms
        .iter()
        .map(|form| {
            let (parts, begin, tuple, matcher) = functions_of(name, &form.host, is_enum);
            let (path, names, members, kinds, types) = (&form.path, &form.names, form.members(), kinds(form), types(form));
            let declared = quote! {
                #quiet
                #[doc(hidden)]
                #vis struct #parts #generics #where_clause { #(pub #names: <#types as __p::OptionalField>::Option,)* __of: #marker }
            };
            let matcher = matcher.map(|matcher| quote!(as #matcher));
            let functions = quote! {
                __p::staged_parts! {
                    #name #staged #parts #begin #tuple #generics_of_impl
                    [#path] #matcher { #(#kinds #members #names [#types];)* }
                }
            };
            (declared, functions)
        })
        .unzip();
    quote! {
        #types_constant
        #quiet
        #[doc(hidden)]
        #vis #declared
        #parts
        #quiet
        const _: () = {
            __p::staged_form! { #name #staged #gate #generics_of_impl #what #(#bodies)* }
            #of_enum
            #functions
        };
    }
}

/// The names of the struct with the optional fields of a form, of the functions that create it and the form, and of the function
/// that matches a variant.
fn functions_of(name: &Ident, host: &Ident, is_enum: bool) -> (Ident, Ident, Ident, Option<Ident>) {
    let plain = unraw(host);
    match is_enum {
        true => (
            format_ident!("__{}_{}", name, plain),
            function(&format_ident!("begin_{}", plain)),
            function(&format_ident!("new_{}", host)),
            Some(function(&format_ident!("as_{}", plain))),
        ),
        false => (format_ident!("{}Init", name), format_ident!("__cube_fields"), format_ident!("__cube_tuple"), None),
    }
}
