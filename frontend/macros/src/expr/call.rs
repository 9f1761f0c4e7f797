//! Translates calls of functions and methods, constructors, closures and ranges.
use super::numbers::is_of_language;
use super::paths::{constructor, open_parameters, through_type};
use super::{argument, is_const, place, raw, staged, value};
use crate::names::{self, position};
use crate::scope::{Context, Name};
use crate::type_check::NameKind;
use crate::types::is_made_of_elements;
use crate::{flow, stmt, syntax, tokens, types};
use cube_names::{frequent_methods, is_of_one, is_of_two, renamed};
use cube_target::Number;
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprPath, Ident, PathArguments, Token};

/// Whether a name is a float type of Rust, or a type parameter with a float bound.
fn is_float(cx: &Context, name: &Ident) -> bool {
    let own = Number::from_name(&name.to_string());
    own.is_some_and(|number| number.is_float() && number.name() == number.host().name())
        || cx.types.parameters.is_float(name)
}

/// `Some`, `Ok`, `Err` and enum variants by their path: host values if all arguments are host values.
pub fn is_host_constructor(function: &Expr) -> bool {
    matches!(function, Expr::Path(ExprPath { path, qself: None, .. })
        if syntax::ends_in(path, &["Some", "Ok", "Err"]) || syntax::enum_of(path).is_some())
}

/// `Foo::A` and `Foo::A(1)`: an enum value, not a number.
pub fn is_variant(e: &Expr) -> bool {
    match e {
        Expr::Path(path) => syntax::ends_in(&path.path, &["Some", "None"]) || syntax::enum_of(&path.path).is_some(),
        Expr::Call(call) => matches!(&*call.func, Expr::Path(_)) && is_variant(&call.func),
        _ => false,
    }
}

/// Whether a library function has only parameters without `#[comptime]`.
fn takes_values(name: &str) -> bool {
    const OTHERS: [&str; 7] = ["range", "range_stepped", "select", "select_many", "fma", "div_ceil", "clamp"];
    OTHERS.contains(&name)
        || frequent_methods().any(|known| known == name)
        || is_of_two(name)
        || ["plane_", "sync_"].iter().any(|begin| name.starts_with(begin))
}

/// Whether every number type of the kernel language has the function `name`.
fn is_of_numbers(name: &str) -> bool {
    const OTHERS: [&str; 5] = ["new", "from_int", "cast_from", "reinterpret", "from_vec"];
    OTHERS.contains(&name) || takes_values(name) || renamed(name).is_some() || is_of_one(name)
}

/// Whether a path names a function `T::f` of every number type, and `T` is a number type.
pub fn is_function_of_number(cx: &Context, path: &syn::Path) -> bool {
    let names: Vec<&Ident> = path.segments.iter().map(|segment| &segment.ident).collect();
    let is_number =
        |owner: &Ident| syntax::is_number_name(&owner.to_string()) || cx.types.parameters.is_only_number(owner);
    matches!(names[..], [owner, function] if is_number(owner) && is_of_numbers(&function.to_string()))
}

/// An argument of a function or a method. If the parameter is `#[comptime]`, rustc reports a run-time value at the
/// location of the argument.
fn parameter(cx: &mut Context, function: &Ident, e: &Expr) -> TokenStream {
    let known = is_const(cx, e) || matches!(e, Expr::Closure(_)) || takes_values(&function.to_string());
    if cx.local_of(e).is_some_and(|local| local.loop_counter) || known {
        return argument(cx, e);
    }
    let (value, span) = (raw(cx, e), e.span());
    let mut held = cx.fresh("held");
    held.set_span(span);
    let given = tokens::at(quote!(.convert_argument().into_value()), span);
    quote_spanned!(span=> { let mut #held = #value; #held #given })
}

/// The return type of a library function that returns memory of a constant size.
fn of_known_size(path: &syn::Path) -> Option<&'static str> {
    let (owner, function) = syntax::owner_and_name(path)?;
    match (owner.as_str(), function.as_str()) {
        ("SharedMemory", "new" | "new_lined" | "new_aligned") => Some("shared memory"),
        ("Array", "new" | "lined" | "vectorized") => Some("an array of the unit"),
        ("Line", "empty") => Some("a line"),
        _ => None,
    }
}

/// A generic parameter for each generic argument in a path segment.
fn parameters(segment: &syn::PathSegment) -> Vec<TokenStream> {
    let count = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => arguments.args.len(),
        _ => 0,
    };
    (0..count).map(|i| format_ident!("T{i}").into_token_stream()).collect()
}

pub fn call(cx: &mut Context, e: &syn::ExprCall) -> TokenStream {
    let span = e.span();
    let Expr::Path(ExprPath { path, qself, .. }) = &*e.func else {
        if let Expr::Closure(_) = &*e.func {
            let function = value(cx, &e.func);
            let args: Vec<_> = e.args.iter().map(|a| staged(cx, a)).collect();
            return quote_spanned!(span=> (#function)(#(#args),*));
        }
        return cx.refuse(
            &e.func,
            "this expression cannot be called in a kernel; call a function by its name, or call a closure",
        );
    };
    if let Some(name) = path.get_ident()
        && let Some(kind) = cx.kind(name)
    {
        if kind == Name::Comptime {
            return cx.refuse(
                e,
                format!("`{name}` is a host value, which a kernel cannot call; call the function by its own name, or declare a closure"),
            );
        }
        // A closure without parameter types is valid: rustc infers the types from the arguments.
        let args: Vec<_> = e.args.iter().map(|a| if cx.is_closure(a) { quote!(#a) } else { staged(cx, a) }).collect();
        return quote_spanned!(span=> #name(#(#args),*));
    }
    let last = &path.segments[path.segments.len() - 1];
    let name = last.ident.to_string();
    if path.segments.len() == 1 && ["Some", "Ok", "Err"].contains(&name.as_str()) {
        let args: Vec<_> = e.args.iter().map(|a| staged(cx, a)).collect();
        return quote_spanned!(span=> #path(#(#args),*));
    }
    if let Some(what) = of_known_size(path)
        && let Some(size) = e.args.iter().find(|a| !is_const(cx, a) && flow::mentions_run_time(cx, a))
    {
        return cx.refuse(
            size,
            format!("the size of {what} must be known at compile time; use a constant or a `#[comptime]` value"),
        );
    }
    let of_number = is_function_of_number(cx, path);
    let args: Vec<_> = match of_number {
        true => e.args.iter().map(|a| argument(cx, a)).collect(),
        false => e.args.iter().map(|a| parameter(cx, &last.ident, a)).collect(),
    };
    let owner = path.segments.iter().nth_back(1);
    let is_associated = qself.is_some() || owner.is_some_and(|owner| syntax::is_type_name(&owner.ident.to_string()));
    let (target, check) = if syntax::is_upper(&name) {
        (constructor(cx, path, is_associated, e.args.len()), None)
    } else if is_associated {
        (associated(cx, path, qself, e.args.len()), None)
    } else {
        free(cx, path, e.args.len(), span)
    };
    with_position(&e.args, args, span, |args| quote_spanned!(span=> #target(#(#args),*) #check))
}

/// The expansion of the function `T::f` or `<T as Trait>::f`.
fn associated(cx: &mut Context, path: &syn::Path, qself: &Option<syn::QSelf>, arguments: usize) -> TokenStream {
    let (owner, last) = (&path.segments[0], &path.segments[path.segments.len() - 1]);
    let is_own = arguments == 1 && path.segments.len() == 2 && is_float(cx, &owner.ident);
    let own = renamed(&last.ident.to_string()).filter(|_| is_own);
    let name = own.map_or_else(|| last.ident.clone(), |own| Ident::new(own, last.ident.span()));
    let Some(syn::QSelf { ty, position, .. }) = qself else {
        if !is_function_of_number(cx, path) && !is_made_of_elements(&owner.ident) {
            cx.record(NameKind::Associated, &last.ident, arguments, parameters(last));
        }
        return through_type(cx, &syntax::with_last(path, names::function(&name)));
    };
    let path = syntax::with_last(path, names::function(&name));
    let target = if *position == 0 {
        // The tokens have the location of the type, because rustc reports a missing function there.
        let (open, close) = (tokens::at(quote!(<), ty.span()), tokens::at(quote!(>), ty.span()));
        quote!(#open #ty #close #path)
    } else {
        ExprPath { attrs: Vec::new(), qself: qself.clone(), path }.into_token_stream()
    };
    names::if_checked(target)
}

/// The expansion of a free function, and the check of its result.
fn free(
    cx: &mut Context,
    path: &syn::Path,
    arguments: usize,
    span: proc_macro2::Span,
) -> (TokenStream, Option<TokenStream>) {
    let (first, last) = (&path.segments[0], &path.segments[path.segments.len() - 1]);
    let (own, expand) = (&last.ident, names::expansion(&last.ident));
    let generics = match last.arguments.clone() {
        PathArguments::AngleBracketed(mut generics) => {
            generics.colon2_token.get_or_insert_default();
            Some(generics)
        }
        _ => None,
    };
    // An import by this path is ambiguous if the user has a module of this name. Functions that the macro itself names
    // always exist.
    let is_known = ["std", "core", "alloc", "Self", names::PRIVATE].iter().any(|name| first.ident == name)
        || path.segments.iter().any(|segment| !segment.arguments.is_none() && segment.ident != *own);
    let is_path = path.segments.len() > 1;
    let check = (!is_path || !is_known).then(|| names::check_call(own.span()));
    // A method can be inside a function body. The functions of that body have no path, so generated items must not hide
    // them.
    let is_reserved = ["Self", "self", "super", "crate"].iter().any(|reserved| own == reserved);
    if check.is_some() && (is_path || cx.own_module) && !is_reserved {
        cx.record(NameKind::Function, own, arguments, parameters(last));
    }
    if !is_path || is_known {
        let mut path = path.clone();
        path.segments.iter_mut().last().into_iter().for_each(|last| last.arguments = PathArguments::None);
        // rustc reports a private function at the path as written. This path ends at the same location.
        return (names::if_checked(quote_spanned!(span=> #path::#expand #generics)), check);
    }
    // Names in the user's module hide the fallbacks for unresolved calls.
    let (global, count) = (path.leading_colon, path.segments.len() - 1);
    let within = path.segments.iter().take(count).map(|segment| &segment.ident);
    let target = quote_spanned!(span=> {
        use #global #(#within)::*::*;
        #own::#expand #generics
    });
    (names::if_checked(target), check)
}

/// A call of a library operation first sets the operation's source location. The last argument sets the location, because
/// arguments set their own locations. A closure is emitted unchanged, so that rustc infers the types of its parameters.
fn with_position(
    given: &Punctuated<Expr, Token![,]>,
    mut args: Vec<TokenStream>,
    span: proc_macro2::Span,
    call: impl FnOnce(Vec<TokenStream>) -> TokenStream,
) -> TokenStream {
    let pos = position(span);
    let Some(last) = given.iter().rposition(|e| !matches!(e, Expr::Closure(_))) else {
        let call = call(args);
        return quote_spanned!(span=> { __p::at(#pos); #call });
    };
    let value = &args[last];
    args[last] = quote_spanned!(span=> (#value, __p::at(#pos)).0);
    call(args)
}

pub fn method(cx: &mut Context, e: &syn::ExprMethodCall) -> TokenStream {
    let span = e.method.span();
    let name = e.method.to_string();
    if name == "runtime" && e.args.is_empty() {
        let inner = staged(cx, &e.receiver);
        return quote_spanned!(span=> __p::runtime(#inner));
    }
    let receiver = match &*e.receiver {
        Expr::Lit(_) => staged(cx, &e.receiver),
        Expr::Path(_) | Expr::Field(_) if is_const(cx, &e.receiver) => {
            let tokens = raw(cx, &e.receiver);
            quote!(#tokens.clone())
        }
        Expr::Path(_) | Expr::Field(_) | Expr::Unary(_) => {
            let place = place(cx, &e.receiver);
            quote_spanned!(span=> #place.clone())
        }
        other => raw(cx, other),
    };
    if name == "clone" && e.args.is_empty() {
        let place = place(cx, &e.receiver);
        return quote_spanned!(span=> (&__p::R(&#place)).dup());
    }
    let args: Vec<_> = e.args.iter().map(|a| parameter(cx, &e.method, a)).collect();
    let method = names::method(&e.method);
    let mut check = None;
    let generics = &e.turbofish;
    let of_library = frequent_methods().any(|known| known == name) && is_of_language(cx, &e.receiver);
    if let Some(given) = open_parameters(generics).filter(|_| !of_library) {
        cx.record(NameKind::Method, &e.method, e.args.len(), given);
        check = Some(names::check_method_call(&e.method, generics));
    }
    // The tokens have the location of the method's name, because rustc reports an unsupported method there.
    let mut held = cx.fresh("on");
    held.set_span(span);
    let call =
        with_position(&e.args, args, span, |args| quote_spanned!(span=> #held.#method #generics(#(#args),*) #check));
    quote_spanned!(span=> { let mut #held = #receiver; #call })
}

/// Translates a closure. A closure is a host function, so each call expands the closure's body again.
pub fn closure(cx: &mut Context, e: &syn::ExprClosure) -> TokenStream {
    cx.scoped(|cx| {
        let mut binds = TokenStream::new();
        let params: Vec<_> = e
            .inputs
            .iter()
            .map(|pat| {
                let (pat, ty) = match pat {
                    syn::Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
                    other => (other, None),
                };
                let (name, bound) = stmt::parameter(cx, pat, ty.is_some_and(types::is_mut_ref));
                binds.extend(bound);
                let ty = ty.map(|ty| cx.types.staged(ty)).map(|ty| quote!(: #ty));
                quote!(#name #ty)
            })
            .collect();
        let outer = std::mem::take(&mut cx.loops);
        let early = std::mem::replace(&mut cx.early_return, false);
        let body = match &*e.body {
            Expr::Block(block) => flow::block(cx, &block.block),
            other => staged(cx, other),
        };
        cx.loops = outer;
        cx.early_return = early;
        let moves = &e.capture;
        let body = if binds.is_empty() { body } else { quote!({ #binds #body }) };
        quote_spanned!(e.span()=> #moves |#(#params),*| #body)
    })
}

/// `a..b` and `a..=b`.
pub fn range(cx: &mut Context, e: &syn::ExprRange) -> TokenStream {
    let span = e.span();
    let (Some(start), Some(end)) = (&e.start, &e.end) else {
        return cx.refuse(e, "a range in a kernel needs both ends; write `start..end`");
    };
    let start = staged(cx, start);
    let end = staged(cx, end);
    let inclusive = matches!(e.limits, syn::RangeLimits::Closed(_));
    quote_spanned!(span=> __p::range(#start, #end, #inclusive))
}
