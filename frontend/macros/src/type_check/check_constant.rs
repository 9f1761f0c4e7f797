//! Generates the check constant of a function: if the body of the function has an error, the constant has no value.
//! In the constant, types such as `f32` replace the type parameters.
use crate::parameters::bounds;
use crate::syntax::ends_in;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{GenericParam, Generics, Ident, TypeParamBound};

/// The replacement for a generic parameter in the initialiser of the check constant.
struct Replacement {
    value: TokenStream,
    /// Whether the replacement always satisfies the bounds of the generic parameter.
    satisfies_bounds: bool,
}

fn replacement(param: &GenericParam, generics: &Generics) -> Option<Replacement> {
    let sure = |value| Some(Replacement { value, satisfies_bounds: true });
    match param {
        GenericParam::Type(t) => {
            let own = bounds(generics).filter(|(name, _)| **name == t.ident).flat_map(|(_, bounds)| bounds);
            number_of(own).map_or(Some(Replacement { value: quote!(__p::StandIn), satisfies_bounds: false }), sure)
        }
        GenericParam::Const(c) => {
            let ty = &c.ty;
            sure(quote!({ <#ty as __p::StandInValue>::VALUE }))
        }
        GenericParam::Lifetime(_) => None,
    }
}

/// A number type that satisfies the bounds. The result is `None` if a bound is neither a number trait nor a
/// marker such as `Copy`, or if no bound is a number trait.
pub fn number_of<'a>(bounds: impl IntoIterator<Item = &'a TypeParamBound>) -> Option<TokenStream> {
    let (mut number, mut known) = (quote!(f32), false);
    for bound in bounds {
        match bound {
            TypeParamBound::Lifetime(_) => {}
            TypeParamBound::Trait(of) if ends_in(&of.path, &["Copy", "Clone", "Send", "Sync"]) => {}
            TypeParamBound::Trait(of) if ends_in(&of.path, &["Float", "Numeric", "CubePrimitive", "CubeElement"]) => {
                known = true;
            }
            TypeParamBound::Trait(of) if ends_in(&of.path, &["Int"]) => (known, number) = (true, quote!(u32)),
            _ => return None,
        }
    }
    known.then_some(number)
}

/// Generates a constant that computes `value` with replacements for the generic parameters. The constant has
/// no value if `value` has an error. `None` if a parameter has no replacement.
///
/// If the replacements possibly violate the bounds, rustc computes `value` only if the bounds are satisfied
/// (`core/src/fallbacks.rs`).
pub fn check_constant(name: &Ident, generics: &Generics, value: &TokenStream) -> Option<TokenStream> {
    let (params, used) = (&generics.params, used(&generics.params));
    let replacements = params.iter().map(|param| replacement(param, generics)).collect::<Option<Vec<_>>>()?;
    let values = replacements.iter().map(|s| &s.value);
    // The declarations of the parameters as items with replacements, and as parameters without bounds.
    let declarations = params.iter().zip(values.clone()).map(|(param, value)| match param {
        GenericParam::Const(c) => {
            let (name, ty) = (&c.ident, &c.ty);
            (quote!(const #name: #ty = #value;), quote!(const #name: #ty))
        }
        other => {
            let name = generic_argument(other);
            (quote!(type #name = #value;), quote!(#name: ?Sized))
        }
    });
    let (named, open): (Vec<_>, Vec<_>) = declarations.unzip();
    if predicates(generics).next().is_none() && replacements.iter().all(|s| s.satisfies_bounds) {
        return Some(quote!(__p::check_constant! { #name { #(#named)* #value } }));
    }
    let types = generics.type_params().map(|param| &param.ident);
    let (bounded, predicates) = (params.iter().map(without_default), predicates(generics));
    Some(quote! {
        __p::check_constant! {
            #name [#(#open),*] [#(#used),*] [#(#types)*] [#(#bounded),*] [#(#predicates),*] [#(#values),*] { #value }
        }
    })
}

fn generic_argument(param: &GenericParam) -> TokenStream {
    match param {
        GenericParam::Type(t) => t.ident.to_token_stream(),
        GenericParam::Const(c) => c.ident.to_token_stream(),
        GenericParam::Lifetime(l) => l.lifetime.to_token_stream(),
    }
}

/// The names of generic parameters, as generic arguments.
pub fn used<'a>(params: impl IntoIterator<Item = &'a GenericParam>) -> Vec<TokenStream> {
    params.into_iter().map(generic_argument).collect()
}

/// The bounds in the where-clause.
pub fn predicates(generics: &Generics) -> impl Iterator<Item = &syn::WherePredicate> {
    generics.where_clause.iter().flat_map(|clause| &clause.predicates)
}

pub fn without_default(param: &GenericParam) -> GenericParam {
    let mut param = param.clone();
    match &mut param {
        GenericParam::Type(t) => (t.eq_token, t.default) = (None, None),
        GenericParam::Const(c) => (c.eq_token, c.default) = (None, None),
        GenericParam::Lifetime(_) => {}
    }
    param
}
