//! Converts indices of type `usize`, which Rust's own arrays require. Memory of the kernel language has only
//! indices of type `u32`, because a second index type would make the type of `0` in `x[0]` ambiguous. The
//! macro therefore converts an index if the syntax proves that the index is a `usize`:
//!
//! ```text
//! x[i as usize]    x[size_index(i as usize)]
//! ```
//!
//! The declaration or the initial value of a name can prove that the name is a `usize`. The macro converts indices of
//! parameters with memory types, and of variables whose initial value is a memory constructor. If the index is a
//! run-time value, the macro also converts indices of constants, whose names are in capitals.
use crate::expr::operator;
use crate::syntax::{self, name_of};
use crate::types;
use cube_names::keyword;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, FnArg, Ident, Item, Pat, Signature, Type};

/// Converts the `usize` indices in an item.
pub fn convert(item: &mut Item) {
    Sizes::default().visit_item_mut(item);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LocalClass {
    /// A `usize`. The field is `true` if the value of the `usize` is known only at run time.
    Size(bool),
    /// A number that is known only at run time.
    Number,
    Memory,
    Other,
}

/// The names in the open blocks with their kinds, inner names last.
#[derive(Default)]
struct Sizes(Vec<(Ident, LocalClass)>);

impl Sizes {
    fn kind_of(&self, name: &Ident) -> LocalClass {
        self.0.iter().rev().find(|(known, _)| known == name).map_or(LocalClass::Other, |(_, kind)| *kind)
    }

    /// Visits a block or an arm, whose names are not visible after it.
    fn scoped(&mut self, visit: impl FnOnce(&mut Self)) {
        let outer = self.0.len();
        visit(self);
        self.0.truncate(outer);
    }

    fn declare(&mut self, pat: &Pat, kind: LocalClass) {
        let single = matches!(pat, Pat::Ident(ident) if ident.subpat.is_none());
        let kind = if single { kind } else { LocalClass::Other };
        self.0.extend(crate::pattern::bindings(pat).into_iter().map(|(name, _)| (name, kind)));
    }

    /// Whether the syntax proves that an expression is a `usize`.
    fn is_size(&self, e: &Expr) -> bool {
        match e {
            Expr::Cast(cast) => is_usize(&cast.ty),
            Expr::Paren(inner) => self.is_size(&inner.expr),
            Expr::Path(_) => name_of(e).is_some_and(|name| matches!(self.kind_of(name), LocalClass::Size(_))),
            Expr::Lit(lit) => matches!(&lit.lit, syn::Lit::Int(int) if int.suffix() == "usize"),
            Expr::Binary(binary) => match operator(&binary.op) {
                Some("shl" | "shr") => self.is_size(&binary.left),
                Some("lt" | "le" | "gt" | "ge") | None => false,
                Some(_) => self.is_size(&binary.left) || self.is_size(&binary.right),
            },
            _ => false,
        }
    }

    /// Whether an expression mentions a value that is known only at run time.
    fn is_of_kernel(&self, e: &Expr) -> bool {
        let is_run_time = |name: &Ident| {
            let kind = self.kind_of(name);
            keyword(&name.to_string()).is_some()
                || matches!(kind, LocalClass::Size(true) | LocalClass::Number | LocalClass::Memory)
        };
        syntax::expr_has(e, &|e| name_of(e).map(is_run_time))
    }

    fn kind_of_init(&self, init: &Expr, mutable: bool) -> LocalClass {
        match init {
            _ if self.is_size(init) => LocalClass::Size(mutable || self.is_of_kernel(init)),
            Expr::Array(_) | Expr::Repeat(_) => LocalClass::Memory,
            Expr::Call(call) if matches!(&*call.func, Expr::Path(path) if syntax::is_memory_function(&path.path, &[])) => {
                LocalClass::Memory
            }
            _ => LocalClass::Other,
        }
    }
}

fn is_usize(ty: &Type) -> bool {
    matches!(types::owned(ty), Type::Path(path) if path.path.is_ident("usize"))
}

fn kind_of_type(ty: &Type) -> LocalClass {
    let shared = matches!(types::owned(ty), Type::Path(path) if syntax::ends_in(&path.path, &["SharedMemory"]));
    match ty {
        _ if shared || types::is_memory(ty) => LocalClass::Memory,
        Type::Path(_) if is_usize(ty) => LocalClass::Size(false),
        _ => LocalClass::Other,
    }
}

impl VisitMut for Sizes {
    // An item does not see the variables of the enclosing body.
    fn visit_item_mut(&mut self, item: &mut Item) {
        let outer = std::mem::take(&mut self.0);
        visit_mut::visit_item_mut(self, item);
        self.0 = outer;
    }

    fn visit_signature_mut(&mut self, sig: &mut Signature) {
        self.0.clear();
        for input in &sig.inputs {
            if let FnArg::Typed(typed) = input {
                let comptime = crate::clean::is_comptime(&typed.attrs);
                let kind = match kind_of_type(&typed.ty) {
                    LocalClass::Size(_) => LocalClass::Size(!comptime),
                    LocalClass::Other if !comptime && types::is_primitive(types::owned(&typed.ty)) => {
                        LocalClass::Number
                    }
                    kind => kind,
                };
                self.declare(&typed.pat, kind);
            }
        }
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        self.scoped(|all| visit_mut::visit_block_mut(all, block));
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        local.init.iter_mut().for_each(|init| self.visit_local_init_mut(init));
        let host = local.attrs.iter().any(|attr| attr.path().is_ident("comptime"));
        let (pat, declared) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            other => (other, None),
        };
        let is_mut = matches!(pat, Pat::Ident(ident) if ident.mutability.is_some());
        let kind = match (declared, &local.init) {
            _ if host => LocalClass::Other,
            (Some(Type::Array(_)), _) => LocalClass::Memory,
            (Some(ty), init) if is_usize(ty) => {
                LocalClass::Size(is_mut || init.as_ref().is_none_or(|init| self.is_of_kernel(&init.expr)))
            }
            (Some(ty), _) => kind_of_type(ty),
            (None, Some(init)) => self.kind_of_init(&init.expr, is_mut),
            (None, None) => LocalClass::Other,
        };
        self.declare(pat, kind);
    }

    fn visit_expr_for_loop_mut(&mut self, e: &mut syn::ExprForLoop) {
        self.visit_expr_mut(&mut e.expr);
        let ends =
            |range: &syn::ExprRange| [&range.start, &range.end].into_iter().flatten().any(|end| self.is_size(end));
        let size = matches!(&*e.expr, Expr::Range(range) if ends(range));
        self.scoped(|all| {
            all.declare(&e.pat, if size { LocalClass::Size(true) } else { LocalClass::Other });
            all.visit_block_mut(&mut e.body);
        });
    }

    fn visit_expr_closure_mut(&mut self, e: &mut syn::ExprClosure) {
        self.scoped(|all| visit_mut::visit_expr_closure_mut(all, e));
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        self.scoped(|all| visit_mut::visit_arm_mut(all, arm));
    }

    fn visit_expr_let_mut(&mut self, e: &mut syn::ExprLet) {
        self.visit_expr_mut(&mut e.expr);
        self.visit_pat_mut(&mut e.pat);
    }

    // The patterns of closures, arms and `if let`.
    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        match pat {
            Pat::Type(typed) => self.declare(&typed.pat, kind_of_type(&typed.ty)),
            other => self.declare(other, LocalClass::Other),
        }
    }

    fn visit_expr_index_mut(&mut self, e: &mut syn::ExprIndex) {
        visit_mut::visit_expr_index_mut(self, e);
        let table = syntax::is_constant(&e.expr) && self.is_of_kernel(&e.index);
        let is_memory = name_of(&e.expr).is_some_and(|name| self.kind_of(name) == LocalClass::Memory);
        if (table || is_memory) && self.is_size(&e.index) {
            let (at, span) = (&e.index, e.index.span());
            *e.index = syn::parse_quote_spanned!(span=> __p::size_index(#at));
        }
    }
}
