//! Traits: each function gets a twin in the same trait, methods a trait of their own on the staged types.
use crate::clean::Clean;
use crate::func::{self, combine, params, quiet, twin_body};
use crate::impls::head;
use crate::names::{expand_name, function, method, private};
use crate::types;
use proc_macro2::TokenStream;
use quote::quote;
use syn::visit_mut::VisitMut;
use syn::{FnArg, ItemTrait, TraitItem, TraitItemFn, Type, parse_quote};

/// `#[cube]` on a trait.
pub fn expand(item: ItemTrait) -> syn::Result<TokenStream> {
    let mut whole = item.clone();
    Clean.visit_item_trait_mut(&mut whole);
    let p = private();
    types::with_generics(&[&item.generics], || {
        let mut errors = Vec::new();
        let mut methods = Vec::new();
        for member in &item.items {
            let TraitItem::Fn(f) = member else { continue };
            types::with_generics(&[&f.sig.generics], || {
                let head = head(&f.sig);
                let quiet = quiet();
                let twin = match &f.default {
                    Some(block) => {
                        let (body, mut found) = twin_body(&f.sig, block, None, None, false, false);
                        errors.append(&mut found);
                        quote!(#[doc(hidden)] #quiet #head { #body })
                    }
                    // A function that an impl leaves out is told once, by its own name.
                    None => quote!(#[doc(hidden)] #quiet #head { #p::unexpanded() }),
                };
                whole.items.push(TraitItem::Verbatim(twin));
                if matches!(f.sig.inputs.first(), Some(FnArg::Receiver(_))) {
                    methods.push(f);
                }
            });
        }
        // An impl without the attribute has no twins: that it lacks this constant says what to do.
        let attribute = crate::names::attribute();
        whole.items.push(TraitItem::Verbatim(quote!(#[doc(hidden)] const #attribute: ();)));
        let errors = combine(errors);
        if methods.is_empty() {
            return Ok(quote!(#[allow(clippy::too_many_arguments, unreachable_code, unused_variables)] #whole #errors));
        }
        let name = expand_name(&item.ident);
        whole.colon_token.get_or_insert_default();
        let full: TokenStream = with_arguments(&name, &item.generics);
        whole.supertraits.push(parse_quote!(#p::CubeType<ExpandType: #full>));
        let staged = staged_trait(&item, &methods);
        Ok(quote!(#[allow(clippy::too_many_arguments, unreachable_code, unused_variables)] #whole #staged #errors))
    })
}

/// `NameExpand<A, B, __Of = Self>`.
fn with_arguments(name: &syn::Ident, generics: &syn::Generics) -> TokenStream {
    let names = generics.params.iter().map(|param| match param {
        syn::GenericParam::Type(t) => {
            let name = &t.ident;
            quote!(#name)
        }
        syn::GenericParam::Const(c) => {
            let name = &c.ident;
            quote!(#name)
        }
        syn::GenericParam::Lifetime(l) => {
            let name = &l.lifetime;
            quote!(#name)
        }
    });
    quote!(#name<#(#names,)* __Of = Self>)
}

/// The trait that staged types implement: its methods call the twins of the type that they stand for.
fn staged_trait(item: &ItemTrait, methods: &[&TraitItemFn]) -> TokenStream {
    let p = private();
    let vis = &item.vis;
    let name = expand_name(&item.ident);
    let original = &item.ident;
    let (impl_generics, used, where_clause) = item.generics.split_for_impl();
    let quiet = quiet();
    let methods = methods.iter().map(|f| {
        types::with_generics(&[&f.sig.generics], || {
            let (method, twin) = (method(&f.sig.ident), function(&f.sig.ident));
            let mut sig = f.sig.clone();
            SelfOf.visit_signature_mut(&mut sig);
            let generics = types::staged_generics(&sig.generics);
            let (impl_generics, fn_used, where_clause) = generics.split_for_impl();
            let fn_used = fn_used.as_turbofish();
            let list = params(&sig);
            let declared: Vec<_> = list.iter().map(|param| func::twin_param(param, &sig.generics)).collect();
            let names = list.iter().map(|param| &param.name);
            let output = types::output(&sig.output);
            let where_clause = match where_clause {
                Some(clause) => quote!(#clause, Self: Sized),
                None => quote!(where Self: Sized),
            };
            quote! {
                fn #method #impl_generics(self, #(#declared),*) #output #where_clause {
                    <Self::__Of as #original #used>::#twin #fn_used(self, #(#names),*)
                }
            }
        })
    });
    quote! {
        #quiet
        #[doc(hidden)]
        #vis trait #name #impl_generics: Sized #where_clause {
            type __Of: #original #used + #p::CubeType<ExpandType = Self>;
            #(#methods)*
        }
    }
}

/// `Self` in the trait of staged types is the type that they stand for.
struct SelfOf;

impl VisitMut for SelfOf {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::Path(path) = ty {
            if path.path.is_ident("Self") {
                *ty = parse_quote!(Self::__Of);
                return;
            }
            if path.qself.is_none() && path.path.segments.first().is_some_and(|s| s.ident == "Self") {
                let rest = path.path.segments.iter().skip(1);
                if let Ok(parsed) = syn::parse2(quote!(<Self::__Of>::#(#rest)::*)) {
                    *ty = parsed;
                    return;
                }
            }
        }
        syn::visit_mut::visit_type_mut(self, ty);
    }
}
