//! Expands `#[cube]` on traits. The macro adds an expansion of each function to the trait. For methods, the
//! macro also generates a second trait, which staged types implement.
pub mod by_type;

use crate::clean::Clean;
use crate::func::{self, params, quiet};
use crate::impls::Head;
use crate::names::{expand_name, function, method};
use crate::types::Types;
use crate::{refused, type_check};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::visit_mut::VisitMut;
use syn::{ItemTrait, Signature, TraitItem, TraitItemFn, Type, parse_quote};

/// Expands `#[cube]` on a trait.
pub fn expand(mut item: ItemTrait, v11: bool) -> syn::Result<TokenStream> {
    for member in &mut item.items {
        if let TraitItem::Fn(f) = member {
            refused::member(&f.attrs, &mut f.sig, v11)?;
        }
    }
    let mut whole = item.clone();
    Clean::default().visit_item_trait_mut(&mut whole);
    let replacement = replacement(&whole);
    let (of_item, hash) = (Types::of(&item.generics), crate::names::hash(&item));
    let mut methods = Vec::new();
    let (owner, mut check_items) = (type_check::Owner::of_trait(&item), TokenStream::new());
    let mut expansions = Vec::new();
    for (member, written) in item.items.iter().zip(&mut whole.items) {
        let (TraitItem::Fn(f), TraitItem::Fn(written)) = (member, written) else { continue };
        let types = of_item.and(&f.sig.generics);
        let head = Head { types: &types, sig: &f.sig, check: None, owner: item.ident.span(), signature_constant: None };
        let (head, quiet) = (head.signature(), quiet());
        let expansion = match (&f.default, &mut written.default) {
            (Some(block), Some(written_block)) => {
                let written = (&mut written.attrs, written_block);
                let (body, check) =
                    func::expand_member(Some(&owner), &item.generics, (hash, v11), (&f.sig, block), written);
                check_items.extend(check.map(|check| check.items));
                body
            }
            // If an impl lacks a function, rustc reports the function once, with its own name.
            _ => quote!(__p::unexpanded()),
        };
        expansions.push(TraitItem::Verbatim(quote!(#[doc(hidden)] #quiet #head { #expansion })));
        if f.sig.receiver().is_some() {
            methods.push(f);
        }
    }
    whole.items.extend(expansions);
    // An impl without the attribute has no expansions. rustc's error about the missing constant names the
    // attribute that the user must add.
    let attribute = crate::names::attribute();
    whole.items.push(TraitItem::Verbatim(quote!(#[doc(hidden)] const #attribute: ();)));
    if methods.is_empty() {
        return Ok(quote!(#[allow(clippy::too_many_arguments)] #whole #check_items #replacement));
    }
    whole.colon_token.get_or_insert_default();
    let (vis, name) = (item.vis.to_token_stream(), expand_name(&item.ident));
    let arguments = type_check::used(&item.generics.params);
    let full = quote!(#name<#(#arguments,)* __Of = Self>);
    whole.supertraits.push(parse_quote!(__p::CubeType<ExpandType: #full + __p::HasHost<Host = Self>>));
    let mut of_staged = owner.clone();
    of_staged.this = parse_quote!(Self::__Of);
    let staged = staged_trait(&item, &of_staged, &methods);
    let named = |sig: &Signature| by_type::named(&owner, &vis, &format_ident!("__{}_{}", item.ident, sig.ident), sig);
    let (names, named) = methods.iter().filter_map(|f| named(&f.sig)).unzip::<_, _, Vec<_>, TokenStream>();
    whole.items.extend(names.into_iter().map(TraitItem::Verbatim));
    Ok(quote!(#[allow(clippy::too_many_arguments)] #whole #check_items #replacement #staged #named))
}

/// Generates the trait that staged types implement. The methods of the generated trait call the expansions of
/// the host type. The methods take `&self`, like the methods of the kernel language. An inherent method with
/// the same name therefore has precedence. Unlike the function of [`by_type`], a method of this trait shows rustc the
/// parameter types of closures.
fn staged_trait(item: &ItemTrait, owner: &type_check::Owner, methods: &[&TraitItemFn]) -> TokenStream {
    let (vis, name, of, quiet) = (&item.vis, expand_name(&item.ident), &owner.of, quiet());
    let (impl_generics, used, where_clause) = item.generics.split_for_impl();
    let declared = item.generics.params.iter().map(type_check::without_default);
    let predicates = type_check::predicates(&item.generics);
    let methods = methods.iter().map(|f| {
        let (head, body) = staged_method(owner, &quote!(<Self::__Of as #of>), &f.sig);
        quote!(fn #head Self: Sized { #body })
    });
    quote! {
        __p::staged_trait! {
            [#quiet] [#vis] #name [#impl_generics] [#used] [#where_clause] [#of]
            [#(#declared,)*] [#(#predicates,)*] { #(#methods)* }
        }
    }
}

/// A method of staged values that calls the expansion `path::f` of a host type's function: the signature after `fn`, which ends
/// with a where-clause, and the body.
pub fn staged_method(owner: &type_check::Owner, path: &TokenStream, sig: &Signature) -> (TokenStream, TokenStream) {
    let types = Types::of(owner.generics).and(&sig.generics);
    let (method, expansion) = (method(&sig.ident), function(&sig.ident));
    let generics = types.staged_generics(&sig.generics);
    let (impl_generics, used, _) = generics.split_for_impl();
    let predicates = type_check::predicates(&generics);
    let (list, used) = (params(sig), used.as_turbofish());
    let declared = list.iter().map(|param| func::expansion_param(&types, param));
    let names = list.iter().map(|param| &param.name);
    let output = types.output(&sig.output, None);
    // The result of an inherent method can be a closure, which would capture the lifetime of a reference.
    let (receiver, this) = match owner.parameter {
        Some(_) => (quote!(&self), quote!(::core::clone::Clone::clone(self))),
        None => (quote!(self), quote!(self)),
    };
    let head = quote!(#method #impl_generics(#receiver, #(#declared),*) #output where #(#predicates,)*);
    (owner.replace_self(head), quote!(#path::#expansion #used(__p::HasHost::__staged(#this), #(#names),*)))
}

/// Standard library traits that the stand-in type implements.
const PLAIN: [&str; 12] =
    ["Send", "Sync", "Sized", "Clone", "Copy", "Debug", "Hash", "PartialEq", "Eq", "PartialOrd", "Ord", "Default"];

/// Types of associated constants for which the library declares a stand-in value.
const CONSTANTS: [&str; 12] = ["bool", "f32", "f64", "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64"];

/// The trait's impl for the stand-in type, which replaces type parameters in checks. `None` if the stand-in possibly
/// lacks a supertrait.
fn replacement(item: &ItemTrait) -> Option<TokenStream> {
    let plain = |bounds: &crate::parameters::Bounds| {
        bounds.iter().all(|bound| match bound {
            syn::TypeParamBound::Lifetime(lifetime) => lifetime.ident == "static",
            syn::TypeParamBound::Trait(bound) => crate::syntax::ends_in(&bound.path, &PLAIN),
            _ => false,
        })
    };
    if !plain(&item.supertraits) || item.generics.lifetimes().next().is_some() {
        return None;
    }
    let mut members = Vec::new();
    for member in &item.items {
        members.push(match member {
            TraitItem::Fn(TraitItemFn { sig, default: None, .. }) => quote!(#sig { ::core::unreachable!() }),
            TraitItem::Fn(_) => continue,
            TraitItem::Const(one) if one.default.is_some() => continue,
            TraitItem::Const(one) => {
                let (name, ty) = (&one.ident, &one.ty);
                let is_known = matches!(ty, Type::Path(path) if CONSTANTS.iter().any(|name| path.path.is_ident(name)));
                is_known.then(|| quote!(const #name: #ty = <#ty as __p::StandInValue>::VALUE;))?
            }
            TraitItem::Type(ty) if ty.generics.params.is_empty() && ty.generics.where_clause.is_none() => {
                let name = &ty.ident;
                match type_check::number_of(&ty.bounds) {
                    Some(number) => quote!(type #name = #number;),
                    None if plain(&ty.bounds) => quote!(type #name = __p::StandIn;),
                    None => return None,
                }
            }
            _ => return None,
        });
    }
    let attribute = crate::names::attribute();
    let name = &item.ident;
    let (generics, used, where_clause) = item.generics.split_for_impl();
    let quiet = quiet();
    Some(quote! {
        #quiet
        #[doc(hidden)]
        impl #generics #name #used for __p::StandIn #where_clause { #(#members)* const #attribute: () = (); }
    })
}
