//! Finds the variables of a kernel body that only code in `comptime!` changes. In the expansion, these variables are
//! variables of the host.
use crate::syntax::{self, name_of, strip};
use crate::tokens;
use std::collections::HashSet;
use syn::visit::{self, Visit};
use syn::{Block, Expr};

/// Variable names in a body, grouped by the code that changes or mentions the variables.
#[derive(Default)]
pub struct Changes {
    /// Names of variables that code in `comptime!` changes.
    changed: HashSet<String>,
    /// Names of variables that code in `comptime!` mentions.
    mentioned: HashSet<String>,
    /// Names of variables that kernel code assigns to or borrows as `&mut`.
    assigned: HashSet<String>,
    /// Names of variables whose complete value is replaced by an assignment.
    replaced: HashSet<String>,
    /// Whether the visited code is in `comptime!`.
    is_of_host: bool,
}

impl Changes {
    /// Collects the variable changes in a body.
    pub fn of(block: &Block) -> Self {
        let mut changes = Changes::default();
        changes.visit_block(block);
        changes
    }

    /// Whether only `comptime!` changes a variable. `init` is the variable's initial value, which is a host value.
    pub fn are_of_host(&self, name: &syn::Ident, init: &Expr) -> bool {
        let name = name.to_string();
        let marked = matches!(init, Expr::Macro(mac) if mac.mac.path.is_ident("comptime"));
        !self.assigned.contains(&name) && (self.changed.contains(&name) || marked && self.mentioned.contains(&name))
    }

    /// Whether an assignment replaces the complete value of the variable after its initialisation.
    pub fn are_replaced(&self, name: &syn::Ident) -> bool {
        self.replaced.contains(&name.to_string())
    }

    fn assign(&mut self, target: &Expr) {
        match strip(target) {
            Expr::Field(field) => self.assign(&field.base),
            Expr::Index(index) => self.assign(&index.expr),
            Expr::Tuple(tuple) => tuple.elems.iter().for_each(|part| self.assign(part)),
            other => {
                let list = if self.is_of_host { &mut self.changed } else { &mut self.assigned };
                list.extend(name_of(other).map(ToString::to_string));
            }
        }
    }
}

impl<'a> Visit<'a> for Changes {
    fn visit_macro(&mut self, mac: &'a syn::Macro) {
        if mac.path.is_ident("comptime") {
            self.mentioned.extend(tokens::names(mac.tokens.clone()).iter().map(ToString::to_string));
            let outer = std::mem::replace(&mut self.is_of_host, true);
            // rustc reports a syntax error in the macro call.
            if let Ok(statements) = mac.parse_body_with(Block::parse_within) {
                statements.iter().for_each(|statement| Visit::visit_stmt(self, statement));
            }
            self.is_of_host = outer;
        }
    }

    fn visit_expr_assign(&mut self, e: &'a syn::ExprAssign) {
        self.assign(&e.left);
        self.replaced.extend(name_of(strip(&e.left)).map(ToString::to_string));
        visit::visit_expr_assign(self, e);
    }

    fn visit_expr_binary(&mut self, e: &'a syn::ExprBinary) {
        if syntax::is_assigning(&e.op) {
            self.assign(&e.left);
        }
        visit::visit_expr_binary(self, e);
    }

    fn visit_expr_reference(&mut self, e: &'a syn::ExprReference) {
        if e.mutability.is_some() {
            self.assign(&e.expr);
        }
        visit::visit_expr_reference(self, e);
    }
}
