//! Finds the variables of a kernel body that only code in `comptime!` changes. In the expansion, these variables are
//! variables of the host.
use crate::expr::strip;
use crate::syntax::name_of;
use proc_macro2::{TokenStream, TokenTree};
use std::collections::HashSet;
use syn::visit::{self, Visit};
use syn::{Block, Expr};

/// Variable names in a body, grouped by the code that changes or mentions the variables.
#[derive(Default)]
pub struct Changes {
    /// Names of variables that code in `comptime!` changes.
    changed: HashSet<String>,
    /// Names of variables that code in `comptime!` mentions.
    collect_names: HashSet<String>,
    /// Names of variables that kernel code assigns to or borrows as `&mut`.
    assigned: HashSet<String>,
    /// Names of variables whose complete value is replaced by an assignment in kernel code.
    replaced: HashSet<String>,
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
        !self.assigned.contains(&name) && (self.changed.contains(&name) || marked && self.collect_names.contains(&name))
    }

    /// Whether kernel code assigns a new value to the complete variable after its initialisation.
    pub fn are_replaced(&self, name: &syn::Ident) -> bool {
        self.replaced.contains(&name.to_string())
    }

    fn assign(&mut self, target: &Expr) {
        match strip(target) {
            Expr::Field(field) => self.assign(&field.base),
            Expr::Index(index) => self.assign(&index.expr),
            Expr::Tuple(tuple) => tuple.elems.iter().for_each(|part| self.assign(part)),
            other => self.assigned.extend(name_of(other).map(ToString::to_string)),
        }
    }

    fn comptime(&mut self, tokens: TokenStream) {
        let trees: Vec<_> = tokens.into_iter().collect();
        for (i, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Ident(name) => {
                    self.collect_names.insert(name.to_string());
                    if is_assigned(&trees[i + 1..]) {
                        self.changed.insert(name.to_string());
                    }
                }
                TokenTree::Group(group) => self.comptime(group.stream()),
                _ => {}
            }
        }
    }
}

/// Whether the tokens after a name start with an assignment operator: `=`, `+=`, `<<=`.
fn is_assigned(rest: &[TokenTree]) -> bool {
    let mut operator = String::new();
    for tree in rest {
        let TokenTree::Punct(punct) = tree else { break };
        operator.push(punct.as_char());
        if punct.spacing() == proc_macro2::Spacing::Alone {
            break;
        }
    }
    ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="].contains(&operator.as_str())
}

impl<'a> Visit<'a> for Changes {
    fn visit_macro(&mut self, mac: &'a syn::Macro) {
        if mac.path.is_ident("comptime") {
            self.comptime(mac.tokens.clone());
        }
    }

    fn visit_expr_assign(&mut self, e: &'a syn::ExprAssign) {
        self.assign(&e.left);
        self.replaced.extend(name_of(strip(&e.left)).map(ToString::to_string));
        visit::visit_expr_assign(self, e);
    }

    fn visit_expr_binary(&mut self, e: &'a syn::ExprBinary) {
        if crate::expr::is_assigning(&e.op) {
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
