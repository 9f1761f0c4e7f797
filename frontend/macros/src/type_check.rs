//! Ensures that rustc reports each type error once. Each kernel body exists twice: as the user's code, and as the
//! expansion. rustc would report a type error in the user's code and again in the expansion.
//!
//! The macro moves the user's body into a check function that returns the body as a closure. The macro also
//! generates the check constant: a constant whose initialiser computes the size of the closure. If the body has
//! an error, the check constant has no value, and rustc reports no error about the constant. The types of values
//! in the expansion depend on the check constant. If a type is erroneous because of an earlier error, rustc
//! reports no further error about this type.
mod check_constant;
mod unresolved;

pub use check_constant::{check_constant, number_of, predicates, used, without_default};
pub use unresolved::{NameKind, UnresolvedName, with_fallbacks};

use crate::syntax::is_constant_name;
use crate::tokens;
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Attribute, GenericParam, Generics, Ident, Pat, Type};

/// The check function of a function, and the constant whose initialiser computes the size of its closure.
pub struct Check {
    /// Items that the macro adds beside the function or the block of the method.
    pub items: TokenStream,
    /// The name of the constant that has no value if the function's body has an error.
    pub name: Ident,
    /// The new body of the function.
    pub body: syn::Block,
}

/// The trait or `impl` block of a function. The check function is beside the block, because the `impl` block of a trait can
/// contain only the trait's functions. The check function uses the name of the type instead of `Self`.
#[derive(Clone)]
pub struct Owner<'a> {
    pub generics: &'a Generics,
    attrs: &'a [Attribute],
    /// The type that replaces `Self`.
    pub this: syn::Path,
    /// For a trait, the type parameter that replaces `Self`.
    pub parameter: Option<GenericParam>,
    /// The trait, and the names that it declares.
    pub of: Option<syn::Path>,
    own: Vec<Ident>,
    /// Whether the trait declares all items that the body can name.
    alone: bool,
}

impl<'a> Owner<'a> {
    /// The owner of the functions in an `impl` block; `None` if the syntax of the type is not a path.
    pub fn of_impl(item: &'a syn::ItemImpl) -> Option<Self> {
        let Type::Path(syn::TypePath { qself: None, path }) = &*item.self_ty else { return None };
        let mut this = path.clone();
        crate::syntax::with_turbofish(&mut this);
        let of = item.trait_.as_ref().map(|(_, of, _)| of.clone());
        let own = declared(&item.items);
        Some(Owner { generics: &item.generics, attrs: &item.attrs, this, parameter: None, of, own, alone: false })
    }

    /// The owner of a trait's default functions.
    pub fn of_trait(item: &'a syn::ItemTrait) -> Self {
        let (name, (_, used, _)) = (&item.ident, item.generics.split_for_impl());
        let of: syn::Path = syn::parse_quote!(#name #used);
        Owner {
            generics: &item.generics,
            attrs: &item.attrs,
            this: syn::parse_quote!(__Self),
            parameter: Some(syn::parse_quote!(__Self: ?Sized + #of)),
            of: Some(of),
            own: declared(&item.items),
            // Marker traits have no items, and rustc reports an unknown name for the trait.
            alone: item.supertraits.iter().all(is_marker),
        }
    }

    /// Replaces `Self` by the type, and `Self::X` by the trait's item `X` if the trait declares `X`. An item `X` that the
    /// trait does not declare belongs to a supertrait or is an enum variant.
    pub fn replace_self(&self, tokens: TokenStream) -> TokenStream {
        let this = &self.this;
        tokens::map(tokens, &|rest| match (&rest[0], member_of_self(rest), &self.of) {
            (TokenTree::Ident(name), _, _) if name != "Self" => None,
            (TokenTree::Ident(_), Some(member), Some(of)) if self.alone || self.own.contains(member) => {
                Some((quote!(<#this as #of>), false))
            }
            (TokenTree::Ident(_), ..) => Some((quote!(#this), false)),
            _ => None,
        })
    }
}

/// The check function of a function in a block, or of a free function. `None` if closures do not support a feature of the
/// signature.
pub fn check(
    owner: Option<&Owner>,
    sig: &syn::Signature,
    (attrs, block): (&[Attribute], &syn::Block),
    number: &str,
) -> Option<Check> {
    let in_trait_impl = owner.is_some_and(|owner| owner.of.is_some() && owner.parameter.is_none());
    if in_trait_impl && owner.is_some_and(|owner| names_inherited_type(quote!(#sig #block), &owner.own)) {
        return None;
    }
    // A trait's value of unknown size cannot be passed to a closure.
    let of_value = sig.receiver().is_some_and(|receiver| receiver.reference.is_none());
    if of_value && owner.is_some_and(|owner| owner.parameter.is_some()) {
        return None;
    }
    let body = block.to_token_stream();
    let this = receiver_name(body.clone());
    let written = |tokens: TokenStream| owner.map_or(tokens.clone(), |owner| owner.replace_self(tokens));
    let (parameters, output) = closure(sig, &this)?;
    let names = parameters.iter().map(|[name, ..]| name);
    let patterns = parameters.iter().map(|[_, pattern, _]| pattern);
    let types: Vec<_> = parameters.iter().map(|[.., ty]| written(ty.clone())).collect();
    let output = written(output);
    let body = sig.receiver().map_or(body.clone(), |_| tokens::replace_receiver(body, &this.to_string()));
    let body = written(body);
    let parameter = owner.and_then(|owner| owner.parameter.as_ref());
    let of_owner = owner.map_or_else(Generics::default, |owner| owner.generics.clone());
    let mut generics = crate::names::all(&of_owner, &sig.generics);
    let own = used(&generics.params);
    parameter.into_iter().for_each(|parameter| generics.params.insert(0, parameter.clone()));
    let (function, name) =
        (format_ident!("__check_{number}", span = sig.ident.span()), format_ident!("__CHECKED_{number}"));
    let arguments = used(&generics.params);
    let constant = check_constant(&name, &generics, &quote!(__p::size_of_output(&#function::<#(#arguments),*>)))?;
    let bounded = generics.params.iter().map(without_default);
    let predicates = predicates(&generics).map(|one| written(quote!(#one)));
    let levels = owner.map_or(&[][..], |owner| owner.attrs).iter().chain(attrs).filter(|attr| sets_level(attr));
    let mut items = quote! {
        #[doc(hidden)]
        #[allow(dead_code, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, private_interfaces, private_bounds)]
        #(#levels)*
        fn #function<#(#bounded),*>() -> impl Fn(#(#types),*) -> #output where #(#predicates),* {
            |#(#patterns: #types),*| -> #output #body
        }
        #constant
    };
    if in_trait_impl && let Some(Owner { this, of, .. }) = owner {
        let own = used(sig.generics.params.iter().filter(|p| !matches!(p, GenericParam::Lifetime(_))));
        let turbofish = (!own.is_empty()).then(|| quote!(::<#(#own),*>));
        // The comparison is type-checked and not computed, because the constant cannot compute the function pointer.
        let (in_trait, span) = (&sig.ident, sig.ident.span());
        let in_trait = quote_spanned!(span=> <#this as #of>::#in_trait #turbofish);
        let compared = quote!({ let _ = || { let _: fn(#(#types),*) -> #output = #in_trait; }; 0 });
        items.extend(check_constant(&signature_constant(&name), &generics, &compared));
    }
    let this = parameter.map(|_| quote!(Self));
    let passed = this.into_iter().chain(own);
    // rustc reports errors about the whole function at the location of its block.
    let mut body = Group::new(proc_macro2::Delimiter::Brace, quote!(#function::<#(#passed),*>()(#(#names),*)));
    body.set_span(block.brace_token.span.join());
    Some(Check { items, name, body: syn::parse_quote!(#body) })
}

/// The name of a constant that has no value if the signature of an impl's function differs from the trait's
/// signature. If the constant has no value, rustc reports no further errors about the expansions of the
/// trait's function and of the impl's function.
pub fn signature_constant(checked: &Ident) -> Ident {
    format_ident!("{}_AS_IN_THE_TRAIT", checked)
}

/// The name that replaces `self` in a closure. rustc's messages show this replacement name. The replacement
/// name does not occur in the body.
fn receiver_name(body: TokenStream) -> Ident {
    format_ident!("{}", if tokens::mention(body, &["this"]) { "__self" } else { "this" })
}

/// The parameters of a closure with a signature, each with its argument, pattern and type, and the type of the result. `None` if
/// closures do not support a feature of the signature.
fn closure(sig: &syn::Signature, this: &Ident) -> Option<(Vec<[TokenStream; 3]>, TokenStream)> {
    let plain = sig.asyncness.is_none() && sig.abi.is_none() && sig.constness.is_none() && sig.unsafety.is_none();
    if !plain || sig.variadic.is_some() {
        return None;
    }
    let parameter = |input: &syn::FnArg| match input {
        syn::FnArg::Receiver(receiver) if receiver.colon_token.is_none() => {
            let mutable = receiver.mutability.filter(|_| receiver.reference.is_none());
            let ty = match (&receiver.reference, receiver.mutability) {
                (None, _) => quote!(Self),
                (_, None) => quote!(&Self),
                (_, Some(_)) => quote!(&mut Self),
            };
            Some([quote!(self), quote!(#[allow(unused_variables)] #mutable #this), ty])
        }
        syn::FnArg::Typed(typed) => {
            let (Pat::Ident(name), ty) = (&*typed.pat, typed.ty.to_token_stream()) else { return None };
            let ident = &name.ident;
            (!tokens::mention(ty.clone(), &["impl", "!"])).then(|| [quote!(#ident), quote!(#name), ty])
        }
        _ => None,
    };
    let output = crate::types::result(&sig.output).map_or(quote!(()), ToTokens::to_token_stream);
    let parameters = sig.inputs.iter().map(parameter).collect::<Option<_>>()?;
    (!tokens::mention(output.clone(), &["&", "impl", "!"])).then_some((parameters, output))
}

/// Lint levels for a function whose body has moved into its check function.
pub fn moved() -> Attribute {
    // The call of the check function is the last expression, even if the function returns no value.
    syn::parse_quote!(#[allow(unreachable_code, unused_mut, unused_variables, unused_assignments, clippy::semicolon_if_nothing_returned)])
}

/// Whether an attribute sets lint levels.
fn sets_level(attr: &Attribute) -> bool {
    ["allow", "warn", "deny", "forbid"].iter().any(|level| attr.path().is_ident(level))
}

/// Replaces `#[expect(…)]` by `#[allow(…)]`, because the lint triggers in only one of the generated
/// functions.
pub fn without_expectations(attrs: &mut [Attribute]) {
    for attr in attrs.iter_mut().filter(|attr| attr.path().is_ident("expect")) {
        if let syn::Meta::List(list) = &mut attr.meta {
            list.path = syn::parse_quote!(allow);
        }
    }
}

/// Whether a bound is a lifetime or a standard trait whose items no kernel can name.
fn is_marker(bound: &syn::TypeParamBound) -> bool {
    const MARKERS: [&str; 10] = ["Send", "Sync", "Copy", "Clone", "Debug", "Hash", "Eq", "PartialEq", "Sized", "Unpin"];
    match bound {
        syn::TypeParamBound::Trait(of) => crate::syntax::ends_in(&of.path, &MARKERS),
        syn::TypeParamBound::Lifetime(_) => true,
        _ => false,
    }
}

/// The names of the functions, types and constants that the items of a block declare.
fn declared(items: &[impl ToTokens]) -> Vec<Ident> {
    let is_keyword =
        |tree: &TokenTree| matches!(tree, TokenTree::Ident(name) if name == "fn" || name == "type" || name == "const");
    let name = |item| match ToTokens::to_token_stream(item)
        .into_iter()
        .skip_while(|tree| !is_keyword(tree))
        .find(|tree| !is_keyword(tree))
    {
        Some(TokenTree::Ident(name)) => Some(name),
        _ => None,
    };
    items.iter().filter_map(name).collect()
}

/// The name `X`, if the tokens begin with `Self::X`.
fn member_of_self(trees: &[TokenTree]) -> Option<&Ident> {
    let colon = |tree: &TokenTree| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == ':');
    match trees {
        [TokenTree::Ident(name), a, b, TokenTree::Ident(member), ..] if name == "Self" && colon(a) && colon(b) => {
            Some(member)
        }
        _ => None,
    }
}

/// Whether the tokens name a type `Self::X` whose `X` is not in `own`. Only code inside the trait can name an
/// inherited type as `Self::X`.
fn names_inherited_type(tokens: TokenStream, own: &[Ident]) -> bool {
    tokens::any(tokens, &mut |rest| {
        member_of_self(rest).is_some_and(|member| {
            let is_type = member.to_string().starts_with(|c: char| c.is_ascii_uppercase()) && !is_constant_name(member);
            is_type && !own.contains(member)
        })
    })
}

/// Defines the constant `__CHECK` of the expansion's module, which has no value if the function's body has an error. The
/// constant is 0 if the function has no check, or is nested in another function.
pub fn define_check_constant(check: Option<&Ident>) -> TokenStream {
    let value = check.map_or(quote!(0), |check| quote!({ use __p::UNCHECKED as #check; { use super::*; #check } }));
    quote!(const __CHECK: usize = #value;)
}

/// Inserts errors of the macro at the start of the user's body. Beside the function, they would hide rustc's errors about
/// unknown names.
pub fn insert_errors(body: &mut syn::Block, errors: Vec<syn::Error>) {
    let errors = errors.into_iter().map(|error| syn::Expr::Verbatim(error.into_compile_error()));
    body.stmts.splice(0..0, errors.map(|error| syn::Stmt::Expr(error, Some(Default::default()))));
}
