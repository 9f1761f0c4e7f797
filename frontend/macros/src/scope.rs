//! Properties of the names in a kernel body, and the state of the body's translation.
use crate::type_check::{NameKind, UnresolvedName};
use proc_macro2::TokenStream;
use std::collections::HashMap;
use syn::{Ident, Pat};

/// The meaning of a local name in the expansion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Name {
    /// A host value.
    Comptime,
    /// A staged value that is not a variable, so it never changes.
    #[default]
    Value,
    /// A staged variable.
    Variable,
    /// A reference to a staged value, for example a `&mut` parameter.
    Reference,
    /// A host function: a closure, or a parameter of type `impl Fn`.
    Closure,
}

/// A local name, with the properties that its declaration shows.
#[derive(Clone, Default)]
pub struct Local {
    pub kind: Name,
    /// Whether the name is a parameter with a number type.
    pub number: bool,
    /// Whether the name is a parameter with a memory type.
    pub memory: bool,
    /// Whether the elements of the memory are atomic, so that they can be borrowed as `&mut`.
    pub atomic: bool,
    /// Whether the name is a number parameter of a kernel, which is known only at run time.
    pub run_time: bool,
    /// Whether the name is a variable without `mut` that has a host value.
    pub plain_constant: bool,
    /// Whether the initial value is a number literal without a type. The use of the variable then determines its type.
    pub bare: bool,
    /// Whether the name is the counter of a loop that is always unrolled. If a parameter or field requires a host
    /// number, the counter is a host number.
    pub loop_counter: bool,
    /// The number of elements of an array or of shared memory, if the number is a literal.
    pub length: Option<u64>,
}

/// A loop that encloses the current expression.
#[derive(Clone)]
pub struct LoopFrame {
    pub label: Option<String>,
    /// The variable in the expansion that stores the loop under construction.
    pub handle: Ident,
    /// The variable in the expansion to which `break value` writes.
    pub slot: Option<Ident>,
    /// Whether the loop represents a labelled block, from which only a `break` with the block's label exits.
    pub block: bool,
}

/// State of a body's translation: names, loops, collected uses and errors.
#[derive(Default)]
pub struct Context {
    names: Vec<HashMap<String, Local>>,
    pub loops: Vec<LoopFrame>,
    /// Whether `return value` writes to a result variable.
    pub early_return: bool,
    /// Whether the code is in an `unsafe` block or function, which can assign to a `static mut`.
    pub in_unsafe: bool,
    /// Names that the body uses and that are possibly undefined.
    pub unresolved: Vec<UnresolvedName>,
    /// Whether the expansion is in a separate module, which imports the names of the user's module.
    pub own_module: bool,
    /// Whether the function uses the names of CubeCL 0.11, for which `x[a..b]` is a slice.
    pub v11: bool,
    /// The type mapping for the generic parameters of the function and of the enclosing item.
    pub types: crate::types::Types,
    /// For each variable of the body, the code that changes the variable.
    pub changes: crate::assignments::Changes,
    /// Errors that the translation has found so far. An error does not stop the translation.
    pub errors: Vec<syn::Error>,
    counter: usize,
}

impl Context {
    pub fn new() -> Self {
        Context { names: vec![HashMap::new()], ..Self::default() }
    }

    /// Records an error, and returns a placeholder expression.
    pub fn refuse(&mut self, place: impl quote::ToTokens, message: impl std::fmt::Display) -> TokenStream {
        self.errors.push(syn::Error::new_spanned(place, message));
        quote::quote!(__p::unexpanded())
    }

    pub fn scoped<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.names.push(HashMap::new());
        let result = work(self);
        self.names.pop();
        result
    }

    pub fn declare(&mut self, name: &Ident, kind: Name) -> &mut Local {
        let local = Local { kind, ..Local::default() };
        let scope = self.names.last_mut().expect("the first scope contains the parameters");
        scope.insert(name.to_string(), local);
        self.local(name).expect("just declared")
    }

    /// The local name that an expression is.
    pub fn local_of(&self, e: &syn::Expr) -> Option<&Local> {
        crate::syntax::name_of(e).and_then(|name| self.find(name))
    }

    /// Whether an expression is the name of a closure.
    pub fn is_closure(&self, e: &syn::Expr) -> bool {
        self.local_of(e).is_some_and(|local| local.kind == Name::Closure)
    }

    pub fn kind(&self, name: &Ident) -> Option<Name> {
        self.find(name).map(|local| local.kind)
    }

    /// The declaration of a name in the innermost block.
    pub fn find(&self, name: &Ident) -> Option<&Local> {
        let name = name.to_string();
        self.names.iter().rev().find_map(|scope| scope.get(&name))
    }

    /// [`Context::find`], to record a property of the name.
    pub fn local(&mut self, name: &Ident) -> Option<&mut Local> {
        let name = name.to_string();
        self.names.iter_mut().rev().find_map(|scope| scope.get_mut(&name))
    }

    /// Declares all names of a pattern.
    pub fn declare_pattern(&mut self, pat: &Pat, kind: Name) {
        for (name, mutable) in crate::pattern::bindings(pat) {
            self.declare(&name, if mutable && kind == Name::Value { Name::Variable } else { kind });
        }
    }

    /// Records a possibly undefined name, with the number of arguments of a call and the generic parameters of a fallback.
    pub fn record(&mut self, kind: NameKind, name: &Ident, arguments: usize, generics: Vec<TokenStream>) {
        if !self.unresolved.iter().any(|known| known.kind == kind && known.name == *name) {
            self.unresolved.push(UnresolvedName { kind, name: name.clone(), arguments, generics });
        }
    }

    /// Returns a unique reserved name that contains `what`.
    pub fn fresh(&mut self, what: &str) -> Ident {
        self.counter += 1;
        quote::format_ident!("__{}_{}", what, self.counter)
    }

    pub fn find_loop(&self, label: Option<&syn::Lifetime>) -> Option<&LoopFrame> {
        match label {
            None => self.loops.iter().rev().find(|l| !l.block),
            Some(label) => self.loops.iter().rev().find(|l| l.label.as_deref() == Some(&label.ident.to_string())),
        }
    }
}
