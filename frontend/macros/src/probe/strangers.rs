//! Calls of functions and methods that are none of the language.
use crate::names::private;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

/// What a body names by a plain name, and what may not exist.
pub struct Strangers<'a> {
    /// The function whose body it is.
    pub kernel: &'a Ident,
    /// Functions, with the numbers of their arguments and of the parameters that are given to them.
    pub functions: &'a [(Ident, usize, usize)],
    /// Methods, with the number of their arguments and the parameters that take what is given to them.
    pub methods: &'a [(Ident, usize, TokenStream)],
    /// Functions of types, with the numbers of their arguments and of the parameters that are given to them.
    pub associated: &'a [(Ident, usize, usize)],
    /// Whether one of them may be a function of a type that holds memory of the host.
    pub host_memory: bool,
    /// Functions of enums that look for variants.
    pub parts: &'a [(Ident, usize)],
    /// Structs, by their names in the twin.
    pub structs: &'a [Ident],
    /// Constants.
    pub constants: &'a [Ident],
}

/// A body in which functions that are no part of the language, or do not exist, are found as strangers; `check` is the constant of
/// the body, `home` the module whose names are the user's.
///
/// The names of the user's module are closer than the strangers, which stand one block further out. They would be closer than the
/// parameters, too: these, `bound`, are bound once more inside.
pub fn with_strangers(
    strangers: &Strangers,
    check: &Ident,
    home: &TokenStream,
    bound: &[Ident],
    body: &TokenStream,
) -> TokenStream {
    let Strangers { functions: calls, methods, constants, structs, .. } = strangers;
    let associated = {
        let (functions, variants) = (associated(strangers, check), variants(strangers, check));
        quote!(#functions #variants)
    };
    let functions = calls.iter().map(|(name, arguments, parameters)| function(name, *arguments, *parameters, check));
    let methods: Vec<_> = methods.iter().map(|(name, count, parameters)| method(name, *count, parameters)).collect();
    let functions: Vec<_> = functions.collect();
    if functions.is_empty() && constants.is_empty() && structs.is_empty() {
        return quote!(#(#methods)* #associated #body);
    }
    let outer: Vec<_> = bound.iter().map(|name| format_ident!("__outer_{}", name)).collect();
    // One that does not exist has no type here: it is told of the body as written.
    let p = private();
    quote! {
        #(const #constants: <() as #p::Checked<{ #check }>>::Out = ();)*
        #(type #structs = <() as #p::Checked<{ #check }>>::Out;)*
        #(#functions)*
        #(#methods)*
        #associated
        #(let #outer = #bound;)*
        {
            use #home::*;
            #(let mut #bound = #outer;)*
            #body
        }
    }
}

/// What stands for the result of a function: asking it for the kernel's value is what cannot be done, at the place of the name.
/// `known` is a constant without a value where something else has been told.
fn result(known: &TokenStream) -> TokenStream {
    let p = private();
    quote!(#p::CallOfFunction<<#p::TheHost as #p::Checked<{ #known }>>::Out>)
}

fn function(name: &Ident, arguments: usize, parameters: usize, check: &Ident) -> TokenStream {
    let result = result(&quote!(__KNOWN));
    let (open, types) = open(arguments, parameters);
    quote! {
        mod #name {
            // Where the function stands inside another one, nothing is known of its body.
            const __KNOWN: usize = {
                const #check: usize = 0;
                {
                    use super::*;
                    #check
                }
            };
            pub fn expand<#(#open),*>(#(_: #types),*) -> #result {
                ::core::unreachable!()
            }
        }
    }
}

/// The parameters of a function that takes anything, and the types of its arguments: the arguments' own, or hidden ones where the call
/// gives parameters to it.
fn open(arguments: usize, parameters: usize) -> (Vec<Ident>, Vec<TokenStream>) {
    let names = |count: usize| (0..count).map(|i| format_ident!("T{i}")).collect::<Vec<_>>();
    match parameters {
        0 => (names(arguments), names(arguments).iter().map(|name| quote!(#name)).collect()),
        _ => (names(parameters), (0..arguments).map(|_| quote!(impl Sized)).collect()),
    }
}

/// A method that every type has, and that every other of its name comes before: it takes `&mut self`, which is looked for last. It
/// keeps the receiver and the arguments until the host type of the receiver has returned the name of the expansion; the second
/// trait returns the name of none.
fn method(name: &Ident, count: usize, given: &TokenStream) -> TokenStream {
    let p = private();
    let types: Vec<_> = (0..count).map(|i| format_ident!("A{i}")).collect();
    let values: Vec<_> = (0..count).map(|i| format_ident!("a{i}")).collect();
    let (module, method) = (format_ident!("{}_as_method", crate::names::unraw(name)), crate::names::method(name));
    let by = crate::names::by_type(name);
    quote! {
        mod #module {
            pub trait Method<#(#types),*>: Sized {
                fn #method<#given>(&mut self, #(#values: #types),*) -> #p::CallOfMethod<'_, Self, (#(#types,)*)> {
                    #p::CallOfMethod::new(self, (#(#values,)*))
                }
            }
            impl<T, #(#types),*> Method<#(#types),*> for T {}
            pub trait ByType<Place> {
                fn #by<#given>(&mut self) -> #p::NoMethod<Place> {
                    ::core::unreachable!()
                }
            }
            impl<T: ?Sized, Place> ByType<Place> for T {}
        }
        use #module::{ByType as _, Method as _};
    }
}

/// A name that is the only one of its kind in a crate, by its line: rustc would show the module of the expansion otherwise.
fn trait_name(word: &str, strangers: &Strangers) -> Ident {
    let line = crate::names::position(strangers.kernel.span()) / 4096;
    format_ident!("{}_{}_{}", word, crate::names::unraw(strangers.kernel), line)
}

/// The same for variants of enums that are none of the kernel language.
fn variants(strangers: &Strangers, check: &Ident) -> TokenStream {
    if strangers.parts.is_empty() {
        return TokenStream::new();
    }
    let (p, trait_name) = (private(), trait_name("MatchedIn", strangers));
    let functions = strangers.parts.iter().map(|(name, arguments)| {
        let (name, (open, types)) = (crate::names::function(name), open(*arguments, 0));
        quote! {
            fn #name<R, Unit, #(#open),*>(#(_: #types),*) -> R
            where #p::TheKernel<Unit>: #p::Checked<{ #check }, Out = Place> { ::core::unreachable!() }
        }
    });
    quote! {
        #[diagnostic::on_unimplemented(
            message = "`{Self}` is no type of the kernel language",
            label = "has no meaning in a kernel",
            note = "derive `CubeType` for it, or make the value inside `comptime!(…)`"
        )]
        trait #trait_name<Place> {
            #(#functions)*
        }
        #[diagnostic::do_not_recommend]
        impl<T: ?Sized> #trait_name<#p::FirstImpl> for &mut T {}
    }
}

/// Functions of types that have none of that name for kernels. Where a type has none, rustc looks for one of a reference to it, as it
/// does for methods, finds these, and tells that the type itself has them not. The place says so late: with it, a reference has them
/// neither, which rustc would propose; and where something else has been told, it is an error, and nothing is told again.
fn associated(strangers: &Strangers, check: &Ident) -> TokenStream {
    if strangers.associated.is_empty() {
        return TokenStream::new();
    }
    let (p, trait_name) = (private(), trait_name("CallableIn", strangers));
    let functions = strangers.associated.iter().map(|(name, arguments, parameters)| {
        let (name, (open, types)) = (crate::names::function(name), open(*arguments, *parameters));
        let place = |unit| quote!(where #p::TheKernel<#unit>: #p::Checked<{ #check }, Out = Place>);
        if *parameters == 0 {
            let place = place(quote!(Unit));
            return quote!(fn #name<R, Unit, #(#open),*>(#(_: #types),*) -> R #place { ::core::unreachable!() });
        }
        let place = place(quote!(()));
        quote!(fn #name<#(#open),*>(#(_: #types),*) -> ! #place { ::core::unreachable!() })
    });
    let memory = strangers.host_memory.then(|| {
        let note = "memory of the host cannot grow in a kernel: use `Array`, `Sequence` or a `#[comptime]` value";
        quote!(note = #note,)
    });
    quote! {
        #[diagnostic::on_unimplemented(
            #memory
            message = "this function of `{Self}` is none of the kernel language",
            label = "has no such function in a kernel",
            note = "put `#[cube]` before the trait or the `impl` that it stands in where that is yours, or call it inside `comptime!(…)` where its arguments are known when the kernel is compiled"
        )]
        trait #trait_name<Place> {
            #(#functions)*
        }
        #[diagnostic::do_not_recommend]
        impl<T: ?Sized> #trait_name<#p::FirstImpl> for &mut T {}
    }
}
