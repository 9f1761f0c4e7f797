//! Calls of functions that are none of the language.
use crate::names::private;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

/// A body in which functions that are no part of the language, or do not exist, are found as strangers; `check` is the constant of
/// the body, `home` the module whose names are the user's.
///
/// The names of the user's module are closer than the strangers, which stand one block further out. They would be closer than the
/// parameters, too: these, `bound`, are bound once more inside. What a stranger lacks depends on nothing but a lifetime, so that the
/// message names no type of the twin.
pub fn with_strangers(
    calls: &[(Ident, usize)],
    check: &Ident,
    home: &TokenStream,
    bound: &[Ident],
    body: &TokenStream,
) -> TokenStream {
    let (p, k) = (private(), crate::names::krate());
    let mut known: Vec<&Ident> = Vec::new();
    let strangers: Vec<_> = calls
        .iter()
        .filter(|(name, _)| {
            let new = !known.contains(&name);
            known.push(name);
            new
        })
        .map(|(name, count)| {
            let types: Vec<_> = (0..*count).map(|i| format_ident!("A{i}")).collect();
            let args = types.iter().map(|ty| quote!(_: #ty));
            let message = format!("`{name}` is no function of the kernel language");
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
                    #[diagnostic::on_unimplemented(
                        message = #message,
                        label = "not callable in a kernel",
                        note = "put `#[cube]` before the function, or call it inside `comptime!(…)` where its arguments are known when the kernel is compiled"
                    )]
                    pub trait Function {}
                    pub fn expand<'x, #(#types,)* R>(#(#args),*) -> R
                    where
                        <&'x #k::HostFunction as #p::Checked<__KNOWN>>::Out: Function,
                        &'x #k::HostFunction: #p::Checked<__KNOWN>,
                    {
                        ::core::unreachable!()
                    }
                }
            }
        })
        .collect();
    if strangers.is_empty() {
        return body.clone();
    }
    let outer: Vec<_> = bound.iter().map(|name| format_ident!("__outer_{}", name)).collect();
    quote! {
        #(#strangers)*
        #(let #outer = #bound;)*
        {
            use #home::*;
            #(let mut #bound = #outer;)*
            #body
        }
    }
}
