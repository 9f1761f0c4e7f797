//! Fallback items for names that do not resolve to items of the kernel language. The fallback items cause
//! readable error messages.
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::Ident;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NameKind {
    /// A function, called by a plain name.
    Function,
    /// A method that the library does not contain.
    Method,
    /// A function, called through a type.
    Associated,
    /// A function that matches or constructs the variants of an enum.
    Variant,
}

/// A name that a body uses and that is possibly undefined.
pub struct UnresolvedName {
    pub kind: NameKind,
    pub name: Ident,
    /// Number of arguments of the call.
    pub arguments: usize,
    /// The generic parameters of the fallback item.
    pub generics: Vec<TokenStream>,
}

/// Wraps the body of the function `kernel` in fallback items for names that are undefined or not in the kernel
/// language. `check` is the constant of the body. `home` is the user's module.
///
/// The fallback items are in an outer block, so names of the user's module hide the fallback items. Names of the
/// user's module would also hide the function's parameters. The inner block therefore binds the parameters, `bound`,
/// again.
pub fn with_fallbacks(
    unresolved: &[UnresolvedName],
    kernel: &Ident,
    check: &Ident,
    home: &TokenStream,
    bound: &[Ident],
    body: &TokenStream,
) -> TokenStream {
    let of = |kind| unresolved.iter().filter(move |one| one.kind == kind);
    let associated = fallback_trait(of(NameKind::Associated), (quote!(function), "CallableIn"), kernel, check);
    let variants = fallback_trait(of(NameKind::Variant), (quote!(variant), "MatchedIn"), kernel, check);
    let methods = of(NameKind::Method).map(method);
    let of_types = quote!(#(#methods)* #associated #variants);
    let functions: Vec<_> = of(NameKind::Function).map(|one| function(one, check)).collect();
    if functions.is_empty() {
        return quote!(#of_types #body);
    }
    let outer: Vec<_> = bound.iter().map(|name| format_ident!("__outer_{}", name)).collect();
    quote! {
        #(#functions)*
        #of_types
        #(let #outer = #bound;)*
        {
            use #home::*;
            #(let mut #bound = #outer;)*
            #body
        }
    }
}

impl UnresolvedName {
    /// The type parameters and the argument types of a fallback function, which accepts any arguments. If the
    /// call has generic arguments, the argument types are `impl Sized`.
    fn signature(&self) -> (Vec<TokenStream>, Vec<TokenStream>) {
        if !self.generics.is_empty() {
            return (self.generics.clone(), vec![quote!(impl Sized); self.arguments]);
        }
        let names = (0..self.arguments).map(|i| format_ident!("T{i}").into_token_stream());
        let names: Vec<_> = names.collect();
        (names.clone(), names)
    }
}

/// A fallback function for calls by a plain name.
fn function(unresolved: &UnresolvedName, check: &Ident) -> TokenStream {
    let (name, (open, types)) = (&unresolved.name, unresolved.signature());
    let expansion = crate::names::expansion(name);
    quote!(__p::fallback_function! { #name #expansion #check [#(#open),*] [#(#types),*] })
}

/// A fallback method for every type.
fn method(UnresolvedName { name, arguments, generics, .. }: &UnresolvedName) -> TokenStream {
    let arguments = (0..*arguments).flat_map(|i| [format_ident!("a{i}"), format_ident!("A{i}")]);
    let (module, method) = (format_ident!("{}_as_method", name, span = Span::call_site()), crate::names::method(name));
    let by = crate::names::by_type(name);
    quote!(__p::fallback_method! { #module #method #by [#(#generics),*] #(#arguments)* })
}

/// A trait with fallback functions. `kind` is a word of the library's macro. The name of the trait begins with `word`. It contains
/// the kernel's name and line, so that it is unique in a crate. If two traits had the same name, rustc's messages would show
/// the module of the expansion.
fn fallback_trait<'a>(
    called: impl Iterator<Item = &'a UnresolvedName>,
    (kind, word): (TokenStream, &str),
    kernel: &Ident,
    check: &Ident,
) -> TokenStream {
    let functions = called.map(|one| {
        let (name, (open, types)) = (crate::names::function(&one.name), one.signature());
        match one.generics.is_empty() {
            true => quote!(#name [R, Unit, #(#open),*] [#(#types),*] Unit, R;),
            false => quote!(#name [#(#open),*] [#(#types),*] (), !;),
        }
    });
    let functions: TokenStream = functions.collect();
    if functions.is_empty() {
        return functions;
    }
    let line = crate::names::position(kernel.span()) / 4096;
    let trait_name = format_ident!("{word}_{}_{line}", kernel, span = Span::call_site());
    quote!(__p::fallback_trait! { #kind #trait_name #check { #functions } })
}
