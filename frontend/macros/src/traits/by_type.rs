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
//!     .into_value()                                             calls <f32 as Scaled>::__expand_scaled(x, y)
//! ```
use super::SelfOf;
use crate::func::{self, params, quiet};
use crate::names::{self, function, named_method};
use crate::type_check;
use crate::types::Types;
use proc_macro2::{TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::visit_mut::VisitMut;
use syn::{GenericParam, Generics, Ident, ItemTrait, TraitItemFn, Type, TypeImplTrait, parse_quote};

/// A method, and the trait or `impl` block that declares the method.
struct Method<'a> {
    vis: TokenStream,
    /// The name of the expansion.
    name: Ident,
    /// The type parameter that represents the receiver's type, if the item is a trait.
    this: Option<Ident>,
    /// The host type of the receiver.
    owner: TokenStream,
    /// The path through which code calls the item's functions.
    path: TokenStream,
    /// The bound of the type parameter in `this`.
    bound: TokenStream,
    /// The generic parameters of the item and of the signature, without `Self`.
    generics: Generics,
    sig: syn::Signature,
    /// The signature of the user's method.
    written: &'a syn::Signature,
}

/// Generates the trait function that returns the name of a method's expansion, and the type that represents this
/// name. `None` if the types of the method have lifetimes.
pub fn of(item: &ItemTrait, f: &TraitItemFn) -> Option<(TokenStream, TokenStream)> {
    let (vis, original) = (&item.vis, &item.ident);
    let (_, of_trait, _) = item.generics.split_for_impl();
    let (mut sig, mut generics) = (f.sig.clone(), item.generics.clone());
    let mut of_type = SelfOf { item: Some(item), of: parse_quote!(__T) };
    of_type.visit_signature_mut(&mut sig);
    of_type.visit_generics_mut(&mut generics);
    named(&Method {
        vis: quote!(#vis),
        name: named_method(original, &f.sig.ident),
        this: Some(format_ident!("__T")),
        owner: quote!(__T),
        path: quote!(<__T as #original #of_trait>),
        bound: quote!(__T: #original #of_trait,),
        generics,
        sig,
        written: &f.sig,
    })
}

/// Generates the function that returns the name of an inherent method's expansion, and the type that
/// represents this name.
pub fn of_block(item: &syn::ItemImpl, hash: u64, f: &syn::ImplItemFn) -> Option<(TokenStream, TokenStream)> {
    let self_ty = &item.self_ty;
    let mut sig = f.sig.clone();
    SelfOf { item: None, of: (**self_ty).clone() }.visit_signature_mut(&mut sig);
    named(&Method {
        vis: quote!(pub),
        name: format_ident!("__By_{}", names::tag(hash, &f.sig.ident)),
        this: None,
        owner: quote!(#self_ty),
        path: quote!(<#self_ty>),
        bound: quote!(),
        generics: item.generics.clone(),
        sig,
        written: &f.sig,
    })
}

fn named(method: &Method) -> Option<(TokenStream, TokenStream)> {
    let Method { vis, name, this, owner, path, bound, generics: bounds, sig, written } = method;
    if bounds.lifetimes().next().is_some() {
        return None;
    }
    let types = Types::of(bounds).and(&written.generics);
    let (by, expansion, quiet) = (names::by_type(&written.ident), function(&written.ident), quiet());
    let generics = types.staged_generics(&sig.generics);
    let (own, own_open, own_used) = parameters(&generics);
    let (of_item, item_open, item_used) = parameters(bounds);
    let marked = bounds.type_params().chain(generics.type_params()).map(|param| &param.ident);
    let clauses = [bounds, &generics].into_iter().filter_map(|g| g.where_clause.as_ref());
    let predicates: Vec<_> = clauses.flat_map(|clause| &clause.predicates).collect();
    let list = params(sig);
    let (mut functions, mut arguments) = (Vec::new(), Vec::new());
    for (i, param) in list.iter().enumerate() {
        let ty = func::expansion_type(&types, param, &sig.generics);
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
    let output = match &sig.output {
        syn::ReturnType::Default => quote!(()),
        syn::ReturnType::Type(_, ty) => types.staged(ty),
    };
    let all = quote!(#(#arguments)* #output #(#own)* #(#predicates)*);
    if has_lifetime(all) || type_check::mentions(&parse_quote!((#output,)), |ty| matches!(ty, Type::ImplTrait(_))) {
        return None;
    }
    let comptime = written.receiver().is_some_and(|receiver| crate::clean::is_comptime(&receiver.attrs));
    if comptime {
        return None;
    }
    let this: Vec<_> = this.iter().collect();
    // The `impl` block of an inherent method has the lint levels.
    let (sized, head) = match this.is_empty() {
        true => (None, quote!(pub)),
        false => (Some(quote!(where Self: Sized)), quiet.clone()),
    };
    let returned = quote! {
        #[doc(hidden)]
        #head fn #by<#(#own_open),*>(&self) -> #name<Self, #(#item_used,)* #(#own_used),*> #sized {
            ::core::unreachable!()
        }
    };
    let receiver = quote!(<#owner as __p::CubeType>::ExpandType);
    let named = quote! {
        #quiet
        #[doc(hidden)]
        #vis struct #name<__T, #(#item_open,)* #(#own_open),*>(
            ::core::marker::PhantomData<(*const __T, #(*const #marked,)*)>,
        );
        #quiet
        #[diagnostic::do_not_recommend]
        impl<#(#this,)* #(#of_item,)* #(#own,)* #(#functions),*> __p::StagedMethod<#receiver, (#(#arguments,)*)>
            for #name<#owner, #(#item_used,)* #(#own_used),*>
        where
            #bound
            #(#predicates,)*
        {
            type Call = __p::Computed<#output>;
            fn call(__on: &mut #receiver, (#(#values,)*): (#(#arguments,)*)) -> Self::Call {
                let __on = ::core::clone::Clone::clone(__on);
                __p::Computed::new(#path::#expansion::<#(#own_used),*>(__on, #(#values),*))
            }
        }
    };
    Some((returned, named))
}

/// Type and constant parameters in three forms: with bounds, without bounds, and as generic arguments.
fn parameters(generics: &Generics) -> (Vec<GenericParam>, Vec<GenericParam>, Vec<TokenStream>) {
    let all = generics.params.iter().filter(|param| !matches!(param, GenericParam::Lifetime(_)));
    let bounded: Vec<_> = all.map(type_check::without_default).collect();
    let used = type_check::used(&bounded.iter().collect::<Vec<_>>());
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
    let mut quote = false;
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Punct(sign) => {
            quote = sign.as_char() == '\'';
            false
        }
        TokenTree::Ident(name) => std::mem::take(&mut quote) && name != "static",
        TokenTree::Group(group) => has_lifetime(group.stream()),
        TokenTree::Literal(_) => false,
    })
}
