//! One mistake, one message. A body exists twice, as written and as its twin, and rustc would tell a mistake of types in both.
//!
//! The body as written moves into a function that returns it as a closure. The size of that closure is asked for in a constant:
//! where the body has a mistake, the constant has none, silently. The types of the twin's values go through that constant, and
//! rustc says nothing about types that follow from a mistake it has told already.
use crate::names::private;
use crate::types;
use proc_macro2::{Group, LineColumn, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use std::sync::atomic::{AtomicUsize, Ordering};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, GenericParam, Ident, ItemFn, Pat, ReturnType, Type, TypeParam, TypeParamBound};

/// What stands beside a function, and its new body.
pub struct Probe {
    /// The function with the closure, and the constant.
    pub items: TokenStream,
    /// The body of the function as the user calls it.
    pub body: syn::Block,
}

/// The constant beside the function.
pub fn constant(name: &Ident) -> Ident {
    format_ident!("__PROBED_{}", crate::names::unraw(name))
}

/// The probe of a function as rustc sees it; `None` where it has parts that a closure cannot have.
pub fn probe(original: &ItemFn) -> Option<Probe> {
    let sig = &original.sig;
    let plain = sig.asyncness.is_none() && sig.abi.is_none() && sig.variadic.is_none() && sig.constness.is_none();
    if !plain || sig.generics.where_clause.is_some() || sig.unsafety.is_some() {
        return None;
    }
    let stand_ins = sig.generics.params.iter().map(stand_in).collect::<Option<Vec<_>>>()?;
    let mut names = Vec::new();
    let mut types = Vec::new();
    let mut patterns = Vec::new();
    for input in &sig.inputs {
        let syn::FnArg::Typed(typed) = input else { return None };
        let Pat::Ident(name) = &*typed.pat else { return None };
        if mentions(&typed.ty, |ty| matches!(ty, Type::ImplTrait(_) | Type::Macro(_))) {
            return None;
        }
        names.push(name.ident.clone());
        patterns.push(name.clone());
        types.push((*typed.ty).clone());
    }
    let output = match &sig.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, ty)
            if mentions(ty, |ty| {
                matches!(ty, Type::Reference(_) | Type::ImplTrait(_) | Type::Macro(_) | Type::Never(_))
            }) =>
        {
            return None;
        }
        ReturnType::Type(_, ty) => quote!(#ty),
    };
    let p = private();
    let function = format_ident!("__probe_{}", crate::names::unraw(&sig.ident));
    let constant = constant(&sig.ident);
    let (generics, _, _) = sig.generics.split_for_impl();
    let generic_names = sig.generics.params.iter().map(|param| match param {
        GenericParam::Type(t) => &t.ident,
        GenericParam::Const(c) => &c.ident,
        GenericParam::Lifetime(l) => &l.lifetime.ident,
    });
    let block = &original.block;
    let call = quote!(::<#(#stand_ins),*>);
    let used = quote!(::<#(#generic_names),*>);
    let quiet = crate::func::quiet();
    Some(Probe {
        items: quote! {
            #[doc(hidden)]
            #[allow(dead_code, clippy::all, clippy::pedantic, unreachable_code, unused_mut, unused_variables, unused_assignments, private_interfaces, private_bounds)]
            fn #function #generics() -> impl Fn(#(#types),*) -> #output {
                |#(#patterns: #types),*| -> #output #block
            }
            #quiet
            #[doc(hidden)]
            const #constant: usize = #p::size_of_output(&#function #call);
        },
        body: syn::parse_quote!({ #function #used()(#(#names),*) }),
    })
}

/// The parts of a function that a closure with the same parameters has.
struct Parts {
    /// What a call of the closure gives it.
    names: Vec<TokenStream>,
    patterns: Vec<TokenStream>,
    types: Vec<TokenStream>,
    output: TokenStream,
}

/// The parts of a method; `None` where it has some that a closure cannot have.
fn parts(sig: &syn::Signature) -> Option<Parts> {
    let plain = sig.asyncness.is_none() && sig.abi.is_none() && sig.constness.is_none() && sig.unsafety.is_none();
    if !plain || sig.variadic.is_some() || sig.generics.where_clause.is_some() {
        return None;
    }
    let (mut names, mut patterns, mut types) = (Vec::new(), Vec::new(), Vec::new());
    for input in &sig.inputs {
        match input {
            syn::FnArg::Receiver(receiver) if receiver.colon_token.is_none() => {
                let owned = receiver.reference.is_none();
                let mutable = receiver.mutability.filter(|_| owned);
                names.push(quote!(self));
                patterns.push(quote!(#mutable __self));
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
    Some(Parts { names, patterns, types, output })
}

/// The probe of a method: a function that returns its body as a closure, and the constant that asks for its size.
pub struct MethodProbe {
    /// The function, where it stands beside the method.
    pub function: TokenStream,
    /// What stands beside the block.
    pub constant: TokenStream,
    /// The name of the constant.
    pub name: Ident,
    /// The new body of the method.
    pub body: syn::Block,
}

/// A number that no other probe of this crate has: several blocks of one type may stand in one module.
pub fn number() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// What rustc need not say about the function that holds a body.
fn allowed() -> TokenStream {
    quote! {
        #[doc(hidden)]
        #[allow(
            dead_code, clippy::all, clippy::pedantic, unreachable_code, unused_mut, unused_variables, unused_assignments,
            private_interfaces, private_bounds
        )]
    }
}

/// The probe of a method as rustc sees it; `None` where it has parts that a closure cannot have.
pub fn probe_method(item: &syn::ItemImpl, method: &syn::ImplItemFn, number: usize) -> Option<MethodProbe> {
    if item.generics.where_clause.is_some() {
        return None;
    }
    match &item.trait_ {
        Some((_, of, _)) => probe_of_trait(item, of, method, number),
        None => probe_of_type(item, method, number),
    }
}

/// In a block of the type's own, the function stands beside the method.
fn probe_of_type(item: &syn::ItemImpl, method: &syn::ImplItemFn, number: usize) -> Option<MethodProbe> {
    let sig = &method.sig;
    if !sig.generics.params.is_empty() {
        return None;
    }
    let owner = match types::owned(&item.self_ty) {
        Type::Path(path) => path.path.segments.last()?.ident.clone(),
        _ => return None,
    };
    let stand_ins = item.generics.params.iter().map(|param| match param {
        GenericParam::Type(t) => {
            let (name, number) = (&t.ident, number_for(t)?);
            Some(quote!(type #name = #number;))
        }
        _ => None,
    });
    let stand_ins = stand_ins.collect::<Option<Vec<_>>>()?;
    let Parts { names, patterns, types, output } = parts(sig)?;
    let p = private();
    let method_name = crate::names::unraw(&sig.ident);
    let function = format_ident!("__probe_{method_name}");
    let name = format_ident!("__PROBED_{owner}_{method_name}_{number}");
    let self_ty = &item.self_ty;
    let block = crate::expr::rename_self(method.block.to_token_stream());
    let (quiet, allowed) = (crate::func::quiet(), allowed());
    Some(MethodProbe {
        function: quote! {
            #allowed
            fn #function() -> impl Fn(#(#types),*) -> #output {
                |#(#patterns: #types),*| -> #output #block
            }
        },
        constant: quote! {
            #quiet
            #[doc(hidden)]
            const #name: usize = {
                #(#stand_ins)*
                #p::size_of_output(&<#self_ty>::#function)
            };
        },
        name,
        body: syn::parse_quote!({ Self::#function()(#(#names),*) }),
    })
}

/// In a block of a trait, which can hold nothing else, the function stands beside the block, and says the type for `Self`.
fn probe_of_trait(
    item: &syn::ItemImpl,
    of: &syn::Path,
    method: &syn::ImplItemFn,
    number: usize,
) -> Option<MethodProbe> {
    let sig = &method.sig;
    let Type::Path(self_ty) = &*item.self_ty else { return None };
    if self_ty.path.segments.iter().any(|s| !s.arguments.is_none()) {
        return None;
    }
    let params: Vec<&GenericParam> = item.generics.params.iter().chain(&sig.generics.params).collect();
    let stand_ins = params.iter().map(|param| stand_in(param)).collect::<Option<Vec<_>>>()?;
    let used: Vec<_> = params
        .iter()
        .map(|param| match param {
            GenericParam::Type(t) => &t.ident,
            GenericParam::Const(c) => &c.ident,
            GenericParam::Lifetime(l) => &l.lifetime.ident,
        })
        .collect();
    let Parts { names, patterns, types, output } = parts(sig)?;
    let written = |tokens: TokenStream| say_self(tokens, self_ty, of);
    let types: Vec<_> = types.into_iter().map(written).collect();
    let output = say_self(output, self_ty, of);
    let block = say_self(crate::expr::rename_self(method.block.to_token_stream()), self_ty, of);
    let p = private();
    let (function, name) = (format_ident!("__probe_{number}"), format_ident!("__PROBED_{number}"));
    let (quiet, allowed) = (crate::func::quiet(), allowed());
    Some(MethodProbe {
        function: quote!(),
        constant: quote! {
            #allowed
            fn #function<#(#params),*>() -> impl Fn(#(#types),*) -> #output {
                |#(#patterns: #types),*| -> #output #block
            }
            #quiet
            #[doc(hidden)]
            const #name: usize = #p::size_of_output(&#function::<#(#stand_ins),*>);
        },
        name,
        body: syn::parse_quote!({ #function::<#(#used),*>()(#(#names),*) }),
    })
}

/// `Self` as the type, and `Self::X` as that of the trait.
fn say_self(tokens: TokenStream, ty: &syn::TypePath, of: &syn::Path) -> TokenStream {
    let mut out = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(tree) = tokens.next() {
        match tree {
            TokenTree::Ident(name) if name == "Self" => {
                let path = matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
                out.extend(if path { quote!(<#ty as #of>) } else { quote!(#ty) });
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), say_self(group.stream(), ty, of));
                inner.set_span(group.span());
                out.extend([TokenTree::Group(inner)]);
            }
            other => out.extend([other]),
        }
    }
    out
}

/// The constant as the twin's module finds it: beside the function, or none where the function stands inside another.
pub fn found(name: &Ident) -> TokenStream {
    let constant = constant(name);
    let quiet = crate::func::quiet();
    quote! {
        #quiet
        const __CHECK: usize = {
            const #constant: usize = 0;
            {
                use super::*;
                #constant
            }
        };
    }
}

/// Puts each mistake that the macro has found into the body as written, at its expression: rustc then says nothing about what
/// follows from it. Mistakes that are no expression of the body stay in the list.
pub fn place_mistakes(body: &mut syn::Block, mistakes: &mut Vec<Mistake>) {
    if !mistakes.is_empty() {
        Place(mistakes).visit_block_mut(body);
    }
}

/// A mistake that the macro has found, and the range of its tokens.
pub struct Mistake {
    /// What is told.
    pub error: syn::Error,
    /// First and last place.
    pub range: Option<(LineColumn, LineColumn)>,
}

/// From the first to the last token.
pub fn range(tokens: TokenStream) -> Option<(LineColumn, LineColumn)> {
    let mut tokens = tokens.into_iter();
    let first = tokens.next()?.span();
    let last = tokens.last().map_or(first, |t| t.span());
    Some((first.start(), last.end()))
}

struct Place<'a>(&'a mut Vec<Mistake>);

impl Place<'_> {
    /// The error of an expression with these tokens.
    fn take(&mut self, tokens: TokenStream) -> Option<TokenStream> {
        let wanted = range(tokens);
        let at = self.0.iter().position(|m| m.range.is_some() && m.range == wanted)?;
        Some(self.0.remove(at).error.into_compile_error())
    }
}

impl VisitMut for Place<'_> {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        let target = match e {
            Expr::Assign(assign) => Some(assign.left.to_token_stream()),
            Expr::Binary(binary) => Some(binary.left.to_token_stream()),
            _ => None,
        };
        let assigning = matches!(e, Expr::Assign(_) | Expr::Binary(_));
        if let Some(error) = self.take(e.to_token_stream()) {
            *e = Expr::Verbatim(error);
        } else if assigning && let Some(error) = target.and_then(|t| self.take(t)) {
            *e = Expr::Verbatim(error);
        } else {
            visit_mut::visit_expr_mut(self, e);
        }
    }

    fn visit_stmt_mut(&mut self, statement: &mut syn::Stmt) {
        if let syn::Stmt::Macro(mac) = statement
            && let Some(error) = self.take(mac.mac.to_token_stream())
        {
            *statement = syn::Stmt::Expr(Expr::Verbatim(error), Some(Default::default()));
            return;
        }
        visit_mut::visit_stmt_mut(self, statement);
    }
}

/// A body in which functions that are no part of the language, or do not exist, are found as strangers.
///
/// The names of the user's module are closer than the strangers, which stand one block further out.
pub fn with_strangers(calls: &[(Ident, usize)], body: &TokenStream) -> TokenStream {
    let p = private();
    let mut known: Vec<&Ident> = Vec::new();
    let strangers: Vec<_> = calls
        .iter()
        .filter(|(name, _)| {
            let new = !known.contains(&name);
            known.push(name);
            new
        })
        .map(|(name, count)| {
            let types: Vec<_> = (0..*count).map(|i| format_ident!("A{i}")).collect();
            let args = types.iter().map(|ty| quote!(_: #ty));
            let message = format!("`{name}` is no function of the kernel language");
            quote! {
                mod #name {
                    #[diagnostic::on_unimplemented(
                        message = #message,
                        label = "not callable in a kernel",
                        note = "put `#[cube]` before the function, or call it inside `comptime!(…)` where its arguments are known when the kernel is compiled"
                    )]
                    pub trait Function {}
                    pub fn expand<#(#types,)* R>(#(#args),*) -> R
                    where
                        <(#(#types,)*) as #p::Checked<{ super::__CHECK }>>::Out: Function,
                        (#(#types,)*): #p::Checked<{ super::__CHECK }>,
                    {
                        ::core::unreachable!()
                    }
                }
            }
        })
        .collect();
    if strangers.is_empty() {
        return body.clone();
    }
    quote! {
        #(#strangers)*
        {
            use super::*;
            #body
        }
    }
}

fn mentions(ty: &Type, wanted: impl Fn(&Type) -> bool) -> bool {
    struct Search<F>(F, bool);
    impl<'a, F: Fn(&Type) -> bool> Visit<'a> for Search<F> {
        fn visit_type(&mut self, ty: &'a Type) {
            self.1 |= (self.0)(ty);
            visit::visit_type(self, ty);
        }
    }
    let mut search = Search(wanted, false);
    search.visit_type(ty);
    search.1
}

/// A type or number that can stand for a parameter; `None` where its bounds ask for more than any number has.
fn stand_in(param: &GenericParam) -> Option<TokenStream> {
    match param {
        GenericParam::Type(t) => number_for(t),
        GenericParam::Const(c) => match types::owned(&c.ty) {
            Type::Path(path) if path.path.is_ident("bool") => Some(quote!(true)),
            Type::Path(path) if path.path.is_ident("char") => None,
            _ => Some(quote!(1)),
        },
        GenericParam::Lifetime(_) => None,
    }
}

fn number_for(param: &TypeParam) -> Option<TokenStream> {
    let mut number = quote!(f32);
    let mut known = false;
    for bound in &param.bounds {
        match bound {
            TypeParamBound::Lifetime(_) => {}
            TypeParamBound::Trait(path) => {
                let last = path.path.segments.last()?;
                match last.ident.to_string().as_str() {
                    "Float" | "Numeric" | "CubePrimitive" | "CubeElement" => known = true,
                    "Int" => {
                        known = true;
                        number = quote!(u32);
                    }
                    "Copy" | "Clone" | "Send" | "Sync" => {}
                    _ => return None,
                }
            }
            _ => return None,
        }
    }
    known.then_some(number)
}
