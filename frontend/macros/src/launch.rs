//! Generates the functions that launch a kernel.
use crate::args::CubeArgs;
use crate::func::{self, Param};
use crate::names::{private, unraw};
use crate::types::{self, Types};
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericParam, Generics, Ident, ItemFn, Type};

/// Documentation for functions with checked accesses. The following constants document unchecked launches and
/// returned errors.
const CHECKED: &[&str] = &[
    "",
    "Accesses are checked: a read out of bounds returns zero, a write out of bounds is dropped. A failure is reported on",
    "the standard error, and reading a result of the kernel returns it again.",
];
const UNCHECKED: &[&str] = &["", "# Safety", "Every access of the kernel is within its buffer."];
const ERRORS: &[&str] =
    &["", "# Errors", "The kernel does not compile, or the launch is invalid for the kernel or the device."];

/// Generates `launch`, `launch_unchecked` and their `try_` variants. `written` is the signature in the user's
/// source.
pub fn launchers(function: &ItemFn, written: &syn::Signature, args: &CubeArgs) -> TokenStream {
    let p = private();
    let sig = &function.sig;
    let kinds = Types::of(&sig.generics);
    let mut params = func::params(sig);
    // Generated code names each library type only once, with the tokens of the signature.
    let mut named = TokenStream::new();
    for param in params.iter_mut().filter(|param| !param.comptime && is_plain(&kinds, &param.ty, &sig.generics)) {
        let ty = types::owned(&param.ty).clone();
        if types::is_of_library(&ty) {
            let alias = format_ident!("__Named_{}", unraw(&param.name), span = sig.ident.span());
            named.extend(quote!(type #alias = #ty;));
            let used = Ident::new(&alias.to_string(), ty.span());
            let mutable = param.is_mut().then(|| quote!(&mut));
            param.ty = syn::parse_quote!(#mutable #used);
        }
    }
    let doc = docs(function, written);
    // Reserved names, independent of the kernel's parameter names.
    let [client, count, dim, checked] =
        ["client", "count", "dim", "checked"].map(|name| Ident::new(name, proc_macro2::Span::mixed_site()));
    let all: Vec<_> = sig.generics.params.iter().collect();
    let lifetimes = all.iter().filter(|g| matches!(g, GenericParam::Lifetime(_)));
    let others: Vec<_> = all.iter().copied().filter(|g| !matches!(g, GenericParam::Lifetime(_))).collect();
    let sizes = Sizes::of(&sig.generics, args);
    let names = crate::type_check::used(&others);
    let expand_generics = if names.is_empty() { quote!() } else { quote!(::<#(#names),*>) };
    let others: Vec<_> = others.into_iter().filter(|g| !sizes.contains(g)).collect();
    let names = crate::type_check::used(&others);
    // The client of CubeCL 0.11 does not name the runtime.
    let (runtime, declared, used, client_type) = match args.v11 {
        true => (
            quote!(#p::AnyRuntime),
            quote!(<#(#lifetimes,)* #(#others),*>),
            quote!(::<#(#names),*>),
            quote!(#p::Client),
        ),
        false => {
            let runtime = runtime(sig);
            let declared = quote!(<#(#lifetimes,)* #(#others,)* #runtime: #p::Runtime>);
            let client = quote!(#p::ComputeClient<#runtime::Server>);
            (quote!(#runtime), declared, quote!(::<#(#names,)* #runtime>), client)
        }
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
    let of_kernel = params.iter().map(|param| match is_plain_number(param) {
        true => {
            let (name, ty) = (&param.name, &param.ty);
            quote!(#name: #ty)
        }
        false => parameter(&kinds, param, &sig.generics, &runtime, &p),
    });
    let parameters: Vec<_> = sizes.parameters(&p).into_iter().chain(of_kernel).collect();
    let arg_names: Vec<_> = params.iter().map(|param| &param.name).collect();
    let passed: Vec<_> = sizes.values.iter().chain(arg_names.iter().copied()).collect();
    let generic_types = others.iter().filter_map(|g| match g {
        GenericParam::Type(t) => {
            let (name, text) = (&t.ident, unraw(&t.ident));
            Some(quote!((#text, ::core::any::type_name::<#name>())))
        }
        _ => None,
    });
    let constants = others.iter().filter_map(|g| match g {
        GenericParam::Const(c) => {
            let (name, text) = (&c.ident, unraw(&c.ident));
            Some(quote!((#text, &#name)))
        }
        _ => None,
    });
    let values = params.iter().filter(|param| param.comptime).map(|param| {
        let (name, text) = (&param.name, unraw(&param.name));
        let span = proc_macro2::Span::call_site().located_at(name.span());
        match is_unsized(&param.ty) {
            true => quote_spanned!(span=> (#text, &#p::Unsized(#name))),
            false => quote_spanned!(span=> (#text, &#name)),
        }
    });
    let registers: Vec<_> = params
        .iter()
        .filter(|param| !param.comptime)
        .map(|param| {
            let name = &param.name;
            let text = unraw(name);
            let ty = argument(&kinds, &param.ty, &sig.generics, &p);
            let held = format_ident!("__c_{}", text);
            // The tokens have the location of the parameter, even if a macro creates the parameter's name.
            let span = proc_macro2::Span::call_site().located_at(name.span());
            let value = if is_plain_number(param) { quote!(#p::ScalarArg::new(#name)) } else { quote!(#name) };
            quote_spanned!(span=> let #held = __launch.argument::<#ty, #runtime>(#text, &#value);)
        })
        .collect();
    let binds: Vec<_> = params
        .iter()
        .filter(|param| !param.comptime)
        .map(|param| {
            let name = &param.name;
            let text = unraw(name);
            let ty = argument(&kinds, &param.ty, &sig.generics, &p);
            let held = format_ident!("__c_{}", text);
            let is_mut = param.is_mut();
            quote!(let #name = <#ty as #p::LaunchArg>::enter(&#held, &mut __params.named(#text, #is_mut));)
        })
        .collect();
    // If a kernel's parameter is a reference to a host value, the launch function takes the value itself.
    let comptime: Vec<_> = params
        .iter()
        .filter(|param| param.comptime)
        .map(|param| {
            let (name, view) = (&param.name, borrowed(&param.ty).map(|_| quote!(&)));
            quote!(let #name = #view #name.clone();)
        })
        .collect();
    let (kernel, expand) = (unraw(&sig.ident), crate::names::expansion(&sig.ident));
    let line = crate::names::position(sig.ident.span()) / 4096;
    let debug = args.debug.then(|| quote!(__launch.debug();));
    let deny_checks = args.deny_checks.then(|| quote!(__launch.deny_checks();));
    let (markers, choices, chosen) = (sizes.markers(&p), sizes.choices(&p, args), sizes.keys());
    let inner = quote! {
        fn __run #declared(
            #checked: bool, #client: &#client_type, #count: #p::CubeCount, #dim: #p::CubeDim,
            #(#parameters),*
        ) -> ::core::result::Result<(), #p::LaunchError> #where_clause {
            #choices
            let mut __launch = #p::Launch::new(#kernel, ::core::file!(), #line, #checked, #dim);
            __launch.key_at(::core::module_path!());
            __launch.key_function(&(self::#expand #expand_generics));
            #debug
            #deny_checks
            #(#registers)*
            let (__types, __values): (&[_], &[#p::Named<'_>]) = (&[#(#generic_types),*], &[#(#chosen,)* #(#constants,)* #(#values),*]);
            __launch.run(#client.server(), #count, __types, __values, |__params| {
                #(#binds)*
                #(#comptime)*
                let _ = self::#expand #expand_generics(#(#arg_names),*);
            })
        }
    };
    let result = quote!(::core::result::Result<(), #p::LaunchError>);
    let launchers = [("launch", args.launch, true), ("launch_unchecked", args.launch_unchecked, false)];
    let launchers =
        launchers.into_iter().filter(|(_, is_requested, _)| *is_requested).flat_map(|(name, _, is_checked)| {
            let (unsafety, contract) = match is_checked {
                true => (None, CHECKED),
                false => (Some(format_ident!("unsafe")), UNCHECKED),
            };
            let (plain, tried) = (format_ident!("{name}"), format_ident!("try_{name}"));
            let run = quote!(__run #used(#is_checked, #client, #count, #dim, #(#passed),*));
            let one = |name: &Ident, contract: &[&str], result: Option<TokenStream>, run: TokenStream| {
                let contract = contract.iter().map(|line| quote!(#[doc = #line]));
                quote! {
                    #(#doc)*
                    #(#contract)*
                    pub #unsafety fn #name #declared(
                        #client: &#client_type, #count: #p::CubeCount, #dim: #p::CubeDim,
                        #(#parameters),*
                    ) #result #where_clause { #run }
                }
            };
            let (reported, tried_contract) =
                (quote!(#p::report(#run)), [if is_checked { &[][..] } else { contract }, ERRORS]);
            [
                one(&plain, contract, None, reported),
                one(&tried, &tried_contract.concat(), Some(quote!(-> #result)), run),
            ]
        });
    let launchers: TokenStream = launchers.collect();
    let asserted = asserted(&kinds, &params, &sig.generics);
    quote!(#named #markers #asserted #inner #launchers)
}

/// The sizes of vectors that a launch chooses, and the width of `usize` if the launch chooses it.
struct Sizes<'a> {
    /// The type parameters with the bound `Size`.
    names: Vec<&'a Ident>,
    /// The parameters of the launch functions: the width of `usize`, and one number for each type parameter.
    values: Vec<Ident>,
    dynamic: bool,
}

impl<'a> Sizes<'a> {
    fn of(generics: &'a Generics, args: &CubeArgs) -> Self {
        let names = if args.v11 { crate::v11::sizes(generics) } else { Vec::new() };
        let dynamic = args.v11 && args.dynamic_sizes;
        let hygienic = |name: &str| Ident::new(name, proc_macro2::Span::mixed_site());
        let width = dynamic.then(|| hygienic("address_type"));
        let values = names.iter().map(|name| {
            let text = unraw(name).to_lowercase();
            // The name `In` gives a keyword.
            let is_name = syn::parse_str::<Ident>(&text).is_ok();
            hygienic(&if is_name { text } else { format!("{text}_size") })
        });
        Sizes { values: width.into_iter().chain(values).collect(), names, dynamic }
    }

    fn contains(&self, param: &GenericParam) -> bool {
        matches!(param, GenericParam::Type(param) if self.names.contains(&&param.ident))
    }

    /// The parameters of the launch functions.
    fn parameters(&self, p: &TokenStream) -> Vec<TokenStream> {
        let ty = |i| if self.dynamic && i == 0 { quote!(#p::AddressType) } else { quote!(usize) };
        self.values
            .iter()
            .enumerate()
            .map(|(i, value)| {
                let ty = ty(i);
                quote!(#value: #ty)
            })
            .collect()
    }

    /// The names of the sizes, with the values that the launch passes.
    fn pairs(&self) -> impl Iterator<Item = (&Ident, &Ident)> {
        self.names.iter().copied().zip(&self.values[usize::from(self.dynamic)..])
    }

    /// Types with the names of the type parameters. The argument types of the launch functions and the launched
    /// expansion use these types.
    fn markers(&self, p: &TokenStream) -> TokenStream {
        let markers = self.names.iter().map(|name| {
            let marker = format_ident!("__Size_{}", unraw(name));
            quote! {
                #[doc(hidden)]
                pub struct #marker;
                #[doc(hidden)]
                pub type #name = #p::LaunchedSize<#marker>;
            }
        });
        markers.collect()
    }

    /// The statements that choose the sizes for the arguments and the kernel.
    fn choices(&self, p: &TokenStream, args: &CubeArgs) -> TokenStream {
        if !args.v11 {
            return TokenStream::new();
        }
        let width = match self.values.first().filter(|_| self.dynamic) {
            Some(width) => quote!(#width),
            None => quote!(#p::AddressType::U32),
        };
        let choices = self.pairs().map(|(name, value)| {
            let marker = format_ident!("__Size_{}", unraw(name));
            quote!(__sizes.choose::<#marker>(#value);)
        });
        let dim = Ident::new("dim", proc_macro2::Span::mixed_site());
        quote!(let __sizes = #p::LaunchSizes::begin(#width, #dim); #(#choices)*)
    }

    /// The chosen values, as parts of the kernel's key.
    fn keys(&self) -> Vec<TokenStream> {
        let width = self.values.first().filter(|_| self.dynamic).map(|width| quote!(("address_type", &#width)));
        let sizes = self.pairs().map(|(name, value)| {
            let text = unraw(name);
            quote!((#text, &#value))
        });
        width.into_iter().chain(sizes).collect()
    }
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
fn docs(function: &ItemFn, written: &syn::Signature) -> Vec<TokenStream> {
    let name = unraw(&written.ident);
    let line = |text: String| quote!(#[doc = #text]);
    let mut all = vec![line(format!("Launches the kernel [`{name}`](fn@super::{name}).")), line(String::new())];
    let summary = summary(&function.attrs);
    if !summary.is_empty() {
        all.extend(summary.into_iter().map(line));
        all.push(line(String::new()));
    }
    all.push(line("The kernel's arguments follow the client, the cube count and the cube dim:".into()));
    all.push(line(String::new()));
    for param in func::params(written) {
        let (ty, comptime) = (spelled(&param.ty), if param.comptime { "#[comptime] " } else { "" });
        all.push(line(format!("* `{comptime}{}: {ty}`", unraw(&param.name))));
    }
    all.push(line(String::new()));
    all
}

/// The first paragraph of the kernel's documentation. Later paragraphs can contain examples, which would run again as
/// documentation tests of each launch function.
fn summary(attrs: &[syn::Attribute]) -> Vec<String> {
    let text = |attr: &syn::Attribute| match &attr.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    };
    let lines: Vec<String> =
        attrs.iter().filter_map(text).flat_map(|t| t.lines().map(String::from).collect::<Vec<_>>()).collect();
    let begun = lines.into_iter().skip_while(|line| line.trim().is_empty());
    begun.take_while(|line| !line.trim().is_empty() && !line.trim_start().starts_with("```")).collect()
}

/// The text of a type, as programs write it.
fn spelled(ty: &Type) -> String {
    let mut text = quote!(#ty).to_string();
    for (from, to) in [
        (" :: ", "::"),
        (":: ", "::"),
        (" < ", "<"),
        (" <", "<"),
        ("< ", "<"),
        (" >", ">"),
        (" ,", ","),
        ("& ", "&"),
        (" ;", ";"),
    ] {
        text = text.replace(from, to);
    }
    text
}

/// The name of the runtime parameter of launch functions: `R`, unless the kernel uses `R`. rustc's messages show the
/// name of the runtime parameter.
fn runtime(sig: &syn::Signature) -> Ident {
    format_ident!("{}", if crate::names::mention(quote!(#sig), "R") { "OfRuntime" } else { "R" })
}

/// Generates a check of each argument type, at the location of the type. With the check of an argument type,
/// rustc reports no errors that follow from an invalid type.
fn asserted(kinds: &Types, params: &[Param], generics: &Generics) -> TokenStream {
    let checks = params.iter().filter(|param| !param.comptime && is_plain(kinds, &param.ty, generics)).map(|param| {
        let ty = types::owned(&param.ty);
        let through = kinds.through(&format_ident!("__TYPES"), generics, ty);
        let p = crate::names::private_at(ty.span());
        quote_spanned!(ty.span()=> <#through as #p::LaunchArg>::IS_IMPLEMENTED;)
    });
    let quiet = func::quiet();
    let comptime = params.iter().filter(|param| is_plain_comptime(kinds, param, generics)).map(|param| {
        let ty = &param.ty;
        let p = crate::names::private_at(ty.span());
        quote_spanned!(ty.span()=> <#ty as #p::ComptimeParameter>::IS_IMPLEMENTED;)
    });
    quote!(#quiet const __ARGUMENTS: usize = { #(#checks)* #(#comptime)* 0 };)
}

/// Whether a type depends on no generic parameter.
fn is_plain(kinds: &Types, ty: &Type, generics: &Generics) -> bool {
    kinds.is_of_user(types::owned(ty), generics)
}

/// Whether the type of a `#[comptime]` parameter depends on no generic parameter.
fn is_plain_comptime(kinds: &Types, param: &Param, generics: &Generics) -> bool {
    param.comptime && matches!(param.ty, Type::Path(_)) && is_plain(kinds, &param.ty, generics)
        || param.comptime && types::is_primitive(&param.ty)
}

/// The type of an argument in the launch functions.
fn argument(kinds: &Types, ty: &Type, generics: &Generics, p: &TokenStream) -> TokenStream {
    let owned = types::owned(ty);
    if is_plain(kinds, ty, generics) {
        return quote!(<#owned as #p::Checked<__ARGUMENTS>>::Out);
    }
    quote!(#owned)
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
    match ty {
        Type::Reference(reference) => match &*reference.elem {
            Type::Slice(_) => true,
            Type::Path(path) => path.path.is_ident("str"),
            _ => false,
        },
        _ => false,
    }
}

fn parameter(kinds: &Types, param: &Param, generics: &Generics, runtime: &TokenStream, p: &TokenStream) -> TokenStream {
    let name = &param.name;
    if param.comptime {
        let ty = borrowed(&param.ty).unwrap_or(&param.ty);
        if is_plain_comptime(kinds, param, generics) {
            return quote!(#name: <#ty as #p::Checked<__ARGUMENTS>>::Out);
        }
        return quote!(#name: #ty);
    }
    let ty = argument(kinds, &param.ty, generics, p);
    quote!(#name: <#ty as #p::LaunchArg>::RuntimeArg<'_, #runtime>)
}
