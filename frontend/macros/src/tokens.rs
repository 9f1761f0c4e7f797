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

/// Receives a token and the tokens after it in the same group, and returns the replacement of the token. After a replacement
/// with `true`, the later tokens of the group are unchanged.
type Change<'a> = dyn Fn(&[TokenTree]) -> Option<(TokenStream, bool)> + 'a;

/// Replaces tokens. Without a replacement, the tokens inside a group can change. Other groups are unchanged: rustc recognises
/// the invisible group around a macro's operand only if the group is unchanged.
pub fn map(tokens: TokenStream, change: &Change<'_>) -> TokenStream {
    changed(tokens.clone(), change).unwrap_or(tokens)
}

/// [`map`]; `None` if no token changes. Only changed groups are built, because rustc builds each stream of tokens.
fn changed(tokens: TokenStream, change: &Change<'_>) -> Option<TokenStream> {
    let (trees, mut all, mut kept) = (tokens.into_iter().collect::<Vec<_>>(), Vec::new(), 0);
    for (i, tree) in trees.iter().enumerate() {
        let inside = || {
            let TokenTree::Group(group) = tree else { return None };
            Some((TokenTree::Group(with_content(group, changed(group.stream(), change)?)).into(), false))
        };
        let Some((new, is_last)) = change(&trees[i..]).or_else(inside) else { continue };
        all.extend_from_slice(&trees[kept..i]);
        all.extend(new);
        kept = i + 1;
        if is_last {
            break;
        }
    }
    (kept > 0).then(|| all.into_iter().chain(trees.into_iter().skip(kept)).collect())
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
        TokenTree::Ident(name) if name == "self" => {
            Some((TokenTree::Ident(Ident::new(other, name.span())).into(), false))
        }
        _ => None,
    })
}
