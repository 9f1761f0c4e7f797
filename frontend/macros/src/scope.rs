//! What the macro knows about names in a body.
use std::collections::HashMap;
use syn::{Ident, Pat};

/// What a local name stands for in the staged twin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A value of the host.
    Comptime,
    /// A staged value that never changes.
    Value,
    /// A staged variable.
    Variable,
    /// A `&mut` to a staged variable.
    Reference,
    /// A function of the host: a closure, or a parameter of type `impl Fn`.
    Closure,
}

/// A loop that encloses the place of translation.
#[derive(Clone)]
pub struct LoopFrame {
    pub label: Option<String>,
    /// The variable of the expansion that holds it.
    pub handle: Ident,
    /// Where `break value` goes.
    pub slot: Option<Ident>,
    /// A block with a label, which only a `break` with that label leaves.
    pub block: bool,
}

/// Names, loops and results in force.
#[derive(Default)]
pub struct Context {
    names: Vec<HashMap<String, Kind>>,
    pub loops: Vec<LoopFrame>,
    /// Whether `return` writes into a slot.
    pub early_return: bool,
    /// Whether the types of the twin's values follow from those of the body as written: see [`crate::probe`].
    pub checked: bool,
    /// Functions that are called by a plain name, with how many arguments and how many parameters.
    pub calls: Vec<(Ident, usize, usize)>,
    /// Names that a `let` has given to the name of a function.
    pub functions: Vec<(String, Ident)>,
    /// Names that a `let` has given to what a function of a type gives that no macro has seen.
    pub from_elsewhere: Vec<String>,
    /// Methods that are called and are none of the library, with how many arguments, and parameters that take what they are given.
    pub methods: Vec<(Ident, usize, proc_macro2::TokenStream)>,
    /// Functions that are called through a type, with how many arguments and how many parameters.
    pub associated: Vec<(Ident, usize, usize)>,
    /// Functions of enums that look for their variants, with how many arguments.
    pub parts: Vec<(Ident, usize)>,
    /// Whether one of these has the name of a type that holds memory of the host.
    pub names_host_memory: bool,
    /// Structs that are named by a plain name in a pattern, or to make a value of them.
    pub structs: Vec<Ident>,
    /// Constants and values without fields that are named by a plain name.
    pub constants: Vec<Ident>,
    /// Whether the twin stands in a module of its own, which sees no more than the user's module.
    pub own_module: bool,
    /// Type and constant parameters.
    pub parameters: Vec<String>,
    /// Names of types that follow from the body as written, and how they are made.
    pub aliases: Vec<(Ident, proc_macro2::TokenStream)>,
    /// Parameters that are numbers, until their names stand for something else.
    pub numbers: Vec<String>,
    /// Memory of atomics, whose elements may be borrowed as `&mut`.
    pub atomics: Vec<String>,
    /// Names that a `let` without `mut` has given to values of the host.
    pub plain_constants: Vec<String>,
    /// Names of blocks that have ended.
    gone: std::collections::HashSet<String>,
    /// Names of numbers that are written without their type: where they go says it.
    pub bare: Vec<String>,
    /// The types of numbers that are known by their names.
    pub number_types: HashMap<String, String>,
    /// The types of the elements of memory that is known by its name.
    pub element_types: HashMap<String, String>,
    /// Parameters whose types are structs and enums of the user, with these, until their names stand for something else.
    pub own_types: HashMap<String, Ident>,
    /// Parameters that are memory, until their names stand for something else.
    pub memories: Vec<String>,
    /// Parameters and variables that are declared as `usize`, until their names stand for something else.
    pub sizes: Vec<String>,
    /// Variables that have begun as a number without its type, with that number.
    pub literals: HashMap<String, syn::Expr>,
    /// Arrays and shared memory of the body, with how many elements they have where that is written as a number.
    pub lists: HashMap<String, Option<u64>>,
    /// Variables of loops that are always unrolled: numbers of the host where a parameter or a field wants one.
    pub turns: Vec<String>,
    /// Parameters of a kernel that are numbers: nothing of them is known while it is compiled.
    pub run_time: Vec<String>,
    /// Who changes the variables of the body.
    pub changes: crate::changes::Changes,
    /// The type whose `impl` block the body stands in.
    pub self_name: Option<Ident>,
    /// Whether rustc tells a mistake of the body as written that the twin would tell again in other words.
    pub told: bool,
    /// Mistakes found so far; translation goes on after each.
    pub errors: Vec<crate::probe::Mistake>,
    counter: usize,
}

impl Context {
    pub fn new() -> Self {
        Context { names: vec![HashMap::new()], ..Self::default() }
    }

    /// Notes a mistake and stands something in its place.
    pub fn refuse(&mut self, place: impl quote::ToTokens, message: impl std::fmt::Display) -> proc_macro2::TokenStream {
        let tokens = quote::ToTokens::to_token_stream(&place);
        let range = crate::probe::range(tokens.clone());
        self.errors.push(crate::probe::Mistake { error: syn::Error::new_spanned(tokens, message), range });
        let p = crate::names::private();
        quote::quote!(#p::unexpanded())
    }

    /// As [`Context::refuse`] for an expression, told at a part of it.
    pub fn refuse_at(
        &mut self,
        whole: impl quote::ToTokens,
        at: impl quote::ToTokens,
        message: impl std::fmt::Display,
    ) -> proc_macro2::TokenStream {
        let range = crate::probe::range(whole.to_token_stream());
        self.errors.push(crate::probe::Mistake { error: syn::Error::new_spanned(at, message), range });
        let p = crate::names::private();
        quote::quote!(#p::unexpanded())
    }

    pub fn scoped<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.names.push(HashMap::new());
        let result = work(self);
        self.gone.extend(self.names.pop().into_iter().flat_map(HashMap::into_keys));
        result
    }

    pub fn declare(&mut self, name: &Ident, kind: Kind) {
        let text = name.to_string();
        // The first block is that of the parameters.
        if self.names.iter().any(|scope| scope.contains_key(&text)) {
            self.numbers.retain(|number| *number != text);
            self.memories.retain(|memory| *memory != text);
        }
        if self.kind(name).is_some() {
            self.own_types.remove(&text);
        }
        self.plain_constants.retain(|name| *name != text);
        self.turns.retain(|name| *name != text);
        self.bare.retain(|name| *name != text);
        self.sizes.retain(|name| *name != text);
        self.number_types.remove(&text);
        self.element_types.remove(&text);
        self.literals.remove(&text);
        self.lists.remove(&text);
        if let Some(scope) = self.names.last_mut() {
            scope.insert(text, kind);
        }
    }

    /// Notes the type that a variable is declared with. Where the name stands for something else further out, that is what it will be
    /// again, and nothing is noted.
    pub fn typed(&mut self, name: &Ident, ty: &syn::Type) {
        if crate::types::is_primitive(ty) && !self.hides(name) {
            self.number_types.insert(name.to_string(), quote::quote!(#ty).to_string());
        }
    }

    /// Notes a variable that is a `usize`, as [`Context::typed`] does.
    pub fn sized(&mut self, name: &Ident) {
        if !self.hides(name) {
            self.sizes.push(name.to_string());
        }
    }

    /// Notes a variable that begins as a number without its type, as [`Context::typed`] does.
    pub fn begun(&mut self, name: &Ident, literal: &syn::Expr) {
        if !self.hides(name) {
            self.literals.insert(name.to_string(), literal.clone());
        }
    }

    /// Notes an array with its number of elements, as [`Context::typed`] does.
    pub fn list(&mut self, name: &Ident, length: Option<u64>) {
        if !self.hides(name) {
            self.lists.insert(name.to_string(), length);
        }
    }

    /// Notes that a name is another one for the number of a loop's turn.
    pub fn also_turn(&mut self, name: &Ident) {
        if !self.hides(name) {
            self.turns.push(name.to_string());
        }
    }

    /// Whether a name of this block stands for something else further out.
    fn hides(&self, name: &Ident) -> bool {
        let text = name.to_string();
        self.names.iter().rev().skip(1).any(|scope| scope.contains_key(&text))
    }

    /// Whether a name stands for a value of the host that a `let` without `mut` has given it.
    pub fn is_plain_constant(&self, name: &Ident) -> bool {
        self.plain_constants.contains(&name.to_string()) && self.kind(name) == Some(Kind::Comptime)
    }

    /// Whether a name stands for the number of a loop's turn, which is known when the kernel is compiled.
    pub fn is_turn(&self, name: &Ident) -> bool {
        self.turns.iter().any(|turn| name == turn) && self.kind(name) == Some(Kind::Value)
    }

    /// Whether a name stands for a number that is written without its type.
    pub fn is_bare(&self, name: &Ident) -> bool {
        self.bare.iter().any(|bare| name == bare)
    }

    /// Whether a name is that of a variable whose block has ended: rustc tells it of the body as written, and where the variable is.
    pub fn is_gone(&self, name: &Ident) -> bool {
        self.checked && self.kind(name).is_none() && self.gone.contains(&name.to_string())
    }

    pub fn kind(&self, name: &Ident) -> Option<Kind> {
        let name = name.to_string();
        self.names.iter().rev().find_map(|scope| scope.get(&name).copied())
    }

    /// Declares all names of a pattern.
    pub fn declare_pattern(&mut self, pat: &Pat, kind: Kind) {
        for (name, mutable) in crate::pattern::bindings(pat) {
            self.declare(&name, if mutable && kind == Kind::Value { Kind::Variable } else { kind });
        }
    }

    /// Notes a call of a function by its plain name.
    pub fn called(&mut self, name: &Ident, arguments: usize, parameters: usize) {
        if !self.calls.iter().any(|(known, ..)| known == name) {
            self.calls.push((name.clone(), arguments, parameters));
        }
    }

    /// Notes a struct, by the name it has in the twin, that may not exist; whether it does so. A block in the body of a function sees the
    /// structs there, which no path leads to: nothing may stand before them.
    pub fn struct_named(&mut self, name: &Ident) -> bool {
        let noted = self.checked && (self.own_module || !crate::known::in_a_body());
        if noted && !self.structs.contains(name) {
            self.structs.push(name.clone());
        }
        noted
    }

    /// Notes a call of a function of a type that is none of the library.
    pub fn associated_called(&mut self, name: &Ident, arguments: usize, parameters: usize) {
        if self.checked && !self.associated.iter().any(|(known, ..)| known == name) {
            self.associated.push((name.clone(), arguments, parameters));
        }
    }

    /// Notes that a variant of an enum from elsewhere is asked for.
    pub fn part_asked(&mut self, name: &Ident, arguments: usize) {
        if self.checked && !self.parts.iter().any(|(known, _)| known == name) {
            self.parts.push((name.clone(), arguments));
        }
    }

    /// Notes a call of a method that is none of the library.
    pub fn method_called(&mut self, name: &Ident, arguments: usize, parameters: proc_macro2::TokenStream) {
        if self.checked && !self.methods.iter().any(|(known, ..)| known == name) {
            self.methods.push((name.clone(), arguments, parameters));
        }
    }

    /// Notes a value that is named as constants are, which may not exist.
    pub fn constant_named(&mut self, name: &Ident) {
        let text = name.to_string();
        let noted = !self.checked || !self.own_module || self.kind(name).is_some() || self.constants.contains(name);
        let upper = text.starts_with(|c: char| c.is_ascii_uppercase());
        let known = ["Self", "None"].contains(&text.as_str()) || crate::words::keyword(&text).is_some();
        if upper && !noted && !known && !self.parameters.contains(&text) {
            self.constants.push(name.clone());
        }
    }

    /// The name of a type that follows from the body as written, or of its staged form, where its parameters are known.
    pub fn known_type(&mut self, path: &syn::Path, staged: bool) -> Option<Ident> {
        if !self.checked {
            return None;
        }
        let (name, made) = crate::known::alias(path, staged, &crate::names::private())?;
        if !self.aliases.iter().any(|(known, _)| *known == name) {
            self.aliases.push((name.clone(), made));
        }
        Some(Ident::new(&name.to_string(), path.segments.last()?.ident.span()))
    }

    /// A value whose type follows from the body as written.
    pub fn leaf(&self, value: proc_macro2::TokenStream) -> proc_macro2::TokenStream {
        if !self.checked {
            return value;
        }
        let span = value.clone().into_iter().next().map_or(proc_macro2::Span::call_site(), |t| t.span());
        let p = crate::names::private_at(span);
        quote::quote_spanned!(span=> #p::leaf::<__CHECK, _>(#value))
    }

    /// A name that no user writes.
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
