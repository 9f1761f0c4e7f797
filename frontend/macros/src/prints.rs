//! `debug_print!`: the text has the syntax of Rust's format strings, and also accepts C's `%d` and similar conversions.
//!
//! A placeholder in the text is `{}`, `{0}`, `{name}` of an argument or of a variable, or `%d`. `core/src/lang/prints.rs`
//! reads the text, in a constant of the expansion and when the kernel is built.
use crate::expr;
use crate::names::position;
use crate::scope::Context;
use crate::syntax;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Ident, LitStr, parse_quote_spanned};

/// Expands a print macro in a kernel.
pub fn print(cx: &mut Context, mac: &syn::Macro, name: &str) -> TokenStream {
    let span = mac.span();
    let pos = position(span);
    let Some((text, args)) = arguments(mac) else {
        return cx.refuse(mac, format!("`{name}!` takes a text and values; write `{name}!(\"{{}}\", value)`"));
    };
    let Some(literal) = literal(&text) else {
        // The text is the result of another macro. It is read when the kernel is built, and cannot contain names.
        let values: Vec<_> = args.iter().map(|a| expr::staged(cx, a)).collect();
        return quote_spanned!(span=> __p::print(&__p::placeholders(#text), &[#(__p::printed(#values)),*], #pos));
    };
    let given = args.len();
    let (names, values): (Vec<_>, Vec<_>) = named_values(&literal, args).into_iter().unzip();
    let values: Vec<_> = values.iter().map(|value| expr::staged(cx, value)).collect();
    quote_spanned!(span=> {
        const __NAMES: &[&str] = &[#(#names),*];
        const _: () = __p::check_print(#literal, #given, __NAMES);
        __p::print_text(#literal, __NAMES, &[#(__p::printed(#values)),*], #pos)
    })
}

/// The macro call that rustc checks, in which variables that the text names are arguments.
pub fn cleaned(mac: &syn::Macro) -> Option<TokenStream> {
    let (text, args) = arguments(mac)?;
    let values = named_values(&literal(&text)?, args).into_iter().map(|(_, value)| value);
    Some(quote!(#text #(, #values)*))
}

fn arguments(mac: &syn::Macro) -> Option<(Expr, Vec<Expr>)> {
    let mut all = syntax::arguments(mac)?.into_iter();
    Some((all.next()?, all.collect()))
}

fn literal(text: &Expr) -> Option<LitStr> {
    syn::parse2(quote!(#text)).ok()
}

/// The values with their names: the arguments of the call, of which `x = value` has a name, and the variables that the text
/// names.
fn named_values(text: &LitStr, args: Vec<Expr>) -> Vec<(String, Expr)> {
    let named = |arg: Expr| match arg {
        Expr::Assign(syn::ExprAssign { left, right, .. }) if syntax::name_of(&left).is_some() => {
            (quote!(#left).to_string(), *right)
        }
        value => (String::new(), value),
    };
    let mut all: Vec<_> = args.into_iter().map(named).collect();
    for mut name in names(&text.value()) {
        if !all.iter().any(|(known, _)| name == known) {
            name.set_span(text.span());
            all.push((name.to_string(), parse_quote_spanned!(text.span()=> #name)));
        }
    }
    all
}

/// The names `x` of the placeholders `{x}` in a text.
pub fn names(text: &str) -> Vec<Ident> {
    let text = text.replace("{{", "");
    let names = text.split('{').skip(1).filter_map(|part| part.split(['}', ':']).next());
    names.filter_map(|name| syn::parse_str(name).ok()).collect()
}
