//! Generates the functions that launch a kernel.
use crate::args::CubeArgs;
use crate::func::{self, Param};
use crate::names::unraw;
use crate::types::{self, Types};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericParam, Generics, Ident, ItemFn, Type};

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
    let choices = Choices::of(&sig.generics, args, &dim);
    let is_size = |name: &Ident| choices.sizes.contains(&name);
    let lifetimes = sig.generics.lifetimes();
    let others: Vec<_> = sig.generics.params.iter().filter(|g| !matches!(g, GenericParam::Lifetime(_))).collect();
    let names = crate::type_check::used(others.iter().copied());
    let expand_generics = (!names.is_empty()).then(|| quote!(::<#(#names),*>));
    let others: Vec<_> =
        others.into_iter().filter(|g| !matches!(g, GenericParam::Type(ty) if is_size(&ty.ident))).collect();
    let names = crate::type_check::used(others.iter().copied());
    // The client of CubeCL 0.11 does not name the runtime.
    let own = (!args.v11).then(|| runtime(sig));
    let bound = own.as_ref().map(|own| quote!(#own: __p::Runtime));
    let (declared, used) = (quote!(<#(#lifetimes,)* #(#others,)* #bound>), quote!(::<#(#names,)* #own>));
    let (runtime, client_type, dim_type) = match &own {
        Some(own) => (quote!(#own), quote!(__p::ComputeClient<#own::Server>), quote!(__p::CubeDim)),
        None => (quote!(__p::AnyRuntime), quote!(__p::Client), quote!(__p::V11CubeDim)),
    };
    // The cache key of a kernel contains its types, so the types must be `'static`. The traits need not state this
    // lifetime.
    let mut clause = sig.generics.clone();
    for param in sig.generics.type_params() {
        let name = &param.ident;
        clause.make_where_clause().predicates.push(syn::parse_quote!(#name: 'static));
    }
    let where_clause = &clause.where_clause;
    let generic_types =
        sig.generics.type_params().map(|param| &param.ident).filter(|name| !is_size(name)).map(|name| {
            let text = unraw(name);
            quote!((#text, ::core::any::type_name::<#name>()))
        });
    // The sizes, the constants and the `#[comptime]` values are parts of the kernel's key.
    let Choices { mut parameters, mut passed, mut values, begun, markers, .. } = choices;
    values.extend(sig.generics.const_params().map(|param| {
        let (name, text) = (&param.ident, unraw(&param.ident));
        quote!((#text, &#name))
    }));
    let (mut numbers, mut registers, mut binds) = (Vec::new(), Vec::new(), Vec::new());
    for param in &params {
        let (name, text) = (&param.name, unraw(&param.name));
        passed.push(name.clone());
        // The tokens have the location of the parameter, even if a macro creates the parameter's name.
        let span = proc_macro2::Span::call_site().located_at(name.span());
        if param.comptime {
            let value = if is_unsized(&param.ty) { quote!(__p::Unsized(#name)) } else { quote!(#name) };
            values.push(quote_spanned!(span=> (#text, &#value)));
            // If a kernel's parameter is a reference to a host value, the launch function takes the value itself.
            let view = borrowed(&param.ty).map(|_| quote!(&));
            binds.push(quote!(let #name = #view #name.clone();));
            let ty = borrowed(&param.ty).unwrap_or(&param.ty);
            parameters.push(match is_plain_comptime(&kinds, param, &sig.generics) {
                true => quote!(#name: <#ty as __p::Checked<__TYPES>>::Out),
                false => quote!(#name: #ty),
            });
            continue;
        }
        let (held, is_mut) = (format_ident!("__c_{}", text), param.is_mut());
        let ty = kinds.through(&format_ident!("__TYPES"), &sig.generics, types::owned(&param.ty));
        let is_plain_number = args.v11 && (kinds.is_number(&param.ty) || param.ty == syn::parse_quote!(usize));
        // The launch refers to its arguments, so they are dropped after it.
        let value = if is_plain_number { format_ident!("__n_{}", text) } else { name.clone() };
        numbers.extend(is_plain_number.then(|| quote!(let #value = __p::ScalarArg::new(#name);)));
        parameters.push(match is_plain_number {
            true => quote!(#name: #ty),
            false => quote!(#name: <#ty as __p::LaunchArg>::RuntimeArg<'_, #runtime>),
        });
        registers.push(quote_spanned!(span=> let #held = __launch.argument::<#ty, #runtime>(#text, &#value);));
        binds.push(quote!(let #name = <#ty as __p::LaunchArg>::enter(&#held, &mut __params.named(#text, #is_mut));));
    }
    let (kernel, expand) = (unraw(&sig.ident), crate::names::expansion(&sig.ident));
    let line = crate::names::position(sig.ident.span()) / 4096;
    let (debug, deny_checks, arg_names) = (args.debug, args.deny_checks, params.iter().map(|param| &param.name));
    let body = quote! {
        #begun #(#numbers)*
        let __at = __p::KernelSource { name: #kernel, file: ::core::file!(), line: #line };
        let mut __launch = __p::Launch::new(__at, ::core::module_path!(), &self::#expand #expand_generics, #checked, #dim);
        __launch.set_code(#debug, #deny_checks);
        #(#registers)*
        let (__types, __values): (&[_], &[__p::Named<'_>]) = (&[#(#generic_types),*], &[#(#values),*]);
        __launch.run(#client.server(), #count, __types, __values, &|__params| {
            #(#binds)*
            let _ = self::#expand #expand_generics(#(#arg_names),*);
        })
    };
    let requested = [(args.launch, quote!(launch)), (args.launch_unchecked, quote!(launch_unchecked))];
    let launchers = requested.iter().filter(|(is_requested, _)| *is_requested).map(|(_, name)| {
        quote! {
            __p::launch_function! {
                #name #doc [#declared] [#used] [#where_clause]
                (#client: &#client_type, #count: __p::CubeCount, #dim: #dim_type, #(#parameters),*)
                (#client, #count, #dim, #(#passed),*) #checked { #body }
            }
        }
    });
    quote!(#markers #(#launchers)*)
}

/// The choices of a launch of CubeCL 0.11: the sizes of vectors, and the width of `usize`.
#[derive(Default)]
struct Choices<'a> {
    /// The type parameters with the bound `Size`.
    sizes: Vec<&'a Ident>,
    parameters: Vec<TokenStream>,
    /// The names of the parameters.
    passed: Vec<Ident>,
    /// The parts of the kernel's key.
    values: Vec<TokenStream>,
    /// The statements that begin a launch.
    begun: TokenStream,
    /// The types of the sizes. The argument types of the launch functions and the launched expansion use a type with the name
    /// of the type parameter.
    markers: TokenStream,
}

impl<'a> Choices<'a> {
    fn of(generics: &'a Generics, args: &CubeArgs, dim: &Ident) -> Self {
        let mut all = Choices::default();
        if !args.v11 {
            return all;
        }
        let mut width = quote!(__p::AddressType::U32);
        if args.dynamic_sizes {
            let parameter = Ident::new("address_type", proc_macro2::Span::mixed_site());
            width = quote!(#parameter);
            all.values.push(quote!(("address_type", &#parameter)));
            all.parameters.push(quote!(#parameter: __p::AddressType));
            all.passed.push(parameter);
        }
        let mut chosen = TokenStream::new();
        for name in crate::v11::sizes(generics) {
            let (text, marker, lower) =
                (unraw(name), format_ident!("__Size_{}", unraw(name)), unraw(name).to_lowercase());
            // The name `In` gives a keyword.
            let is_name = syn::parse_str::<Ident>(&lower).is_ok();
            let lower = if is_name { lower } else { format!("{lower}_size") };
            let parameter = Ident::new(&lower, proc_macro2::Span::mixed_site());
            all.sizes.push(name);
            all.values.push(quote!((#text, &#parameter)));
            all.parameters.push(quote!(#parameter: usize));
            chosen.extend(quote!(__sizes.choose::<#marker>(#parameter);));
            all.markers.extend(quote! {
                #[doc(hidden)]
                pub struct #marker;
                #[doc(hidden)]
                pub type #name = __p::LaunchedSize<#marker>;
            });
            all.passed.push(parameter);
        }
        all.begun = quote! {
            let #dim = __p::CubeDim::from(#dim);
            let __sizes = __p::LaunchSizes::begin(#width, #dim);
            #chosen
        };
        all
    }
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
