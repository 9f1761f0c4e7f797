//! Expands `#[cube]` on a function. The output is the user's function, and a module with the function's name
//! that contains the expansion.
use crate::args::{CubeArgs, combine};
use crate::clean::{Clean, Deeper, is_comptime};
use crate::names::{record_debug_name, unraw};
use crate::parameters::is_bounded;
use crate::scope::{Context, Name};
use crate::types::Types;
use crate::{launch, pattern, refused, stmt, syntax, tokens, type_check, types};
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Attribute, Block, Expr, FnArg, Generics, Ident, ItemFn, Pat, Signature, Type};

/// A parameter of a function.
pub struct Param {
    pub name: Ident,
    pub pat: Pat,
    pub ty: Type,
    pub comptime: bool,
}

impl Param {
    /// Whether the kernel writes to the parameter.
    pub fn is_mut(&self) -> bool {
        types::is_mut_ref(&self.ty)
    }
}

/// The parameters after `self`.
pub fn params(sig: &Signature) -> Vec<Param> {
    sig.inputs
        .iter()
        .enumerate()
        .filter_map(|(i, arg)| match arg {
            FnArg::Receiver(_) => None,
            FnArg::Typed(typed) => {
                let name = match &*typed.pat {
                    Pat::Ident(ident) => ident.ident.clone(),
                    _ => format_ident!("__p{i}"),
                };
                let comptime = is_comptime(&typed.attrs) || types::comptime_type(&typed.ty).is_some();
                Some(Param { name, pat: (*typed.pat).clone(), ty: (*typed.ty).clone(), comptime })
            }
        })
        .collect()
}

/// A function body to expand, with its context.
pub struct Body<'a> {
    pub sig: &'a Signature,
    pub block: &'a Block,
    /// The type mapping for the function's generic parameters.
    pub types: &'a Types,
    pub args: &'a CubeArgs,
    /// Whether the function is free: its expansion is in a separate module.
    pub free: bool,
}

/// Declares the parameters of a function, and generates the statements with which the expansion prepares their values.
fn opening(cx: &mut Context, sig: &Signature, kernel: bool) -> TokenStream {
    let mut opening = TokenStream::new();
    if let Some(receiver) = sig.receiver() {
        let mutable = receiver.reference.is_none() && receiver.mutability.is_some();
        let this = crate::names::if_checked(quote!(__self));
        let (kind, tokens) = match is_comptime(&receiver.attrs) {
            true => (Name::Comptime, quote!()),
            false if mutable => (Name::Variable, quote!(let mut __self = __p::variable(__self, 0);)),
            false => (Name::Reference, quote!(let mut __self = #this;)),
        };
        cx.declare(&Ident::new("self", receiver.self_token.span()), kind);
        opening.extend(tokens);
    }
    for param in params(sig) {
        let (name, is_fn) = (&param.name, !param.comptime && cx.types.is_function(&param.ty));
        let (is_number, is_reference) = (cx.types.is_number(&param.ty), matches!(param.ty, Type::Reference(_)));
        if !param.comptime && !is_fn {
            opening.extend(quote!(let #name = __K::same(#name);));
        }
        opening.extend(match &param.pat {
            pat if param.comptime => {
                cx.declare_pattern(pat, Name::Comptime);
                quote!(let #pat = #name;)
            }
            _ if is_fn => {
                cx.declare(name, Name::Closure);
                quote!(let mut #name = #name;)
            }
            Pat::Ident(ident) if !param.is_mut() && (is_reference || ident.mutability.is_none()) => {
                cx.declare(name, Name::Value);
                if is_number { record_debug_name(cx, name) } else { quote!() }
            }
            pat => {
                let (whole, parts) = stmt::parameter(cx, pat, param.is_mut());
                let is_variable = matches!(pat, Pat::Ident(_)) && !param.is_mut();
                let record = is_variable.then(|| record_debug_name(cx, name));
                quote!(let #whole = #name; #parts #record)
            }
        });
        let of_number = cx.types.is_number(types::owned(&param.ty));
        if let Some(local) = cx.local(name) {
            (local.number, local.run_time) = (of_number, kernel && !param.comptime && is_number);
            (local.memory, local.atomic) = (types::is_memory(&param.ty), types::mentions_atomic(&param.ty));
        }
    }
    opening
}

/// Expands a body, and moves the user's body, `block`, into its check function. `number` makes the names of the check unique.
/// `wrong` is an error of the attribute. After an error, the expansion is empty, because its errors would only repeat the
/// reported ones.
fn expand_body(
    body: &Body,
    wrong: Option<syn::Error>,
    (attrs, block): (&mut Vec<Attribute>, &mut Block),
    (owner, sig, number): (Option<&type_check::Owner>, &Signature, &str),
) -> (TokenStream, Option<type_check::Check>) {
    let check = |attrs: &[Attribute], block: &Block| match (body.free, owner) {
        (false, None) => None,
        _ => type_check::check(owner, sig, (attrs, block), number),
    };
    let mut checked = check(attrs, block);
    let (mut tokens, mut errors) = expansion_body(body, checked.as_ref().map(|check| &check.name));
    errors.extend(wrong);
    if !errors.is_empty() {
        tokens = quote!(__p::unexpanded());
        type_check::insert_errors(block, errors);
        checked = check(attrs, block);
    }
    if let Some(check) = &checked {
        *block = check.body.clone();
        attrs.push(type_check::moved());
    }
    (tokens, checked)
}

/// Expands the body of a function in a trait or an `impl` block with the given generic parameters and hash.
pub fn expand_member(
    owner: Option<&type_check::Owner>,
    outer: &Generics,
    (hash, v11): (u64, bool),
    (sig, block): (&Signature, &Block),
    written: (&mut Vec<Attribute>, &mut Block),
) -> (TokenStream, Option<type_check::Check>) {
    let (types, args) = (Types::of(outer).and(&sig.generics), CubeArgs { v11, ..CubeArgs::default() });
    let body = Body { sig, block, types: &types, args: &args, free: false };
    expand_body(&body, None, written, (owner, sig, &crate::names::tag(hash, &sig.ident)))
}

/// The body of the expansion, and the errors. `check` is the name of the constant that has no value if the user's body has an error.
fn expansion_body(body: &Body, check: Option<&Ident>) -> (TokenStream, Vec<syn::Error>) {
    let &Body { sig, block, types, args, free } = body;
    let kernel = args.is_kernel();
    let result = types::result(&sig.output);
    let mut cx = Context::new();
    cx.types = types.clone();
    cx.v11 = args.v11;
    cx.own_module = free;
    if kernel
        && let Some(ty) = result
        && !matches!(ty, Type::Tuple(unit) if unit.elems.is_empty())
    {
        cx.refuse(ty, "a kernel cannot return a value; write the results into a parameter, `out: &mut Array<…>`");
    }
    cx.in_unsafe = sig.unsafety.is_some();
    let (asyncness, abi, variadic) = (&sig.asyncness, &sig.abi, &sig.variadic);
    for word in [quote!(#asyncness), quote!(#abi), quote!(#variadic)].iter().filter(|word| !word.is_empty()) {
        cx.refuse(
            word,
            "a function of a kernel is not async, has Rust's calling convention, and a fixed number of parameters; remove this",
        );
    }
    let mut block = block.clone();
    syntax::Plain { parens: false }.visit_block_mut(&mut block);
    let block = &block;
    cx.changes = crate::assignments::Changes::of(block);
    let opening = opening(&mut cx, sig, kernel);
    cx.early_return = true;
    let early = syntax::body_has(block, &|e| matches!(e, Expr::Return(_)));
    let (statements, tail) = stmt::body(&mut cx, block, result.is_some());
    let name = unraw(&sig.ident);
    let fast_math = args.fast_math.as_ref().map(|flags| quote!(let __fast = __p::fast_math(#flags);));
    let body = if early {
        let staged = result.map_or(quote!(()), |ty| types.staged(ty));
        let last = match tail {
            Some(tail) => quote!(let __v = #tail; __ret.tail(__v);),
            None if result.is_none() => quote!(__ret.tail(());),
            None => quote!(),
        };
        quote! { let mut __ret = __p::Ret::<#staged>::begin(); #statements #last __ret.end() }
    } else {
        match tail {
            Some(tail) => quote!(#statements #tail),
            None if result.is_none_or(|ty| matches!(ty, Type::Never(_))) => statements,
            // The body has no value, for example because it ends with `panic!`.
            None => quote!(#statements __p::Staged::dummy()),
        }
    };
    let names = |param: &Param| match &param.pat {
        Pat::Ident(_) => vec![param.name.clone()],
        pat => pattern::bindings(pat).into_iter().map(|(name, _)| name).collect(),
    };
    let bound: Vec<Ident> = params(sig).iter().flat_map(names).collect();
    // The module of a free function defines the constant.
    let (constant, home) = match (free, check) {
        (false, Some(check)) => (check.clone(), quote!(self)),
        (free, _) => (format_ident!("__CHECK"), if free { quote!(super) } else { quote!(self) }),
    };
    let value = check.map_or(quote!(0), |check| quote!(#check));
    let definition = (!free).then(|| quote!(const __CHECK: usize = #value;));
    let body = type_check::with_fallbacks(&cx.unresolved, &sig.ident, &constant, &home, &bound, &body);
    let tokens = quote_spanned! {sig.ident.span()=>
        #definition
        #[allow(unused_imports)]
        use __p::methods::*;
        let __here = __p::enter(::core::file!(), #name);
        type __K = <__p::Gate as __p::Checked<__CHECK>>::Out;
        #fast_math
        #opening
        #body
    };
    (tokens, cx.errors)
}

/// A parameter of the expansion with its type.
pub fn expansion_param(types: &Types, param: &Param) -> TokenStream {
    let (name, ty) = (&param.name, expansion_type(types, param));
    quote!(#name: #ty)
}

/// The type of a parameter in the expansion. In the expansion, the user's closures are functions over staged
/// values.
pub fn expansion_type(types: &Types, param: &Param) -> TokenStream {
    let ty = &param.ty;
    match types::owned(ty) {
        _ if param.comptime => quote!(#ty),
        Type::Path(_) if types.is_function(ty) => quote!(#ty),
        _ => types.staged(ty),
    }
}

/// Returns an attribute that disables lints in generated code. The attribute lists each lint, because `warnings`
/// does not include lints that a crate denies.
pub fn quiet() -> TokenStream {
    quote!(#[allow(
        unused, warnings, nonstandard_style, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, deprecated,
        private_interfaces, private_bounds, unreachable_code, missing_docs, unused_qualifications, overflowing_literals,
        arithmetic_overflow, unconditional_panic, trivial_casts, trivial_numeric_casts, unused_results, unused_lifetimes,
        single_use_lifetimes, elided_lifetimes_in_paths, missing_debug_implementations, missing_copy_implementations,
        unreachable_pub, let_underscore_drop, variant_size_differences, explicit_outlives_requirements
    )])
}

/// Whether a macro call in a function, such as `comptime!(…)`, mentions the function itself.
fn mentions_itself(function: &ItemFn) -> bool {
    let name = function.sig.ident.to_string();
    tokens::any(function.block.to_token_stream(), &mut |rest| match rest {
        [TokenTree::Punct(bang), TokenTree::Group(group), ..] if bang.as_char() == '!' => {
            tokens::mention(group.stream(), &[&name])
        }
        _ => false,
    })
}

/// `#[cube]` on a function.
pub fn expand(mut function: ItemFn, args: &CubeArgs, mut wrong: Option<syn::Error>) -> syn::Result<TokenStream> {
    let is_ours = |attr: &Attribute| syntax::ends_in(attr.path(), &["cube"]);
    if let Some(again) = function.attrs.iter().find(|attr| is_ours(attr)).cloned() {
        function.attrs.retain(|attr| !is_ours(attr));
        let error = syn::Error::new_spanned(again, "duplicate `#[cube]`; combine the arguments of both");
        let (error, tokens) = (error.into_compile_error(), expand(function, args, wrong)?);
        return Ok(quote!(#error #tokens));
    }
    refused::types(&mut function.sig, args.v11, args.is_kernel());
    let is_unbounded = |param: &&syn::TypeParam| !is_bounded(&function.sig.generics, &param.ident);
    if let Some(name) = function.sig.generics.type_params().find(is_unbounded).map(|param| param.ident.clone()) {
        let message = "the type can be any type, and kernels compute with numbers; add a bound: `Float`, `Int`, `Numeric` or `CubePrimitive`";
        // Without the bound, rustc would report each use in the body and each caller.
        function.block = syn::parse_quote!({ __p::unexpanded() });
        function.sig.generics.make_where_clause().predicates.push(syn::parse_quote!(#name: __p::CubePrimitive));
        combine(&mut wrong, Some(syn::Error::new_spanned(&name, message)));
    }
    type_check::without_expectations(&mut function.attrs);
    let mut original = function.clone();
    Clean::default().visit_item_fn_mut(&mut original);
    let (name, vis) = (&function.sig.ident, &function.vis);
    // The module has the location of the function's name, because rustc's message about an import of a private function
    // points there.
    let module = Ident::new("mod", name.span());
    let types = Types::of(&function.sig.generics);
    let mut deep = function.clone();
    Deeper.visit_signature_mut(&mut deep.sig);
    Deeper.visit_block_mut(&mut deep.block);
    let sig = &deep.sig;
    let body = Body { sig, block: &deep.block, types: &types, args, free: true };
    let number = crate::names::tag(crate::names::hash(&function), name);
    let written = (&mut original.attrs, &mut *original.block);
    let (body, check) = expand_body(&body, wrong, written, (None, &function.sig, &number));
    let check_items = check.as_ref().map(|check| &check.items);
    let definition = type_check::define_check_constant(check.as_ref().map(|check| &check.name));
    // Kernels are launched, not called.
    let unused = args.is_kernel().then(|| quote!(#[allow(dead_code)]));
    let generics = types.staged_generics(&sig.generics);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let list = params(sig);
    let gate = format_ident!("__TYPES", span = name.span());
    let inside = types.gated(&gate, &sig.generics);
    let params: Vec<_> = list.iter().map(|p| expansion_param(&inside, p)).collect();
    let output = inside.output(&sig.output, Some(&format_ident!("__CHECK")));
    let typed = list.iter().filter(|p| !p.comptime && !types.is_function(&p.ty)).map(|p| &p.ty);
    let typed = typed.chain(types::result(&sig.output));
    let of_kernel = args.is_kernel().then(|| launch::comptime_checks(&types, &list, &sig.generics));
    let types_constant = types.types_constant(&gate, &sig.generics, typed, of_kernel);
    let expand = crate::names::expansion(name);
    let quiet = quiet();
    let shown = launch::shown(name, args.is_kernel());
    let launch = if args.is_kernel() { launch::launchers(&deep, &function.sig, args) } else { quote!() };
    // Host expressions call the function as written, also inside the module of the same name.
    let host = mentions_itself(&function).then(|| quote!(use super::#name;));
    Ok(quote! {
        #unused
        #[allow(clippy::too_many_arguments)]
        #original
        #check_items
        #shown
        #quiet
        #vis #module #name {
            use __p as __p;
            use super::*;
            #definition
            #types_constant
            #[doc(hidden)]
            pub fn #expand #impl_generics(#(#params),*) #output #where_clause { #host #body }
            #launch
        }
    })
}
