//! Maps the types in the source to the types of the expansion.
use crate::parameters::Parameters;
use crate::syntax::ends_in;
use crate::{tokens, type_check};
use cube_target::Number;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Generics, ReturnType, Type};

/// The type behind all references of a reference type, or the type itself.
pub fn owned(ty: &Type) -> &Type {
    match ty {
        Type::Reference(reference) => owned(&reference.elem),
        Type::Paren(inner) if !matches!(*inner.elem, Type::TraitObject(_)) => owned(&inner.elem),
        Type::Group(inner) => owned(&inner.elem),
        other => other,
    }
}

/// The result type of a function; `None` if the function declares none.
pub fn result(output: &ReturnType) -> Option<&Type> {
    match output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => Some(ty),
    }
}

/// Whether the type is a `&mut` reference, through which the callee writes to the caller's value.
pub fn is_mut_ref(ty: &Type) -> bool {
    matches!(ty, Type::Reference(reference) if reference.mutability.is_some())
}

/// The type `T` of `comptime_type!(T)`.
pub fn comptime_type(ty: &Type) -> Option<TokenStream> {
    match ty {
        Type::Macro(mac) if ends_in(&mac.mac.path, &["comptime_type"]) => Some(mac.mac.tokens.clone()),
        _ => None,
    }
}

/// The generic parameters in scope, which determine the staged forms of types.
#[derive(Clone, Default)]
pub struct Types {
    /// The staged form of a type parameter that represents numbers contains no trait projection, so that rustc can infer the
    /// parameter from arguments.
    pub parameters: Parameters,
    gate: Option<Gate>,
}

/// A constant that appears in the expansion of every user type: if the constant has no value, rustc reports
/// no errors about these types.
#[derive(Clone)]
struct Gate {
    constant: syn::Ident,
    /// The names of the generic parameters.
    names: Vec<String>,
    /// Whether the constant also appears in the expansion of user types with generic parameters.
    generic: bool,
}

impl Types {
    /// The type mapping inside an item with the given generic parameters.
    pub fn of(generics: &Generics) -> Self {
        Types::default().and(generics)
    }

    /// The type mapping inside a function of the item.
    pub fn and(&self, generics: &Generics) -> Self {
        let mut all = self.clone();
        all.parameters.add(generics);
        all
    }

    /// Returns the type mapping with the change that every user type depends on a constant. The constant has no
    /// value if a type is not in the kernel language. [`Types::types_constant`] defines the constant.
    pub fn gated(&self, constant: &syn::Ident, generics: &Generics) -> Self {
        let names = type_check::used(&generics.params);
        let names = names.iter().map(ToString::to_string).collect();
        let generic = generics.lifetimes().next().is_none();
        Types { gate: Some(Gate { constant: constant.clone(), names, generic }), ..self.clone() }
    }

    /// Whether the syntax proves that a type is a number.
    pub fn is_number(&self, ty: &Type) -> bool {
        is_primitive(ty) || matches!(ty, Type::Path(path) if self.parameters.is_number(&path.path))
    }

    /// Whether a type is a function: a closure of the user, or a function pointer.
    pub fn is_function(&self, ty: &Type) -> bool {
        let ty = owned(ty);
        matches!(ty, Type::ImplTrait(_) | Type::BareFn(_)) || self.parameters.is_function(ty)
    }

    /// Defines the constant of [`Types::gated`]. The initialiser of the constant makes rustc check each type
    /// once, at the location of the type. For a kernel, `of_kernel` are further checks, and each type must be an argument of
    /// launches. rustc checks the arguments only if all types are in the kernel language.
    pub fn types_constant<'a>(
        &self,
        constant: &syn::Ident,
        generics: &Generics,
        types: impl Iterator<Item = &'a Type>,
        of_kernel: Option<Vec<TokenStream>>,
    ) -> Option<TokenStream> {
        let inside = self.gated(constant, generics);
        let types: Vec<_> = types.flat_map(parts).filter(|ty| inside.goes_through(ty)).collect();
        let checks = types.iter().map(|ty| quote_spanned!(ty.span()=> <#ty as __p::CubeType>::IS_IMPLEMENTED;));
        let is_generic = !types.iter().all(|ty| inside.is_plain(ty));
        let checks = match of_kernel {
            Some(more) if !is_generic && !types.is_empty() => {
                let arguments = types.iter().map(|ty| {
                    quote_spanned!(ty.span()=> <<#ty as __p::Checked<__KNOWN>>::Out as __p::LaunchArg>::IS_IMPLEMENTED;)
                });
                quote!(const __KNOWN: usize = { #(#checks)* 0 }; #(#arguments)* #(#more)*)
            }
            more => {
                let more = more.iter().flatten();
                quote!(#(#checks)* #(#more)*)
            }
        };
        if checks.is_empty() {
            return None;
        }
        let generics = if is_generic { generics.clone() } else { Generics::default() };
        type_check::check_constant(constant, &generics, &quote!({ #checks 0 }))
    }

    /// Whether a type is a user type that depends on none of the generic parameters.
    pub fn is_of_user(&self, ty: &Type, generics: &Generics) -> bool {
        let inside = self.gated(&quote::format_ident!("__NONE"), generics);
        inside.goes_through(ty) && inside.is_plain(ty)
    }

    /// Converts a type to tokens. The tokens of a user type depend on `constant`.
    pub fn through(&self, constant: &syn::Ident, generics: &Generics, ty: &Type) -> TokenStream {
        let span = ty.span();
        if self.is_of_user(ty, generics) {
            quote_spanned!(span=> <#ty as __p::Checked<{ #constant }>>::Out)
        } else {
            quote!(#ty)
        }
    }

    /// Whether a type depends on the constant of [`Types::gated`]. User types depend on the constant, except generic
    /// parameters and associated types.
    fn goes_through(&self, ty: &Type) -> bool {
        let Some(gate) = &self.gate else { return false };
        let is_of_user = match ty {
            Type::Path(syn::TypePath { qself, path }) => {
                let first = path.segments.first().map(|segment| segment.ident.to_string());
                qself.is_none() && !first.is_some_and(|first| gate.names.contains(&first)) && !self.is_known(ty)
            }
            other => matches!(other, Type::Ptr(_)),
        };
        is_of_user
            && !tokens::mention(quote!(#ty), &["Self", "impl", "_", "'"])
            && (self.is_plain(ty) || gate.generic && !is_of_library(ty))
    }

    /// Whether a type depends on no generic parameter.
    fn is_plain(&self, ty: &Type) -> bool {
        let names = self.gate.iter().flat_map(|gate| &gate.names).map(String::as_str);
        !tokens::mention(quote!(#ty), &names.chain(["'"]).collect::<Vec<_>>())
    }

    /// Whether a type is a number, or a library type with numbers, lines or atomics as its elements.
    fn is_known(&self, ty: &Type) -> bool {
        let text = quote!(#ty).to_string();
        let mut words =
            text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).peekable();
        let is_of_library = words.next().is_some_and(|first| LIBRARY.contains(&first)) && words.peek().is_some();
        let is_number = |word| {
            Number::NAMES.contains(&word) || syn::parse_str(word).is_ok_and(|path| self.parameters.is_number(&path))
        };
        self.is_number(ty) || is_of_library && words.all(|word| ["Line", "Atomic"].contains(&word) || is_number(word))
    }

    /// The staged form of a type.
    pub fn staged(&self, ty: &Type) -> TokenStream {
        if let Some(plain) = comptime_type(ty) {
            return plain;
        }
        let span = owned(ty).span();
        if self.is_number(owned(ty)) {
            let ty = owned(ty);
            return quote!(__p::Val<#ty>);
        }
        match owned(ty) {
            Type::ImplTrait(bounds) => {
                let mut bounds = bounds.clone();
                StagedBounds(self).visit_type_impl_trait_mut(&mut bounds);
                quote!(#bounds)
            }
            Type::Infer(_) => quote!(_),
            Type::Never(_) => quote!(()),
            Type::BareFn(function) => {
                let inputs = function.inputs.iter().map(|input| self.staged(&input.ty));
                let output = self.output(&function.output, None);
                quote!(fn(#(#inputs),*) #output)
            }
            Type::Tuple(tuple) => {
                let elems = tuple.elems.iter().map(|ty| self.staged(ty));
                quote!((#(#elems,)*))
            }
            owned => match self.gate.as_ref().map(|gate| &gate.constant) {
                Some(constant) if self.goes_through(owned) => {
                    quote_spanned!(span=> <<#owned as __p::Checked<{ #constant }>>::Out as __p::CubeType>::ExpandType)
                }
                _ => quote_spanned!(span=> <#owned as __p::CubeType>::ExpandType),
            },
        }
    }

    /// The staged form of a result type. With `check`, the result type does not exist if the body has an error.
    pub fn output(&self, output: &ReturnType, check: Option<&syn::Ident>) -> TokenStream {
        match output {
            ReturnType::Default => quote!(),
            ReturnType::Type(_, ty) => {
                let staged = self.staged(ty);
                // `impl Trait` cannot be the type `T` of a projection `<T as Trait>::X`.
                let plain = matches!(owned(ty), Type::Path(_) | Type::Tuple(_));
                match check.filter(|_| plain) {
                    Some(check) => {
                        let span = owned(ty).span();
                        quote_spanned!(span=> -> <#staged as __p::Checked<{ #check }>>::Out)
                    }
                    None => quote!(-> #staged),
                }
            }
        }
    }

    /// Returns the generics with staged types in `Fn` bounds.
    pub fn staged_generics(&self, generics: &Generics) -> Generics {
        let mut generics = generics.clone();
        StagedBounds(self).visit_generics_mut(&mut generics);
        generics
    }
}

/// Visitor that replaces the types in bounds `Fn(A) -> B` by staged types.
struct StagedBounds<'a>(&'a Types);

impl VisitMut for StagedBounds<'_> {
    fn visit_parenthesized_generic_arguments_mut(&mut self, arguments: &mut syn::ParenthesizedGenericArguments) {
        let output = match &mut arguments.output {
            ReturnType::Type(_, ty) => Some(&mut **ty),
            ReturnType::Default => None,
        };
        arguments.inputs.iter_mut().chain(output).for_each(|ty| *ty = Type::Verbatim(self.0.staged(ty)));
    }
}

/// Whether a library type has its element type as its only generic parameter.
pub fn is_made_of_elements(name: &syn::Ident) -> bool {
    ["Atomic", "Line", "SharedMemory", "Array", "Tensor", "Sequence"].iter().any(|known| name == known)
}

/// Whether a type is memory that a launch passes to the kernel.
pub fn is_memory(ty: &Type) -> bool {
    const MEMORY: [&str; 4] = ["Array", "Tensor", "Slice", "SliceMut"];
    matches!(owned(ty), Type::Path(path) if ends_in(&path.path, &MEMORY))
}

/// Whether a type is a number type of the kernel language.
pub fn is_primitive(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.get_ident().is_some() && ends_in(&path.path, Number::NAMES))
}

/// The types of the library that have elements.
const LIBRARY: [&str; 8] = ["Array", "Tensor", "Line", "SharedMemory", "Atomic", "Slice", "SliceMut", "Sequence"];

/// Whether a type is a number type or a library type of the kernel language.
fn is_of_library(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if ends_in(&path.path, &LIBRARY) || ends_in(&path.path, Number::NAMES))
}

/// The element types of a tuple, or the type itself.
fn parts(ty: &Type) -> Vec<&Type> {
    match owned(ty) {
        Type::Tuple(tuple) => tuple.elems.iter().flat_map(parts).collect(),
        other => vec![other],
    }
}

/// Whether a type or an initial value mentions `Atomic`.
pub fn mentions_atomic(tokens: &impl quote::ToTokens) -> bool {
    tokens::mention(tokens.to_token_stream(), &["Atomic"])
}

/// A marker type that mentions every type parameter and every lifetime.
pub fn phantom(generics: &Generics) -> TokenStream {
    let types = generics.type_params().map(|param| &param.ident);
    let lifetimes = generics.lifetimes().map(|param| &param.lifetime);
    quote!(::core::marker::PhantomData<(#(fn() -> #types,)* #(&#lifetimes (),)*)>)
}

/// Adds the lifetime of handles as the first generic parameter and the runtime as the last.
pub fn with_runtime(generics: &Generics) -> Generics {
    let mut all = generics.clone();
    all.params.insert(0, syn::parse_quote!('a));
    all.params.push(syn::parse_quote!(R: __p::Runtime));
    all
}
