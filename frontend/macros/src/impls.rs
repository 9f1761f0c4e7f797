//! `impl` blocks.
use crate::clean::Clean;
use crate::func::{self, combine, expansion_body, params, quiet};
use crate::item_registry::required_bounds::{ItemPart, TypeUses};
use crate::names::{self, function, method, private};
use crate::{item_registry, refused, type_check, types};
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
    if let Some((_, path, _)) = &item.trait_
        && item_registry::is_plain_trait(path)
    {
        let name = path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        return Err(syn::Error::new_spanned(
            path,
            format!(
                "`{name}` is not a trait of the kernel language: put `#[cube]` before it, or remove it from this block"
            ),
        ));
    }
    item_registry::note_impl(&item);
    type_check::without_expectations(&mut item.attrs);
    for member in &mut item.items {
        if let ImplItem::Fn(f) = member {
            type_check::without_expectations(&mut f.attrs);
        }
    }
    let of = item.trait_.as_ref().map(|(_, path, _)| path.clone());
    let mut names: Vec<&Ident> = Vec::new();
    let mut original = item.clone();
    Clean.visit_item_impl_mut(&mut original);
    let name = self_name(&item.self_ty);
    let uses = uses(&item);
    if uses.are_wrong() {
        return Ok(quote!(#original));
    }
    let of_kernels = item.items.iter().any(|member| matches!(member, ImplItem::Fn(f) if is_of_kernel(f)));
    if let Some(error) = item_registry::methods_without_type(&item).filter(|_| of_kernels) {
        let error = error.into_compile_error();
        return Ok(quote!(#error #original));
    }
    // rustc would report an error of the block's header for the check functions too.
    let mut reported = item.trait_.is_none() && uses.complete(&mut item.generics);
    for member in item.items.iter_mut().filter(|_| original.trait_.is_none()) {
        if let ImplItem::Fn(f) = member {
            reported |= uses.complete(&mut f.sig.generics);
        }
    }
    types::with_generics(&[&item.generics], || {
        let mut errors = Vec::new();
        let mut expansions = Vec::new();
        let mut methods = Vec::new();
        let mut check_items = TokenStream::new();
        for member in &item.items {
            if let ImplItem::Fn(f) = member {
                // rustc reports a function that the trait does not declare, or that is defined twice, in the block as
                // written.
                let twice = names.contains(&&f.sig.ident);
                names.push(&f.sig.ident);
                if twice || of.as_ref().is_some_and(|of| item_registry::is_undeclared(of, &f.sig)) {
                    continue;
                }
                let trait_impl = item.trait_.is_some();
                let (number, wanted) = (type_check::number(), &f.sig.ident);
                let type_check = |block: &ItemImpl| {
                    let clean = clean_method(block, wanted).filter(|_| !reported);
                    clean.and_then(|clean| type_check::check_method(block, &clean, number))
                };
                types::with_generics(&[&f.sig.generics], || {
                    let check = type_check(&original).map(|type_check| type_check.name);
                    let mut found = Vec::new();
                    expansions.push(expansion(f, name.as_ref(), trait_impl, check.as_ref(), &mut found));
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
                });
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
    })
}

/// Generic arguments in the type of a block and in its functions.
fn uses(item: &ItemImpl) -> TypeUses {
    TypeUses::of(|see| {
        see(ItemPart::Type(&item.self_ty));
        for member in &item.items {
            if let ImplItem::Fn(f) = member {
                see(ItemPart::Signature(&f.sig));
                see(ItemPart::Block(&f.block));
            }
        }
    })
}

fn self_name(ty: &Type) -> Option<Ident> {
    match types::owned(ty) {
        Type::Path(path) => path.path.segments.last().map(|s| s.ident.clone()),
        _ => None,
    }
}

/// Whether a function is a method of a kernel value.
fn is_of_kernel(f: &ImplItemFn) -> bool {
    f.sig.receiver().is_some_and(|receiver| !receiver.attrs.iter().any(crate::clean::is_helper))
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
    f: &ImplItemFn,
    self_name: Option<&Ident>,
    trait_impl: bool,
    check_items: Option<&Ident>,
    errors: &mut Vec<type_check::Mistake>,
) -> TokenStream {
    let home = quote!(self);
    let (body, mut found) =
        expansion_body(&f.sig, &f.block, self_name, None, check_items.map(|name| (name, &home)), false);
    let check = check_items.map(|name| quote!(const __CHECK: usize = #name;));
    errors.append(&mut found);
    // The visibility is that of the function as written.
    let vis = (!trait_impl).then(|| quote!(pub));
    let owner = self_name.map_or_else(proc_macro2::Span::call_site, Ident::span);
    let head = head(&f.sig, check_items, owner);
    let quiet = quiet();
    quote!(#[doc(hidden)] #quiet #vis #head { #check #body })
}

/// The signature of `__expand_name`. An unsupported type `Self` is reported at `owner`.
pub fn head(sig: &syn::Signature, check: Option<&Ident>, owner: proc_macro2::Span) -> TokenStream {
    let p = private();
    let name = function(&sig.ident);
    let generics = types::staged_generics(&sig.generics);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let receiver = sig.receiver().map(|r| {
        let comptime = r.attrs.iter().any(crate::clean::is_helper);
        let this = names::at(quote!(<Self as #p::CubeType>::ExpandType), owner);
        if comptime { quote!(__self: Self,) } else { quote!(__self: #this,) }
    });
    let params: Vec<_> = params(sig).iter().map(|param| func::expansion_param(param, &sig.generics)).collect();
    let output = types::output(&sig.output, check);
    quote!(fn #name #impl_generics(#receiver #(#params),*) #output #where_clause)
}

/// Methods of the staged type, which call the expansions.
fn inherent_methods(item: &ItemImpl, methods: &[&ImplItemFn]) -> TokenStream {
    if methods.is_empty() {
        return quote!();
    }
    let staged = types::staged_by_name(&item.self_ty);
    let self_ty = &item.self_ty;
    let (impl_generics, _, where_clause) = item.generics.split_for_impl();
    let quiet = quiet();
    let methods = methods.iter().map(|f| {
        types::with_generics(&[&f.sig.generics], || {
            let (name, expansion) = (method(&f.sig.ident), function(&f.sig.ident));
            let generics = types::staged_generics(&f.sig.generics);
            let (impl_generics, used, where_clause) = generics.split_for_impl();
            let used = used.as_turbofish();
            let mut sig = f.sig.clone();
            SelfIs(self_ty).visit_signature_mut(&mut sig);
            let list = params(&sig);
            let declared: Vec<_> = list.iter().map(|param| func::expansion_param(param, &sig.generics)).collect();
            let names = list.iter().map(|param| &param.name);
            let output = types::output(&sig.output, None);
            quote! {
                pub fn #name #impl_generics(self, #(#declared),*) #output #where_clause {
                    <#self_ty>::#expansion #used(self, #(#names),*)
                }
            }
        })
    });
    quote!(#quiet #[doc(hidden)] impl #impl_generics #staged #where_clause { #(#methods)* })
}

/// Replaces `Self` by the type.
struct SelfIs<'a>(&'a Type);

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
