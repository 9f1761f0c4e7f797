//! `T: Max`: bounds by traits of the language whose names stand for something else where they are imported.
//!
//! The prelude's `Max`, `Min` and `Clamp` are types with a function each, so that the traits of the same names do not stand in
//! the way of `Ord`'s methods on the host. As bounds they mean the traits.
use crate::names::{at, private};
use quote::quote;
use syn::visit_mut::VisitMut;
use syn::{Item, TraitBound, parse_quote};

const NAMES: [&str; 3] = ["Max", "Min", "Clamp"];

/// Gives the bounds of an item their traits.
pub fn resolve(item: &mut Item) {
    Bounds.visit_item_mut(item);
}

struct Bounds;

impl VisitMut for Bounds {
    fn visit_trait_bound_mut(&mut self, bound: &mut TraitBound) {
        let Some(name) = bound.path.get_ident().filter(|name| NAMES.iter().any(|known| name == known)).cloned() else {
            return;
        };
        let (p, name) = (at(private(), name.span()), quote!(#name));
        bound.path = parse_quote!(#p::bounds::#name);
    }
}
