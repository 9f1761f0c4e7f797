//! Finds diverging expressions, which have no value because control does not reach their end.
use proc_macro2::TokenTree;
use syn::Expr;

/// Macros that never return, the first four by a panic of the host.
pub const ENDS: [&str; 6] = ["panic", "unreachable", "todo", "unimplemented", "unexpanded", "terminate"];

/// Whether control never reaches the code after an expression.
pub fn diverges(e: &Expr) -> bool {
    match e {
        Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => true,
        Expr::Block(block) => block_diverges(&block.block),
        Expr::Unsafe(block) => block_diverges(&block.block),
        Expr::If(branch) => {
            block_diverges(&branch.then_branch) && branch.else_branch.as_ref().is_some_and(|(_, e)| diverges(e))
        }
        Expr::Match(matching) => !matching.arms.is_empty() && matching.arms.iter().all(|arm| diverges(&arm.body)),
        Expr::Macro(mac) => ends_unit(&mac.mac),
        _ => false,
    }
}

/// [`diverges`] of the last statement.
pub fn block_diverges(block: &syn::Block) -> bool {
    match block.stmts.last() {
        Some(syn::Stmt::Expr(e, _)) => diverges(e),
        Some(syn::Stmt::Macro(mac)) => ends_unit(&mac.mac),
        _ => false,
    }
}

/// Whether a macro ends the unit or the kernel's compilation, inside or outside of `comptime!`.
fn ends_unit(mac: &syn::Macro) -> bool {
    let ends = |name: &syn::Ident| ENDS.iter().any(|end| name == end);
    if !mac.path.is_ident("comptime") {
        return mac.path.get_ident().is_some_and(ends);
    }
    let mut inner = mac.tokens.clone().into_iter();
    let (first, second) = (inner.next(), inner.next());
    matches!(first, Some(TokenTree::Ident(name)) if ends(&name))
        && matches!(second, Some(TokenTree::Punct(mark)) if mark.as_char() == '!')
}
