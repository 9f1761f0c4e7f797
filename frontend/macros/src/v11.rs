//! Changes of an item under the `#[cube]` of `v11`, before the expansion of all dialects.
//!
//! ```text
//! CUBE_POS              (CUBE_POS as usize)         the expansion of a position has the type u32
//! ABSOLUTE_POS          absolute_pos()              the units of a cube have consecutive positions
//! let a = [0.0; 4]      let a = local_array_of(0.0, 4)     an array with indices of type usize
//! TABLE[i]              TABLE[i as u32]                    staged indices of a host table have the type u32
//! let size!(N) = 4;     struct N; register_size::<N>(4);   a size of vectors
//! ```
use crate::parameters::Parameters;
use crate::syntax;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Generics, Ident, Item, Stmt, parse_quote_spanned};

/// The positions of the prelude of `v11` that have the type `usize`.
const SIZES: [&str; 3] = ["ABSOLUTE_POS", "CUBE_POS", "CUBE_COUNT"];

/// Changes an item for the expansion.
pub fn prepare(item: &mut Item) {
    Dialect.visit_item_mut(item);
}

/// The type parameters with the bound `Size`, for which a launch takes numbers.
pub fn sizes(generics: &Generics) -> Vec<&Ident> {
    let mut parameters = Parameters::default();
    parameters.add(generics);
    let is_size = |name: &&Ident| parameters.has(&(*name).clone().into(), &["Size"]);
    generics.type_params().map(|param| &param.ident).filter(is_size).collect()
}

/// The statements for `let size!(N) = value;`. Other statements are unchanged.
fn of_size(statement: Stmt) -> Vec<Stmt> {
    if let Stmt::Local(local) = &statement
        && let syn::Pat::Macro(size) = &local.pat
        && size.mac.path.is_ident("size")
        && let (Ok(name), Some(init)) = (size.mac.parse_body::<Ident>(), &local.init)
    {
        let (span, value) = (name.span(), &init.expr);
        let declared: Stmt =
            parse_quote_spanned!(span=> #[allow(dead_code)] #[derive(Clone, Copy, Debug)] struct #name;);
        let sized = parse_quote_spanned! {span=>
            impl __p::Size for #name {
                fn value() -> usize {
                    __p::chosen_size::<#name>()
                }
            }
        };
        return vec![declared, sized, parse_quote_spanned!(span=> __p::register_size::<#name>(#value);)];
    }
    vec![statement]
}

struct Dialect;

impl VisitMut for Dialect {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        let span = e.span();
        if let Expr::Path(path) = e
            && path.path.get_ident().is_some_and(|name| SIZES.iter().any(|size| name == size))
        {
            *e = match path.path.is_ident("ABSOLUTE_POS") {
                true => parse_quote_spanned!(span=> __p::absolute_pos()),
                false => parse_quote_spanned!(span=> (#e as usize)),
            };
        }
    }

    // A constant of the host is a table, whose staged indices have the type u32.
    fn visit_expr_index_mut(&mut self, e: &mut syn::ExprIndex) {
        visit_mut::visit_expr_index_mut(self, e);
        if syntax::is_constant(&e.expr) && !matches!(*e.index, Expr::Range(_)) {
            let (index, span) = (&e.index, e.index.span());
            *e.index = parse_quote_spanned!(span=> (#index) as u32);
        }
    }

    // `let size!(N) = value;` declares the size `N`, and registers its value.
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        visit_mut::visit_block_mut(self, block);
        let statements = std::mem::take(&mut block.stmts);
        block.stmts = statements.into_iter().flat_map(of_size).collect();
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        visit_mut::visit_local_mut(self, local);
        let Some(init) = &mut local.init else { return };
        let span = init.expr.span();
        let is_host = crate::clean::is_comptime(&local.attrs);
        match &*init.expr {
            _ if is_host => {}
            // The call of `element` makes the elements values of the kernel.
            Expr::Array(array) => {
                let elements = array.elems.iter();
                *init.expr = parse_quote_spanned!(span=> __p::local_array([#(__p::element(#elements)),*]));
            }
            Expr::Repeat(repeat) => {
                let (value, length) = (&repeat.expr, &repeat.len);
                *init.expr = parse_quote_spanned!(span=> __p::local_array_of(#value, #length));
            }
            _ => {}
        }
    }
}
