//! `impl` blocks.
use crate::clean::Clean;
use crate::func::{self, params, quiet};
use crate::names::{self, function};
use crate::types::Types;
use crate::{refused, traits, type_check};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Ident, ImplItem, ImplItemFn, ItemImpl};

/// `#[cube]` on an `impl` block.
pub fn expand(item: ItemImpl, v11: bool) -> syn::Result<TokenStream> {
    let mut item = item;
    for member in &mut item.items {
        if let ImplItem::Fn(f) = member {
            refused::member(&f.attrs, &mut f.sig, v11)?;
            type_check::without_expectations(&mut f.attrs);
        }
    }
    type_check::without_expectations(&mut item.attrs);
    let mut names: Vec<&Ident> = Vec::new();
    let mut original = item.clone();
    Clean::default().visit_item_impl_mut(&mut original);
    let hash = names::hash(&item);
    let mut expansions = Vec::new();
    let mut methods = Vec::new();
    let mut check_items = TokenStream::new();
    let owner = type_check::Owner::of_impl(&item);
    for (member, written) in item.items.iter().zip(&mut original.items) {
        let (ImplItem::Fn(f), ImplItem::Fn(written)) = (member, written) else { continue };
        // rustc reports a function that is defined twice in the block as written.
        if names.contains(&&f.sig.ident) {
            continue;
        }
        names.push(&f.sig.ident);
        let written = (&mut written.attrs, &mut written.block);
        let (tokens, check) =
            func::expand_member(owner.as_ref(), &item.generics, (hash, v11), (&f.sig, &f.block), written);
        expansions.push(expansion(&item, f, check.as_ref().map(|check| &check.name), &tokens));
        check_items.extend(check.map(|check| check.items));
        if f.sig.receiver().is_some() {
            methods.push(f);
        }
    }
    if item.trait_.is_some() {
        let attribute = names::attribute();
        expansions.push(quote!(#[doc(hidden)] const #attribute: () = ();));
        original.items.extend(expansions.into_iter().map(ImplItem::Verbatim));
        return Ok(quote!(#[allow(clippy::too_many_arguments)] #original #check_items));
    }
    let (impl_generics, _, where_clause) = item.generics.split_for_impl();
    let self_ty = &item.self_ty;
    let methods = owner.as_ref().map(|owner| self::methods(owner, &item, hash, &methods));
    let quiet = quiet();
    Ok(quote! {
        #[allow(clippy::too_many_arguments)]
        #original
        #check_items
        #quiet
        #[doc(hidden)]
        impl #impl_generics #self_ty #where_clause { #(#expansions)* }
        #methods
    })
}

/// Expands one function of the `impl` block.
fn expansion(item: &ItemImpl, f: &ImplItemFn, check: Option<&Ident>, body: &TokenStream) -> TokenStream {
    let types = Types::of(&item.generics).and(&f.sig.generics);
    let owner = item.self_ty.span();
    let head = Head { types: &types, sig: &f.sig, check, owner, signature_constant: None };
    if item.trait_.is_none() {
        let generics = names::all(&item.generics, &f.sig.generics);
        let types = check.map_or(types.clone(), |check| types.gated(check, &generics));
        // The expansion has the visibility of the function as written.
        let head = Head { types: &types, ..head }.signature();
        return quote!(#[doc(hidden)] pub #head { #body });
    }
    let (quiet, signature_constant) = (quiet(), check.map(type_check::signature_constant));
    let head = Head { signature_constant: signature_constant.as_ref(), ..head }.signature();
    quote!(#[doc(hidden)] #quiet #head { #body })
}

/// The parts of an expansion's signature.
pub struct Head<'a> {
    pub types: &'a Types,
    pub sig: &'a syn::Signature,
    /// The name of the constant that has no value if the function's body has an error.
    pub check: Option<&'a Ident>,
    /// The source location of the type `Self`.
    pub owner: proc_macro2::Span,
    /// For an impl of a trait, the constant whose name [`type_check::signature_constant`] returns.
    pub signature_constant: Option<&'a Ident>,
}

impl Head<'_> {
    /// The names and the types of the arguments.
    fn arguments(&self) -> (Vec<Ident>, Vec<TokenStream>) {
        let receiver = self.sig.receiver().map(|receiver| {
            let comptime = crate::clean::is_comptime(&receiver.attrs);
            let this = match self.check.filter(|_| self.signature_constant.is_none()) {
                Some(check) => quote!(<<Self as __p::Checked<{ #check }>>::Out as __p::CubeType>::ExpandType),
                None => quote!(<Self as __p::CubeType>::ExpandType),
            };
            let this = if comptime { quote!(Self) } else { crate::tokens::at(this, self.owner) };
            (quote::format_ident!("__self"), this)
        });
        let params = params(self.sig).into_iter().map(|param| {
            let ty = func::expansion_type(self.types, &param);
            (param.name, ty)
        });
        receiver.into_iter().chain(params).unzip()
    }

    /// `fn name_in_a_kernel(a: A, b: B) -> R`.
    pub fn signature(&self) -> TokenStream {
        // rustc reports a wrong number of parameters at the location of a parameter's type.
        let (span, (names, types)) = (self.sig.ident.span(), self.arguments());
        let types = types.into_iter().map(|ty| match self.signature_constant {
            Some(signature_constant) => quote_spanned!(span=> <#ty as __p::Checked<{ #signature_constant }>>::Out),
            None => ty,
        });
        let name = function(&self.sig.ident);
        let generics = self.types.staged_generics(&self.sig.generics);
        let (impl_generics, _, where_clause) = generics.split_for_impl();
        let output = self.types.output(&self.sig.output, self.signature_constant.or(self.check));
        quote!(fn #name #impl_generics(#(#names: #types),*) #output #where_clause)
    }
}

/// Generates the methods of staged values. Functions of the host type return the names of the expansions, so the
/// staged type need not be in scope. If the type of a method cannot be the result of a host type's function, the
/// method is an inherent method of the staged type.
fn methods(owner: &type_check::Owner, item: &ItemImpl, hash: u64, methods: &[&ImplItemFn]) -> TokenStream {
    let (quiet, self_ty) = (quiet(), &item.self_ty);
    let (impl_generics, _, where_clause) = item.generics.split_for_impl();
    let mut staged = owner.this.clone();
    staged.segments.iter_mut().last().into_iter().for_each(|last| last.ident = names::expand_name(&last.ident));
    let (mut functions, mut named, mut direct) = (Vec::new(), TokenStream::new(), Vec::new());
    for f in methods {
        let name = quote::format_ident!("__By_{}", names::tag(hash, &f.sig.ident));
        if let Some((function, name)) = traits::by_type::named(owner, &quote!(pub), &name, &f.sig) {
            functions.push(function);
            named.extend(name);
        // The host itself calls a method that has a `#[comptime]` receiver.
        } else if f.sig.receiver().is_none_or(|receiver| !crate::clean::is_comptime(&receiver.attrs)) {
            let (head, body) = traits::staged_method(owner, &quote!(<#self_ty>), &f.sig);
            direct.push(quote!(pub fn #head { #body }));
        }
    }
    let block = |ty: TokenStream, functions: Vec<TokenStream>| {
        let used = !functions.is_empty();
        used.then(|| quote!(#quiet #[doc(hidden)] impl #impl_generics #ty #where_clause { #(#functions)* }))
    };
    let (functions, direct) = (block(quote!(#self_ty), functions), block(quote!(#staged), direct));
    quote!(#functions #named #direct)
}
