//! Bounds such as `T: Max`, whose names are both a trait and a type of the language.
//!
//! The prelude's `Max`, `Min` and `Clamp` are types with one function each. If the prelude imported traits of these
//! names, they would hide the methods of `Ord` on the host. In a bound, these names mean the traits.
use crate::names::{at, private};
use quote::quote;
use syn::visit_mut::VisitMut;
use syn::{Item, TraitBound, parse_quote};

const NAMES: [&str; 3] = ["Max", "Min", "Clamp"];

/// Replaces these names by their traits in the bounds of an item.
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
