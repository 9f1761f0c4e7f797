//! `impl` blocks.
use crate::clean::Clean;
use crate::func::{self, combine, params, quiet, twin_body};
use crate::known::needs::{Part, Uses};
use crate::names::{self, function, method, private};
use crate::{known, probe, refused, types};
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
                        "a kernel is a function of its own: write it outside of the block, and call this from it; the `#[cube]` of the block is enough for its functions",
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
        && known::is_plain_trait(path)
    {
        let name = path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        return Err(syn::Error::new_spanned(
            path,
            format!("`{name}` is no trait of the kernel language: put `#[cube]` before it, or take it from this block"),
        ));
    }
    known::note_impl(&item);
    probe::without_expectations(&mut item.attrs);
    for member in &mut item.items {
        if let ImplItem::Fn(f) = member {
            probe::without_expectations(&mut f.attrs);
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
    if let Some(error) = known::methods_without_type(&item).filter(|_| of_kernels) {
        let error = error.into_compile_error();
        return Ok(quote!(#error #original));
    }
    // What rustc tells of the block as written it would tell of the probes, too.
    let mut told = item.trait_.is_none() && uses.complete(&mut item.generics);
    for member in item.items.iter_mut().filter(|_| original.trait_.is_none()) {
        if let ImplItem::Fn(f) = member {
            told |= uses.complete(&mut f.sig.generics);
        }
    }
    types::with_generics(&[&item.generics], || {
        let mut errors = Vec::new();
        let mut twins = Vec::new();
        let mut methods = Vec::new();
        let mut probed = TokenStream::new();
        for member in &item.items {
            if let ImplItem::Fn(f) = member {
                // What the trait has no place for, or stands here twice, rustc tells of the function as written.
                let twice = names.contains(&&f.sig.ident);
                names.push(&f.sig.ident);
                if twice || of.as_ref().is_some_and(|of| known::has_no_place(of, &f.sig)) {
                    continue;
                }
                let trait_impl = item.trait_.is_some();
                let (number, wanted) = (probe::number(), &f.sig.ident);
                let probe = |block: &ItemImpl| {
                    let clean = clean_method(block, wanted).filter(|_| !told);
                    clean.and_then(|clean| probe::probe_method(block, &clean, number))
                };
                types::with_generics(&[&f.sig.generics], || {
                    let check = probe(&original).map(|probe| probe.name);
                    let mut found = Vec::new();
                    twins.push(twin(f, name.as_ref(), trait_impl, check.as_ref(), &mut found));
                    if let Some(method) = method_of(&mut original, wanted) {
                        probe::place_mistakes(&mut method.block, &mut found);
                    }
                    errors.append(&mut found);
                    if let Some(probe) = probe(&original) {
                        probed.extend(probe.constant.clone());
                        place(&mut original, wanted, probe);
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
            for tokens in twins {
                whole.items.push(ImplItem::Verbatim(tokens));
            }
            let attribute = crate::names::attribute();
            whole.items.push(ImplItem::Verbatim(quote!(#[doc(hidden)] const #attribute: () = ();)));
            return Ok(quote! {
                #[allow(clippy::too_many_arguments)]
                #whole
                #probed
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
            #probed
            #quiet
            #[doc(hidden)]
            impl #impl_generics #self_ty #where_clause { #(#twins)* }
            #methods
            #errors
        })
    })
}

/// What the type of a block and its functions give to types.
fn uses(item: &ItemImpl) -> Uses {
    Uses::of(|see| {
        see(Part::Type(&item.self_ty));
        for member in &item.items {
            if let ImplItem::Fn(f) = member {
                see(Part::Signature(&f.sig));
                see(Part::Block(&f.block));
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

/// Whether a function is a method of a value that the kernel has.
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

/// Puts the probe of a method beside it.
fn place(block: &mut ItemImpl, name: &Ident, probe: probe::MethodProbe) {
    if let Some(method) = method_of(block, name) {
        method.block = probe.body;
        method.attrs.push(probe::moved());
    }
    if !probe.function.is_empty() {
        block.items.push(ImplItem::Verbatim(probe.function));
    }
}

/// `__expand_name` for one function.
fn twin(
    f: &ImplItemFn,
    self_name: Option<&Ident>,
    trait_impl: bool,
    probed: Option<&Ident>,
    errors: &mut Vec<probe::Mistake>,
) -> TokenStream {
    let home = quote!(self);
    let (body, mut found) = twin_body(&f.sig, &f.block, self_name, None, probed.map(|name| (name, &home)), false);
    let check = probed.map(|name| quote!(const __CHECK: usize = #name;));
    errors.append(&mut found);
    // Where it may be called, the function as written tells.
    let vis = (!trait_impl).then(|| quote!(pub));
    let owner = self_name.map_or_else(proc_macro2::Span::call_site, Ident::span);
    let head = head(&f.sig, probed, owner);
    let quiet = quiet();
    quote!(#[doc(hidden)] #quiet #vis #head { #check #body })
}

/// The signature of `__expand_name`; that `Self` is no type of the language is told at `owner`.
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
    let params: Vec<_> = params(sig).iter().map(|param| func::twin_param(param, &sig.generics)).collect();
    let output = types::output(&sig.output, check);
    quote!(fn #name #impl_generics(#receiver #(#params),*) #output #where_clause)
}

/// Methods of the staged type, which call the twins.
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
            let (name, twin) = (method(&f.sig.ident), function(&f.sig.ident));
            let generics = types::staged_generics(&f.sig.generics);
            let (impl_generics, used, where_clause) = generics.split_for_impl();
            let used = used.as_turbofish();
            let mut sig = f.sig.clone();
            SelfIs(self_ty).visit_signature_mut(&mut sig);
            let list = params(&sig);
            let declared: Vec<_> = list.iter().map(|param| func::twin_param(param, &sig.generics)).collect();
            let names = list.iter().map(|param| &param.name);
            let output = types::output(&sig.output, None);
            quote! {
                pub fn #name #impl_generics(self, #(#declared),*) #output #where_clause {
                    <#self_ty>::#twin #used(self, #(#names),*)
                }
            }
        })
    });
    quote!(#quiet #[doc(hidden)] impl #impl_generics #staged #where_clause { #(#methods)* })
}

/// Writes the type for `Self`.
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
