//! Fallback items for names that do not resolve to items of the kernel language. The fallback items cause
//! readable error messages.
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

/// Names that a body uses and that are possibly undefined.
#[derive(Default)]
pub struct UnresolvedNames {
    /// Functions called by a plain name, with their numbers of arguments and of generic arguments.
    pub functions: Vec<(Ident, (usize, usize))>,
    /// Called methods that the library does not contain, with their number of arguments and placeholders for their
    /// generic arguments.
    pub methods: Vec<(Ident, (usize, TokenStream))>,
    /// Functions called through a type, with their numbers of arguments and of generic arguments.
    pub associated: Vec<(Ident, (usize, usize))>,
    /// Functions that match the variants of an enum.
    pub variants: Vec<(Ident, (usize, usize))>,
    /// Structs that a pattern or a struct literal names by a plain name.
    pub structs: Vec<(Ident, ())>,
    /// Constants and field-less values with a plain name.
    pub constants: Vec<(Ident, ())>,
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
    unresolved: &UnresolvedNames,
    kernel: &Ident,
    check: &Ident,
    home: &TokenStream,
    bound: &[Ident],
    body: &TokenStream,
) -> TokenStream {
    let associated = fallback_trait(&unresolved.associated, "CallableIn", FUNCTION, kernel, check);
    let variants = fallback_trait(&unresolved.variants, "MatchedIn", VARIANT, kernel, check);
    let methods = unresolved.methods.iter().map(|(name, (count, parameters))| method(name, *count, parameters));
    let of_types = quote!(#(#methods)* #associated #variants);
    let UnresolvedNames { functions, constants, structs, .. } = unresolved;
    if functions.is_empty() && constants.is_empty() && structs.is_empty() {
        return quote!(#of_types #body);
    }
    let functions = functions.iter().map(|(name, counts)| function(name, *counts, check));
    let (constants, structs) = (constants.iter().map(|(name, ())| name), structs.iter().map(|(name, ())| name));
    let outer: Vec<_> = bound.iter().map(|name| format_ident!("__outer_{}", name)).collect();
    // An undefined name has no type in the expansion. rustc reports the name in the body as written.
    quote! {
        #(const #constants: <() as __p::Checked<{ #check }>>::Out = ();)*
        #(type #structs = <() as __p::Checked<{ #check }>>::Out;)*
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

fn function(name: &Ident, counts: (usize, usize), check: &Ident) -> TokenStream {
    let result = result(&quote!(__KNOWN));
    let (open, types) = open(counts);
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

/// The type parameters and the argument types of a fallback function, which accepts any arguments. If the
/// call has generic arguments, the argument types are `impl Sized`.
fn open((arguments, parameters): (usize, usize)) -> (Vec<Ident>, Vec<TokenStream>) {
    let names = |count: usize| (0..count).map(|i| format_ident!("T{i}")).collect::<Vec<_>>();
    match parameters {
        0 => (names(arguments), names(arguments).iter().map(|name| quote!(#name)).collect()),
        _ => (names(parameters), (0..arguments).map(|_| quote!(impl Sized)).collect()),
    }
}

/// Generates a fallback method for every type. The fallback takes `&mut self`, which method lookup tries last, so
/// every other method with this name has precedence. The fallback stores the receiver and the arguments until
/// the receiver's host type has returned the name of the expansion. The generated trait `ByType` is the
/// fallback for the function that returns the name of the expansion.
fn method(name: &Ident, count: usize, given: &TokenStream) -> TokenStream {
    let types: Vec<_> = (0..count).map(|i| format_ident!("A{i}")).collect();
    let values: Vec<_> = (0..count).map(|i| format_ident!("a{i}")).collect();
    let (module, method) = (format_ident!("{}_as_method", crate::names::unraw(name)), crate::names::method(name));
    let by = crate::names::by_type(name);
    quote! {
        mod #module {
            pub trait Method<#(#types),*>: Sized {
                fn #method<#given>(&mut self, #(#values: #types),*) -> __p::CallOfMethod<'_, Self, (#(#types,)*)> {
                    __p::CallOfMethod::new(self, (#(#values,)*))
                }
            }
            impl<T, #(#types),*> Method<#(#types),*> for T {}
            pub trait ByType<Place> {
                fn #by<#given>(&mut self) -> __p::NoMethod<Place> {
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
fn fallback_trait(
    called: &[(Ident, (usize, usize))],
    word: &str,
    [message, label, note]: [&str; 3],
    kernel: &Ident,
    check: &Ident,
) -> TokenStream {
    if called.is_empty() {
        return TokenStream::new();
    }
    let line = crate::names::position(kernel.span()) / 4096;
    let trait_name = format_ident!("{word}_{}_{line}", crate::names::unraw(kernel));
    let functions = called.iter().map(|(name, counts)| {
        let (name, (open, types)) = (crate::names::function(name), open(*counts));
        let place = |unit| quote!(where __p::TheKernel<#unit>: __p::Checked<{ #check }, Out = Place>);
        if counts.1 == 0 {
            let place = place(quote!(Unit));
            return quote!(fn #name<R, Unit, #(#open),*>(#(_: #types),*) -> R #place { ::core::unreachable!() });
        }
        let place = place(quote!(()));
        quote!(fn #name<#(#open),*>(#(_: #types),*) -> ! #place { ::core::unreachable!() })
    });
    quote! {
        #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
        trait #trait_name<Place> {
            #(#functions)*
        }
        #[diagnostic::do_not_recommend]
        impl<T: ?Sized> #trait_name<__p::FirstImpl> for &mut T {}
    }
}
