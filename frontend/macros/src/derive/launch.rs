//! Generates the launch arguments of structs and enums.
use super::{Form, launch_field, launch_gate};
use crate::types;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::DeriveInput;

/// Generates the type of the launch arguments, and the impl of `LaunchArg`.
pub fn cube_launch(input: &DeriveInput, forms: &[Form]) -> TokenStream {
    let (name, vis, quiet) = (&input.ident, &input.vis, crate::func::quiet());
    let is_enum = matches!(input.data, syn::Data::Enum(_));
    let args = format_ident!("{}{}", name, if is_enum { "Args" } else { "Launch" });
    let (impl_generics, used, where_clause) = input.generics.split_for_impl();
    let all = types::with_runtime(&input.generics);
    let (all_impl, all_used, all_where) = all.split_for_impl();
    let (gate, types_constant) = launch_gate(input, forms.iter().flat_map(|form| form.fields));
    let marker = types::phantom(&all);
    let doc = format!("The arguments of a launch for [`{name}`].");
    let (mut declared, mut registers, mut enters) = (Vec::new(), Vec::new(), Vec::new());
    for (i, form) in forms.iter().enumerate() {
        let (host, names) = (&form.host, &form.names);
        let fields = form.fields.iter().zip(names).enumerate();
        let fields: Vec<_> = fields.map(|(j, (f, n))| launch_field(input, &gate, j, f, quote!(#n))).collect();
        let types: Vec<_> = fields.iter().map(|field| field.ty.clone()).collect();
        let registered: Vec<_> = fields.iter().map(|field| &field.registered).collect();
        let entered: Vec<_> = fields.iter().map(|field| field.entered.clone()).collect();
        if is_enum {
            let pat = form.shape(&quote!(#args::#host), &form.each(|_, name| quote!(#name)), None);
            let value = form.staged(&entered);
            declared.push(form.shape(&quote!(#host), &types, None));
            registers.push(quote!(#pat => __p::CompileArg::Variant(#i, ::std::vec![#(#registered),*]),));
            enters.push(quote!(#i => #value,));
        } else {
            declared = names.iter().zip(&types).map(|(name, ty)| quote!(#name: #ty)).collect();
            registers.push(quote!(#args { #(#names,)* .. } => __p::CompileArg::Node(::std::vec![#(#registered),*]),));
            enters.push(quote! {
                use __p::methods::*;
                let mut __init = __p::value_if_checked::<{ #gate }, _>(<Self>::__cube_fields());
                #(__init.#names = ::core::option::Option::Some(#entered);)*
                __init.build()
            });
        }
    }
    let (item, enter) = match is_enum {
        true => {
            registers.push(quote!(#args::__Of(__never, _) => match *__never {}));
            (
                quote!(#vis enum #args #all #all_where { #(#declared,)* #[doc(hidden)] __Of(::core::convert::Infallible, #marker) }),
                quote!(match __arg.variant() { #(#enters)* _ => __p::missing_field() }),
            )
        }
        false => {
            let names = forms.iter().flat_map(|form| &form.names);
            let item = quote! {
                #vis struct #args #all #all_where { #(#declared,)* __of: #marker }
                #quiet
                impl #all_impl #args #all_used #all_where {
                    /// Creates the launch argument from one argument per field, in order.
                    #[allow(clippy::too_many_arguments)]
                    pub fn new(#(#declared),*) -> Self {
                        #args { #(#names,)* __of: ::core::marker::PhantomData }
                    }
                }
            };
            (item, quote!(#(#enters)*))
        }
    };
    quote! {
        #types_constant
        #[doc = #doc]
        #quiet
        #item
        #quiet
        impl #impl_generics __p::LaunchArg for #name #used #where_clause {
            type RuntimeArg<'a, R: __p::Runtime> = #args #all_used;
            fn register<'a, R: __p::Runtime>(__arg: &Self::RuntimeArg<'a, R>, __launch: &mut __p::Launch) -> __p::CompileArg {
                match __arg { #(#registers)* }
            }
            fn enter(__arg: &__p::CompileArg, __params: &mut __p::Params) -> <Self as __p::CubeType>::ExpandType { #enter }
        }
    }
}
