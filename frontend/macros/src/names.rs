//! Names: the path of the language's crate, and the names of generated items.
use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use syn::Ident;

/// The crates that contain the language. The facade is the first.
const HOMES: [&str; 2] = ["cube-mlir", "cube-frontend"];

/// The name for the functions that expansions call, until [`resolved`] replaces it by their path.
pub const PRIVATE: &str = "__cube_private";

/// Replaces the reserved name in an expansion by the path of the language's crate. The crate's name comes from the
/// manifest of the user's crate. All other facts follow from the tokens of the item.
pub fn resolved(tokens: TokenStream) -> TokenStream {
    let name = find();
    let first = |span| match name.as_str() {
        "crate" => quote_spanned!(span=> crate),
        name => {
            let name = Ident::new(name, span);
            quote_spanned!(span=> ::#name)
        }
    };
    replaced(tokens, &first)
}

/// Whether tokens contain a name at any depth.
pub fn mention(tokens: TokenStream, word: &str) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Ident(name) => name == word,
        TokenTree::Group(group) => mention(group.stream(), word),
        _ => false,
    })
}

fn replaced(tokens: TokenStream, first: &dyn Fn(Span) -> TokenStream) -> TokenStream {
    let mut all = Vec::new();
    for tree in tokens {
        match tree {
            TokenTree::Ident(name) if name == PRIVATE => {
                let (span, krate) = (name.span(), first(name.span()));
                all.extend(quote_spanned!(span=> #krate::__private));
            }
            // Other groups are unchanged: rustc recognises the invisible group of a macro's operand only if the group
            // is unchanged.
            TokenTree::Group(group) if mention(group.stream(), PRIVATE) => {
                let mut inner = Group::new(group.delimiter(), replaced(group.stream(), first));
                inner.set_span(group.span());
                all.push(TokenTree::Group(inner));
            }
            other => all.push(other),
        }
    }
    all.into_iter().collect()
}

fn find() -> String {
    for home in HOMES {
        match crate_name(home) {
            // Tests, examples and benches of the facade are separate crates, in which the facade's name is `cube`.
            Ok(FoundCrate::Itself) if home == HOMES[0] => return "cube".into(),
            Ok(FoundCrate::Itself) => return "crate".into(),
            // A dependency without a renaming has the name of its library.
            Ok(FoundCrate::Name(name)) if name == "cube_mlir" => return "cube".into(),
            Ok(FoundCrate::Name(name)) => return name,
            Err(_) => {}
        }
    }
    "cube".into()
}

/// The path of the functions that expansions call.
pub fn private() -> TokenStream {
    let name = Ident::new(PRIVATE, Span::call_site());
    quote!(#name)
}

/// [`private`] at a user location, so that rustc reports errors of a call there.
pub fn private_at(span: Span) -> TokenStream {
    at(private(), span)
}

/// Moves tokens to a user location.
pub fn at(tokens: TokenStream, span: Span) -> TokenStream {
    let moved = |mut tree: TokenTree| {
        if let TokenTree::Group(group) = &tree {
            tree = TokenTree::Group(Group::new(group.delimiter(), at(group.stream(), span)));
        }
        tree.set_span(span);
        tree
    };
    tokens.into_iter().map(moved).collect()
}

/// The name of a function's expansion in its module. It equals the function's name, because rustc's messages show it.
/// If the module has a launch function of that name, the expansion has a different name.
pub fn expansion(name: &Ident) -> Ident {
    const OF_LAUNCHES: [&str; 4] = ["launch", "try_launch", "launch_unchecked", "try_launch_unchecked"];
    match OF_LAUNCHES.iter().any(|launch| name == launch) {
        true => format_ident!("expand", span = name.span()),
        false => name.clone(),
    }
}

/// The name of the staged form of a struct or enum.
pub fn expand_name(name: &Ident) -> Ident {
    format_ident!("{}Expand", name)
}

/// A variant of the staged form of an enum. The name is unusual, because rustc suggests imports for unknown names that
/// match.
pub fn variant(name: &Ident) -> Ident {
    format_ident!("__{}", unraw(name), span = name.span())
}

/// Checks the result of a call, at a user location.
pub fn asked_in_a_kernel(span: Span) -> TokenStream {
    at(quote!(.in_a_kernel().made()), span)
}

/// Checks the result of a method call, at a user location. If the staged type does not have the method, the host type
/// returns the name of the expansion. An import of the trait suffices for this lookup.
pub fn asked_of_method(name: &Ident, parameters: &Option<syn::AngleBracketedGenericArguments>) -> TokenStream {
    let by = by_type(name);
    at(quote!(.in_a_kernel_by(|mut __h| __h.__host_type().#by #parameters ()).made()), name.span())
}

/// The function of a host type that returns the name of a method's expansion.
pub fn by_type(name: &Ident) -> Ident {
    format_ident!("__expand_{}_by_type", unraw(name), span = name.span())
}

/// The name of the expansion of a method of a trait.
pub fn named_method(of: &Ident, name: &Ident) -> Ident {
    format_ident!("__{}_{}", of, unraw(name))
}

/// The staged form of an associated function.
pub fn function(name: &Ident) -> Ident {
    format_ident!("__expand_{}", unraw(name), span = name.span())
}

/// The function of a trait that an impl defines: the expansion with one tuple of arguments. rustc then reports an impl
/// with a wrong number of arguments only once.
pub fn packed(name: &Ident) -> Ident {
    format_ident!("__expand_{}_packed", unraw(name), span = name.span())
}

/// The staged form of a method.
pub fn method(name: &Ident) -> Ident {
    format_ident!("__expand_{}_method", unraw(name), span = name.span())
}

/// Records the name of a value, for debuggers. After an error the type of the value can be undetermined. This call
/// would then determine the type.
pub fn called(cx: &crate::scope::Context, name: &Ident) -> TokenStream {
    if !cx.errors.is_empty() {
        return TokenStream::new();
    }
    let (p, text) = (private(), unraw(name));
    quote!((&#p::R(&#name)).called(#text);)
}

/// A name without `r#`.
pub fn unraw(name: &Ident) -> String {
    let text = name.to_string();
    text.strip_prefix("r#").map(str::to_string).unwrap_or(text)
}

/// A source location in expanded code: line * 4096 + column, both from 1.
pub fn position(span: Span) -> u32 {
    let start = span.start();
    let line = u32::try_from(start.line).unwrap_or(0).min((1 << 20) - 1);
    let column = u32::try_from(start.column + 1).unwrap_or(0).min(4095);
    line * 4096 + column
}

/// The generic parameters of an item and of a function in it.
pub fn all(item: &syn::Generics, function: &syn::Generics) -> syn::Generics {
    let mut all = item.clone();
    all.params.extend(function.params.iter().cloned());
    all.make_where_clause()
        .predicates
        .extend(function.where_clause.iter().flat_map(|clause| clause.predicates.clone()));
    all
}

/// The constant that is missing in an impl of a kernel trait without `#[cube]`.
pub fn attribute() -> Ident {
    format_ident!("PUT_CUBE_BEFORE_THIS_IMPL")
}

/// A suffix for the names of a function's check. The suffix follows from the location and the text of the item. A
/// module can have several blocks of one type, and a user's macro can make several blocks at one location.
pub fn tag(item: &impl quote::ToTokens, function: &Ident) -> String {
    let text = item.to_token_stream().to_string();
    // FNV-1a, because its values are the same on every machine.
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{}_{hash:x}", position(function.span()))
}
