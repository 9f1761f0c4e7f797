//! Generates the launch arguments of structs and enums.
use super::{Form, is_comptime};
use crate::func::quiet;
use crate::tokens::at;
use crate::types::{self, Types};
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{DeriveInput, Field, Ident, Type};

/// Generates the type of the launch arguments, and the impl of `LaunchArg`.
pub fn cube_launch(input: &DeriveInput, forms: &[Form]) -> TokenStream {
    let (name, vis, quiet) = (&input.ident, &input.vis, quiet());
    let is_enum = matches!(input.data, syn::Data::Enum(_));
    let args = format_ident!("{}{}", name, if is_enum { "Args" } else { "Launch" });
    let (impl_generics, used, where_clause) = input.generics.split_for_impl();
    let all = types::with_runtime(&input.generics);
    let (all_impl, all_used, all_where) = all.split_for_impl();
    let (gate, types_constant) = launch_gate(input, forms.iter().flat_map(|form| form.fields));
    let marker = types::phantom(&all);
    let doc = format!("The arguments of a launch for [`{name}`].");
    let through = |field: &Field| Types::of(&input.generics).through(&gate, &input.generics, &field.ty);
    let types = |form: &Form| {
        form.each(|field, _| match (is_comptime(&field.attrs), &field.ty, through(field)) {
            (true, ty, _) => quote!(#ty),
            (false, _, through) => quote!(<#through as __p::LaunchArg>::RuntimeArg<'a, R>),
        })
    };
    let (mut registers, mut enters) = (Vec::new(), Vec::new());
    for (i, form) in forms.iter().enumerate() {
        let (host, path, names, members) = (&form.host, &form.path, &form.names, form.members());
        let registered = form.each(|field, name| match (is_comptime(&field.attrs), through(field)) {
            (true, _) => {
                let (span, name_text) = (field.ty.span(), name.to_string());
                let value = at(quote!(#name), span);
                quote_spanned!(span=> __p::ComptimeField::to_compile_arg(#value, #name_text))
            }
            (false, through) => quote!(<#through as __p::LaunchArg>::register::<R>(#name, __launch)),
        });
        let entered = form.fields.iter().zip(names).enumerate().map(|(at, (field, name))| {
            let (name, ty, through) = (name.to_string(), &field.ty, through(field));
            match is_comptime(&field.attrs) {
                true => quote!(__arg.part(#at).to_host::<#ty>()),
                false => quote!(<#through as __p::LaunchArg>::enter(__arg.part(#at), &mut __params.field(#name))),
            }
        });
        let registered = quote!(::std::vec![#(#registered),*]);
        if is_enum {
            registers.push(quote! {
                #args::#host { #(#members: #names,)* } => __p::CompileArg::Variant(#i, #registered),
            });
            enters.push(quote!(#i => #path { #(#members: #entered,)* },));
        } else {
            registers.push(quote!(#args { #(#names,)* .. } => __p::CompileArg::Node(#registered),));
            enters.push(quote! {
                let mut __init = __p::value_if_checked::<{ #gate }, _>(<Self>::__cube_fields());
                #(__init.#names = ::core::option::Option::Some(#entered);)*
                __init.build()
            });
        }
    }
    let (item, enter, new) = if is_enum {
        registers.push(quote!(#args::__Of(__never, _) => match *__never {}));
        let declared = forms.iter().map(|form| {
            let host = &form.host;
            form.shape(&quote!(#host), &types(form))
        });
        let of = quote!(#[doc(hidden)] __Of(::core::convert::Infallible, #marker));
        let item = quote!(enum #args #all #all_where { #(#declared,)* #of });
        (item, quote!(match __arg.variant() { #(#enters)* _ => __p::missing_field() }), quote!())
    } else {
        let (names, types) = (&forms[0].names, types(&forms[0]));
        let item = quote!(struct #args #all #all_where { #(#names: #types,)* __of: #marker });
        let new = quote!(new [#all_impl] [#all_used] [#all_where] #(#names [#types])*);
        (item, quote!(use __p::methods::*; #(#enters)*), new)
    };
    quote! {
        #types_constant
        #[doc = #doc]
        #quiet
        #vis #item
        #quiet
        const _: () = {
            __p::launch_form! {
                #name #args [#impl_generics] [#used] [#where_clause] [#all_used]
                (__arg __launch __params) { #(#registers)* } { #enter } #new
            }
        };
    }
}

/// Returns the name and the definition of a constant on which all field types of the launch arguments depend.
/// rustc reports an invalid field type only in the definition of this constant.
fn launch_gate<'a>(input: &DeriveInput, fields: impl Iterator<Item = &'a Field>) -> (Ident, TokenStream) {
    let name = &input.ident;
    let gate = format_ident!("__LAUNCH_OF_{}", name, span = name.span());
    let known = format_ident!("__TYPES_OF_{}", name, span = name.span());
    let types = Types::of(&input.generics);
    let of_user = |ty: &&Type| types.is_of_user(ty, &input.generics);
    let checks = fields.filter(|f| !is_comptime(&f.attrs)).map(|f| &f.ty).filter(of_user).map(
        |ty| quote_spanned!(ty.span()=> <<#ty as __p::Checked<{ #known }>>::Out as __p::LaunchArg>::IS_IMPLEMENTED;),
    );
    let mut checks: Vec<_> = checks.collect();
    if input.generics.params.is_empty() {
        checks.push(quote_spanned!(name.span()=> <#name as __p::CubeType>::IS_IMPLEMENTED;));
    }
    let quiet = quiet();
    // If the type also derives `CubeType`, that derive has already generated this constant next to the type.
    let body = quote!({ use self::*; #(#checks)* });
    let all = quote!(#quiet #[doc(hidden)] const #gate: usize = { const #known: usize = 0; #body 0 };);
    (gate, all)
}
