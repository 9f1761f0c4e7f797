//! Generates the functions that launch a kernel.
use crate::args::CubeArgs;
use crate::func::{self, Param};
use crate::names::unraw;
use crate::types::{self, Types};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericParam, Generics, Ident, ItemFn, Type};

/// Documentation for functions with checked accesses. The following constants document unchecked launches and
/// returned errors.
const CHECKED: &str = "
Accesses are checked: a read out of bounds returns zero, a write out of bounds is dropped. A failure is reported on
the standard error, and reading a result of the kernel returns it again.";
const UNCHECKED: &str = "
# Safety
Every access of the kernel is within its buffer.
";
const ERRORS: &str = "
# Errors
The kernel does not compile, or the launch is invalid for the kernel or the device.";

/// Generates `launch`, `launch_unchecked` and their `try_` variants. `written` is the signature in the user's
/// source.
pub fn launchers(function: &ItemFn, written: &syn::Signature, args: &CubeArgs) -> TokenStream {
    let sig = &function.sig;
    let kinds = Types::of(&sig.generics);
    let params = func::params(sig);
    let doc = docs(function, written);
    // Reserved names, independent of the kernel's parameter names.
    let [client, count, dim, checked] =
        ["client", "count", "dim", "checked"].map(|name| Ident::new(name, proc_macro2::Span::mixed_site()));
    let (all, lifetimes) = (&sig.generics.params, sig.generics.lifetimes());
    let others: Vec<_> = all.iter().filter(|g| !matches!(g, GenericParam::Lifetime(_))).collect();
    let chosen = chosen(&sig.generics, args);
    let is_size = |name: &Ident| chosen.iter().any(|one| one.size == Some(name));
    let names = crate::type_check::used(others.iter().copied());
    let expand_generics = (!names.is_empty()).then(|| quote!(::<#(#names),*>));
    let others: Vec<_> =
        others.into_iter().filter(|g| !matches!(g, GenericParam::Type(ty) if is_size(&ty.ident))).collect();
    let names = crate::type_check::used(others.iter().copied());
    // The client of CubeCL 0.11 does not name the runtime.
    let own = (!args.v11).then(|| runtime(sig));
    let bound = own.as_ref().map(|own| quote!(#own: __p::Runtime));
    let (declared, used) = (quote!(<#(#lifetimes,)* #(#others,)* #bound>), quote!(::<#(#names,)* #own>));
    let (runtime, client_type) = match &own {
        Some(own) => (quote!(#own), quote!(__p::ComputeClient<#own::Server>)),
        None => (quote!(__p::AnyRuntime), quote!(__p::Client)),
    };
    // The cache key of a kernel contains its types, so the types must be `'static`. The traits need not state this
    // lifetime.
    let mut clause = sig.generics.clone();
    for param in sig.generics.type_params() {
        let name = &param.ident;
        clause.make_where_clause().predicates.push(syn::parse_quote!(#name: 'static));
    }
    let where_clause = &clause.where_clause;
    let is_plain_number = |param: &Param| args.v11 && !param.comptime && is_scalar(&kinds, &param.ty);
    let of_kernel = params.iter().map(|param| {
        let (name, ty) = (&param.name, &param.ty);
        let of_launch = || parameter(&kinds, param, &sig.generics, &runtime);
        if is_plain_number(param) { quote!(#name: #ty) } else { of_launch() }
    });
    let of_sizes = chosen.iter().map(|Chosen { parameter, ty, .. }| quote!(#parameter: #ty));
    let parameters: Vec<_> = of_sizes.chain(of_kernel).collect();
    let arg_names: Vec<_> = params.iter().map(|param| &param.name).collect();
    let passed: Vec<_> = chosen.iter().map(|one| &one.parameter).chain(arg_names.iter().copied()).collect();
    let generic_types =
        sig.generics.type_params().map(|param| &param.ident).filter(|name| !is_size(name)).map(|name| {
            let text = unraw(name);
            quote!((#text, ::core::any::type_name::<#name>()))
        });
    // The sizes, the constants and the `#[comptime]` values are parts of the kernel's key.
    let (mut values, mut choices, mut markers) = (Vec::new(), TokenStream::new(), TokenStream::new());
    let mut width = quote!(__p::AddressType::U32);
    for Chosen { parameter, size, .. } in &chosen {
        let Some(name) = size else {
            width = quote!(#parameter);
            values.push(quote!(("address_type", &#parameter)));
            continue;
        };
        let (text, marker) = (unraw(name), format_ident!("__Size_{}", unraw(name)));
        values.push(quote!((#text, &#parameter)));
        choices.extend(quote!(__sizes.choose::<#marker>(#parameter);));
        // The argument types of the launch functions and the launched expansion use a type with the name of the type
        // parameter.
        markers.extend(quote! {
            #[doc(hidden)]
            pub struct #marker;
            #[doc(hidden)]
            pub type #name = __p::LaunchedSize<#marker>;
        });
    }
    let choices = args.v11.then(|| {
        quote! {
            let #dim = __p::CubeDim::from(#dim);
            let __sizes = __p::LaunchSizes::begin(#width, #dim);
            #choices
        }
    });
    for param in sig.generics.const_params() {
        let (name, text) = (&param.ident, unraw(&param.ident));
        values.push(quote!((#text, &#name)));
    }
    let (mut comptime, mut registers, mut binds) = (Vec::new(), Vec::new(), Vec::new());
    for param in &params {
        let (name, text) = (&param.name, unraw(&param.name));
        // The tokens have the location of the parameter, even if a macro creates the parameter's name.
        let span = proc_macro2::Span::call_site().located_at(name.span());
        if param.comptime {
            let value = if is_unsized(&param.ty) { quote!(__p::Unsized(#name)) } else { quote!(#name) };
            values.push(quote_spanned!(span=> (#text, &#value)));
            // If a kernel's parameter is a reference to a host value, the launch function takes the value itself.
            let view = borrowed(&param.ty).map(|_| quote!(&));
            comptime.push(quote!(let #name = #view #name.clone();));
            continue;
        }
        let (held, is_mut) = (format_ident!("__c_{}", text), param.is_mut());
        let ty = argument(&kinds, &param.ty, &sig.generics);
        let value = if is_plain_number(param) { quote!(__p::ScalarArg::new(#name)) } else { quote!(#name) };
        registers.push(quote_spanned!(span=> let #held = __launch.argument::<#ty, #runtime>(#text, &#value);));
        binds.push(quote!(let #name = <#ty as __p::LaunchArg>::enter(&#held, &mut __params.named(#text, #is_mut));));
    }
    let (kernel, expand) = (unraw(&sig.ident), crate::names::expansion(&sig.ident));
    let line = crate::names::position(sig.ident.span()) / 4096;
    let debug = args.debug.then(|| quote!(__launch.debug();));
    let deny_checks = args.deny_checks.then(|| quote!(__launch.deny_checks();));
    let result = quote!(::core::result::Result<(), __p::LaunchError>);
    let dim_type = if args.v11 { quote!(__p::V11CubeDim) } else { quote!(__p::CubeDim) };
    let head = quote!(#client: &#client_type, #count: __p::CubeCount, #dim: #dim_type, #(#parameters),*);
    let body = quote! {
        #choices
        let mut __launch = __p::Launch::new(#kernel, ::core::file!(), #line, #checked, #dim);
        __launch.key_at(::core::module_path!());
        __launch.key_function(&(self::#expand #expand_generics));
        #debug
        #deny_checks
        #(#registers)*
        let (__types, __values): (&[_], &[__p::Named<'_>]) = (&[#(#generic_types),*], &[#(#values),*]);
        __launch.run(#client.server(), #count, __types, __values, &|__params| {
            #(#binds)*
            #(#comptime)*
            let _ = self::#expand #expand_generics(#(#arg_names),*);
        })
    };
    // The body is in `try_launch`. If launches can be unchecked, the launch functions share the body in `__run`.
    let shared = args
        .launch_unchecked
        .then(|| quote!(fn __run #declared(#checked: bool, #head) -> #result #where_clause { #body }));
    let launchers = [("launch", args.launch, true), ("launch_unchecked", args.launch_unchecked, false)];
    let launchers = launchers.into_iter().filter(|(_, is_requested, _)| *is_requested);
    let launchers = launchers.flat_map(|(name, _, is_checked)| {
        let (unsafety, contract) = match is_checked {
            true => (None, CHECKED),
            false => (Some(format_ident!("unsafe")), UNCHECKED),
        };
        let (plain, tried) = (format_ident!("{name}"), format_ident!("try_{name}"));
        let (run, run_of_plain) = match &shared {
            Some(_) => {
                let run = quote!(self::__run #used(#is_checked, #client, #count, #dim, #(#passed),*));
                (run.clone(), run)
            }
            None => {
                let run = quote!(self::#tried #used(#client, #count, #dim, #(#passed),*));
                (quote!(let #checked = #is_checked; #body), run)
            }
        };
        let one = |name: &Ident, contract: &str, result: Option<TokenStream>, run: &TokenStream| {
            let doc = format!("{doc}{contract}");
            quote!(#[doc = #doc] pub #unsafety fn #name #declared(#head) #result #where_clause { #run })
        };
        let tried_contract = if is_checked { "" } else { contract };
        [
            one(&plain, contract, None, &quote!(__p::report(#run_of_plain))),
            one(&tried, &format!("{tried_contract}{ERRORS}"), Some(quote!(-> #result)), &run),
        ]
    });
    let launchers: TokenStream = launchers.collect();
    quote!(#markers #shared #launchers)
}

/// A parameter of the launch functions of CubeCL 0.11: the size of a vector, or the width of `usize`.
struct Chosen<'a> {
    parameter: Ident,
    ty: TokenStream,
    /// The type parameter with the bound `Size`; `None` for the width.
    size: Option<&'a Ident>,
}

fn chosen<'a>(generics: &'a Generics, args: &CubeArgs) -> Vec<Chosen<'a>> {
    if !args.v11 {
        return Vec::new();
    }
    let hygienic = |name: &str| Ident::new(name, proc_macro2::Span::mixed_site());
    let width = args.dynamic_sizes.then(|| (hygienic("address_type"), quote!(__p::AddressType)));
    let width = width.map(|(parameter, ty)| Chosen { parameter, ty, size: None });
    let sizes = crate::v11::sizes(generics).into_iter().map(|name| {
        let text = unraw(name).to_lowercase();
        // The name `In` gives a keyword.
        let is_name = syn::parse_str::<Ident>(&text).is_ok();
        let parameter = hygienic(&if is_name { text } else { format!("{text}_size") });
        Chosen { parameter, ty: quote!(usize), size: Some(name) }
    });
    width.into_iter().chain(sizes).collect()
}

/// Whether the syntax proves that a launch passes a number for a parameter.
fn is_scalar(kinds: &Types, ty: &Type) -> bool {
    kinds.is_number(ty) || matches!(ty, Type::Path(path) if path.path.is_ident("usize"))
}

/// The documentation attribute for the module that `#[cube]` generates for a function. The module of a kernel is
/// documented, because it contains the launch functions. Modules of other functions are hidden, because they
/// contain nothing for users.
pub fn shown(name: &Ident, kernel: bool) -> TokenStream {
    if !kernel {
        return quote!(#[doc(hidden)]);
    }
    let text = format!("The launches of the kernel [`{0}`](fn@{0}).", unraw(name));
    quote!(#[doc = #text])
}

/// The documentation of a launch function: the first paragraph of the kernel's documentation, and the
/// arguments in order.
fn docs(function: &ItemFn, written: &syn::Signature) -> String {
    let name = unraw(&written.ident);
    let mut text = format!("Launches the kernel [`{name}`](fn@super::{name}).\n\n");
    let summary = summary(&function.attrs);
    if !summary.is_empty() {
        text += &format!("{summary}\n\n");
    }
    text += "The kernel's arguments follow the client, the cube count and the cube dim:\n\n";
    for param in func::params(written) {
        let (ty, comptime) = (spelled(&param.ty), if param.comptime { "#[comptime] " } else { "" });
        text += &format!("* `{comptime}{}: {ty}`\n", unraw(&param.name));
    }
    text
}

/// The first paragraph of the kernel's documentation. Later paragraphs can contain examples, which would run again as
/// documentation tests of each launch function.
fn summary(attrs: &[syn::Attribute]) -> String {
    let text = |attr: &syn::Attribute| match &attr.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => {
            syn::parse2::<syn::LitStr>(pair.value.to_token_stream()).ok()
        }
        _ => None,
    };
    let text: String = attrs.iter().filter_map(text).map(|text| text.value() + "\n").collect();
    text.trim_start().split("\n\n").next().into_iter().flat_map(|part| part.split("```").next()).collect()
}

/// The text of a type, as programs write it.
fn spelled(ty: &Type) -> String {
    const SPACED: [&str; 9] = [" :: ", ":: ", " < ", " <", "< ", " >", " ,", "& ", " ;"];
    SPACED.iter().fold(quote!(#ty).to_string(), |text, sign| text.replace(sign, sign.trim()))
}

/// The name of the runtime parameter of launch functions: `R`, unless the kernel uses `R`. rustc's messages show the
/// name of the runtime parameter.
fn runtime(sig: &syn::Signature) -> Ident {
    format_ident!("{}", if crate::tokens::mention(quote!(#sig), &["R"]) { "OfRuntime" } else { "R" })
}

/// The checks that the types of `#[comptime]` parameters can be parts of a kernel's key.
pub fn comptime_checks(kinds: &Types, params: &[Param], generics: &Generics) -> Vec<TokenStream> {
    let params = params.iter().filter(|param| is_plain_comptime(kinds, param, generics));
    let check = |ty: &Type| quote_spanned!(ty.span()=> <#ty as __p::ComptimeParameter>::IS_IMPLEMENTED;);
    params.map(|param| check(&param.ty)).collect()
}

/// Whether the type of a `#[comptime]` parameter depends on no generic parameter.
fn is_plain_comptime(kinds: &Types, param: &Param, generics: &Generics) -> bool {
    param.comptime && matches!(param.ty, Type::Path(_)) && kinds.is_of_user(types::owned(&param.ty), generics)
        || param.comptime && types::is_primitive(&param.ty)
}

/// The type of an argument in the launch functions.
fn argument(kinds: &Types, ty: &Type, generics: &Generics) -> TokenStream {
    kinds.through(&format_ident!("__TYPES"), generics, types::owned(ty))
}

/// The referenced type of a reference, if its size is known at compile time.
fn borrowed(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Reference(reference) if !is_unsized(ty) => Some(&reference.elem),
        _ => None,
    }
}

/// Whether a type is a reference to a value without a compile-time size.
fn is_unsized(ty: &Type) -> bool {
    let is_text = |ty: &Type| matches!(ty, Type::Path(path) if path.path.is_ident("str"));
    matches!(ty, Type::Reference(reference) if matches!(*reference.elem, Type::Slice(_)) || is_text(&reference.elem))
}

fn parameter(kinds: &Types, param: &Param, generics: &Generics, runtime: &TokenStream) -> TokenStream {
    let name = &param.name;
    if param.comptime {
        let ty = borrowed(&param.ty).unwrap_or(&param.ty);
        if is_plain_comptime(kinds, param, generics) {
            return quote!(#name: <#ty as __p::Checked<__TYPES>>::Out);
        }
        return quote!(#name: #ty);
    }
    let ty = argument(kinds, &param.ty, generics);
    quote!(#name: <#ty as __p::LaunchArg>::RuntimeArg<'_, #runtime>)
}
