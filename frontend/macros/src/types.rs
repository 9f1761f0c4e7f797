//! Maps the types that users write to those of the expansion.
use crate::names::private;
use crate::words;
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

/// Whether the type is a `&mut` reference: the callee writes to the caller's value.
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
    /// Type parameters that are numbers. Their staged form is known without a trait projection, so that rustc can infer
    /// them from arguments.
    static NUMBERS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

const NUMBER_BOUNDS: [&str; 5] = ["Float", "Int", "Numeric", "CubePrimitive", "Scalar"];

/// Runs `work` with the number parameters of these generics registered.
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

/// Whether the syntax proves that a type is a number.
pub fn is_number(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let Some(name) = path.path.get_ident() else { return false };
    words::NUMBERS.iter().any(|p| name == p) || NUMBERS.with_borrow(|known| known.iter().any(|k| name == k))
}

/// Whether a type name is a number or memory of the language.
pub fn is_of_language(word: &str) -> bool {
    const LIBRARY: [&str; 8] = ["Array", "Tensor", "Line", "SharedMemory", "Atomic", "Slice", "SliceMut", "Sequence"];
    words::NUMBERS.contains(&word) || LIBRARY.contains(&word)
}

/// Whether a library type has one parameter, its element type.
pub fn is_made_of_elements(name: &syn::Ident) -> bool {
    ["Atomic", "Line", "SharedMemory", "Array", "Tensor", "Sequence"].iter().any(|known| name == known)
}

/// Whether a type is memory that the launch provides.
pub fn is_memory(ty: &Type) -> bool {
    const MEMORY: [&str; 4] = ["Array", "Tensor", "Slice", "SliceMut"];
    matches!(owned(ty), Type::Path(path) if path.path.segments.last().is_some_and(|s| MEMORY.iter().any(|name| s.ident == name)))
}

/// The element type of memory that the launch provides.
pub fn element(ty: &Type) -> Option<Type> {
    let Type::Path(path) = owned(ty) else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else { return None };
    match arguments.args.first() {
        Some(syn::GenericArgument::Type(element)) if is_memory(ty) => Some(element.clone()),
        _ => None,
    }
}

/// Whether a type is a number of Rust or of the language.
pub fn is_primitive(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.get_ident().is_some_and(is_primitive_name))
}

/// Whether a type is `usize`.
pub fn is_usize(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("usize"))
}

/// Whether a name is a number type.
pub fn is_primitive_name(name: &syn::Ident) -> bool {
    words::NUMBERS.iter().any(|known| name == known)
}

thread_local! {
    /// The constant that has no value if a type of a signature is not in the language, and the names of the generic
    /// parameters.
    static GATE: RefCell<Option<(syn::Ident, Vec<String>)>> = const { RefCell::new(None) };
}

/// Runs `work` with every user type depending on that constant, which [`asked`] defines.
pub fn gated<T>(constant: &syn::Ident, generics: &Generics, work: impl FnOnce() -> T) -> T {
    let names = generics.params.iter().map(|param| match param {
        GenericParam::Type(t) => t.ident.to_string(),
        GenericParam::Const(c) => c.ident.to_string(),
        GenericParam::Lifetime(l) => l.lifetime.ident.to_string(),
    });
    GATE.set(Some((constant.clone(), names.collect())));
    let result = work();
    GATE.set(None);
    result
}

/// The definition of the constant of [`gated`]: it checks each type once, at its location.
pub fn asked<'a>(
    constant: &syn::Ident,
    generics: &Generics,
    types: impl Iterator<Item = &'a Type>,
) -> Option<TokenStream> {
    let checks: Vec<_> = gated(constant, generics, || {
        let asked = types.flat_map(parts).filter(|ty| goes_through(ty));
        asked
            .map(|ty| {
                let span = syn::spanned::Spanned::span(ty);
                let p = crate::names::private_at(span);
                if !is_of_library(ty) {
                    return quote::quote_spanned!(span=> <#ty as #p::CubeType>::IS_IMPLEMENTED;);
                }
                let (made, name) = alias(ty, constant.span());
                quote::quote_spanned!(span=> { #made <#name as #p::CubeType>::IS_IMPLEMENTED; })
            })
            .collect()
    });
    let quiet = crate::func::quiet();
    (!checks.is_empty()).then(|| quote!(#quiet #[doc(hidden)] const #constant: usize = { #(#checks)* 0 };))
}

/// Whether a type is a number, or one of these type parameters.
pub fn is_number_here(ty: &Type, parameters: &[String]) -> bool {
    let parameter =
        |path: &syn::TypePath| path.path.get_ident().is_some_and(|name| parameters.contains(&name.to_string()));
    is_primitive(ty) || matches!(ty, Type::Path(path) if parameter(path))
}

/// Whether a type is library memory.
pub fn is_of_library(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|s| is_of_language(&s.ident.to_string())))
}

/// An alias of a library type, and its definition. An unknown type in it causes the same error as an unknown type at
/// `span`, the name of the enclosing item.
pub fn alias(ty: &Type, span: proc_macro2::Span) -> (TokenStream, syn::Ident) {
    let name = syn::Ident::new("__Named", span);
    let used = syn::Ident::new("__Named", syn::spanned::Spanned::span(ty));
    (quote!(type #name = #ty;), used)
}

/// Whether a type is a user type that depends on none of these parameters.
pub fn is_of_user(ty: &Type, generics: &Generics) -> bool {
    gated(&quote::format_ident!("__NONE"), generics, || goes_through(ty))
}

/// The type, made to depend on that constant if it is a user type.
pub fn through(constant: &syn::Ident, generics: &Generics, ty: &Type) -> TokenStream {
    let span = syn::spanned::Spanned::span(ty);
    let p = crate::names::private_at(span);
    if is_of_user(ty, generics) {
        quote::quote_spanned!(span=> <#ty as #p::Checked<{ #constant }>>::Out)
    } else {
        quote!(#ty)
    }
}

/// The element types of a tuple, or the type itself.
fn parts(ty: &Type) -> Vec<&Type> {
    match owned(ty) {
        Type::Tuple(tuple) => tuple.elems.iter().flat_map(parts).collect(),
        other => vec![other],
    }
}

/// Whether a type is a user type that depends on no generic parameter.
fn goes_through(ty: &Type) -> bool {
    if !matches!(ty, Type::Path(_)) || comptime_type(ty).is_some() || is_known(ty) {
        return false;
    }
    GATE.with_borrow(|gate| {
        gate.as_ref().is_some_and(|(_, generics)| {
            let tokens = quote!(#ty);
            !mentions(tokens, &|name| {
                name == "Self" || name == "impl" || name == "_" || generics.iter().any(|g| g == name)
            })
        })
    })
}

/// Whether a type or an initial value mentions `Atomic`.
pub fn mentions_atomic(tokens: &impl quote::ToTokens) -> bool {
    mentions(tokens.to_token_stream(), &|name| name == "Atomic")
}

fn mentions(tokens: TokenStream, wanted: &dyn Fn(&str) -> bool) -> bool {
    tokens.into_iter().any(|tree| match tree {
        proc_macro2::TokenTree::Ident(name) => wanted(&name.to_string()),
        proc_macro2::TokenTree::Group(group) => mentions(group.stream(), wanted),
        // A lifetime, or `_`.
        proc_macro2::TokenTree::Punct(punct) => punct.as_char() == '\'',
        proc_macro2::TokenTree::Literal(_) => false,
    })
}

/// Whether a type is a number, or library memory of numbers.
fn is_known(ty: &Type) -> bool {
    is_number(ty)
        || holds(ty, &["Array", "Tensor", "SharedMemory", "Slice", "SliceMut"], &|ty| {
            holds(ty, &["Atomic"], &is_element) || is_element(ty)
        })
        || holds(ty, &["Sequence"], &is_known)
        || holds(ty, &["Atomic"], &is_element)
        || is_element(ty)
}

/// Whether a type is a number or a line of numbers.
fn is_element(ty: &Type) -> bool {
    is_number(ty) || holds(ty, &["Line"], &is_number)
}

/// Whether a type is one of `names`, with element types that satisfy `fits`.
fn holds(ty: &Type, names: &[&str], fits: &dyn Fn(&Type) -> bool) -> bool {
    let Type::Path(path) = ty else { return false };
    path.path.segments.last().is_some_and(|last| {
        let PathArguments::AngleBracketed(arguments) = &last.arguments else { return false };
        names.iter().any(|name| last.ident == name)
            && arguments.args.iter().all(|argument| matches!(argument, syn::GenericArgument::Type(ty) if fits(ty)))
    })
}

/// The staged form of the type of an `impl`, written by its name.
pub fn staged_by_name(ty: &Type) -> TokenStream {
    let p = private();
    let ty = owned(ty);
    const MEMORY: [&str; 5] = ["Array", "Tensor", "SharedMemory", "Slice", "SliceMut"];
    if is_number(ty) {
        return quote!(#p::Val<#ty>);
    }
    match ty {
        Type::Path(path) if path.qself.is_none() => {
            let mut path = path.path.clone();
            let last = path.segments.last_mut().expect("a path has segments");
            // Not by the projection: the overlap check of trait impls treats a projection as any type.
            if MEMORY.iter().any(|n| last.ident == n) {
                return quote!(#p::Mem<#ty>);
            }
            if last.ident == "Line" {
                return quote!(#p::Val<#ty>);
            }
            if last.ident == "Atomic" {
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
            let output = output(&function.output, None);
            quote!(fn(#(#inputs),*) #output)
        }
        Type::Tuple(tuple) => {
            let elems = tuple.elems.iter().map(staged);
            quote!((#(#elems,)*))
        }
        owned => match GATE.with_borrow(|gate| gate.as_ref().map(|(constant, _)| constant.clone())) {
            Some(constant) if goes_through(owned) => {
                quote::quote_spanned!(span=> <<#owned as #p::Checked<{ #constant }>>::Out as #p::CubeType>::ExpandType)
            }
            _ => quote::quote_spanned!(span=> <#owned as #p::CubeType>::ExpandType),
        },
    }
}

/// The staged form of a result type. With the check constant, it is unknown if the body has an error.
pub fn output(output: &ReturnType, check: Option<&syn::Ident>) -> TokenStream {
    match output {
        ReturnType::Default => quote!(),
        ReturnType::Type(_, ty) => {
            let staged = staged(ty);
            // `impl Trait` and closure types are only valid in their position.
            let plain = matches!(owned(ty), Type::Path(_) | Type::Tuple(_));
            match check.filter(|_| plain) {
                Some(check) => {
                    let span = syn::spanned::Spanned::span(owned(ty));
                    let p = crate::names::private_at(span);
                    quote::quote_spanned!(span=> -> <#staged as #p::Checked<{ #check }>>::Out)
                }
                None => quote!(-> #staged),
            }
        }
    }
}

/// `Fn(A) -> B` over staged types; other bounds are unchanged.
fn bound(bound: &TypeParamBound) -> TokenStream {
    let TypeParamBound::Trait(path) = bound else { return quote!(#bound) };
    let Some(last) = path.path.segments.last() else { return quote!(#bound) };
    let PathArguments::Parenthesized(arguments) = &last.arguments else { return quote!(#bound) };
    let name = &last.ident;
    let inputs = arguments.inputs.iter().map(staged);
    let output = output(&arguments.output, None);
    quote!(#name(#(#inputs),*) #output)
}

/// Generics whose `Fn` bounds use staged types.
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

/// A marker type that mentions every parameter.
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

/// Generics with the lifetime of handles first and the runtime last.
pub fn with_runtime(generics: &Generics, p: &TokenStream) -> Generics {
    let mut all = generics.clone();
    all.params.insert(0, syn::parse_quote!('a));
    all.params.push(syn::parse_quote!(R: #p::Runtime));
    all
}
