//! Calls of functions and methods that are none of the language.
use crate::names::private;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

/// What a body names by a plain name, and what may not exist.
pub struct Strangers<'a> {
    /// Functions, with the numbers of their arguments.
    pub functions: &'a [(Ident, usize)],
    /// Methods, with the numbers of their arguments.
    pub methods: &'a [(Ident, usize)],
    /// Constants.
    pub constants: &'a [Ident],
}

/// A body in which functions that are no part of the language, or do not exist, are found as strangers; `kernel` is the function, `check` the constant
/// of its body, `home` the module whose names are the user's.
///
/// The names of the user's module are closer than the strangers, which stand one block further out. They would be closer than the
/// parameters, too: these, `bound`, are bound once more inside. What a stranger lacks depends on nothing but a lifetime, so that the
/// message names no type of the twin.
pub fn with_strangers(
    strangers: &Strangers,
    kernel: &Ident,
    check: &Ident,
    home: &TokenStream,
    bound: &[Ident],
    body: &TokenStream,
) -> TokenStream {
    let Strangers { functions: calls, methods, constants } = strangers;
    let functions = once(calls).map(|(name, count)| function(name, count, kernel, check));
    let methods: Vec<_> = once(methods).map(|(name, count)| method(name, count, kernel)).collect();
    let functions: Vec<_> = functions.collect();
    if functions.is_empty() && constants.is_empty() {
        return quote!(#(#methods)* #body);
    }
    let outer: Vec<_> = bound.iter().map(|name| format_ident!("__outer_{}", name)).collect();
    // One that does not exist has no type here: it is told of the body as written.
    let p = private();
    quote! {
        #(const #constants: <() as #p::Checked<{ #check }>>::Out = ();)*
        #(#functions)*
        #(#methods)*
        #(let #outer = #bound;)*
        {
            use #home::*;
            #(let mut #bound = #outer;)*
            #body
        }
    }
}

/// The first of each name.
fn once(calls: &[(Ident, usize)]) -> impl Iterator<Item = (&Ident, usize)> {
    let mut known: Vec<&Ident> = Vec::new();
    calls.iter().filter_map(move |(name, count)| {
        let new = !known.contains(&name);
        known.push(name);
        new.then_some((name, *count))
    })
}

/// What stands for a stranger's result: asking it for the kernel's value is what cannot be done, at the place of the name. `known` is
/// a constant without a value where something else has been told.
fn result(message: &str, known: &TokenStream, name: &Ident, kernel: &Ident) -> TokenStream {
    let (p, k) = (private(), crate::names::krate());
    // No others have their names: rustc then shows no paths.
    let (text, kernel) = (crate::names::unraw(name), crate::names::unraw(kernel));
    let (lacked, call) = (format_ident!("{text}_in_{kernel}"), format_ident!("call_of_{text}_in_{kernel}"));
    let bounds = quote! {
        <&'x #k::HostFunction as #p::Checked<{ #known }>>::Out: #lacked,
        &'x #k::HostFunction: #p::Checked<{ #known }>
    };
    let (bounds, ask) = (crate::names::at(bounds, name.span()), crate::names::asked_in_a_kernel(name.span()));
    quote! {
        #[diagnostic::on_unimplemented(
            message = #message,
            label = "not callable in a kernel",
            note = "put `#[cube]` before it where it is yours, or call it inside `comptime!(…)` where its arguments are known when the kernel is compiled"
        )]
        pub trait #lacked {}
        // A trait with no impl at all would be shown to the user.
        #[diagnostic::do_not_recommend]
        impl #lacked for () {}
        pub struct #call;
        pub type Call = #call;
        impl #call {
            pub fn #ask<'x, R>(self) -> R
            where
                #bounds,
            {
                ::core::unreachable!()
            }
        }
    }
}

fn function(name: &Ident, count: usize, kernel: &Ident, check: &Ident) -> TokenStream {
    let types: Vec<_> = (0..count).map(|i| format_ident!("A{i}")).collect();
    let message = format!("`{name}` is no function of the kernel language");
    let result = result(&message, &quote!(__KNOWN), name, kernel);
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
            #result
            pub fn expand<#(#types),*>(#(_: #types),*) -> Call {
                ::core::unreachable!()
            }
        }
    }
}

/// A method that every type has, and that every other of its name comes before: it takes `&mut self`, which is looked for last.
fn method(name: &Ident, count: usize, kernel: &Ident) -> TokenStream {
    let types: Vec<_> = (0..count).map(|i| format_ident!("A{i}")).collect();
    let text = crate::names::unraw(name);
    let message = format!("`{text}` is no method of the kernel language");
    let result = result(&message, &quote!(0), name, kernel);
    let (module, method) = (format_ident!("{text}_as_method"), crate::names::method(name));
    quote! {
        mod #module {
            #result
            pub trait Method {
                fn #method<#(#types),*>(&mut self, #(_: #types),*) -> Call {
                    ::core::unreachable!()
                }
            }
            impl<T> Method for T {}
        }
        use #module::Method as _;
    }
}
