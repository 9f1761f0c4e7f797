//! Functions that search and change tokens at any depth.
use proc_macro2::{Group, Span, TokenStream, TokenTree};
use syn::Ident;

/// Whether a test is true at any token. The test receives the token and the tokens after it in the same group.
pub fn any(tokens: TokenStream, test: &mut dyn FnMut(&[TokenTree]) -> bool) -> bool {
    let trees: Vec<_> = tokens.into_iter().collect();
    trees
        .iter()
        .enumerate()
        .any(|(i, tree)| test(&trees[i..]) || matches!(tree, TokenTree::Group(group) if any(group.stream(), test)))
}

/// Replaces tokens. `change` receives a token and the tokens after it in the same group, and returns the replacement of
/// the token. Without a replacement, the tokens inside a group can change. Other groups are unchanged: rustc recognises the
/// invisible group around a macro's operand only if the group is unchanged.
pub fn map(tokens: TokenStream, change: &dyn Fn(&[TokenTree]) -> Option<TokenStream>) -> TokenStream {
    changed(tokens.clone(), change).unwrap_or(tokens)
}

/// [`map`]; `None` if no token changes.
fn changed(tokens: TokenStream, change: &dyn Fn(&[TokenTree]) -> Option<TokenStream>) -> Option<TokenStream> {
    let (trees, mut is_changed): (Vec<_>, _) = (tokens.into_iter().collect(), false);
    let all = trees.iter().enumerate().map(|(i, tree)| {
        let inside = |tree: &TokenTree| match tree {
            TokenTree::Group(group) => {
                Some(TokenTree::Group(with_content(group, changed(group.stream(), change)?)).into())
            }
            _ => None,
        };
        let new = change(&trees[i..]).or_else(|| inside(tree));
        is_changed |= new.is_some();
        new.unwrap_or_else(|| tree.clone().into())
    });
    let all: TokenStream = all.collect();
    is_changed.then_some(all)
}

/// The group with other tokens inside.
pub fn with_content(group: &Group, content: TokenStream) -> Group {
    let mut other = Group::new(group.delimiter(), content);
    other.set_span(group.span());
    other
}

/// Gives tokens a location in the user's source.
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

/// Whether the tokens contain one of these names and signs.
pub fn mention(tokens: TokenStream, words: &[&str]) -> bool {
    any(tokens, &mut |rest| match &rest[0] {
        TokenTree::Ident(name) => words.iter().any(|word| name == word),
        TokenTree::Punct(sign) => words.iter().any(|word| word.starts_with(sign.as_char())),
        _ => false,
    })
}

/// The names in the tokens, except fields and methods.
pub fn names(tokens: TokenStream) -> Vec<Ident> {
    let (mut names, mut after_dot) = (Vec::new(), false);
    any(tokens, &mut |rest| {
        if let TokenTree::Ident(name) = &rest[0]
            && !after_dot
            && !names.contains(name)
        {
            names.push(name.clone());
        }
        // The name after `..` is not a field.
        after_dot = matches!(&rest[0], TokenTree::Punct(sign) if sign.as_char() == '.') && !after_dot;
        false
    });
    names
}

/// Replaces the name `self`.
pub fn replace_receiver(tokens: TokenStream, other: &str) -> TokenStream {
    map(tokens, &|rest| match &rest[0] {
        TokenTree::Ident(name) if name == "self" => Some(TokenTree::Ident(Ident::new(other, name.span())).into()),
        _ => None,
    })
}
