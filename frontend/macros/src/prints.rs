//! `debug_print!`: the text has the syntax of Rust's format strings, and also accepts C's `%d` and similar conversions.
//!
//! A placeholder in the text is `{}`, `{0}`, `{name}` of an argument or of a variable, or `%d`. Each type has
//! only one output format. The macro therefore refuses a format specification in braces, and ignores the
//! flags, width and precision of a C conversion.
use crate::expr;
use crate::names::position;
use crate::scope::Context;
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, Ident, Lit, Token, parse_quote_spanned};

/// A parsed `debug_print!`: the text with `{}` for each value, and the values.
struct Print {
    text: String,
    /// The arguments of the call, followed by the variables that the text names.
    values: Vec<Expr>,
    /// For each placeholder, the index of its value.
    places: Vec<usize>,
}

/// Expands a print macro in a kernel.
pub fn print(cx: &mut Context, mac: &syn::Macro, name: &str) -> TokenStream {
    let span = mac.span();
    let pos = position(span);
    let Some(args) = arguments(mac) else {
        return cx.refuse(mac, format!("`{name}!` takes a text and values; write `{name}!(\"{{}}\", value)`"));
    };
    let mut args = args.into_iter();
    let Some(text) = args.next() else {
        return cx.refuse(mac, format!("`{name}!` takes a text and values; write `{name}!(\"{{}}\", value)`"));
    };
    let read = match literal(&text) {
        Some(literal) => Print::read(&literal, args.collect()),
        // Here, the text is the result of another macro. The text is parsed when the kernel is built, and cannot
        // contain names.
        None => {
            let values: Vec<_> = args.map(|a| expr::staged(cx, &a)).collect();
            return quote_spanned!(span=> __p::print(&__p::placeholders(#text), &[#(__p::printed(#values)),*], #pos));
        }
    };
    let print = match read {
        Ok(print) => print,
        Err((at, message)) => return cx.refuse(&at, message),
    };
    let names: Vec<_> = (0..print.values.len()).map(|i| format_ident!("__printed_{i}", span = span)).collect();
    let values: Vec<_> = print.values.iter().map(|value| expr::staged(cx, value)).collect();
    let (text, places) = (&print.text, print.places.iter().map(|value| &names[*value]));
    quote_spanned!(span=> { #(let #names = __p::printed(#values);)* __p::print(#text, &[#(#places),*], #pos) })
}

/// The macro call that rustc checks, in which variables that the text names are arguments.
pub fn cleaned(mac: &syn::Macro) -> Option<TokenStream> {
    let mut args = arguments(mac)?.into_iter();
    let text = args.next()?;
    let print = Print::read(&literal(&text)?, args.collect()).ok()?;
    let values = &print.values;
    Some(quote!(#text #(, #values)*))
}

fn arguments(mac: &syn::Macro) -> Option<Punctuated<Expr, Token![,]>> {
    mac.parse_body_with(Punctuated::parse_terminated).ok()
}

fn literal(text: &Expr) -> Option<syn::LitStr> {
    match text {
        Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. }) => Some(text.clone()),
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}

/// An error: the tokens at its location, and its message.
type TextError = (TokenStream, String);

impl Print {
    fn read(text: &syn::LitStr, args: Vec<Expr>) -> Result<Self, TextError> {
        let wrong = |message: String| (quote!(#text), message);
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for arg in args {
            let (name, value) = named(arg);
            names.push(name);
            values.push(value);
        }
        let given = values.len();
        let mut print = Print { text: String::new(), values, places: Vec::new() };
        let mut next = 0;
        for segment in segments(&text.value()).map_err(wrong)? {
            let value = match segment {
                Segment::Text(part) => {
                    print.text.push_str(&part);
                    continue;
                }
                Segment::Next => {
                    next += 1;
                    next - 1
                }
                Segment::At(index) => index,
                Segment::Named(name) => match names.iter().position(|n| n.as_ref() == Some(&name)) {
                    Some(index) => index,
                    None => {
                        let variable = variable(&name, text.span()).ok_or_else(|| wrong(no_name(&name)))?;
                        names.push(Some(name));
                        print.values.push(parse_quote_spanned!(text.span()=> #variable));
                        names.len() - 1
                    }
                },
            };
            print.text.push_str("{}");
            print.places.push(value);
        }
        let most = print.places.iter().filter(|i| **i < given || **i >= print.values.len()).max();
        let required = next.max(most.map_or(0, |most| most + 1));
        if required > given {
            return Err(wrong(too_few(required, given)));
        }
        match (0..given).find(|index| !print.places.contains(index)) {
            Some(unused) => {
                let value = &print.values[unused];
                Err((
                    quote!(#value),
                    "the text has no placeholder for this value; write one `{}`, `%d` or `%f` for each".into(),
                ))
            }
            None => Ok(print),
        }
    }
}

/// `name = value`, or a value alone.
fn named(arg: Expr) -> (Option<String>, Expr) {
    match arg {
        Expr::Assign(assign) => match &*assign.left {
            Expr::Path(path) if path.path.get_ident().is_some() => {
                (path.path.get_ident().map(ToString::to_string), *assign.right)
            }
            _ => (None, Expr::Assign(assign)),
        },
        value => (None, value),
    }
}

fn variable(name: &str, span: Span) -> Option<Ident> {
    syn::parse_str::<Ident>(name).ok().map(|_| Ident::new(name, span))
}

fn no_name(name: &str) -> String {
    format!("`{name}` is not the name of a variable; pass the value after the text, and write `{{}}` for it")
}

fn too_few(required: usize, given: usize) -> String {
    let counted = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let (places, values) = (counted(required, "placeholder"), counted(given, "value"));
    format!("{places} in the text, but {values}; write one `{{}}`, `%d` or `%f` for each value")
}

/// A part of the text: literal text or a placeholder.
#[derive(Debug, PartialEq)]
enum Segment {
    Text(String),
    /// `{}` or `%d`.
    Next,
    /// `{0}`.
    At(usize),
    /// `{name}`.
    Named(String),
}

fn segments(text: &str) -> Result<Vec<Segment>, String> {
    let mut all = Vec::new();
    let mut part = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let placeholder = match c {
            '{' | '}' | '%' if rest.next_if_eq(&c).is_some() => None,
            '{' => {
                let inside: String = std::iter::from_fn(|| rest.next_if(|c| *c != '}')).collect();
                if rest.next().is_none() {
                    return Err("a `{` in the text is not closed; write `{{` for the character".into());
                }
                Some(placeholder(inside.trim())?)
            }
            '}' => return Err("a `}` in the text was not opened; write `}}` for the character".into()),
            '%' => {
                // The flags, the width, the precision and the length of a C conversion are ignored, up to the letter of
                // the conversion.
                let skipped: String =
                    std::iter::from_fn(|| rest.next_if(|c| "-+#0123456789.hlLqjzt".contains(*c))).collect();
                if rest.next_if(|c| "diouxXeEfFgGaAcsp".contains(*c)).is_none() {
                    part.push('%');
                    part.push_str(&skipped);
                    continue;
                }
                Some(Segment::Next)
            }
            _ => None,
        };
        match placeholder {
            Some(placeholder) => all.extend([Segment::Text(std::mem::take(&mut part)), placeholder]),
            None => part.push(c),
        }
    }
    all.push(Segment::Text(part));
    let printed =
        |segment: &Segment| matches!(segment, Segment::Text(part) if part.contains("{}") || part.contains("{:u}"));
    if all.iter().any(printed) {
        return Err("`{}` cannot be printed literally, because it is a placeholder; print other brackets".into());
    }
    Ok(all)
}

/// Parses the text between the braces of a placeholder.
fn placeholder(inside: &str) -> Result<Segment, String> {
    let (name, format) = inside.split_once(':').unwrap_or((inside, ""));
    if !format.is_empty() {
        return Err(format!(
            "`{{{inside}}}` has a format, but kernel values have a fixed format; write `{{{}}}`",
            name.trim()
        ));
    }
    Ok(match (name.trim(), name.trim().parse()) {
        ("", _) => Segment::Next,
        (_, Ok(index)) => Segment::At(index),
        (name, _) => Segment::Named(name.into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, String> {
        let shown = |segment| match segment {
            Segment::Text(part) => part,
            Segment::Next => "<>".into(),
            Segment::At(index) => format!("<{index}>"),
            Segment::Named(name) => format!("<{name}>"),
        };
        segments(text).map(|all| all.into_iter().map(shown).collect())
    }

    #[test]
    fn placeholders_of_rust_and_c() {
        assert_eq!(read("{} {0} { x } {y:} %d %5.2f %u"), Ok("<> <0> <x> <y> <> <> <>".into()));
        assert_eq!(read("{{x}} 100%% {}% done, 5 %"), Ok("{x} 100% <>% done, 5 %".into()));
    }

    #[test]
    fn formats_and_open_brackets_are_refused() {
        for (text, word) in [
            ("{:?}", "`{:?}` has a format, but kernel values have a fixed format; write `{}`"),
            ("{x:.2}", "write `{x}`"),
            ("{0:>8}", "write `{0}`"),
            ("{x", "not closed"),
            ("x}", "not opened"),
            ("{{}}", "cannot be printed"),
        ] {
            assert!(read(text).unwrap_err().contains(word), "{text}");
        }
    }
}
