//! From the types that users write to those of the staged twin.
use crate::names::private;
use proc_macro2::TokenStream;
use quote::quote;
use std::cell::RefCell;
use syn::{GenericParam, Generics, PathArguments, ReturnType, Type, TypeParamBound};

/// A type without its references.
pub fn owned(ty: &Type) -> &Type {
    match ty {
        Type::Reference(reference) => owned(&reference.elem),
        Type::Paren(inner) => owned(&inner.elem),
        Type::Group(inner) => owned(&inner.elem),
        other => other,
    }
}

/// Whether values of the type are places of the caller.
pub fn is_mut_ref(ty: &Type) -> bool {
    matches!(ty, Type::Reference(reference) if reference.mutability.is_some())
}

/// The inner type of `comptime_type!(T)`.
pub fn comptime_type(ty: &Type) -> Option<TokenStream> {
    match ty {
        Type::Macro(mac) if mac.mac.path.segments.last().is_some_and(|s| s.ident == "comptime_type") => {
            Some(mac.mac.tokens.clone())
        }
        _ => None,
    }
}

thread_local! {
    /// Type parameters that stand for numbers: their staged form is known without asking a trait, which is what lets rustc infer
    /// them from arguments.
    static NUMBERS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

const NUMBER_BOUNDS: [&str; 5] = ["Float", "Int", "Numeric", "CubePrimitive", "Scalar"];

/// Runs `work` with the number parameters of these generics known.
pub fn with_generics<T>(generics: &[&Generics], work: impl FnOnce() -> T) -> T {
    let mut found = Vec::new();
    let is_number = |bounds: &syn::punctuated::Punctuated<TypeParamBound, syn::Token![+]>| {
        bounds.iter().any(|b| {
            matches!(b, TypeParamBound::Trait(t)
            if t.path.segments.last().is_some_and(|s| NUMBER_BOUNDS.iter().any(|n| s.ident == n)))
        })
    };
    for generics in generics {
        for param in generics.type_params().filter(|p| is_number(&p.bounds)) {
            found.push(param.ident.to_string());
        }
        for predicate in generics.where_clause.iter().flat_map(|w| &w.predicates) {
            if let syn::WherePredicate::Type(predicate) = predicate
                && let Type::Path(path) = &predicate.bounded_ty
                && let Some(name) = path.path.get_ident()
                && is_number(&predicate.bounds)
            {
                found.push(name.to_string());
            }
        }
    }
    let before = NUMBERS.with_borrow_mut(|known| {
        let before = known.len();
        known.extend(found);
        before
    });
    let result = work();
    NUMBERS.with_borrow_mut(|known| known.truncate(before));
    result
}

const PRIMITIVES: [&str; 17] = [
    "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64", "flex32", "tf32",
    "e4m3", "e5m2",
];

/// Whether a type is a number for sure.
pub fn is_number(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let Some(name) = path.path.get_ident() else { return false };
    PRIMITIVES.iter().any(|p| name == p) || NUMBERS.with_borrow(|known| known.iter().any(|k| name == k))
}

/// The staged form of the type of an `impl`, which has to be written by its name.
pub fn staged_by_name(ty: &Type) -> TokenStream {
    let p = private();
    let ty = owned(ty);
    const LIBRARY: [&str; 7] = ["Array", "Tensor", "Line", "SharedMemory", "Atomic", "Slice", "SliceMut"];
    if is_number(ty) {
        return quote!(#p::Val<#ty>);
    }
    match ty {
        Type::Path(path) if path.qself.is_none() => {
            let mut path = path.path.clone();
            let last = path.segments.last_mut().expect("a path has segments");
            if LIBRARY.iter().any(|n| last.ident == n) {
                return quote!(<#ty as #p::CubeType>::ExpandType);
            }
            last.ident = crate::names::expand_name(&last.ident);
            quote!(#path)
        }
        other => quote!(<#other as #p::CubeType>::ExpandType),
    }
}

/// The staged form of a type.
pub fn staged(ty: &Type) -> TokenStream {
    if let Some(plain) = comptime_type(ty) {
        return plain;
    }
    let span = syn::spanned::Spanned::span(owned(ty));
    let p = crate::names::private_at(span);
    if is_number(owned(ty)) {
        let ty = owned(ty);
        return quote!(#p::Val<#ty>);
    }
    match owned(ty) {
        Type::ImplTrait(bounds) => {
            let bounds = bounds.bounds.iter().map(bound);
            quote!(impl #(#bounds)+*)
        }
        Type::Infer(_) => quote!(_),
        Type::Never(_) => quote!(()),
        Type::BareFn(function) => {
            let inputs = function.inputs.iter().map(|input| staged(&input.ty));
            let output = output(&function.output);
            quote!(fn(#(#inputs),*) #output)
        }
        Type::Tuple(tuple) => {
            let elems = tuple.elems.iter().map(staged);
            quote!((#(#elems,)*))
        }
        owned => {
            quote::quote_spanned!(span=> <#owned as #p::CubeType>::ExpandType)
        }
    }
}

/// The staged form of a result.
pub fn output(output: &ReturnType) -> TokenStream {
    match output {
        ReturnType::Default => quote!(),
        ReturnType::Type(_, ty) => {
            let ty = staged(ty);
            quote!(-> #ty)
        }
    }
}

/// `Fn(A) -> B` over staged types; other bounds as they are.
fn bound(bound: &TypeParamBound) -> TokenStream {
    let TypeParamBound::Trait(path) = bound else { return quote!(#bound) };
    let Some(last) = path.path.segments.last() else { return quote!(#bound) };
    let PathArguments::Parenthesized(arguments) = &last.arguments else { return quote!(#bound) };
    let name = &last.ident;
    let inputs = arguments.inputs.iter().map(staged);
    let output = output(&arguments.output);
    quote!(#name(#(#inputs),*) #output)
}

/// Generics whose `Fn` bounds speak of staged types.
pub fn staged_generics(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    let stage = |bounds: &mut syn::punctuated::Punctuated<TypeParamBound, syn::Token![+]>| {
        for one in bounds.iter_mut() {
            let is_fn = matches!(one, TypeParamBound::Trait(path)
                if path.path.segments.last().is_some_and(|s| matches!(s.arguments, PathArguments::Parenthesized(_))));
            if is_fn {
                let tokens = bound(one);
                if let Ok(parsed) = syn::parse2(tokens) {
                    *one = parsed;
                }
            }
        }
    };
    for param in &mut generics.params {
        if let GenericParam::Type(param) = param {
            stage(&mut param.bounds);
        }
    }
    for predicate in generics.where_clause.iter_mut().flat_map(|w| &mut w.predicates) {
        if let syn::WherePredicate::Type(predicate) = predicate {
            stage(&mut predicate.bounds);
        }
    }
    generics
}

/// A marker that mentions every parameter.
pub fn phantom(generics: &Generics) -> TokenStream {
    let parts = generics.params.iter().filter_map(|param| match param {
        GenericParam::Type(t) => {
            let name = &t.ident;
            Some(quote!(fn() -> #name))
        }
        GenericParam::Lifetime(l) => {
            let name = &l.lifetime;
            Some(quote!(&#name ()))
        }
        GenericParam::Const(_) => None,
    });
    quote!(::core::marker::PhantomData<(#(#parts,)*)>)
}

/// Generics with the lifetime of handles before and the runtime after them.
pub fn with_runtime(generics: &Generics, p: &TokenStream) -> Generics {
    let mut all = generics.clone();
    all.params.insert(0, syn::parse_quote!('a));
    all.params.push(syn::parse_quote!(R: #p::Runtime));
    all
}
