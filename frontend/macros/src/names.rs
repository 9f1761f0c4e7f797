//! The path of the kernel language's crate, and the names of generated items.
use crate::tokens::{self, at};
use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use syn::Ident;
use syn::ext::IdentExt;

/// The crates through which a program can use the kernel language. The first of these crates is `cube-mlir`.
const HOMES: [&str; 2] = ["cube-mlir", "cube-frontend"];

/// Reserved name of the module with the functions that expansions call. [`resolved`] replaces it by the module's path.
pub const PRIVATE: &str = "__p";

/// Replaces the reserved name in an expansion by the path of the language's crate. In the module of a function, which begins
/// with `use __p as __p`, only the path of this import changes. The manifest of the user's crate determines the name of the
/// language's crate. Apart from the path of this crate, the expansion depends only on the tokens of the item.
pub fn resolved(tokens: TokenStream) -> TokenStream {
    let home = find();
    tokens::map(tokens, &|rest| match &rest[0] {
        TokenTree::Ident(name) if name == PRIVATE => {
            let (span, krate) = (name.span(), Ident::new(&home, name.span()));
            let global = (home != "crate").then(|| quote_spanned!(span=> ::));
            let is_imported = matches!(rest.get(1), Some(TokenTree::Ident(word)) if word == "as");
            Some((quote_spanned!(span=> #global #krate::__private), is_imported))
        }
        _ => None,
    })
}

/// The name of the language's crate. Tests, examples and benchmarks of `cube-mlir` are separate crates, in which its name is
/// `cube`. If the manifest does not rename a dependency, its name is the name of its library.
fn find() -> String {
    match HOMES.iter().find_map(|home| Some((home, crate_name(home).ok()?))) {
        Some((&"cube-frontend", FoundCrate::Itself)) => "crate".into(),
        Some((_, FoundCrate::Name(name))) if name != "cube_mlir" => name,
        _ => "cube".into(),
    }
}

/// The name of a function's expansion in the generated module. The expansion has the function's name, because rustc's messages
/// show this name. If the module has a launch function with the same name, the expansion has a different name.
pub fn expansion(name: &Ident) -> Ident {
    const OF_LAUNCHES: [&str; 4] = ["launch", "try_launch", "launch_unchecked", "try_launch_unchecked"];
    match OF_LAUNCHES.iter().any(|launch| name == launch) {
        true => format_ident!("expand", span = name.span()),
        false => name.clone(),
    }
}

/// The name of a field in the expansion.
pub fn field(member: &syn::Member) -> Ident {
    match member {
        syn::Member::Named(name) => name.clone(),
        syn::Member::Unnamed(index) => format_ident!("_{}", index.index),
    }
}

macro_rules! derived_names {
    ($($(#[$doc:meta])* $function:ident = $format:literal;)*) => {
        $($(#[$doc])* pub fn $function(name: &Ident) -> Ident { format_ident!($format, name) })*
    };
}

// The names have the location of the user's name.
derived_names! {
    /// The name of the staged form of a struct or enum.
    expand_name = "{}Expand";
    /// The name of a variant in the staged form of an enum. The name is unusual, so that rustc does not suggest to
    /// import the variant for an unknown name.
    variant = "__{}";
    /// The name of a host type's function that returns the name of a method's expansion.
    by_type = "__expand_{}_by_type";
    /// The name of an associated function's expansion. rustc's messages about a function that a trait does not declare, or
    /// declares with another signature, show this name.
    function = "{}_in_a_kernel";
    /// The name of a method's expansion.
    method = "__expand_{}_method";
}

/// The type of an expansion that does not exist if the user's body has an error. A result of one of its functions then has
/// no type, and rustc reports no errors about it.
pub fn gate(span: Span) -> Ident {
    Ident::new("__K", span)
}

/// Makes the type of a value depend on the check of the user's body.
pub fn if_checked(value: TokenStream) -> TokenStream {
    let span = value.clone().into_iter().next().map_or(Span::call_site(), |tree| tree.span());
    let gate = gate(span);
    quote_spanned!(span=> #gate::same(#value))
}

/// The method call that checks the result of a function call, at a location in the user's source.
pub fn check_call(span: Span) -> TokenStream {
    at(quote!(.in_a_kernel().into_value()), span)
}

/// The method call that checks the result of a user's method call, at a location in the user's source. If the staged
/// type lacks the method, the call goes through a function of the host type, which returns the name of the method's
/// expansion. For the lookup through the host type, the user has to import only the trait.
pub fn check_method_call(name: &Ident, parameters: &Option<syn::AngleBracketedGenericArguments>) -> TokenStream {
    let by = by_type(name);
    at(quote!(.in_a_kernel_by(|mut __h| __h.__host_type().#by #parameters ()).into_value()), name.span())
}

/// The call that records the name of a value for debuggers. After an error, the type of the value is possibly
/// undetermined, so no call is generated. A generated call would determine the type of the value.
pub fn record_debug_name(cx: &crate::scope::Context, name: &Ident) -> TokenStream {
    if !cx.errors.is_empty() {
        return TokenStream::new();
    }
    let text = unraw(name);
    quote!((&__p::R(&#name)).record_debug_name(#text);)
}

/// The text of a name without the prefix `r#`.
pub fn unraw(name: &Ident) -> String {
    name.unraw().to_string()
}

/// A source location in expanded code: line * 4096 + column, both from 1.
pub fn position(span: Span) -> u32 {
    let start = span.start();
    let line = u32::try_from(start.line).unwrap_or(0).min((1 << 20) - 1);
    let column = u32::try_from(start.column + 1).unwrap_or(0).min(4095);
    line * 4096 + column
}

/// The generic parameters of an item and of one of its functions.
pub fn all(item: &syn::Generics, function: &syn::Generics) -> syn::Generics {
    let mut all = item.clone();
    all.params.extend(function.params.iter().cloned());
    all.make_where_clause()
        .predicates
        .extend(function.where_clause.iter().flat_map(|clause| clause.predicates.clone()));
    all
}

/// The name of a constant that an impl of a kernel trait lacks if the impl has no `#[cube]`.
pub fn attribute() -> Ident {
    format_ident!("PUT_CUBE_BEFORE_THIS_IMPL")
}

/// A hash of the text of an item. A module can have several `impl` blocks of one type, and a user's macro can create several
/// `impl` blocks at one location.
pub fn hash(item: &impl quote::ToTokens) -> u64 {
    let text = item.to_token_stream().to_string();
    // The hash function is FNV-1a, because its values are equal on every machine.
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// A suffix for the names of the items that check a function. The suffix depends on the location of the function and on the
/// [`hash`] of the item.
pub fn tag(hash: u64, function: &Ident) -> String {
    format!("{}_{hash:x}", position(function.span()))
}
