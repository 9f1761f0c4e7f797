//! Calls, methods, constructors, closures and ranges.
use super::host::{HOST_TYPES, OF_THE_LIBRARY, is_of_std, is_own_module, of_number, of_the_host, renamed};
use super::lists::iterator;
use super::numbers::{
    is_float, is_integer, is_number, is_of_language, is_run_time_number, literal_among, literal_given, missing_bound,
    type_of,
};
use super::origin::is_from_elsewhere;
use super::paths::{constructor, open_parameters, through_check, through_type, variable_among};
use super::{argument, is_const, place, raw, staged, value};
use crate::names::{self, position, private};
use crate::scope::{Context, Kind};
use crate::types::is_made_of_elements;
use crate::words::{NUMBERS, is_of_floats};
use crate::{flow, types};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprPath, Ident, PathArguments};

/// Whether a word is a number's type, of the language or of the host.
pub fn is_number_name(name: &str) -> bool {
    NUMBERS.contains(&name) || name == "usize"
}

pub fn is_type_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase()) || is_number_name(name)
}

/// `Some`, `Ok`, `Err`, and variants of enums by their path: values of the host where their arguments are.
pub fn is_host_constructor(function: &Expr) -> bool {
    let Expr::Path(ExprPath { path, qself: None, .. }) = function else { return false };
    let Some(last) = path.segments.last() else { return false };
    let last = last.ident.to_string();
    if ["Some", "Ok", "Err"].contains(&last.as_str()) {
        return true;
    }
    path.segments.len() >= 2
        && is_type_name(&path.segments[path.segments.len() - 2].ident.to_string())
        && last.starts_with(|c: char| c.is_ascii_uppercase())
}

/// `Foo::A` and `Foo::A(1)`: a value of an enum, not a number.
pub fn is_variant(e: &Expr) -> bool {
    let path = match e {
        Expr::Path(path) => path,
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => path,
            _ => return false,
        },
        _ => return false,
    };
    let segments = &path.path.segments;
    let Some(last) = segments.last().map(|s| s.ident.to_string()) else { return false };
    let builtin = ["Some", "None"].contains(&last.as_str());
    let constant = last.len() > 1 && !last.contains(|c: char| c.is_ascii_lowercase());
    let owner = segments.len() >= 2 && is_type_name(&segments[segments.len() - 2].ident.to_string());
    builtin || (owner && !constant && last.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// An argument of a function or a method. Where its parameter may be `#[comptime]`, that is asked at the argument.
fn parameter(cx: &mut Context, name: &Ident, index: usize, e: &Expr) -> TokenStream {
    let is_turn = matches!(e, Expr::Path(e) if e.path.get_ident().is_some_and(|name| cx.is_turn(name)));
    if is_turn
        || !cx.checked
        || is_const(cx, e)
        || matches!(e, Expr::Closure(_))
        || !crate::known::may_be_comptime(name, index)
    {
        return argument(cx, e);
    }
    let (value, span) = (raw(cx, e), e.span());
    let mut held = cx.fresh("held");
    held.set_span(span);
    let given = names::at(quote!(.given().made()), span);
    quote_spanned!(span=> { let mut #held = #value; #held #given })
}

/// What a function of the language makes, where its size is part of the kernel.
fn of_known_size(path: &syn::Path) -> Option<&'static str> {
    let mut segments = path.segments.iter().rev();
    let (function, owner) = (segments.next()?.ident.to_string(), segments.next()?.ident.to_string());
    match (owner.as_str(), function.as_str()) {
        ("SharedMemory", "new" | "new_lined" | "new_aligned") => Some("shared memory"),
        ("Array", "new" | "lined" | "vectorized") => Some("an array of the unit"),
        ("Line", "empty") => Some("a line"),
        _ => None,
    }
}

/// How many parameters a call gives to its function.
fn parameters(segment: &syn::PathSegment) -> usize {
    match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => arguments.args.len(),
        _ => 0,
    }
}

pub fn call(cx: &mut Context, e: &syn::ExprCall) -> TokenStream {
    let span = e.span();
    let p = private();
    let pos = position(span);
    // What a macro of the user passes on stands in a group of its own.
    if let Expr::Group(inner) = &*e.func {
        return call(cx, &syn::ExprCall { func: inner.expr.clone(), ..e.clone() });
    }
    let Expr::Path(ExprPath { path, qself, .. }) = &*e.func else {
        if let Expr::Paren(inner) = &*e.func
            && let Expr::Closure(_) = &*inner.expr
        {
            let function = value(cx, &inner.expr);
            let args: Vec<_> = e.args.iter().map(|a| staged(cx, a)).collect();
            return quote_spanned!(span=> (#function)(#(#args),*));
        }
        return cx.refuse(&e.func, "this cannot be called in a kernel: call a function by its name, or a closure");
    };
    if let Some(name) =
        path.get_ident().filter(|name| cx.kind(name).is_none() && crate::words::keyword(&name.to_string()).is_some())
    {
        return cx.refuse(e, format!("`{name}` is a number, and no function: leave the parentheses out"));
    }
    if let Some(name) = path.get_ident()
        && cx.kind(name).is_some()
    {
        if let Some((_, function)) = cx.functions.iter().find(|(known, _)| name == known) {
            let message = format!(
                "`{function}` is a function, and functions are no values of a kernel: call it by its name, or write a closure"
            );
            return cx.refuse_at(e, path, message);
        }
        // The parameters of a closure may have no types of their own: they are the arguments'.
        let args: Vec<_> = e.args.iter().map(|a| closure_argument(cx, a)).collect();
        return quote_spanned!(span=> #name(#(#args),*));
    }
    let Some(last) = path.segments.last() else { return cx.refuse(e, "a call needs a function") };
    let name = last.ident.to_string();
    if is_of_std(path) {
        let name = quote!(#path).to_string().replace(' ', "");
        return cx.refuse(
            e,
            format!("`{name}` is a function of the host: call it inside `comptime!(…)` where its arguments are known when the kernel is compiled, or write it in the kernel language"),
        );
    }
    if path.segments.len() == 1 && ["Some", "Ok", "Err"].contains(&name.as_str()) {
        let args: Vec<_> = e.args.iter().map(|a| staged(cx, a)).collect();
        return quote_spanned!(span=> #path(#(#args),*));
    }
    if let Some(what) = of_known_size(path)
        && let Some(size) = e.args.iter().find(|a| !is_const(cx, a) && flow::mentions_run_time(cx, a))
    {
        return cx.refuse(
            size,
            format!(
                "the size of {what} must be known when the kernel is compiled: use a constant or a `#[comptime]` value"
            ),
        );
    }
    if qself.is_none()
        && let [owner, function] = path.segments.iter().collect::<Vec<_>>().as_slice()
        && let Some(message) = crate::known::of_the_host(&owner.ident, &function.ident)
            .or_else(|| of_number(&owner.ident, &function.ident))
            .or_else(|| missing_bound(&owner.ident.to_string(), &function.ident))
    {
        return cx.refuse_at(e, path, message);
    }
    if let [owner, function] = path.segments.iter().collect::<Vec<_>>().as_slice()
        && let Some((literal, message)) = literal_among(cx, &owner.ident.to_string(), &function.ident, e.args.iter())
    {
        return cx.refuse_at(e, literal, message);
    }
    if let Some((literal, message)) = literal_given(cx, e) {
        return cx.refuse_at(e, literal, message);
    }
    if let Some(variable) = variable_among(cx, path) {
        return cx.refuse_at(
            e,
            &variable,
            format!("`{variable}` is a variable, and a parameter of a type is written in the program: use a constant, or make it a `#[comptime]` parameter of the function"),
        );
    }
    let plain = e.args.iter().all(|a| matches!(a, Expr::Path(_) | Expr::Lit(_) | Expr::Closure(_)));
    let args = e.args.iter().enumerate().map(|(i, a)| {
        let plain = path.get_ident().is_some_and(|name| crate::known::is_comptime(name, i));
        if plain && cx.checked && is_run_time_number(cx, a) {
            return cx.refuse(a, "this is known only when the kernel runs, and the parameter is `#[comptime]`: mark what it comes from as `#[comptime]`, or use a constant; or take `#[comptime]` from the parameter");
        }
        parameter(cx, &last.ident, i, a)
    });
    let args: Vec<_> = args.collect();
    let is_type = |i: usize| is_type_name(&path.segments[i].ident.to_string());
    let count = path.segments.len();
    let associated = qself.is_some() || (count >= 2 && is_type(count - 2));
    let mut path = path.clone();
    let (mut asked, mut within): (_, Vec<Ident>) = (None, Vec::new());
    let global = path.leading_colon;
    let target = if name.starts_with(|c: char| c.is_ascii_uppercase()) {
        constructor(cx, &path, associated)
    } else if associated {
        let of_library =
            || is_number_name(&path.segments[0].ident.to_string()) || is_made_of_elements(&path.segments[0].ident);
        let plain = qself.as_ref().is_some_and(|qself| {
            qself.position > 0 && {
                let of = syn::Path {
                    leading_colon: None,
                    segments: path.segments.iter().take(qself.position).cloned().collect(),
                };
                crate::known::seems_plain(&of)
            }
        });
        if plain || (qself.is_none() && !of_library()) {
            let owner = count.checked_sub(2).map(|i| &path.segments[i].ident);
            cx.names_host_memory |= owner.is_some_and(|owner| HOST_TYPES.iter().any(|name| owner == name));
            cx.associated_called(&last.ident, e.args.len(), parameters(last));
        }
        if qself.is_none() && !of_library() {
            super::paths::at_one_place(&mut path);
        }
        let own = path.segments.first().is_some_and(|owner| count == 2 && is_float(&owner.ident.to_string()));
        let last = path.segments.last_mut().expect("a path has segments");
        if let Some(own) = renamed(&name).filter(|_| own && e.args.len() == 1) {
            last.ident = Ident::new(own, last.ident.span());
        }
        last.ident = names::function(&last.ident);
        match qself {
            Some(qself) => {
                let ty = &qself.ty;
                let inside = &path.segments.iter().take(qself.position).collect::<Vec<_>>();
                let rest = path.segments.iter().skip(qself.position);
                if inside.is_empty() || plain {
                    // At the place of the type: a function that it has not is told there.
                    let (open, close) = (names::at(quote!(<), ty.span()), names::at(quote!(>), ty.span()));
                    quote!(#open #ty #close ::#(#rest)::*)
                } else {
                    quote!(<#ty as #(#inside)::*>::#(#rest)::*)
                }
            }
            None => through_type(cx, &path),
        }
    } else {
        if path.segments.len() == 1 {
            // A block in the body of a function sees the functions there, which no path leads to: nothing may stand before them.
            if cx.own_module || !crate::known::in_a_body() {
                cx.called(&path.segments[0].ident, e.args.len(), parameters(last));
            }
            asked = cx.checked.then(|| names::asked_in_a_kernel(path.segments[0].ident.span()));
        } else if cx.checked
            // By its path, so that one that is private is told once.
            && !crate::known::is_function(&last.ident)
            && !is_own_module(&path)
            && path.segments.iter().all(|segment| segment.arguments.is_none() || segment.ident == last.ident)
        {
            cx.called(&last.ident, e.args.len(), parameters(last));
            asked = Some(names::asked_in_a_kernel(last.ident.span()));
            within = path.segments.iter().take(count - 1).map(|segment| segment.ident.clone()).collect();
        }
        let last_span = last.ident.span();
        let generics = std::mem::replace(
            &mut path.segments.last_mut().expect("a path has segments").arguments,
            PathArguments::None,
        );
        let generics = match generics {
            PathArguments::AngleBracketed(mut g) => {
                g.colon2_token = None;
                if cx.checked {
                    g.args.iter_mut().for_each(|argument| through_check(argument, &p));
                }
                quote!(::#g)
            }
            _ => quote!(),
        };
        if within.is_empty() {
            // One that is private is told at the path as written, which ends where this one does.
            let expand = Ident::new("expand", last_span);
            quote_spanned!(span=> #path::#expand #generics)
        } else {
            // The names of the module are closer than the strangers.
            let own = &path.segments.last().expect("a path has segments").ident;
            quote_spanned!(span=> {
                use #global #(#within)::*::*;
                #own::expand #generics
            })
        }
    };
    let target = if cx.checked { cx.leaf(target) } else { target };
    with_position(cx, plain, &args, pos, span, &p, |args| quote_spanned!(span=> #target(#(#args),*) #asked))
}

/// Operations of the library say where they stand; the place is set after the arguments, which have places of their own.
fn with_position(
    cx: &mut Context,
    plain: bool,
    args: &[TokenStream],
    pos: u32,
    span: proc_macro2::Span,
    p: &TokenStream,
    call: impl FnOnce(Vec<TokenStream>) -> TokenStream,
) -> TokenStream {
    if plain {
        let call = call(args.to_vec());
        return quote_spanned!(span=> { #p::at(#pos); #call });
    }
    let held: Vec<Ident> = args.iter().map(|_| cx.fresh("arg")).collect();
    let is_closure = |tokens: &TokenStream| matches!(syn::parse2::<Expr>(tokens.clone()), Ok(Expr::Closure(_)));
    // A closure stands in the call itself, where the callee's bound tells the types of its parameters.
    let lets = held.iter().zip(args).filter(|(_, a)| !is_closure(a)).map(|(h, a)| quote_spanned!(span=> let #h = #a;));
    let uses = held.iter().zip(args).map(|(h, a)| if is_closure(a) { a.clone() } else { quote!(#h) }).collect();
    let call = call(uses);
    quote_spanned!(span=> { #(#lets)* #p::at(#pos); #call })
}

fn closure_argument(cx: &mut Context, e: &Expr) -> TokenStream {
    match e {
        Expr::Path(path) if path.path.get_ident().is_some_and(|n| cx.kind(n) == Some(Kind::Closure)) => quote!(#path),
        _ => staged(cx, e),
    }
}

fn is_range(e: &Expr) -> bool {
    match e {
        Expr::Paren(inner) => is_range(&inner.expr),
        Expr::Range(_) => true,
        Expr::MethodCall(call) => (call.method == "rev" || call.method == "step_by") && is_range(&call.receiver),
        _ => false,
    }
}

pub fn method(cx: &mut Context, e: &syn::ExprMethodCall) -> TokenStream {
    let span = e.method.span();
    let p = private();
    let pos = position(span);
    let name = e.method.to_string();
    if name == "runtime" && e.args.is_empty() {
        let inner = staged(cx, &e.receiver);
        return quote_spanned!(span=> #p::runtime(#inner));
    }
    if !is_const(cx, &e.receiver)
        && is_number(cx, &e.receiver)
        && let Some(message) = of_the_host(&name)
    {
        return cx.refuse_at(e, &e.method, message);
    }
    if let Some(message) = iterator(cx, e).or_else(|| {
        let ty = type_of(cx, &e.receiver)?;
        missing_bound(&ty, &e.method)
    }) {
        return cx.refuse_at(e, &e.method, message);
    }
    if let Some(ty) = type_of(cx, &e.receiver)
        && let Some((literal, message)) = literal_among(cx, &ty, &e.method, e.args.iter())
    {
        return cx.refuse_at(e, literal, message);
    }
    if e.args.is_empty() && is_of_floats(&name) && is_integer(cx, &e.receiver) {
        return cx.refuse_at(e, &e.method, format!("`{name}` is of floats: cast first, `f32::cast_from(x).{name}()`"));
    }
    if is_range(&e.receiver) && !["rev", "step_by", "clone"].contains(&name.as_str()) {
        return cx.refuse_at(
            e,
            &e.method,
            format!("`{name}` is no method of the kernel language: write a `for` loop over the range"),
        );
    }
    let receiver = match &*e.receiver {
        Expr::Lit(_) => staged(cx, &e.receiver),
        Expr::Path(_) | Expr::Field(_) if is_const(cx, &e.receiver) => {
            let tokens = raw(cx, &e.receiver);
            quote!(#tokens.clone())
        }
        Expr::Path(_) | Expr::Field(_) | Expr::Paren(_) | Expr::Unary(_) => {
            let place = place(cx, &e.receiver);
            quote_spanned!(span=> #place.clone())
        }
        other => raw(cx, other),
    };
    if name == "clone" && e.args.is_empty() {
        let place = place(cx, &e.receiver);
        return quote_spanned!(span=> (&#p::R(&#place)).dup());
    }
    let plain = e.args.iter().all(|a| matches!(a, Expr::Path(_) | Expr::Lit(_)));
    let args: Vec<_> = e.args.iter().enumerate().map(|(i, a)| parameter(cx, &e.method, i, a)).collect();
    let method = match renamed(&name).filter(|_| e.args.is_empty() && is_number(cx, &e.receiver)) {
        Some(own) => names::method(&Ident::new(own, span)),
        None => names::method(&e.method),
    };
    let mut asked = None;
    let generics = &e.turbofish;
    let from_elsewhere = match &*e.receiver {
        Expr::Path(path) => {
            path.path.get_ident().is_some_and(|name| cx.from_elsewhere.iter().any(|known| name == known))
        }
        other => is_from_elsewhere(other),
    };
    let of_library = OF_THE_LIBRARY.contains(&name.as_str()) && is_of_language(cx, &e.receiver);
    if let Some(given) = open_parameters(generics).filter(|_| from_elsewhere || !of_library) {
        cx.method_called(&e.method, e.args.len(), given);
        asked = cx.checked.then(|| names::asked_of_method(&e.method, generics));
    }
    // At the place of the name: a method that is none of the language is told there.
    let mut held = cx.fresh("on");
    held.set_span(span);
    let call = with_position(
        cx,
        plain,
        &args,
        pos,
        span,
        &p,
        |args| quote_spanned!(span=> #held.#method #generics(#(#args),*) #asked),
    );
    quote_spanned!(span=> { let mut #held = #receiver; #call })
}

/// A closure runs on the host: each call writes its body once more.
pub fn closure(cx: &mut Context, e: &syn::ExprClosure) -> TokenStream {
    cx.scoped(|cx| {
        let params: Vec<_> = e
            .inputs
            .iter()
            .map(|pat| {
                cx.declare_pattern(pat, Kind::Value);
                match pat {
                    syn::Pat::Type(typed) => {
                        if types::is_mut_ref(&typed.ty) {
                            cx.declare_pattern(&typed.pat, Kind::Reference);
                        }
                        if let syn::Pat::Ident(name) = &*typed.pat {
                            cx.typed(&name.ident, &typed.ty);
                        }
                        let pat = crate::pattern::staged(cx, &typed.pat);
                        let ty = types::staged(&typed.ty);
                        quote!(#pat: #ty)
                    }
                    other => {
                        let pat = crate::pattern::staged(cx, other);
                        quote!(#pat)
                    }
                }
            })
            .collect();
        let outer = std::mem::take(&mut cx.loops);
        let early = std::mem::replace(&mut cx.early_return, false);
        let body = match &*e.body {
            Expr::Block(block) => flow::block(cx, &block.block),
            other => staged_or_unit(cx, other),
        };
        cx.loops = outer;
        cx.early_return = early;
        let moves = &e.capture;
        quote_spanned!(e.span()=> #moves |#(#params),*| #body)
    })
}

fn staged_or_unit(cx: &mut Context, e: &Expr) -> TokenStream {
    staged(cx, e)
}

/// `a..b` and `a..=b`.
pub fn range(cx: &mut Context, e: &syn::ExprRange) -> TokenStream {
    let p = private();
    let span = e.span();
    let (Some(start), Some(end)) = (&e.start, &e.end) else {
        return cx.refuse(e, "a range in a kernel needs both ends: write `start..end`");
    };
    let start = staged(cx, start);
    let end = staged(cx, end);
    let inclusive = matches!(e.limits, syn::RangeLimits::Closed(_));
    quote_spanned!(span=> #p::range(#start, #end, #inclusive))
}
