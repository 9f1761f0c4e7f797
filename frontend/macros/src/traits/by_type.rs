//! Finds the expansion of a trait's method through the trait itself, so that a user has to import only the
//! trait.
//!
//! The type of a staged value differs from the host type, and `use path::Scaled` imports no trait of the staged type.
//! If the staged receiver of a call `x.scaled(2.0)` has no method `scaled`, the expansion therefore uses the host
//! type of `x`. Method lookup on the host type finds the trait that is in scope:
//!
//! ```text
//! trait Scaled { …  fn __expand_scaled_by_type(&self) -> __Scaled_scaled<Self>; }
//! x.__expand_scaled_method(y)                                  returns receiver and argument: no trait in scope has it
//!     .in_a_kernel_by(|h| h.__host_type().__expand_scaled_by_type())   never called, only its type is read
//!     .into_value()                                             calls <f32 as Scaled>::scaled_in_a_kernel(x, y)
//! ```
use crate::func::{self, params, quiet};
use crate::names::{self, function};
use crate::tokens;
use crate::type_check::{self, Owner};
use crate::types::Types;
use proc_macro2::{TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::{GenericParam, Generics, Ident, Signature, TypeImplTrait};

/// Generates the function that returns the name of a method's expansion, and the type `name` that represents this name. `None`
/// if the types of the method have lifetimes, or if the host calls the method.
pub fn named(owner: &Owner, vis: &TokenStream, name: &Ident, sig: &Signature) -> Option<(TokenStream, TokenStream)> {
    let comptime = sig.receiver().is_some_and(|receiver| crate::clean::is_comptime(&receiver.attrs));
    if comptime || owner.generics.lifetimes().next().is_some() {
        return None;
    }
    let (this, in_trait) = (&owner.this, owner.parameter.is_some());
    let types = Types::of(owner.generics).and(&sig.generics);
    let (by, expansion, quiet) = (names::by_type(&sig.ident), function(&sig.ident), quiet());
    let generics = types.staged_generics(&sig.generics);
    let (own, own_open, own_used) = parameters(&generics);
    let (of_item, item_open, item_used) = parameters(owner.generics);
    let marked = owner.generics.type_params().chain(generics.type_params()).map(|param| &param.ident);
    let predicates: Vec<_> = [owner.generics, &generics].into_iter().flat_map(type_check::predicates).collect();
    let list = params(sig);
    let (mut functions, mut arguments) = (Vec::new(), Vec::new());
    for (i, param) in list.iter().enumerate() {
        let ty = func::expansion_type(&types, param);
        // A closure argument becomes a type parameter of the impl.
        match syn::parse2::<TypeImplTrait>(ty.clone()) {
            Ok(TypeImplTrait { bounds, .. }) => {
                let name = format_ident!("__F{i}");
                functions.push(quote!(#name: #bounds));
                arguments.push(quote!(#name));
            }
            Err(_) => arguments.push(ty),
        }
    }
    let values: Vec<Ident> = (0..list.len()).map(|i| format_ident!("__a{i}")).collect();
    let output = crate::types::result(&sig.output).map_or(quote!(()), |ty| types.staged(ty));
    let all = quote!(#(#arguments)* #output #(#own)* #(#predicates)*);
    if has_lifetime(all) || tokens::mention(output.clone(), &["impl"]) {
        return None;
    }
    // The `impl` block of an inherent method has the lint levels.
    let head = if in_trait { quiet.clone() } else { quote!(pub) };
    let returned = quote! {
        #[doc(hidden)]
        #head fn #by<#(#own_open),*>(&self) -> #name<Self, #(#item_used,)* #(#own_used),*> {
            ::core::unreachable!()
        }
    };
    let (receiver, of) = (quote!(<#this as __p::CubeType>::ExpandType), &owner.of);
    let path = if in_trait { quote!(<#this as #of>) } else { quote!(<#this>) };
    let parameter = owner.parameter.iter();
    let named = quote! {
        __p::named_method! {
            [#quiet] [#vis] #name [#(#item_open,)* #(#own_open),*] [#(#marked)*]
            [#(#parameter,)* #(#of_item,)* #(#own,)* #(#functions),*] [#receiver]
            [#name<#this, #(#item_used,)* #(#own_used),*>] [#(#predicates,)*]
            [#(#values [#arguments])*] [#output] [#path::#expansion::<#(#own_used),*>]
        }
    };
    Some((returned, owner.replace_self(named)))
}

/// Type and constant parameters in three forms: with bounds, without bounds, and as generic arguments.
fn parameters(generics: &Generics) -> (Vec<GenericParam>, Vec<GenericParam>, Vec<TokenStream>) {
    let all = generics.params.iter().filter(|param| !matches!(param, GenericParam::Lifetime(_)));
    let bounded: Vec<_> = all.map(type_check::without_default).collect();
    let used = type_check::used(&bounded);
    let mut open = bounded.clone();
    for param in &mut open {
        if let GenericParam::Type(param) = param {
            (param.colon_token, param.bounds) = (None, Default::default());
        }
    }
    (bounded, open, used)
}

/// Whether tokens contain a lifetime. `'static` is not a generic parameter.
fn has_lifetime(tokens: TokenStream) -> bool {
    tokens::any(
        tokens,
        &mut |rest| matches!(rest, [TokenTree::Punct(quote), TokenTree::Ident(name), ..] if quote.as_char() == '\'' && name != "static"),
    )
}
