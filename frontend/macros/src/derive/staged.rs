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
    let gate = types_constant.as_ref().map_or(quote!(0), |_| quote!(#gate));
    let (declared, what) = match is_enum {
        true => {
            let declared = forms.iter().map(|form| {
                // The tokens have the location of the field's type, so that rustc merges the messages about both variants.
                let types = form.each(|field, _| at(staged_field(&gated, field), field.ty.span()));
                let variant = variant(&form.host);
                form.shape(&quote!(#variant), &types)
            });
            let open = quote!(#[doc(hidden)] __Open(__p::Open<#staged #used>));
            (quote!(enum #staged #generics #where_clause { #(#declared,)* #open }), quote!(enum __Open))
        }
        false => {
            let form = &forms[0];
            let types = form.each(|field, _| staged_field(&gated, field));
            let (vises, names) = (form.fields.iter().map(|field| &field.vis), &form.names);
            let declared = match form.fields {
                Fields::Unnamed(_) => quote!(struct #staged #generics (#(#vises #types),*) #where_clause;),
                _ => quote!(struct #staged #generics #where_clause { #(#vises #names: #types,)* }),
            };
            // A number has no variants.
            let has_variants = |field: &syn::Field| !is_comptime(&field.attrs) && !gated.is_number(&field.ty);
            let spread =
                form.fields.iter().zip(form.members()).filter(|(field, _)| has_variants(field)).map(|(_, m)| m);
            (declared, quote!(struct [#(#spread)*]))
        }
    };
    let marker = types::phantom(generics);
    let (mut structs, mut bodies) = (TokenStream::new(), TokenStream::new());
    for (form, index) in forms.iter().zip(0u32..) {
        let (host, path, names, members, plain) =
            (&form.host, &form.path, &form.names, form.members(), unraw(&form.host));
        let types = form.each(|field, _| staged_field(&gated, field));
        let (parts, begin, tuple) = match is_enum {
            true => (
                format_ident!("__{}_{}", name, plain),
                function(&format_ident!("begin_{}", plain)),
                function(&format_ident!("new_{}", host)),
            ),
            false => (format_ident!("{}Init", name), format_ident!("__cube_fields"), format_ident!("__cube_tuple")),
        };
        structs.extend(quote! {
            #quiet
            #[doc(hidden)]
            #vis struct #parts #generics #where_clause { #(pub #names: <#types as __p::OptionalField>::Option,)* __of: #marker }
        });
        let (new, matcher) = (format_ident!("new_{}", host), function(&format_ident!("as_{}", plain)));
        let as_written = if is_enum { quote!(#name::#host) } else { quote!(#name) };
        let kinds = form.each(|field, _| if is_comptime(&field.attrs) { quote!(comptime) } else { quote!(staged) });
        let (theirs, hosts) = (names.iter().map(|name| format_ident!("__b_{name}")), form.fields.iter().map(|f| &f.ty));
        bodies.extend(quote!({
            [#as_written] [#path] #index #new #parts #begin #tuple #matcher
            #(#kinds #members #names #theirs [#types] [#hosts];)*
        }));
    }
    // The conversion by `as`.
    let is_plain = is_enum && !forms.is_empty() && forms.iter().all(|form| matches!(form.fields, Fields::Unit));
    let hosts = forms.iter().map(|form| &form.host);
    let number = is_plain.then(|| {
        quote! {
            impl #impl_generics __p::Castable for #staged #used #where_clause {
                fn number(self) -> __p::Raw { __p::discriminant(&self, &[#(#name::#hosts as i64),*]) }
            }
        }
    });
    quote! {
        #types_constant
        #quiet
        #[doc(hidden)]
        #vis #declared
        #structs
        #quiet
        const _: () = {
            __p::staged_type! { #what #name #staged #gate [#impl_generics] [#used] [#where_clause] #bodies }
            #number
        };
    }
}
