//! Handles `#[cfg]` inside a kernel: rustc evaluates the conditions before the macro expands the item.
//!
//! An attribute macro receives its item with every `#[cfg]` attribute, and cannot know which conditions are true. A
//! derive macro receives its item after rustc has evaluated the conditions. The macro `#[cube]` therefore
//! places the item in the type of a struct field:
//!
//! ```text
//! #[derive(Configured)] #[configured_away(launch)] struct __Configured { item: [(); { fn kernel() { … } }] }
//! ```
//!
//! `Configured` extracts the item from the struct and expands it. `configured_away` removes the struct. The macro
//! creates the checked function and the expansion from these tokens. The macro generates the struct only for items that
//! mention `cfg`.
use crate::{syntax, tokens};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit_mut::VisitMut;
use syn::{Attribute, Expr, Item, Stmt, Type};

/// The names of the attributes with conditions.
pub const CONDITIONS: [&str; 2] = ["cfg", "cfg_attr"];

/// The struct that stores the item and the arguments of `#[cube]` until rustc has evaluated the conditions.
pub fn defer_expansion(words: &TokenStream, item: &TokenStream) -> TokenStream {
    // These attributes have the location of `#[cube]`.
    let here = tokens::at(quote!(#[derive(__p::Configured)] #[__p::configured_away]), Span::call_site());
    quote! {
        #here
        struct __Configured { words: [(); { stringify!(#words) }], item: [(); { #item }] }
    }
}

/// Extracts the arguments and the item from the struct that [`defer_expansion`] creates.
pub fn deferred_parts(stored: TokenStream) -> Option<(TokenStream, TokenStream)> {
    let stored = syn::parse2::<syn::ItemStruct>(without_lone_commas(stored)).ok()?;
    let mut parts = stored.fields.into_iter().filter_map(|field| match field.ty {
        Type::Array(syn::TypeArray { len: Expr::Block(block), .. }) => block.block.stmts.into_iter().next(),
        _ => None,
    });
    match (parts.next()?, parts.next()?) {
        (Stmt::Macro(words), item) => Some((words.mac.tokens, item.to_token_stream())),
        (Stmt::Expr(Expr::Macro(words), _), item) => Some((words.mac.tokens, item.to_token_stream())),
        _ => None,
    }
}

/// Removes the comma that remains after rustc has removed a parameter. The arguments of macro calls are unchanged.
fn without_lone_commas(tokens: TokenStream) -> TokenStream {
    let is_comma = |tree: &TokenTree| matches!(tree, TokenTree::Punct(sign) if sign.as_char() == ',');
    let (mut kept, mut of_macro): (Vec<TokenTree>, _) = (Vec::new(), false);
    for tree in tokens {
        if is_comma(&tree) && kept.last().is_none_or(is_comma) {
            continue;
        }
        let last = matches!(&tree, TokenTree::Punct(sign) if ['!', '#'].contains(&sign.as_char()));
        kept.push(match tree {
            TokenTree::Group(group) if !of_macro => {
                TokenTree::Group(tokens::with_content(&group, without_lone_commas(group.stream())))
            }
            other => other,
        });
        of_macro = last;
    }
    kept.into_iter().collect()
}

/// Removes the `cfg` attributes outside of macro calls. Their conditions are true: rustc has removed items with false ones.
pub fn without_conditions(item: &mut Item) {
    let is_kept = |attr: &Attribute| !syntax::ends_in(attr.path(), &CONDITIONS);
    syntax::RetainAttributes(is_kept).visit_item_mut(item);
}
