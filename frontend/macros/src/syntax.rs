//! Functions that search syntax trees.
use syn::visit::{self, Visit};
use syn::{Block, Expr, Ident, Pat};

/// The name, if the expression is a name.
pub fn name_of(e: &Expr) -> Option<&Ident> {
    match e {
        Expr::Path(path) => path.path.get_ident(),
        _ => None,
    }
}

/// The expression inside parentheses and groups.
pub fn without_parens(e: &Expr) -> &Expr {
    match e {
        Expr::Paren(inner) => without_parens(&inner.expr),
        Expr::Group(inner) => without_parens(&inner.expr),
        other => other,
    }
}

/// Writes the generic path `Foo<F>` of a type or pattern as in an expression: `Foo::<F>`.
pub fn with_turbofish(path: &mut syn::Path) {
    for segment in &mut path.segments {
        if let syn::PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
            arguments.colon2_token.get_or_insert_default();
        }
    }
}

/// A test of a syntax node. If the result is `None`, the search continues in the parts of the node.
type Test<'t, T> = &'t dyn Fn(&T) -> Option<bool>;

/// Visitor that tests expressions or patterns, outer nodes first.
struct Search<'t> {
    expr: Test<'t, Expr>,
    pat: Test<'t, Pat>,
    found: bool,
}

impl Visit<'_> for Search<'_> {
    fn visit_expr(&mut self, e: &Expr) {
        match (self.expr)(e) {
            Some(found) => self.found |= found,
            None => visit::visit_expr(self, e),
        }
    }

    fn visit_pat(&mut self, pat: &Pat) {
        match (self.pat)(pat) {
            Some(found) => self.found |= found,
            None => visit::visit_pat(self, pat),
        }
    }

    fn visit_item(&mut self, _: &syn::Item) {}
}

/// Whether a test is true for an expression of a block. Nested items are not searched.
pub fn block_has(block: &Block, test: Test<'_, Expr>) -> bool {
    let mut search = Search { expr: test, pat: &|_| None, found: false };
    search.visit_block(block);
    search.found
}

/// Whether a test is true for an expression or one of its parts. Nested items are not searched.
pub fn expr_has(e: &Expr, test: Test<'_, Expr>) -> bool {
    let mut search = Search { expr: test, pat: &|_| None, found: false };
    search.visit_expr(e);
    search.found
}

/// Whether a test is true for a pattern or one of its parts.
pub fn pat_has(pat: &Pat, test: Test<'_, Pat>) -> bool {
    let mut search = Search { expr: &|_| Some(false), pat: test, found: false };
    search.visit_pat(pat);
    search.found
}
