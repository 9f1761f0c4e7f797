//! Inserts the errors that the macro has found into the user's body.
use proc_macro2::{Delimiter, Group, LineColumn, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Expr;
use syn::visit_mut::{self, VisitMut};

/// Replaces each expression for which the macro has found an error by the error, in the user's body. rustc
/// reports no error that follows from a replaced expression.
pub fn insert_diagnostics(body: &mut syn::Block, mut diagnostics: Vec<Diagnostic>) {
    InsertDiagnostics(&mut diagnostics).visit_block_mut(body);
    // Errors without an expression are inserted at the start of the body. Beside the function, they would hide rustc's
    // errors about unknown names.
    for diagnostic in diagnostics.into_iter().rev() {
        let error = diagnostic.error.into_compile_error();
        body.stmts.insert(0, syn::Stmt::Expr(Expr::Verbatim(error), Some(Default::default())));
    }
}

/// An error of the macro, and the source range of its tokens.
pub struct Diagnostic {
    /// The message and its location.
    pub error: syn::Error,
    /// First and last location of the tokens.
    pub range: Option<(LineColumn, LineColumn)>,
}

/// The source range from the first to the last token.
pub fn range(tokens: TokenStream) -> Option<(LineColumn, LineColumn)> {
    let mut tokens = tokens.into_iter();
    let first = tokens.next()?.span();
    let last = tokens.last().map_or(first, |t| t.span());
    Some((first.start(), last.end()))
}

struct InsertDiagnostics<'a>(&'a mut Vec<Diagnostic>);

impl InsertDiagnostics<'_> {
    /// Removes and returns the error of the expression with these tokens.
    fn take(&mut self, tokens: TokenStream) -> Option<TokenStream> {
        let searched = range(tokens);
        let at = self.0.iter().position(|m| m.range.is_some() && m.range == searched)?;
        Some(as_expression(self.0.remove(at).error))
    }
}

/// An error as an expression: `compile_error!("…")`. A macro call with braces at the start of a statement would end
/// the statement.
fn as_expression(error: syn::Error) -> TokenStream {
    let in_parentheses = |tree| match tree {
        TokenTree::Group(group) => {
            let mut changed = Group::new(Delimiter::Parenthesis, group.stream());
            changed.set_span(group.span());
            changed.into()
        }
        other => other,
    };
    error.into_compile_error().into_iter().map(in_parentheses).collect()
}

impl VisitMut for InsertDiagnostics<'_> {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        let target = match e {
            Expr::Assign(assign) => Some(assign.left.to_token_stream()),
            Expr::Binary(binary) => Some(binary.left.to_token_stream()),
            _ => None,
        };
        let assigning = matches!(e, Expr::Assign(_) | Expr::Binary(_));
        if let Some(error) = self.take(e.to_token_stream()) {
            // The `return` remains, with a value that has no type.
            *e = match e {
                Expr::Return(_) => syn::parse_quote!(return #error),
                _ => Expr::Verbatim(error),
            };
        } else if assigning && let Some(error) = target.and_then(|t| self.take(t)) {
            *e = Expr::Verbatim(error);
        } else {
            visit_mut::visit_expr_mut(self, e);
        }
    }

    /// If the macro refuses the pattern of a `let`, replaces the initial value by the error, and removes the
    /// declared type.
    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        let pat = local.pat.to_token_stream();
        if let Some(init) = &mut local.init
            && let Some(error) = self.take(pat)
        {
            *init.expr = Expr::Verbatim(error);
            // The declared type is also removed.
            if let syn::Pat::Type(typed) = &local.pat {
                local.pat = (*typed.pat).clone();
            }
            return;
        }
        visit_mut::visit_local_mut(self, local);
    }

    fn visit_stmt_mut(&mut self, statement: &mut syn::Stmt) {
        if let syn::Stmt::Macro(mac) = statement
            && let Some(error) = self.take(mac.mac.to_token_stream())
        {
            *statement = syn::Stmt::Expr(Expr::Verbatim(error), Some(Default::default()));
            return;
        }
        visit_mut::visit_stmt_mut(self, statement);
    }
}
