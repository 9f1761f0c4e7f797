//! The functions that launch a kernel.
use crate::args::CubeArgs;
use crate::func::{self, Param};
use crate::names::{private, unraw};
use crate::types;
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericParam, Generics, Ident, ItemFn, Type};

/// `launch`, `launch_unchecked` and their `try_` forms.
pub fn launchers(function: &ItemFn, args: &CubeArgs) -> TokenStream {
    let p = private();
    let sig = &function.sig;
    let mut params = func::params(sig);
    // A type of the library is named once, in the words of the signature.
    let mut named = TokenStream::new();
    for param in params.iter_mut().filter(|param| !param.comptime && is_plain(&param.ty, &sig.generics)) {
        let ty = types::owned(&param.ty).clone();
        if types::is_of_library(&ty) {
            let alias = format_ident!("__Named_{}", unraw(&param.name), span = sig.ident.span());
            named.extend(quote!(type #alias = #ty;));
            let used = Ident::new(&alias.to_string(), ty.span());
            let mutable = param.is_mut().then(|| quote!(&mut));
            param.ty = syn::parse_quote!(#mutable #used);
        }
    }
    let doc = format!("Launches the kernel `{}`.", sig.ident);
    let all: Vec<_> = sig.generics.params.iter().collect();
    let lifetimes = all.iter().filter(|g| matches!(g, GenericParam::Lifetime(_)));
    let others: Vec<_> = all.iter().filter(|g| !matches!(g, GenericParam::Lifetime(_))).collect();
    let names: Vec<_> = others
        .iter()
        .map(|g| match g {
            GenericParam::Type(t) => &t.ident,
            GenericParam::Const(c) => &c.ident,
            GenericParam::Lifetime(l) => &l.lifetime.ident,
        })
        .collect();
    let runtime = runtime(sig);
    let declared = quote!(<#(#lifetimes,)* #(#others,)* #runtime: #p::Runtime>);
    let used = quote!(::<#(#names,)* #runtime>);
    let expand_generics = if names.is_empty() { quote!() } else { quote!(::<#(#names),*>) };
    // A kernel is kept for its types, which hold no borrowed ones: traits need not say so.
    let mut clause = sig.generics.clone();
    for param in sig.generics.type_params() {
        let name = &param.ident;
        clause.make_where_clause().predicates.push(syn::parse_quote!(#name: 'static));
    }
    let where_clause = &clause.where_clause;
    let parameters: Vec<_> = params.iter().map(|param| parameter(param, &sig.generics, &runtime, &p)).collect();
    let arg_names: Vec<_> = params.iter().map(|param| &param.name).collect();
    let type_key = others.iter().map(|g| match g {
        GenericParam::Type(t) => {
            let name = &t.ident;
            quote!(__launch.key_type::<#name>();)
        }
        GenericParam::Const(c) => {
            let name = &c.ident;
            quote!(__launch.key(&#name);)
        }
        GenericParam::Lifetime(_) => quote!(),
    });
    let registers: Vec<_> = params
        .iter()
        .map(|param| {
            let name = &param.name;
            let text = unraw(name);
            if param.comptime {
                return quote!(__launch.key(&#name););
            }
            let ty = argument(&param.ty, &sig.generics, &p);
            let held = format_ident!("__c_{}", text);
            // At the parameter, whatever macro its name comes from.
            let span = proc_macro2::Span::call_site().located_at(name.span());
            quote_spanned!(span=> let #held = __launch.argument::<#ty, #runtime>(&#name);)
        })
        .collect();
    let binds: Vec<_> = params
        .iter()
        .filter(|param| !param.comptime)
        .map(|param| {
            let name = &param.name;
            let text = unraw(name);
            let ty = argument(&param.ty, &sig.generics, &p);
            let held = format_ident!("__c_{}", text);
            let is_mut = param.is_mut();
            quote!(let #name = <#ty as #p::LaunchArg>::enter(&#held, &mut __params.named(#text, #is_mut));)
        })
        .collect();
    // A reference to a value of the host is the kernel's view: launches own it.
    let comptime: Vec<_> = params
        .iter()
        .filter(|param| param.comptime)
        .map(|param| {
            let (name, view) = (&param.name, borrowed(&param.ty).map(|_| quote!(&)));
            quote!(let #name = #view #name.clone();)
        })
        .collect();
    let kernel = unraw(&sig.ident);
    let line = crate::names::position(sig.ident.span()) / 4096;
    let cluster = args.cluster_dim.as_ref().map(|dim| quote!(__launch.cluster(#dim);));
    let inner = quote! {
        fn __run #declared(
            __checked: bool, __client: &#p::ComputeClient<#runtime::Server>, __count: #p::CubeCount, __dim: #p::CubeDim,
            #(#parameters),*
        ) -> ::core::result::Result<(), #p::LaunchError> #where_clause {
            let mut __launch = #p::Launch::new(#kernel, ::core::file!(), #line, __checked, __dim);
            __launch.key_at(::core::module_path!());
            __launch.key_function(&(expand #expand_generics));
            #(#type_key)*
            #cluster
            #(#registers)*
            __launch.run(__client.server(), __count, move |__params| {
                #(#binds)*
                #(#comptime)*
                let _ = expand #expand_generics(#(#arg_names),*);
            })
        }
    };
    let safe = args.launch.then(|| {
        quote! {
            #[doc = #doc]
            ///
            /// Accesses are checked: reads outside give zero, writes outside are dropped. A failure is logged, and reading what
            /// the kernel would have written gives it again.
            pub fn launch #declared(
                __client: &#p::ComputeClient<#runtime::Server>, __count: #p::CubeCount, __dim: #p::CubeDim, #(#parameters),*
            ) #where_clause {
                #p::report(__run #used(true, __client, __count, __dim, #(#arg_names),*))
            }
            #[doc = #doc]
            ///
            /// # Errors
            /// The kernel does not compile, or the launch does not fit kernel or device.
            pub fn try_launch #declared(
                __client: &#p::ComputeClient<#runtime::Server>, __count: #p::CubeCount, __dim: #p::CubeDim, #(#parameters),*
            ) -> ::core::result::Result<(), #p::LaunchError> #where_clause {
                __run #used(true, __client, __count, __dim, #(#arg_names),*)
            }
        }
    });
    let unchecked = args.launch_unchecked.then(|| {
        quote! {
            #[doc = #doc]
            ///
            /// # Safety
            /// Every access of the kernel is within its buffer.
            pub unsafe fn launch_unchecked #declared(
                __client: &#p::ComputeClient<#runtime::Server>, __count: #p::CubeCount, __dim: #p::CubeDim, #(#parameters),*
            ) #where_clause {
                #p::report(__run #used(false, __client, __count, __dim, #(#arg_names),*))
            }
            #[doc = #doc]
            ///
            /// # Safety
            /// Every access of the kernel is within its buffer.
            ///
            /// # Errors
            /// The kernel does not compile, or the launch does not fit kernel or device.
            pub unsafe fn try_launch_unchecked #declared(
                __client: &#p::ComputeClient<#runtime::Server>, __count: #p::CubeCount, __dim: #p::CubeDim, #(#parameters),*
            ) -> ::core::result::Result<(), #p::LaunchError> #where_clause {
                __run #used(false, __client, __count, __dim, #(#arg_names),*)
            }
        }
    });
    let asserted = asserted(&params, &sig.generics);
    quote!(#named #asserted #inner #safe #unchecked)
}

/// The name of the launches' own parameter, which messages show: `R`, unless the kernel says it.
fn runtime(sig: &syn::Signature) -> Ident {
    fn says(tokens: TokenStream) -> bool {
        tokens.into_iter().any(|tree| match tree {
            proc_macro2::TokenTree::Ident(name) => name == "R",
            proc_macro2::TokenTree::Group(group) => says(group.stream()),
            _ => false,
        })
    }
    format_ident!("{}", if says(quote!(#sig)) { "OfRuntime" } else { "R" })
}

/// Types of arguments, asked for once at their places: what follows from a wrong one is not told again.
fn asserted(params: &[Param], generics: &Generics) -> TokenStream {
    let checks = params.iter().filter(|param| !param.comptime && is_plain(&param.ty, generics)).map(|param| {
        let ty = types::owned(&param.ty);
        let through = types::through(&format_ident!("__TYPES"), generics, ty);
        let p = crate::names::private_at(ty.span());
        quote_spanned!(ty.span()=> <#through as #p::LaunchArg>::ASKED;)
    });
    let quiet = func::quiet();
    let comptime = params.iter().filter(|param| is_plain_comptime(param, generics)).map(|param| {
        let ty = &param.ty;
        let p = crate::names::private_at(ty.span());
        quote_spanned!(ty.span()=> <#ty as #p::ComptimeParameter>::ASKED;)
    });
    quote!(#quiet const __ARGUMENTS: usize = { #(#checks)* #(#comptime)* 0 };)
}

/// Whether a type stands for itself: it depends on no parameter.
fn is_plain(ty: &Type, generics: &Generics) -> bool {
    types::is_of_user(types::owned(ty), generics)
}

/// Whether the type of a `#[comptime]` parameter stands for itself.
fn is_plain_comptime(param: &Param, generics: &Generics) -> bool {
    param.comptime && matches!(param.ty, Type::Path(_)) && is_plain(&param.ty, generics)
        || param.comptime && types::is_primitive(&param.ty)
}

/// The type of an argument as launches name it.
fn argument(ty: &Type, generics: &Generics, p: &TokenStream) -> TokenStream {
    let owned = types::owned(ty);
    if is_plain(ty, generics) {
        return quote!(<#owned as #p::Checked<__ARGUMENTS>>::Out);
    }
    quote!(#owned)
}

/// What a reference of a known size is to.
fn borrowed(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Reference(reference) => match &*reference.elem {
            Type::Slice(_) => None,
            Type::Path(path) if path.path.is_ident("str") => None,
            owned => Some(owned),
        },
        _ => None,
    }
}

fn parameter(param: &Param, generics: &Generics, runtime: &Ident, p: &TokenStream) -> TokenStream {
    let name = &param.name;
    if param.comptime {
        let ty = borrowed(&param.ty).unwrap_or(&param.ty);
        if is_plain_comptime(param, generics) {
            return quote!(#name: <#ty as #p::Checked<__ARGUMENTS>>::Out);
        }
        return quote!(#name: #ty);
    }
    let ty = argument(&param.ty, generics, p);
    quote!(#name: <#ty as #p::LaunchArg>::RuntimeArg<'_, #runtime>)
}
