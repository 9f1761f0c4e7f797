//! Generates the check constant of a function: if the body of the function has an error, the constant has no value.
//! In the constant, types such as `f32` replace the type parameters.
use crate::types;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{GenericParam, Ident, Type, TypeParam, TypeParamBound};

/// The replacement for a generic parameter in the initialiser of the check constant.
struct Replacement {
    value: TokenStream,
    /// Whether the replacement always satisfies the bounds of the generic parameter.
    satisfies_bounds: bool,
}

fn replacement(param: &GenericParam, clauses: &[&syn::WhereClause]) -> Option<Replacement> {
    let sure = |value| Some(Replacement { value, satisfies_bounds: true });
    match param {
        GenericParam::Type(t) => match number_for(t, clauses) {
            Some(number) => sure(number),
            None => Some(Replacement { value: quote!(__p::StandIn), satisfies_bounds: false }),
        },
        GenericParam::Const(c) => match types::owned(&c.ty) {
            Type::Path(path) if path.path.is_ident("bool") => sure(quote!(true)),
            Type::Path(path) if path.path.is_ident("char") => sure(quote!('a')),
            _ => sure(quote!(1)),
        },
        GenericParam::Lifetime(_) => None,
    }
}

/// A number type that replaces a type parameter, if the parameter's bounds are number traits, possibly with
/// markers such as `Copy`.
fn number_for(param: &TypeParam, clauses: &[&syn::WhereClause]) -> Option<TokenStream> {
    let mut bounds = param.bounds.clone();
    for predicate in clauses.iter().flat_map(|clause| &clause.predicates) {
        if let syn::WherePredicate::Type(predicate) = predicate
            && matches!(&predicate.bounded_ty, Type::Path(path) if path.path.is_ident(&param.ident))
        {
            bounds.extend(predicate.bounds.iter().cloned());
        }
    }
    number_of(&bounds)
}

/// A number type that satisfies the bounds. The result is `None` if a bound is neither a number trait nor a
/// marker such as `Copy`, or if no bound is a number trait.
pub fn number_of(bounds: &crate::parameters::Bounds) -> Option<TokenStream> {
    let mut number = quote!(f32);
    let mut known = false;
    for bound in bounds {
        match bound {
            TypeParamBound::Lifetime(_) => {}
            TypeParamBound::Trait(path) => {
                let last = path.path.segments.last()?;
                match last.ident.to_string().as_str() {
                    "Float" | "Numeric" | "CubePrimitive" | "CubeElement" => known = true,
                    "Int" => {
                        known = true;
                        number = quote!(u32);
                    }
                    "Copy" | "Clone" | "Send" | "Sync" => {}
                    _ => return None,
                }
            }
            _ => return None,
        }
    }
    known.then_some(number)
}

/// Disables the lints that a generated constant can trigger: lints about its name, and about the user's types in its
/// initialiser. The list is short, because each kernel has several constants.
fn quiet_constant() -> TokenStream {
    quote!(#[allow(
        unused, warnings, nonstandard_style, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, deprecated,
        private_interfaces, private_bounds, unused_qualifications
    )])
}

/// Generates the check constant, which has no value if the body in a check function has an error. `function` is the
/// check function with its generic arguments.
pub fn check_constant(
    name: &Ident,
    params: &[&GenericParam],
    clauses: &[&syn::WhereClause],
    function: &TokenStream,
) -> Option<TokenStream> {
    let quiet = quiet_constant();
    let value = quote!(__p::size_of_output(&#function));
    let replacements = params.iter().map(|param| replacement(param, clauses)).collect::<Option<Vec<_>>>()?;
    if !clauses.is_empty() || !replacements.iter().all(|s| s.satisfies_bounds) {
        return constant_with_replacements(name, params, clauses, &value);
    }
    let named = params.iter().zip(&replacements).map(|(param, Replacement { value, .. })| match param {
        GenericParam::Const(c) => {
            let (name, ty) = (&c.ident, &c.ty);
            quote!(const #name: #ty = #value;)
        }
        other => {
            let name = generic_argument(other);
            quote!(type #name = #value;)
        }
    });
    Some(quote!(#quiet #[doc(hidden)] const #name: usize = { #(#named)* #value };))
}

/// Generates a constant that computes `value` with replacements for the generic parameters. The constant has
/// no value if `value` has an error. `None` if a parameter has no replacement.
///
/// If the replacements possibly violate the bounds, rustc computes `value` only if the bounds are satisfied.
/// `value` is therefore an inherent constant, which exists only if the bounds are satisfied and has
/// precedence over a trait's constant.
pub fn constant_with_replacements(
    name: &Ident,
    params: &[&GenericParam],
    clauses: &[&syn::WhereClause],
    value: &TokenStream,
) -> Option<TokenStream> {
    let (quiet, used) = (quiet_constant(), used(params));
    if params.is_empty() {
        return Some(quote!(#quiet #[doc(hidden)] const #name: usize = #value;));
    }
    let replacements = params.iter().map(|param| replacement(param, clauses)).collect::<Option<Vec<_>>>()?;
    let values = replacements.iter().map(|s| &s.value);
    let open = params.iter().map(|param| match param {
        GenericParam::Const(c) => {
            let (name, ty) = (&c.ident, &c.ty);
            quote!(const #name: #ty)
        }
        other => {
            let name = generic_argument(other);
            quote!(#name: ?Sized)
        }
    });
    let open: Vec<_> = open.collect();
    let types =
        params.iter().filter(|param| matches!(param, GenericParam::Type(_))).map(|param| generic_argument(param));
    let bounded = params.iter().map(|param| without_default(param));
    let predicates = clauses.iter().flat_map(|clause| &clause.predicates);
    Some(quote! {
        #quiet
        #[doc(hidden)]
        const #name: usize = {
            struct __Of<#(#open),*>(::core::marker::PhantomData<(#(*const #types,)*)>);
            trait __Unknown { const CHECKED: usize = 0; }
            impl<#(#open),*> __Unknown for __Of<#(#used),*> {}
            impl<#(#bounded),*> __Of<#(#used),*> where #(#predicates),* {
                const CHECKED: usize = #value;
            }
            <__Of<#(#values),*>>::CHECKED
        };
    })
}

pub fn generic_argument(param: &GenericParam) -> TokenStream {
    match param {
        GenericParam::Type(t) => t.ident.to_token_stream(),
        GenericParam::Const(c) => c.ident.to_token_stream(),
        GenericParam::Lifetime(l) => l.lifetime.to_token_stream(),
    }
}

/// The names of generic parameters, as generic arguments.
pub fn used(params: &[&GenericParam]) -> Vec<TokenStream> {
    params.iter().map(|param| generic_argument(param)).collect()
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
