//! Syntactic checks of memory and arrays: unsupported iterators and patterns, and constant indices outside of a
//! constant length.
use super::strip;
use crate::scope::{Context, Name};
use proc_macro2::TokenStream;
use syn::visit::Visit;
use syn::{Expr, Pat};

/// The message for a pattern that destructures an array.
const TAKEN_APART: &str = "slice patterns are not supported in a kernel: read the elements by their indices";

/// Whether the syntax proves that a name is memory or a local array.
fn is_list(cx: &Context, name: &syn::Ident) -> bool {
    let text = name.to_string();
    cx.memories.contains(&text) || cx.lists.contains_key(&text)
}

/// The name of memory, also behind `&`, `&mut` and `*`.
fn named<'a>(cx: &Context, e: &'a Expr) -> Option<&'a syn::Ident> {
    match strip(e) {
        Expr::Path(path) => path.path.get_ident().filter(|name| is_list(cx, name)),
        Expr::Reference(inner) => named(cx, &inner.expr),
        _ => None,
    }
}

/// The error for an iterator over memory.
pub fn iterator(cx: &Context, e: &syn::ExprMethodCall) -> Option<String> {
    let name = named(cx, &e.receiver)?;
    let iterates = ["iter", "iter_mut", "into_iter"].iter().any(|method| e.method == method) && e.args.is_empty();
    iterates
        .then(|| format!("memory has no iterator in a kernel: write a `for` loop over its length, and index `{name}`"))
}

/// The error for a loop over memory that would write its elements.
pub fn loop_of_places(cx: &mut Context, e: &syn::ExprForLoop) -> Option<TokenStream> {
    let Expr::Reference(reference) = super::strip(&e.expr) else { return None };
    reference.mutability?;
    let name = named(cx, &reference.expr)?;
    let message =
        format!("a loop over memory reads its elements: to write them, loop over `0..{name}.len()` and index `{name}`");
    Some(cx.refuse_at(&e.expr, reference, message))
}

/// Records an array or shared memory, with its number of elements if its `let` has it as a number.
pub fn note_list(cx: &mut Context, name: &syn::Ident, init: &Expr) {
    let length = match init {
        Expr::Array(array) => Some(array.elems.len() as u64),
        Expr::Repeat(repeat) => number(&repeat.len),
        Expr::Call(call) => {
            let Expr::Path(path) = &*call.func else { return };
            let names: Vec<_> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            let of_language = |owner: &str| ["Array", "SharedMemory"].contains(&owner);
            match names.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
                [owner, "new"] if of_language(owner) => call.args.first().and_then(number),
                [owner, "lined" | "vectorized" | "new_lined" | "new_aligned"] if of_language(owner) => None,
                _ => return,
            }
        }
        _ => return,
    };
    cx.list(name, length.filter(|_| !cx.changes.are_replaced(name)));
}

/// The value of an integer literal.
fn number(e: &Expr) -> Option<u64> {
    match strip(e) {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => int.base10_parse().ok(),
        _ => None,
    }
}

/// The error for an index that is provably wrong: out of bounds, or a `usize`.
pub fn wrong_index(cx: &mut Context, index: &syn::ExprIndex) -> Option<TokenStream> {
    outside(cx, index).or_else(|| super::numbers::index_of_host(cx, index))
}

/// The error for a literal index outside of an array of known length.
pub fn outside(cx: &mut Context, index: &syn::ExprIndex) -> Option<TokenStream> {
    let Expr::Path(path) = strip(&index.expr) else { return None };
    let name = path.path.get_ident()?;
    let length = (*cx.lists.get(&name.to_string())?)?;
    let at = number(&index.index)?;
    if at < length || cx.kind(name) == Some(Name::Closure) {
        return None;
    }
    let elements = if length == 1 { "element" } else { "elements" };
    let message = format!("index {at} is outside of `{name}`, which has {length} {elements}");
    Some(cx.refuse_at(index, &index.index, message))
}

/// The first slice pattern inside a pattern.
fn slice(pat: &Pat) -> Option<&syn::PatSlice> {
    struct Search<'a>(Option<&'a syn::PatSlice>);
    impl<'a> Visit<'a> for Search<'a> {
        fn visit_pat_slice(&mut self, pat: &'a syn::PatSlice) {
            self.0.get_or_insert(pat);
        }
        fn visit_expr(&mut self, _: &'a Expr) {}
    }
    let mut search = Search(None);
    search.visit_pat(pat);
    search.0
}

/// The error for a slice pattern in a `let`. Rust itself destructures a host list.
pub fn let_of_parts(cx: &mut Context, whole: &Pat, init: &Expr) -> Option<TokenStream> {
    let found = slice(whole)?;
    let staged = !super::is_const(cx, init) || matches!(strip(init), Expr::Array(_) | Expr::Repeat(_));
    (staged || named(cx, init).is_some()).then(|| cx.refuse_at(whole, found, TAKEN_APART))
}

/// The error for a slice pattern in an arm of a `match`.
pub fn arms_of_parts<'a>(
    cx: &mut Context,
    on: &Expr,
    mut patterns: impl Iterator<Item = &'a Pat>,
) -> Option<TokenStream> {
    let found = patterns.find_map(slice)?;
    let staged = !super::is_const(cx, on) || matches!(strip(on), Expr::Array(_) | Expr::Repeat(_));
    (staged || named(cx, on).is_some()).then(|| cx.refuse_at(on, found, TAKEN_APART))
}

/// The error for a slice pattern in a parameter of a function.
pub fn parameter_of_parts(cx: &mut Context, pat: &Pat) {
    if let Some(found) = slice(pat) {
        cx.refuse(found, "slice patterns are not supported in a parameter of a kernel: name the parameter, and read its elements by their indices");
    }
}
