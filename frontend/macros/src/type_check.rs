//! Ensures that rustc reports each type error once. Each kernel body exists twice: as the user's code, and as the
//! expansion. rustc would report a type error in the user's code and again in the expansion.
//!
//! The macro moves the user's body into a check function that returns the body as a closure. The macro also
//! generates the check constant: a constant whose initialiser computes the size of the closure. If the body has
//! an error, the check constant has no value, and rustc reports no error about the constant. The types of values
//! in the expansion depend on the check constant. If a type is erroneous because of an earlier error, rustc
//! reports no further error about this type.
mod check_constant;
mod diagnostics;
mod unresolved;

pub use check_constant::{constant_with_replacements, number_of, used, without_default};
pub use diagnostics::{Diagnostic, insert_diagnostics, range};
pub use unresolved::{UnresolvedNames, with_fallbacks};

use crate::pattern::is_constant_name;
use crate::types;
use check_constant::check_constant;
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::visit::{self, Visit};
use syn::{Attribute, GenericParam, Ident, Pat, ReturnType, Type};

/// The name of the constant that has no value if the body of a function has an error.
pub fn constant(name: &Ident) -> Ident {
    format_ident!("__CHECKED_{}", crate::names::unraw(name))
}

/// The check function of a kernel function; `None` if closures do not support a feature of the signature.
pub fn check_function(attrs: &[Attribute], sig: &syn::Signature, block: &syn::Block) -> Option<Check> {
    let parts = parts(sig, &format_ident!("this")).filter(|_| sig.receiver().is_none())?;
    let ClosureParts { names, types, output, .. } = &parts;
    if repeated(&crate::func::params(sig).into_iter().map(|param| param.name).collect::<Vec<_>>()) {
        return None;
    }
    // rustc reports errors of a type in a signature with the same message for both functions.
    let function = check_name(&sig.ident);
    let params: Vec<&GenericParam> = sig.generics.params.iter().collect();
    let (generics, _, where_clause) = sig.generics.split_for_impl();
    let clauses: Vec<_> = sig.generics.where_clause.iter().collect();
    let used = used(&params);
    let call = quote!(#function::<#(#used),*>);
    let name = constant(&sig.ident);
    let constant = check_constant(&name, &params, &clauses, &call)?;
    let item = parts.function(levels(attrs), &function, generics, where_clause, block);
    let (first, last) = location_of_generic(types, output);
    let callee = crate::names::at(quote!(#call()), first);
    let mut arguments = Group::new(proc_macro2::Delimiter::Parenthesis, quote!(#(#names),*));
    arguments.set_span(last);
    let body = block_at(block, quote!(#callee #arguments));
    Some(Check { function: quote!(), items: quote!(#item #constant), name, body })
}

/// The result type of a check function, which returns a body as a closure. rustc reports an unsatisfied bound of
/// a user's generic type at the location of this type, as it does for the user's function.
fn closure(types: &[impl ToTokens], output: &TokenStream) -> TokenStream {
    let (span, _) = location_of_generic(types, output);
    quote_spanned!(span=> impl Fn(#(#types),*) -> #output)
}

/// The first and the last location of the user's first generic type.
fn location_of_generic(types: &[impl ToTokens], output: &TokenStream) -> (proc_macro2::Span, proc_macro2::Span) {
    let place = |ty: Type| match types::owned(&ty) {
        Type::Path(path) => path.path.segments.last().and_then(|last| {
            let of_user = !last.arguments.is_none() && !types::is_of_language(&last.ident.to_string());
            let mut places = path.to_token_stream().into_iter().map(|tree| tree.span());
            let (first, last) = (places.next()?, places.last()?);
            of_user.then_some((first, last))
        }),
        _ => None,
    };
    let all = types.iter().map(ToTokens::to_token_stream).chain([output.clone()]);
    let first = all.filter_map(|ty| syn::parse2(ty).ok()).find_map(place);
    let here = proc_macro2::Span::call_site();
    first.unwrap_or((here, here))
}

/// A block that contains `tokens` and has the location of `block`. rustc reports errors about the whole
/// function at the location of the block.
fn block_at(block: &syn::Block, tokens: TokenStream) -> syn::Block {
    let mut group = Group::new(proc_macro2::Delimiter::Brace, tokens);
    group.set_span(block.brace_token.span.join());
    syn::parse_quote!(#group)
}

/// Whether any name occurs twice in a list of parameters. rustc reports repeated parameter names.
pub fn repeated(names: &[Ident]) -> bool {
    names.iter().enumerate().any(|(i, name)| names[..i].contains(name))
}

/// The parts of a signature that define a closure with the same parameters.
struct ClosureParts {
    /// The arguments with which the new body calls the closure.
    names: Vec<TokenStream>,
    patterns: Vec<TokenStream>,
    types: Vec<TokenStream>,
    output: TokenStream,
}

impl ClosureParts {
    /// Generates the check function, which returns the body as a closure.
    fn function<'a>(
        &self,
        levels: impl Iterator<Item = &'a Attribute>,
        name: &Ident,
        generics: impl ToTokens,
        where_clause: impl ToTokens,
        block: impl ToTokens,
    ) -> TokenStream {
        let ClosureParts { patterns, types, output, .. } = self;
        let (allowed, closure) = (allowed(&levels.collect::<Vec<_>>()), closure(types, output));
        quote! {
            #allowed
            fn #name #generics() -> #closure #where_clause {
                |#(#patterns: #types),*| -> #output #block
            }
        }
    }
}

/// The name that replaces `self` in a closure. rustc's messages show this replacement name. The replacement
/// name does not occur in the body.
fn receiver_name(body: TokenStream) -> Ident {
    format_ident!("{}", if crate::names::mention(body, "this") { "__self" } else { "this" })
}

/// The parts of a method's signature; `None` if closures do not support a feature of the signature.
fn parts(sig: &syn::Signature, this: &Ident) -> Option<ClosureParts> {
    let plain = sig.asyncness.is_none() && sig.abi.is_none() && sig.constness.is_none() && sig.unsafety.is_none();
    if !plain || sig.variadic.is_some() {
        return None;
    }
    let (mut names, mut patterns, mut types) = (Vec::new(), Vec::new(), Vec::new());
    for input in &sig.inputs {
        match input {
            syn::FnArg::Receiver(receiver) if receiver.colon_token.is_none() => {
                let owned = receiver.reference.is_none();
                let mutable = receiver.mutability.filter(|_| owned);
                names.push(quote!(self));
                patterns.push(quote!(#[allow(unused_variables)] #mutable #this));
                types.push(match (owned, receiver.mutability) {
                    (true, _) => quote!(Self),
                    (false, None) => quote!(&Self),
                    (false, Some(_)) => quote!(&mut Self),
                });
            }
            syn::FnArg::Typed(typed) => {
                let Pat::Ident(name) = &*typed.pat else { return None };
                if mentions(&typed.ty, |ty| matches!(ty, Type::ImplTrait(_) | Type::Macro(_))) {
                    return None;
                }
                let (ident, ty) = (&name.ident, &typed.ty);
                names.push(quote!(#ident));
                patterns.push(quote!(#name));
                types.push(quote!(#ty));
            }
            _ => return None,
        }
    }
    let unfit = |ty: &Type| matches!(ty, Type::Reference(_) | Type::ImplTrait(_) | Type::Macro(_) | Type::Never(_));
    let output = match &sig.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, ty) if mentions(ty, unfit) => return None,
        ReturnType::Type(_, ty) => quote!(#ty),
    };
    Some(ClosureParts { names, patterns, types, output })
}

/// The check function of a function, and the constant whose initialiser computes the size of its closure.
pub struct Check {
    /// The check function, if it is beside a method.
    pub function: TokenStream,
    /// Items that the macro adds beside the function or the block of the method.
    pub items: TokenStream,
    /// The name of the constant that has no value if the function's body has an error.
    pub name: Ident,
    /// The new body of the function.
    pub body: syn::Block,
}

/// Lint levels for the check function. The user's lint levels apply to the body, so that rustc reports unused names in
/// the body.
fn allowed(levels: &[&Attribute]) -> TokenStream {
    quote! {
        #[doc(hidden)]
        #[allow(dead_code, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, private_interfaces, private_bounds)]
        #(#levels)*
    }
}

/// Lint levels for a function whose body has moved into its check function.
pub fn moved() -> Attribute {
    // The call of the check function is the last expression, even if the function returns no value.
    syn::parse_quote!(#[allow(unreachable_code, unused_mut, unused_variables, unused_assignments, clippy::semicolon_if_nothing_returned)])
}

/// Selects the attributes that set lint levels.
pub fn levels(attrs: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    const LEVELS: [&str; 4] = ["allow", "warn", "deny", "forbid"];
    attrs.iter().filter(|attr| LEVELS.iter().any(|level| attr.path().is_ident(level)))
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

/// The name of a check function, in lower case. If the user's name violates Rust's naming lints, rustc would
/// otherwise report the name twice.
fn check_name(name: &Ident) -> Ident {
    let text = crate::names::unraw(name);
    let lower = text.to_lowercase();
    if lower == text {
        return format_ident!("__check_{text}", span = name.span());
    }
    format_ident!("__check_{lower}_{}", crate::names::position(name.span()), span = name.span())
}

/// The check function of a method; `None` if closures do not support a feature of the signature.
pub fn check_method(
    item: &syn::ItemImpl,
    sig: &syn::Signature,
    (attrs, block): (&[Attribute], &syn::Block),
    number: &str,
) -> Option<Check> {
    match &item.trait_ {
        Some((_, of, _)) => check_in_trait_impl(item, of, sig, (attrs, block), number),
        None => check_in_inherent_impl(item, sig, (attrs, block), number),
    }
}

/// The check function of a method in an inherent `impl` block, beside the method.
fn check_in_inherent_impl(
    item: &syn::ItemImpl,
    sig: &syn::Signature,
    (attrs, block): (&[Attribute], &syn::Block),
    number: &str,
) -> Option<Check> {
    let owner = match types::owned(&item.self_ty) {
        Type::Path(path) => path.path.segments.last()?.ident.clone(),
        _ => return None,
    };
    let this = receiver_name(block.to_token_stream());
    let parts = parts(sig, &this)?;
    let (names, method_name) = (&parts.names, crate::names::unraw(&sig.ident));
    let function = check_name(&sig.ident);
    let name = format_ident!("__CHECKED_{owner}_{method_name}_{number}");
    let self_ty = &item.self_ty;
    let (params, clauses) = joined_generics(&item.generics, &sig.generics);
    let own = used(&sig.generics.params.iter().collect::<Vec<_>>());
    let constant = check_constant(&name, &params, &clauses, &quote!(<#self_ty>::#function::<#(#own),*>))?;
    let (generics, _, where_clause) = sig.generics.split_for_impl();
    let closure = crate::expr::replace_receiver(block.to_token_stream(), &this.to_string());
    Some(Check {
        function: parts.function(levels(attrs), &function, generics, where_clause, closure),
        items: constant,
        name,
        body: block_at(block, quote!(Self::#function::<#(#own),*>()(#(#names),*))),
    })
}

/// The generic parameters and where-clauses of an `impl` block and of one of its methods.
fn joined_generics<'a>(
    block: &'a syn::Generics,
    own: &'a syn::Generics,
) -> (Vec<&'a GenericParam>, Vec<&'a syn::WhereClause>) {
    let all = || [block, own].into_iter();
    (all().flat_map(|g| &g.params).collect(), all().flat_map(|g| &g.where_clause).collect())
}

/// A function of a trait's `impl` block. The check function is beside the `impl` block, because this block can contain
/// only the trait's functions. The check function uses the name of the type instead of `Self`.
struct TraitFunctionCheck<'a> {
    sig: &'a syn::Signature,
    block: &'a syn::Block,
    levels: Vec<&'a Attribute>,
    /// The generic parameters of the `impl` block and the function, and the corresponding generic arguments.
    params: Vec<&'a GenericParam>,
    used: Vec<TokenStream>,
    clauses: Vec<&'a syn::WhereClause>,
    /// The type that replaces `Self`, the trait, and the names that the trait declares.
    this: TokenStream,
    of: &'a syn::Path,
    own: &'a dyn Fn(&Ident) -> bool,
}

impl TraitFunctionCheck<'_> {
    /// Generates the check of the function. The function also returns the types of the arguments and the type
    /// of the result.
    fn check(&self, number: &str) -> Option<(Check, Vec<TokenStream>, TokenStream)> {
        let TraitFunctionCheck { sig, block, params, used, clauses, .. } = self;
        let this = receiver_name(block.to_token_stream());
        let written = |tokens: TokenStream| replace_self(tokens, &self.this, self.of, self.own);
        let mut parts = parts(sig, &this)?;
        parts.types = parts.types.into_iter().map(written).collect();
        parts.output = written(parts.output);
        let body = written(crate::expr::replace_receiver(block.to_token_stream(), &this.to_string()));
        let (function, name) =
            (format_ident!("__check_{number}", span = sig.ident.span()), format_ident!("__CHECKED_{number}"));
        let arguments = self::used(params);
        let constant = check_constant(&name, params, clauses, &quote!(#function::<#(#arguments),*>))?;
        let bounded = params.iter().map(|param| without_default(param));
        let predicates = clauses.iter().flat_map(|clause| &clause.predicates).map(|one| written(quote!(#one)));
        let (generics, clause) = (quote!(<#(#bounded),*>), quote!(where #(#predicates),*));
        let item = parts.function(self.levels.iter().copied(), &function, generics, clause, body);
        let names = &parts.names;
        let body = block_at(block, quote!(#function::<#(#used),*>()(#(#names),*)));
        let check = Check { function: quote!(), items: quote!(#item #constant), name, body };
        Some((check, parts.types, parts.output))
    }
}

/// The name of a constant that has no value if the signature of an impl's function differs from the trait's
/// signature. If the constant has no value, rustc reports no further errors about the expansions of the
/// trait's function and of the impl's function.
pub fn signature_constant(checked: &Ident) -> Ident {
    format_ident!("{}_AS_IN_THE_TRAIT", checked)
}

/// Generates the check function of a function in an impl of a trait.
fn check_in_trait_impl(
    item: &syn::ItemImpl,
    of: &syn::Path,
    sig: &syn::Signature,
    (attrs, block): (&[Attribute], &syn::Block),
    number: &str,
) -> Option<Check> {
    let Type::Path(self_ty) = &*item.self_ty else { return None };
    if self_ty.path.segments.iter().any(|s| !s.arguments.is_none()) {
        return None;
    }
    let (params, clauses) = joined_generics(&item.generics, &sig.generics);
    let own: Vec<_> = item.items.iter().filter_map(impl_item_name).collect();
    if names_inherited_type(quote!(#sig #block), &own) {
        return None;
    }
    let checked_function = TraitFunctionCheck {
        sig,
        block,
        levels: levels(&item.attrs).chain(levels(attrs)).collect(),
        used: used(&params),
        params: params.clone(),
        clauses: clauses.clone(),
        this: quote!(#self_ty),
        of,
        own: &|name| own.contains(&name),
    };
    let (mut check, types, output) = checked_function.check(number)?;
    let own: Vec<_> = sig.generics.params.iter().filter(|p| !matches!(p, GenericParam::Lifetime(_))).collect();
    let turbofish = (!own.is_empty()).then(|| self::used(&own)).map(|own| quote!(::<#(#own),*>));
    // The comparison is type-checked and not computed, because the constant cannot compute the function pointer.
    let (in_trait, span) = (&sig.ident, sig.ident.span());
    let in_trait = quote_spanned!(span=> <#self_ty as #of>::#in_trait #turbofish);
    let compared = quote!({ let _ = || { let _: fn(#(#types),*) -> #output = #in_trait; }; 0 });
    check.items.extend(constant_with_replacements(&signature_constant(&check.name), &params, &clauses, &compared));
    Some(check)
}

/// Generates the check function of a trait's default function, beside the trait. `Self` is a type parameter of
/// the check function.
pub fn check_default(
    item: &syn::ItemTrait,
    sig: &syn::Signature,
    (attrs, block): (&[Attribute], &syn::Block),
    number: &str,
) -> Option<Check> {
    // A value of unknown size cannot be passed to a closure.
    if sig.receiver().is_some_and(|r| r.reference.is_none()) {
        return None;
    }
    let (params, clauses) = joined_generics(&item.generics, &sig.generics);
    let (of, own) = (&item.ident, &item.generics);
    let (_, trait_used, _) = own.split_for_impl();
    let of: syn::Path = syn::parse_quote!(#of #trait_used);
    let this_param: GenericParam = syn::parse_quote!(__Self: ?Sized + #of);
    let own: Vec<_> = item.items.iter().filter_map(trait_item_name).collect();
    // Marker traits have no items, and rustc reports an unknown name for the trait.
    let alone = item.supertraits.iter().all(is_marker);
    let checked_function = TraitFunctionCheck {
        sig,
        block,
        levels: levels(&item.attrs).chain(levels(attrs)).collect(),
        used: std::iter::once(quote!(Self)).chain(used(&params)).collect(),
        params: std::iter::once(&this_param).chain(params).collect(),
        clauses,
        this: quote!(__Self),
        of: &of,
        own: &|name| alone || own.contains(&name),
    };
    checked_function.check(number).map(|(check, ..)| check)
}

/// Replaces `Self` by the type `ty`, and `Self::X` by the trait's item `X` if the trait declares `X`. An item
/// `X` that the trait does not declare belongs to a supertrait or is an enum variant.
fn replace_self(tokens: TokenStream, ty: &TokenStream, of: &syn::Path, own: &dyn Fn(&Ident) -> bool) -> TokenStream {
    let trees: Vec<_> = tokens.into_iter().collect();
    let replaced = trees.iter().enumerate().map(|(i, tree)| match tree {
        TokenTree::Ident(name) if name == "Self" => match member_of_self(&trees[i..]) {
            Some(member) if own(member) => quote!(<#ty as #of>),
            _ => ty.clone(),
        },
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), replace_self(group.stream(), ty, of, own));
            inner.set_span(group.span());
            TokenTree::Group(inner).into()
        }
        other => other.clone().into(),
    });
    replaced.collect()
}

/// Whether a bound is a lifetime or a standard trait whose items no kernel can name.
fn is_marker(bound: &syn::TypeParamBound) -> bool {
    const MARKERS: [&str; 10] = ["Send", "Sync", "Copy", "Clone", "Debug", "Hash", "Eq", "PartialEq", "Sized", "Unpin"];
    match bound {
        syn::TypeParamBound::Trait(of) => {
            of.path.segments.last().is_some_and(|last| MARKERS.iter().any(|marker| last.ident == marker))
        }
        syn::TypeParamBound::Lifetime(_) => true,
        _ => false,
    }
}

fn impl_item_name(item: &syn::ImplItem) -> Option<&Ident> {
    match item {
        syn::ImplItem::Fn(f) => Some(&f.sig.ident),
        syn::ImplItem::Type(ty) => Some(&ty.ident),
        syn::ImplItem::Const(one) => Some(&one.ident),
        _ => None,
    }
}

fn trait_item_name(item: &syn::TraitItem) -> Option<&Ident> {
    match item {
        syn::TraitItem::Fn(f) => Some(&f.sig.ident),
        syn::TraitItem::Type(ty) => Some(&ty.ident),
        syn::TraitItem::Const(one) => Some(&one.ident),
        _ => None,
    }
}

/// The name `X`, if the tokens begin with `Self::X`.
fn member_of_self(trees: &[TokenTree]) -> Option<&Ident> {
    let colon = |tree: &TokenTree| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == ':');
    match trees {
        [TokenTree::Ident(_), a, b, TokenTree::Ident(member), ..] if colon(a) && colon(b) => Some(member),
        _ => None,
    }
}

/// Whether the tokens name a type `Self::X` whose `X` is not in `own`. Only code inside the trait can name an
/// inherited type as `Self::X`.
fn names_inherited_type(tokens: TokenStream, own: &[&Ident]) -> bool {
    let trees: Vec<_> = tokens.into_iter().collect();
    trees.iter().enumerate().any(|(i, tree)| match tree {
        TokenTree::Ident(name) if name == "Self" => member_of_self(&trees[i..]).is_some_and(|member| {
            let text = member.to_string();
            let is_type = text.starts_with(|c: char| c.is_ascii_uppercase()) && !is_constant_name(member);
            is_type && !own.contains(&member)
        }),
        TokenTree::Group(group) => names_inherited_type(group.stream(), own),
        _ => false,
    })
}

/// Tokens that define `name`, in the expansion's module, as the constant that has no value if the function's
/// body has an error. The tokens are empty if the function is nested in another function.
pub fn define_check_constant(name: &Ident) -> TokenStream {
    let constant = constant(name);
    quote! {
        const __CHECK: usize = {
            const #constant: usize = 0;
            {
                use super::*;
                #constant
            }
        };
    }
}

pub fn mentions(ty: &Type, matches: impl Fn(&Type) -> bool) -> bool {
    struct Search<F>(F, bool);
    impl<'a, F: Fn(&Type) -> bool> Visit<'a> for Search<F> {
        fn visit_type(&mut self, ty: &'a Type) {
            self.1 |= (self.0)(ty);
            visit::visit_type(self, ty);
        }
    }
    let mut search = Search(matches, false);
    search.visit_type(ty);
    search.1
}
