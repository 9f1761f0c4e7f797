//! Generates the staged forms and the launch arguments of structs.
use super::{field_name, is_comptime, staged_field};
use crate::func::quiet;
use crate::names::expand_name;
use crate::types::{self, Types};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{DataStruct, DeriveInput, Fields, Member};

pub fn cube_type(input: &DeriveInput, data: &DataStruct) -> TokenStream {
    let (name, vis) = (&input.ident, &input.vis);
    let staged = expand_name(name);
    let init = format_ident!("{}Init", name);
    let (impl_generics, used, where_clause) = input.generics.split_for_impl();
    let generics = &input.generics;
    let quiet = quiet();
    let fields: Vec<_> = data.fields.iter().enumerate().collect();
    let gate = format_ident!("__TYPES_OF_{}", name, span = name.span());
    let (plain, gated) = (Types::of(generics), Types::of(generics).gated(&gate, generics));
    let types: Vec<_> = fields.iter().map(|(_, f)| staged_field(&gated, f)).collect();
    let own = fields.iter().filter(|(_, f)| !is_comptime(&f.attrs)).map(|(_, f)| &f.ty);
    let types_constant = plain.types_constant(&gate, generics, own);
    let members: Vec<Member> =
        fields.iter().map(|(i, f)| f.ident.clone().map_or_else(|| Member::from(*i), Member::from)).collect();
    let names: Vec<_> = fields.iter().map(|(i, f)| field_name(*i, f)).collect();
    let vises: Vec<_> = fields.iter().map(|(_, f)| &f.vis).collect();
    let marker = types::phantom(generics);
    let body = match &data.fields {
        Fields::Named(_) => quote!(#where_clause { #(#vises #names: #types,)* #[doc(hidden)] pub __of: #marker }),
        Fields::Unnamed(_) => quote!((#(#vises #types),*) #where_clause;),
        Fields::Unit => quote!(#where_clause { #[doc(hidden)] pub __of: #marker }),
    };
    let rest = match &data.fields {
        Fields::Unnamed(_) => quote!(),
        _ => quote!(__of: ::core::marker::PhantomData),
    };
    let per_field = |staged_op: &dyn Fn(&Member) -> TokenStream, host_op: &dyn Fn(&Member) -> TokenStream| {
        let each = fields.iter().zip(&members).map(|((_, f), member)| {
            let value = if is_comptime(&f.attrs) { host_op(member) } else { staged_op(member) };
            quote!(#member: #value,)
        });
        quote!(#staged { #(#each)* #rest })
    };
    let clone_host = |m: &Member| quote!(self.#m.clone());
    let clone = per_field(&|m| quote!(self.#m.clone()), &clone_host);
    let cells = per_field(&|m| quote!(__p::Staged::to_cells(&self.#m, __depth)), &clone_host);
    let read = per_field(&|m| quote!(__p::Staged::rd(&self.#m)), &clone_host);
    let dup = per_field(&|m| quote!(__p::Staged::dup(&self.#m)), &clone_host);
    // All combinations of the variants of the fields.
    let spread = fields.iter().zip(&members).filter(|((_, f), _)| !is_comptime(&f.attrs)).map(
        |(_, m)| quote!(let __all = __p::combine_variants(__all, &self.#m, |__whole: &mut Self, __part| __whole.#m = __part);),
    );
    let ways = quote!(let __all = ::std::vec![(::core::option::Option::None, self.clone())]; #(#spread)* __all);
    let stores = fields.iter().zip(&members).map(|((_, f), m)| {
        if is_comptime(&f.attrs) {
            quote!(self.#m = __value.#m;)
        } else {
            quote!(__p::Staged::store(&mut self.#m, __value.#m);)
        }
    });
    let checked = |m: &Member| match &types_constant {
        Some(_) => quote!(__p::value_if_checked::<{ #gate }, _>(self.#m)),
        None => quote!(self.#m),
    };
    let into_staged = per_field(
        &|m| {
            let field = checked(m);
            quote!(__p::CubeType::into_staged(#field))
        },
        &|m| quote!(self.#m),
    );
    let has_comptime = fields.iter().any(|(_, f)| is_comptime(&f.attrs));
    let has_dummy = match has_comptime {
        true => quote!(false),
        false => quote!(true #(&& <#types as __p::Staged>::HAS_DUMMY)*),
    };
    let dummy =
        if has_comptime { quote!(__p::no_dummy()) } else { per_field(&|_| quote!(__p::Staged::dummy()), &clone_host) };
    let builds = members.iter().zip(&names).map(|(m, n)| quote!(#m: self.#n.unwrap_or_else(|| __p::missing_field()),));
    let builds_from =
        members.iter().zip(&names).map(|(m, n)| quote!(#m: self.#n.unwrap_or_else(|| __base.#m.clone()),));
    let conversions = super::conversions(input, &into_staged, &clone);
    let impls = super::impls(quote! {
        #[doc(hidden)]
        impl #impl_generics #name #used #where_clause {
            pub fn __cube_fields() -> #init #used {
                #init { #(#names: ::core::option::Option::None,)* __of: ::core::marker::PhantomData }
            }
            pub fn __cube_tuple(#(#names: #types),*) -> #staged #used { #staged { #(#members: #names,)* #rest } }
        }
        impl #impl_generics #init #used #where_clause {
            pub fn build(self) -> #staged #used { #staged { #(#builds)* #rest } }
            pub fn build_from(self, __base: #staged #used) -> #staged #used { #staged { #(#builds_from)* #rest } }
        }
        #conversions
        impl #impl_generics __p::Staged for #staged #used #where_clause {
            const HAS_DUMMY: bool = #has_dummy;
            fn to_cells(&self, __depth: usize) -> Self { #cells }
            fn store(&mut self, __value: Self) { #(#stores)* }
            fn possible_variants(&self) -> ::std::vec::Vec<(::core::option::Option<__p::Val<bool>>, Self)> { #ways }
            fn rd(&self) -> Self { #read }
            fn dup(&self) -> Self { #dup }
            fn dummy() -> Self { #dummy }
        }
    });
    quote! {
        #types_constant
        #quiet
        #[doc(hidden)]
        #vis struct #staged #generics #body
        #quiet
        #[doc(hidden)]
        #vis struct #init #generics #where_clause { #(pub #names: <#types as __p::OptionalField>::Option,)* __of: #marker }
        #impls
    }
}

pub fn cube_launch(input: &DeriveInput, data: &DataStruct) -> TokenStream {
    let (name, vis) = (&input.ident, &input.vis);
    let launch = format_ident!("{}Launch", name);
    let (impl_generics, used, where_clause) = input.generics.split_for_impl();
    let all = types::with_runtime(&input.generics);
    let (all_impl, all_used, all_where) = all.split_for_impl();
    let quiet = quiet();
    let (gate, types_constant) = super::launch_gate(input, data.fields.iter());
    let names: Vec<_> = data.fields.iter().enumerate().map(|(i, f)| field_name(i, f)).collect();
    let fields = data.fields.iter().zip(&names).enumerate();
    let fields: Vec<_> = fields.map(|(i, (f, n))| super::launch_field(input, &gate, i, f, quote!(&__arg.#n))).collect();
    let arg_types: Vec<_> = fields.iter().map(|field| &field.ty).collect();
    let registers = fields.iter().map(|field| &field.registered);
    let expands = fields.iter().zip(&names).map(|(field, n)| {
        let entered = &field.entered;
        quote!(__init.#n = ::core::option::Option::Some(#entered);)
    });
    let marker = types::phantom(&all);
    let doc = format!("The arguments of a launch for [`{name}`].");
    quote! {
        #types_constant
        #[doc = #doc]
        #quiet
        #vis struct #launch #all #all_where { #(#names: #arg_types,)* __of: #marker }
        #quiet
        impl #all_impl #launch #all_used #all_where {
            /// Creates the launch argument from one argument per field, in order.
            #[allow(clippy::too_many_arguments)]
            pub fn new(#(#names: #arg_types),*) -> Self {
                #launch { #(#names,)* __of: ::core::marker::PhantomData }
            }
        }
        #quiet
        impl #impl_generics __p::LaunchArg for #name #used #where_clause {
            type RuntimeArg<'a, R: __p::Runtime> = #launch #all_used;
            fn register<'a, R: __p::Runtime>(__arg: &Self::RuntimeArg<'a, R>, __launch: &mut __p::Launch) -> __p::CompileArg {
                __p::CompileArg::Node(::std::vec![#(#registers),*])
            }
            fn enter(__arg: &__p::CompileArg, __params: &mut __p::Params) -> <Self as __p::CubeType>::ExpandType {
                use __p::methods::*;
                let mut __init = __p::value_if_checked::<{ #gate }, _>(<Self>::__cube_fields());
                #(#expands)*
                __init.build()
            }
        }
    }
}
