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

/// The message, the label and the note about an associated function that is not in the kernel language.
const FUNCTION: [&str; 3] = [
    "this function of `{Self}` is not in the kernel language",
    "has no such function in a kernel",
    "put `#[cube]` before its trait or `impl` block, or call it inside `comptime!(…)` if its arguments are known at compile time",
];

/// The message, the label and the note about an enum that does not derive `CubeType`.
const VARIANT: [&str; 3] = [
    "`{Self}` is not a type of the kernel language",
    "is not supported in a kernel",
    "derive `CubeType` for it, or compute the value inside `comptime!(…)`",
];

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
    let associated = fallback_trait(of(NameKind::Associated), "CallableIn", FUNCTION, kernel, check);
    let variants = fallback_trait(of(NameKind::Variant), "MatchedIn", VARIANT, kernel, check);
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

/// The result type of a fallback function. rustc reports the use of the fallback's result type as a kernel value, at
/// the location of the called name. If another error has been reported, the constant `known` has no value, and rustc
/// does not report the use.
fn result(known: &TokenStream) -> TokenStream {
    quote!(__p::CallOfFunction<<__p::TheHost as __p::Checked<{ #known }>>::Out>)
}

fn function(unresolved: &UnresolvedName, check: &Ident) -> TokenStream {
    let result = result(&quote!(__KNOWN));
    let (name, (open, types)) = (&unresolved.name, unresolved.signature());
    let expansion = crate::names::expansion(name);
    quote! {
        mod #name {
            // The constant of a nested function is not in `super`. The fallback is 0.
            const __KNOWN: usize = {
                const #check: usize = 0;
                {
                    use super::*;
                    #check
                }
            };
            pub fn #expansion<#(#open),*>(#(_: #types),*) -> #result {
                ::core::unreachable!()
            }
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

/// Generates a fallback method for every type. The fallback takes `&mut self`, which method lookup tries last, so
/// every other method with this name has precedence. The fallback stores the receiver and the arguments until
/// the receiver's host type has returned the name of the expansion. The generated trait `ByType` is the
/// fallback for the function that returns the name of the expansion.
fn method(unresolved: &UnresolvedName) -> TokenStream {
    let UnresolvedName { name, arguments, generics, .. } = unresolved;
    let types: Vec<_> = (0..*arguments).map(|i| format_ident!("A{i}")).collect();
    let values: Vec<_> = (0..*arguments).map(|i| format_ident!("a{i}")).collect();
    let (module, method) = (format_ident!("{}_as_method", name, span = Span::call_site()), crate::names::method(name));
    let by = crate::names::by_type(name);
    quote! {
        mod #module {
            pub trait Method<#(#types),*>: Sized {
                fn #method<#(#generics),*>(&mut self, #(#values: #types),*) -> __p::CallOfMethod<'_, Self, (#(#types,)*)> {
                    __p::CallOfMethod::new(self, (#(#values,)*))
                }
            }
            impl<T, #(#types),*> Method<#(#types),*> for T {}
            pub trait ByType<Place> {
                fn #by<#(#generics),*>(&mut self) -> __p::NoMethod<Place> {
                    ::core::unreachable!()
                }
            }
            impl<T: ?Sized, Place> ByType<Place> for T {}
        }
        use #module::{ByType as _, Method as _};
    }
}

/// Generates a trait with fallback functions for types that have no kernel function with the called name. If a type lacks
/// the function, rustc also looks for the function on references to the type. rustc then finds the fallback function,
/// which is implemented for references to the type, and reports that the type itself lacks the trait. The trait's
/// parameter appears only in the where-clause, which prevents rustc from suggesting a reference. If another error has
/// been reported, the trait's parameter is an error type, and rustc reports nothing.
///
/// The name of the trait begins with `word`. It contains the kernel's name and line, so that it is unique in a crate. If
/// two traits had the same name, rustc's messages would show the module of the expansion.
fn fallback_trait<'a>(
    called: impl Iterator<Item = &'a UnresolvedName>,
    word: &str,
    [message, label, note]: [&str; 3],
    kernel: &Ident,
    check: &Ident,
) -> TokenStream {
    let functions = called.map(|one| {
        let (name, (open, types)) = (crate::names::function(&one.name), one.signature());
        let (place, result) = match one.generics.is_empty() {
            true => (quote!(Unit), quote!(R)),
            false => (quote!(()), quote!(!)),
        };
        let own = one.generics.is_empty().then(|| quote!(R, Unit,));
        quote! {
            fn #name<#own #(#open),*>(#(_: #types),*) -> #result
            where __p::TheKernel<#place>: __p::Checked<{ #check }, Out = Place> { ::core::unreachable!() }
        }
    });
    let functions: Vec<_> = functions.collect();
    if functions.is_empty() {
        return TokenStream::new();
    }
    let line = crate::names::position(kernel.span()) / 4096;
    let trait_name = format_ident!("{word}_{}_{line}", kernel, span = Span::call_site());
    quote! {
        #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
        trait #trait_name<Place> {
            #(#functions)*
        }
        #[diagnostic::do_not_recommend]
        impl<T: ?Sized> #trait_name<__p::FirstImpl> for &mut T {}
    }
}
