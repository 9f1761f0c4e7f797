//! `impl` blocks.
use crate::clean::Clean;
use crate::func::{self, Body, combine, expansion_body, params, quiet};
use crate::names::{self, function, method, private};
use crate::types::{self, Types};
use crate::{refused, traits, type_check};
use proc_macro2::TokenStream;
use quote::quote;
use syn::visit_mut::VisitMut;
use syn::{FnArg, Ident, ImplItem, ImplItemFn, ItemImpl, Type};

/// `#[cube]` on an `impl` block.
pub fn expand(item: ItemImpl) -> syn::Result<TokenStream> {
    let mut item = item;
    let mut misplaced = Vec::new();
    for member in &mut item.items {
        if let ImplItem::Fn(f) = member {
            refused::types(&mut f.sig);
            f.attrs.retain(|attr| {
                let ours = attr.path().is_ident("cube");
                if ours {
                    misplaced.push(syn::Error::new_spanned(
                        attr,
                        "a kernel is a free function: write it outside of the block, and call this function from it; the `#[cube]` of the block is enough for its functions",
                    ));
                }
                !ours
            });
        }
    }
    if let Some(error) = misplaced.into_iter().reduce(|mut a, b| {
        a.combine(b);
        a
    }) {
        return Err(error);
    }
    type_check::without_expectations(&mut item.attrs);
    for member in &mut item.items {
        if let ImplItem::Fn(f) = member {
            type_check::without_expectations(&mut f.attrs);
        }
    }
    let mut names: Vec<&Ident> = Vec::new();
    let mut original = item.clone();
    Clean::of(all_generics(&item)).visit_item_impl_mut(&mut original);
    let name = self_name(&item.self_ty);
    let mut errors = Vec::new();
    let mut expansions = Vec::new();
    let mut methods = Vec::new();
    let mut check_items = TokenStream::new();
    for member in &item.items {
        if let ImplItem::Fn(f) = member {
            // rustc reports a function that is defined twice in the block as written.
            if names.contains(&&f.sig.ident) {
                continue;
            }
            names.push(&f.sig.ident);
            let (number, wanted) = (crate::names::tag(&item, &f.sig.ident), &f.sig.ident);
            let type_check = |block: &ItemImpl| {
                clean_method(block, wanted).and_then(|clean| type_check::check_method(block, &clean, &number))
            };
            let check = type_check(&original).map(|type_check| type_check.name);
            let mut found = Vec::new();
            expansions.push(expansion(&item, f, name.as_ref(), check.as_ref(), &mut found));
            if let Some(method) = method_of(&mut original, wanted) {
                type_check::place_mistakes(&mut method.block, &mut found);
            }
            errors.append(&mut found);
            if let Some(type_check) = type_check(&original) {
                check_items.extend(type_check.constant.clone());
                place(&mut original, wanted, type_check);
            }
            if has_receiver(f) {
                methods.push(f);
            }
        }
    }
    let errors = combine(errors);
    if item.trait_.is_some() {
        let mut whole = original.clone();
        for tokens in expansions {
            whole.items.push(ImplItem::Verbatim(tokens));
        }
        let attribute = crate::names::attribute();
        whole.items.push(ImplItem::Verbatim(quote!(#[doc(hidden)] const #attribute: () = ();)));
        return Ok(quote! {
            #[allow(clippy::too_many_arguments)]
            #whole
            #check_items
            #errors
        });
    }
    let (impl_generics, _, where_clause) = item.generics.split_for_impl();
    let self_ty = &item.self_ty;
    let methods = inherent_methods(&item, &methods);
    let quiet = quiet();
    Ok(quote! {
        #[allow(clippy::too_many_arguments)]
        #original
        #check_items
        #quiet
        #[doc(hidden)]
        impl #impl_generics #self_ty #where_clause { #(#expansions)* }
        #methods
        #errors
    })
}

/// The generic parameters of a block and of its functions.
fn all_generics(item: &ItemImpl) -> impl Iterator<Item = &syn::Generics> {
    let of_functions = item.items.iter().filter_map(|member| match member {
        ImplItem::Fn(f) => Some(&f.sig.generics),
        _ => None,
    });
    std::iter::once(&item.generics).chain(of_functions)
}

fn self_name(ty: &Type) -> Option<Ident> {
    match types::owned(ty) {
        Type::Path(path) => path.path.segments.last().map(|s| s.ident.clone()),
        _ => None,
    }
}

pub fn has_receiver(f: &ImplItemFn) -> bool {
    matches!(f.sig.inputs.first(), Some(FnArg::Receiver(_)))
}

/// A method as rustc sees it.
fn clean_method(block: &ItemImpl, name: &Ident) -> Option<ImplItemFn> {
    block.items.iter().find_map(|member| match member {
        ImplItem::Fn(f) if f.sig.ident == *name => Some(f.clone()),
        _ => None,
    })
}

fn method_of<'b>(block: &'b mut ItemImpl, name: &Ident) -> Option<&'b mut ImplItemFn> {
    block.items.iter_mut().find_map(|member| match member {
        ImplItem::Fn(f) if f.sig.ident == *name => Some(f),
        _ => None,
    })
}

/// Inserts the check function of a method beside the method.
fn place(block: &mut ItemImpl, name: &Ident, type_check: type_check::MethodCheck) {
    if let Some(method) = method_of(block, name) {
        method.block = type_check.body;
        method.attrs.push(type_check::moved());
    }
    if !type_check.function.is_empty() {
        block.items.push(ImplItem::Verbatim(type_check.function));
    }
}

/// `__expand_name` for one function.
fn expansion(
    item: &ItemImpl,
    f: &ImplItemFn,
    self_name: Option<&Ident>,
    check_items: Option<&Ident>,
    errors: &mut Vec<type_check::Mistake>,
) -> TokenStream {
    let home = quote!(self);
    let types = Types::of(&item.generics).and(&f.sig.generics);
    let (body, mut found) = expansion_body(&Body {
        sig: &f.sig,
        types: &types,
        block: &f.block,
        outer: Some(&item.generics),
        self_name,
        fast_math: None,
        checked: check_items.map(|name| (name, &home)),
        kernel: false,
    });
    let check = check_items.map(|name| quote!(const __CHECK: usize = #name;));
    errors.append(&mut found);
    // The visibility is that of the function as written.
    let vis = item.trait_.is_none().then(|| quote!(pub));
    let owner = self_name.map_or_else(proc_macro2::Span::call_site, Ident::span);
    let head = head(&types, &f.sig, check_items, owner);
    let quiet = quiet();
    quote!(#[doc(hidden)] #quiet #vis #head { #check #body })
}

/// The signature of `__expand_name`. An unsupported type `Self` is reported at `owner`.
pub fn head(types: &Types, sig: &syn::Signature, check: Option<&Ident>, owner: proc_macro2::Span) -> TokenStream {
    let p = private();
    let name = function(&sig.ident);
    let generics = types.staged_generics(&sig.generics);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let receiver = sig.receiver().map(|r| {
        let comptime = r.attrs.iter().any(crate::clean::is_helper);
        let this = names::at(quote!(<Self as #p::CubeType>::ExpandType), owner);
        if comptime { quote!(__self: Self,) } else { quote!(__self: #this,) }
    });
    let params: Vec<_> = params(sig).iter().map(|param| func::expansion_param(types, param, &sig.generics)).collect();
    let output = types.output(&sig.output, check);
    quote!(fn #name #impl_generics(#receiver #(#params),*) #output #where_clause)
}

/// Methods of the staged type, which call the expansions. The names of the methods through the host type serve calls
/// where the staged type is not in scope.
fn inherent_methods(item: &ItemImpl, methods: &[&ImplItemFn]) -> TokenStream {
    if methods.is_empty() {
        return quote!();
    }
    let (p, quiet, self_ty) = (private(), quiet(), &item.self_ty);
    let of_item = Types::of(&item.generics);
    let staged = of_item.staged_by_name(self_ty);
    let (impl_generics, _, where_clause) = item.generics.split_for_impl();
    let direct = methods.iter().map(|f| {
        let types = &of_item.and(&f.sig.generics);
        let (name, expansion) = (method(&f.sig.ident), function(&f.sig.ident));
        let generics = types.staged_generics(&f.sig.generics);
        let (impl_generics, used, where_clause) = generics.split_for_impl();
        let used = used.as_turbofish();
        let mut sig = f.sig.clone();
        SelfIs(self_ty).visit_signature_mut(&mut sig);
        let list = params(&sig);
        let declared: Vec<_> = list.iter().map(|param| func::expansion_param(types, param, &sig.generics)).collect();
        let names = list.iter().map(|param| &param.name);
        let output = types.output(&sig.output, None);
        quote! {
            pub fn #name #impl_generics(self, #(#declared),*) #output #where_clause {
                <#self_ty>::#expansion #used(#p::HasHost::__staged(self), #(#names),*)
            }
        }
    });
    let direct = quote!(#quiet #[doc(hidden)] impl #impl_generics #staged #where_clause { #(#direct)* });
    let (by_type, named) =
        methods.iter().filter_map(|f| traits::by_type::of_block(item, f)).unzip::<_, _, Vec<_>, TokenStream>();
    let by_type = quote! {
        #quiet
        #[doc(hidden)]
        impl #impl_generics #self_ty #where_clause { #(#by_type)* }
        #named
    };
    match unnamed(item) {
        Some(other) => quote! {
            #quiet
            const _: () = {
                #other
                {
                    use self::*;
                    #direct
                }
            };
            #by_type
        },
        None => quote!(#direct #by_type),
    }
}

/// A type in place of the staged type `FooExpand`, whose name is not in scope where `use path::Foo` imports the type of
/// the block. The names of the module have precedence over it. `None` where the block's type has another staged type.
fn unnamed(item: &ItemImpl) -> Option<TokenStream> {
    let Type::Path(path) = &*item.self_ty else { return None };
    let name = path.path.get_ident().or_else(|| {
        let [one] = path.path.segments.iter().collect::<Vec<_>>()[..] else { return None };
        Some(&one.ident)
    })?;
    if types::is_of_language(&name.to_string()) || path.qself.is_some() {
        return None;
    }
    let arguments: Vec<_> = match &path.path.segments[0].arguments {
        syn::PathArguments::AngleBracketed(list) => list.args.iter().collect(),
        _ => Vec::new(),
    };
    let is_const = |ty: &Type| match ty {
        Type::Path(path) => item.generics.const_params().find(|param| path.path.is_ident(&param.ident)),
        _ => None,
    };
    let (mut declared, mut marked) = (Vec::new(), Vec::new());
    for (i, argument) in arguments.iter().enumerate() {
        let name = quote::format_ident!("__A{i}");
        match argument {
            syn::GenericArgument::Type(ty) => match is_const(ty) {
                Some(param) => {
                    let ty = &param.ty;
                    declared.push(quote!(const #name: #ty));
                }
                None => {
                    declared.push(quote!(#name));
                    marked.push(quote!(*const #name));
                }
            },
            _ => return None,
        }
    }
    let (p, quiet, staged, self_ty) = (private(), quiet(), names::expand_name(name), &item.self_ty);
    let (impl_generics, _, where_clause) = item.generics.split_for_impl();
    Some(quote! {
        #quiet
        struct #staged<#(#declared),*>(::core::marker::PhantomData<(#(#marked,)*)>);
        #quiet
        impl #impl_generics #p::HasHost for #staged<#(#arguments),*> #where_clause {
            type Host = #self_ty;
            fn __staged(self) -> <#self_ty as #p::CubeType>::ExpandType {
                ::core::unreachable!()
            }
        }
    })
}

/// Replaces `Self` by the type.
pub struct SelfIs<'a>(pub &'a Type);

impl VisitMut for SelfIs<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::Path(path) = ty {
            if path.path.is_ident("Self") {
                *ty = self.0.clone();
                return;
            }
            if path.qself.is_none() && path.path.segments.first().is_some_and(|s| s.ident == "Self") {
                let inner = self.0;
                let rest = path.path.segments.iter().skip(1);
                if let Ok(parsed) = syn::parse2(quote!(<#inner>::#(#rest)::*)) {
                    *ty = parsed;
                    return;
                }
            }
        }
        syn::visit_mut::visit_type_mut(self, ty);
    }
}
